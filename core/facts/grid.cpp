#include "core/facts/grid.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "core/base/json.h"
#include "core/base/text.h"

namespace sonde {

namespace {
/// Of the largest number among cells; that beside them too, if it has none of its own there.
Scale common_scale(const std::vector<const Cell*>& cells, bool beside) {
    double most = 0;
    std::optional<Unit> unit;
    for (const Cell* cell : cells) {
        const Quantity* quantity = beside ? (cell->beside ? &*cell->beside : nullptr) : cell->quantity();
        if (!quantity) continue;
        if (!unit) unit = quantity->unit;
        if (quantity->unit == *unit) most = std::max(most, quantity->range ? quantity->range->second : quantity->value);
    }
    return unit ? scale_of(most, *unit) : Scale{};
}

/// A number whose unit is not that of its row or column names it.
std::string cell_text(const Cell& cell, const Scale& scale, const Scale& beside) {
    const Quantity* quantity = cell.quantity();
    if (!quantity) return std::string(lack_word(std::get<Lack>(cell.is)));
    const Scale own = scale_of(quantity->range ? quantity->range->second : quantity->value, quantity->unit);
    const bool alike = scale.unit.ends_with(unit_name(quantity->unit));
    std::string text = quantity_text(*quantity, alike ? scale : own) + (alike ? "" : " " + own.unit);
    if (cell.beside) text += " (" + quantity_text(*cell.beside, beside) + ")";
    return text;
}

std::string with_units(const std::string& title, const Scale& scale, const Scale& beside) {
    if (scale.unit.empty()) return title;
    return fmt::format(
        "{}{}{}{}", title, title.empty() ? "" : ", ", scale.unit, beside.unit.empty() ? "" : " (" + beside.unit + ")");
}

std::vector<const Cell*> cells_of_column(const Grid& grid, std::size_t column) {
    std::vector<const Cell*> cells;
    for (const GridSection& section : grid.sections)
        for (const GridRow& row : section.rows)
            if (column < row.cells.size()) cells.push_back(&row.cells[column]);
    return cells;
}

std::vector<const Cell*> cells_of(const GridRow& row) {
    std::vector<const Cell*> cells;
    for (const Cell& cell : row.cells) cells.push_back(&cell);
    return cells;
}

/// Units of a row's numbers, and of those beside them.
using RowUnits = std::pair<std::string, std::string>;

/// What more than half of a section's rows have; none of which that is true.
RowUnits shared_units(const GridSection& section) {
    std::map<RowUnits, std::size_t> rows;
    for (const GridRow& row : section.rows)
        ++rows[{common_scale(cells_of(row), false).unit, common_scale(cells_of(row), true).unit}];
    const auto most = std::ranges::max_element(rows, {}, [](const auto& each) { return each.second; });
    return 2 * most->second > section.rows.size() ? most->first : RowUnits();
}

Json quantity_json(const Quantity& quantity) {
    Json json{{"value", quantity.value}, {"unit", unit_name(quantity.unit)}};
    if (quantity.range) json["low"] = quantity.range->first, json["high"] = quantity.range->second;
    return json;
}

Json cell_json(const Cell& cell) {
    static constexpr const char* kLacks[] = {
        "not measured", "not reached", "as global", "unsure", "unsupported", "failed", "scatters"};
    const Quantity* quantity = cell.quantity();
    if (!quantity) return {{"lack", kLacks[static_cast<std::size_t>(std::get<Lack>(cell.is))]}};
    Json json = quantity_json(*quantity);
    if (cell.beside) json["beside"] = quantity_json(*cell.beside);
    return json;
}
} // namespace

bool Grid::empty() const {
    return std::ranges::all_of(sections, [](const GridSection& section) { return section.rows.empty(); });
}

bool has_section(const Grid& grid, std::string_view title) {
    return std::ranges::any_of(
        grid.sections, [&](const GridSection& section) { return section.title == title && !section.rows.empty(); });
}

std::string grid_text(const Grid& grid, std::size_t width) {
    if (grid.empty()) return "";
    std::vector<Scale> scales, besides;
    std::vector<std::string> header{grid.corner};
    for (std::size_t i = 0; i < grid.columns.size(); ++i) {
        const auto cells = cells_of_column(grid, i);
        scales.push_back(grid.unit_by_column ? common_scale(cells, false) : Scale{});
        besides.push_back(grid.unit_by_column ? common_scale(cells, true) : Scale{});
        header.push_back(with_units(grid.columns[i], scales[i], besides[i]));
    }
    Table table(header);
    for (const GridSection& section : grid.sections) {
        if (section.rows.empty()) continue;
        const RowUnits shared = grid.unit_by_column || section.title.empty() ? RowUnits() : shared_units(section);
        if (!section.title.empty()) table.add_row({with_units(section.title, {1, shared.first}, {1, shared.second})});
        const std::string indent = section.title.empty() ? "" : "  ";
        for (const GridRow& row : section.rows) {
            const Scale scale = common_scale(cells_of(row), false), beside = common_scale(cells_of(row), true);
            const bool known = scale.unit == shared.first && (beside.unit.empty() || beside.unit == shared.second);
            std::vector<std::string> texts{
                indent + (grid.unit_by_column || known ? row.place : with_units(row.place, scale, beside))};
            for (std::size_t i = 0; i < row.cells.size(); ++i)
                texts.push_back(cell_text(
                    row.cells[i], grid.unit_by_column ? scales[i] : scale, grid.unit_by_column ? besides[i] : beside));
            table.add_row(texts);
        }
    }
    return table.str(width);
}

Json to_json(const Grid& grid) {
    Json rows = Json::array();
    for (const GridSection& section : grid.sections)
        for (const GridRow& row : section.rows) {
            Json cells = Json::array();
            for (const Cell& cell : row.cells) cells.push_back(cell_json(cell));
            rows.push_back({{"section", section.title}, {"place", row.place}, {"cells", std::move(cells)}});
        }
    return {{"type", "table"}, {"name", grid.name}, {"columns", grid.columns}, {"rows", std::move(rows)}};
}

} // namespace sonde
