#include "core/facts/grid.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/json.h"
#include "core/base/text.h"

namespace sonde {

namespace {
struct Largest {
    std::optional<Unit> unit{}; // none: there is no number
    double most = 0;
};

/// Among the numbers of cells, or of those beside them, that have the first one's unit.
Largest largest_of(const std::vector<const Cell*>& cells, bool beside) {
    Largest largest;
    for (const Cell* cell : cells) {
        const Quantity* quantity = beside ? (cell->beside ? &*cell->beside : nullptr) : cell->quantity();
        if (!quantity || quantity->unit == Unit::times || quantity->unit == Unit::count)
            continue; // a ratio stands among numbers that have a unit
        if (!largest.unit) largest.unit = quantity->unit;
        if (quantity->unit == *largest.unit) largest.most = std::max(largest.most, quantity->most());
    }
    return largest;
}

Scale common_scale(const std::vector<const Cell*>& cells, bool beside) {
    const Largest largest = largest_of(cells, beside);
    return largest.unit ? scale_of(largest.most, *largest.unit) : Scale{};
}

/// A number whose unit is not that of its row or column names it, as does a time too short for that.
std::string number_text(const Quantity& quantity, const Scale& scale, int digits) {
    const Scale own = scale_of(quantity.most(), quantity.unit);
    const bool alike = own.of == scale.of && (scale.by <= own.by || has_prefix(quantity.unit));
    const std::string text = quantity_text(quantity, alike ? scale : own, digits);
    return alike || own.unit.empty() ? text : text + " " + own.unit;
}

/// Scales of a cell's number, and of the one beside it.
using CellScales = std::pair<Scale, Scale>;

std::string cell_text(const Cell& cell, const CellScales& scales, int digits) {
    if (const auto* lack = std::get_if<Lack>(&cell.is)) return std::string(lack_word(*lack));
    if (const auto* instructions = std::get_if<Instructions>(&cell.is)) return instructions->text;
    std::string text = number_text(*cell.quantity(), scales.first, digits);
    if (cell.beside) text += " (" + number_text(*cell.beside, scales.second, digits) + ")";
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

/// Those whose rows stand below each other under one title.
using Sections = std::span<const GridSection>;

/// By unit the largest number of the row where that is least.
using LeastRows = std::map<Unit, double>;

LeastRows least_rows(Sections sections) {
    LeastRows least;
    for (const GridSection& section : sections)
        for (const GridRow& row : section.rows)
            if (const Largest its = largest_of(cells_of(row), false); its.unit && its.most > 0) {
                const auto known = least.emplace(*its.unit, its.most).first;
                known->second = std::min(known->second, its.most);
            }
    return least;
}

/// Rates, or times, below each other have one prefix, that of the least row, as long as they have at most five digits
/// with it.
Scale row_scale(const LeastRows& least, const GridRow& row) {
    constexpr double kMost = 1e5;
    const Largest own = largest_of(cells_of(row), false);
    if (!own.unit) return {};
    const auto lower = least.find(*own.unit);
    const Scale scale = scale_of(lower == least.end() ? own.most : lower->second, *own.unit);
    const bool together = own.unit == Unit::ns || is_per_second(*own.unit);
    return together && own.most / scale.by < kMost ? scale : scale_of(own.most, *own.unit);
}

/// Units of a row's numbers, and of those beside them.
using RowUnits = std::pair<Scale, Scale>;

/// What more than half of the rows have; none of which that is true.
RowUnits shared_units(Sections sections, const LeastRows& least) {
    std::map<RowUnits, std::size_t> units;
    std::size_t rows = 0;
    for (const GridSection& section : sections)
        for (const GridRow& row : section.rows) {
            ++units[{row_scale(least, row), common_scale(cells_of(row), true)}];
            ++rows;
        }
    const auto most = std::ranges::max_element(units, {}, [](const auto& each) { return each.second; });
    return most != units.end() && 2 * most->second > rows ? most->first : RowUnits();
}

/// Rows that stand below each other under one title, which names their unit.
struct Together {
    LeastRows least{};
    RowUnits shared{};
};
Together together(Sections sections, bool titled) {
    Together all{least_rows(sections), {}};
    if (titled) all.shared = shared_units(sections, all.least);
    return all;
}

std::string titled(const std::string& title, const RowUnits& units) {
    return with_units(title, units.first, units.second);
}

/// For programs.
const char* lack_name(Lack lack) {
    static constexpr const char* kNames[] = {
        "not measured", "not reached", "as global", "unsure", "unsupported", "failed", "scatters"};
    return kNames[static_cast<std::size_t>(lack)];
}

Json cell_json(const Cell& cell) {
    if (const auto* lack = std::get_if<Lack>(&cell.is)) return {{"lack", lack_name(*lack)}};
    if (const auto* instructions = std::get_if<Instructions>(&cell.is)) return {{"instructions", instructions->text}};
    Json json = quantity_json(*cell.quantity());
    if (cell.beside) json["beside"] = quantity_json(*cell.beside);
    return json;
}
} // namespace

Json quantity_json(const Quantity& quantity) {
    Json json{{"value", quantity.value}, {"unit", unit_name(quantity.unit)}};
    if (quantity.range) json["low"] = quantity.range->first, json["high"] = number_or_null(quantity.range->second);
    if (quantity.quartiles) json["quartiles"] = {quantity.quartiles->first, quantity.quartiles->second};
    if (quantity.derived) json["derived"] = true;
    return json;
}

bool Grid::empty() const {
    return std::ranges::all_of(sections, [](const GridSection& section) { return section.rows.empty(); });
}

namespace {
const GridRow* row_of(const Grid& grid, const std::string& section, const std::string& place) {
    for (const GridSection& each : grid.sections)
        for (const GridRow& row : each.rows)
            if (each.title == section && row.place == place) return &row;
    return nullptr;
}

bool lacks_numbers(const GridRow& row) {
    return std::ranges::none_of(row.cells, [](const Cell& cell) { return cell.quantity(); });
}

double middle(const Quantity& quantity) {
    return quantity.range ? std::sqrt(quantity.range->first * quantity.range->second) : quantity.value;
}

/// Two brackets that overlap, or touch, or a number within the other's: what lies in them may not differ, and no ratio
/// of it is known.
bool may_be_one(const Quantity& a, const Quantity& b) {
    if (!a.range && !b.range) return false;
    const auto [a_least, a_most] = a.range.value_or(std::pair(a.value, a.value));
    const auto [b_least, b_most] = b.range.value_or(std::pair(b.value, b.value));
    return a_least <= b_most && b_least <= a_most;
}

Cell ratio(const Cell& cell, const Cell& other) {
    const Quantity *a = cell.quantity(), *b = other.quantity();
    if (!a || !b || a->unit != b->unit || !(middle(*b) > 0) || may_be_one(*a, *b)) return {};
    return Quantity{middle(*a) / middle(*b), Unit::times};
}
} // namespace

Grid ratios(const Grid& grid, const Grid& other, const std::vector<std::optional<std::size_t>>& alike) {
    Grid result = grid;
    for (GridSection& section : result.sections) {
        for (GridRow& row : section.rows) {
            const GridRow* base = row_of(other, section.title, row.place);
            for (std::size_t i = 0; i < row.cells.size(); ++i) {
                const auto column = alike.at(i);
                row.cells[i] =
                    base && column && *column < base->cells.size() ? ratio(row.cells[i], base->cells[*column]) : Cell();
            }
        }
        std::erase_if(section.rows, lacks_numbers);
    }
    return result;
}

namespace {
GridSection& section_of(Grid& grid, const std::string& title) {
    const auto found = std::ranges::find(grid.sections, title, &GridSection::title);
    if (found != grid.sections.end()) return *found;
    grid.sections.push_back({title, {}});
    return grid.sections.back();
}

/// The row of that place, which is added where there is none, behind the one before it in `like`.
GridRow& row_of(GridSection& section, const GridSection& like, std::size_t row, std::size_t columns) {
    const auto at = [&](const std::string& place) { return std::ranges::find(section.rows, place, &GridRow::place); };
    const std::string& place = like.rows[row].place;
    if (const auto found = at(place); found != section.rows.end()) return *found;
    auto before = row > 0 ? at(like.rows[row - 1].place) : section.rows.end();
    if (before != section.rows.end()) ++before;
    return *section.rows.insert(before, {place, std::vector<Cell>(columns)});
}

/// Cells of a column of several tables, one column for each.
Grid columns_beside(const std::vector<std::pair<Grid, std::size_t>>& columns) {
    Grid all;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const auto& [grid, column] = columns[i];
        if (i == 0) all.name = grid.name;
        for (const GridSection& section : grid.sections)
            for (std::size_t row = 0; row < section.rows.size(); ++row) {
                GridRow& target = row_of(section_of(all, section.title), section, row, columns.size());
                if (column < section.rows[row].cells.size()) target.cells[i] = section.rows[row].cells[column];
            }
        all.columns.push_back(column < grid.columns.size() ? grid.columns[column] : "");
    }
    return all;
}

/// Where there is no number, why the first one has none.
Cell median_of(const std::vector<Cell>& cells) {
    std::vector<Quantity> numbers;
    for (const Cell& cell : cells)
        if (const Quantity* number = cell.quantity(); number && (numbers.empty() || number->unit == numbers[0].unit))
            numbers.push_back(*number);
    if (numbers.empty()) return cells.front();
    std::ranges::sort(numbers, {}, &Quantity::value);
    Quantity middle = numbers[numbers.size() / 2];
    middle.value = (middle.value + numbers[(numbers.size() - 1) / 2].value) / 2;
    const auto low = [](const Quantity& each) { return each.range ? each.range->first : each.value; };
    const auto high = [](const Quantity& each) { return each.range ? each.range->second : each.value; };
    const double least = low(std::ranges::min(numbers, {}, low)), most = high(std::ranges::max(numbers, {}, high));
    if (least < most) middle.range = {least, most};
    return middle;
}
} // namespace

Grid medians(const std::vector<std::pair<Grid, std::size_t>>& columns) {
    Grid all = columns_beside(columns);
    for (GridSection& section : all.sections)
        for (GridRow& row : section.rows) row.cells = {median_of(row.cells)};
    all.columns.resize(1);
    return all;
}

namespace {
/// ", 1 of 4", where a row has no more numbers than that in any of its columns; "".
std::string share_of(const GridSection& section, const GridRow& row, const std::vector<Grid>& grids) {
    std::size_t most = 0;
    for (std::size_t column = 0; column < row.cells.size(); ++column)
        most = std::max(most, static_cast<std::size_t>(std::ranges::count_if(grids, [&](const Grid& grid) {
            const GridRow* own = row_of(grid, section.title, row.place);
            return own && column < own->cells.size() && own->cells[column].quantity();
        })));
    return most == 0 || most == grids.size() ? "" : fmt::format(", {} of {}", most, grids.size());
}
} // namespace

Grid spreads(const std::vector<Grid>& grids) {
    constexpr double kShown = 5e-4; // a spread of less has no digit
    Grid all = grids.at(0);
    for (GridSection& section : all.sections)
        for (GridRow& row : section.rows) {
            const std::string share = share_of(section, row, grids);
            for (std::size_t column = 0; column < row.cells.size(); ++column) {
                std::vector<Cell> cells;
                for (const Grid& grid : grids) {
                    const GridRow* own =
                        grid.columns.size() == all.columns.size() ? row_of(grid, section.title, row.place) : nullptr;
                    if (own && column < own->cells.size()) cells.push_back(own->cells[column]);
                }
                const bool ranges = std::ranges::any_of(
                    cells, [](const Cell& cell) { return cell.quantity() && cell.quantity()->range; });
                Cell middle = median_of(cells);
                if (auto* number = std::get_if<Quantity>(&middle.is); number && number->range && !ranges) {
                    const auto [least, most] = *std::exchange(number->range, std::nullopt);
                    if (const double apart = most - least; apart >= kShown * number->value)
                        middle.beside = Quantity{apart / number->value, Unit::spread};
                }
                row.cells[column] = std::move(middle);
            }
            row.place += share;
        }
    return all;
}

Grid side_by_side(const Grid& first, const Grid& second) {
    Grid both = columns_beside({{first, 0}, {second, 0}});
    for (GridSection& section : both.sections) {
        std::erase_if(section.rows, lacks_numbers);
        for (GridRow& row : section.rows) row.cells.push_back(ratio(row.cells[1], row.cells[0]));
    }
    both.columns = {"first", "second", "ratio"};
    return both;
}

namespace {
/// Of each column that has a unit of its own.
std::vector<CellScales> column_scales(const Grid& grid) {
    std::vector<CellScales> scales(grid.columns.size());
    for (std::size_t i = 0; grid.unit_by == UnitBy::column && i < scales.size(); ++i)
        scales[i] = {common_scale(cells_of_column(grid, i), false), common_scale(cells_of_column(grid, i), true)};
    return scales;
}

TextRow texts_by_row(const GridRow& row, const Together& all, int digits) {
    const CellScales scales(row_scale(all.least, row), common_scale(cells_of(row), true));
    const auto& [scale, beside] = scales;
    const bool known = scale == all.shared.first && (beside.unit.empty() || beside == all.shared.second);
    TextRow texts{known ? row.place : with_units(row.place, scale, beside)};
    for (const Cell& cell : row.cells) texts.push_back(cell_text(cell, scales, digits));
    return texts;
}

TextRow texts_by_column(const GridRow& row, const std::vector<CellScales>& columns, int digits) {
    TextRow texts{row.place};
    for (std::size_t i = 0; i < row.cells.size(); ++i) texts.push_back(cell_text(row.cells[i], columns.at(i), digits));
    return texts;
}
} // namespace

GridTexts texts_of(const Grid& grid) {
    const bool by_row = grid.unit_by == UnitBy::row, captioned = !grid.caption.empty();
    const std::vector<CellScales> columns = column_scales(grid);
    const Together all = by_row && captioned ? together(grid.sections, true) : Together();
    GridTexts texts{{grid.corner}, {}, titled(grid.caption, all.shared)};
    bool at_top = grid.corner.empty(); // where the first section's title stands
    for (std::size_t i = 0; i < columns.size(); ++i)
        texts.header.push_back(with_units(grid.columns[i], columns[i].first, columns[i].second));
    for (const GridSection& section : grid.sections) {
        if (section.rows.empty()) continue;
        const Together own = by_row && !captioned ? together({&section, 1}, !section.title.empty()) : Together();
        const std::string title = section.title.empty() ? "" : titled(section.title, own.shared);
        if (at_top) texts.header[0] = title;
        else if (!title.empty()) texts.rows.push_back({title});
        at_top = false;
        for (const GridRow& row : section.rows)
            texts.rows.push_back(by_row ? texts_by_row(row, captioned ? all : own, grid.digits)
                                        : texts_by_column(row, columns, grid.digits));
    }
    return texts;
}

namespace {
/// Rows of which nothing else is shown.
bool shows_instructions(const GridRow& row) {
    return lacks_numbers(row) && std::ranges::any_of(row.cells,
                                     [](const Cell& cell) { return std::holds_alternative<Instructions>(cell.is); });
}

/// "u32 add, instruction: cuda:0, opencl:1.0 ATOMS.ADD; vulkan:0 ATOMS.ADD (one per subgroup)"
std::string instructions_text(const Grid& grid, const GridSection& section, const GridRow& row) {
    std::vector<std::pair<std::string, std::vector<std::string>>> shown; // with the columns that have them
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
        const auto* instructions = std::get_if<Instructions>(&row.cells[i].is);
        if (!instructions) continue;
        auto alike =
            std::ranges::find(shown, instructions->text, &std::pair<std::string, std::vector<std::string>>::first);
        if (alike == shown.end()) alike = shown.insert(shown.end(), {instructions->text, {}});
        alike->second.push_back(grid.columns.at(i));
    }
    std::vector<std::string> texts;
    texts.reserve(shown.size());
    for (const auto& [text, columns] : shown) texts.push_back(fmt::format("{} {}", fmt::join(columns, ", "), text));
    return fmt::format(
        "{}{}{}: {}", section.title, section.title.empty() ? "" : ", ", row.place, fmt::join(texts, "; "));
}
} // namespace

std::string grid_text(const Grid& grid, std::size_t width) {
    Grid numbers = grid;
    std::string instructions;
    for (GridSection& section : numbers.sections) {
        for (const GridRow& row : section.rows)
            if (shows_instructions(row))
                instructions += wrapped(printable(instructions_text(grid, section, row)), width, 2);
        std::erase_if(section.rows, shows_instructions);
    }
    const GridTexts texts = texts_of(numbers);
    const std::string caption = texts.caption.empty() ? "" : wrapped(printable(texts.caption), width, 4);
    if (numbers.empty()) return instructions.empty() ? "" : caption + instructions;
    Table table(texts.header);
    bool below_title = numbers.corner.empty() && !texts.header[0].empty();
    for (TextRow row : texts.rows) {
        if (row.size() == 1) below_title = true;
        else if (below_title) row[0].insert(0, "  ");
        table.add_row(std::move(row));
    }
    return caption + table.str(width) + instructions;
}

Json to_json(const Grid& grid) {
    Json rows = Json::array();
    for (const GridSection& section : grid.sections)
        for (const GridRow& row : section.rows) {
            Json cells = Json::array();
            for (const Cell& cell : row.cells) cells.push_back(cell_json(cell));
            rows.push_back({{"section", section.title}, {"place", row.place}, {"cells", std::move(cells)}});
        }
    Json json{{"type", "table"}, {"name", grid.name}, {"columns", grid.columns}, {"rows", std::move(rows)}};
    if (!grid.caption.empty()) json["caption"] = grid.caption;
    return json;
}

namespace {
std::string csv_number(double value) { return std::isfinite(value) ? fmt::format("{}", value) : ""; }
using Ends = std::optional<std::pair<double, double>>;
std::string csv_ends(const Ends& ends) { return ends ? csv_number(ends->first) + "," + csv_number(ends->second) : ","; }
std::string csv_quantity(const Quantity& quantity) {
    return fmt::format("{},{}", csv_number(quantity.value), csv_field(unit_name(quantity.unit)));
}

/// Fields from "value" on.
std::string csv_cell(const Cell& cell) {
    const Quantity* quantity = cell.quantity();
    const auto* lack = std::get_if<Lack>(&cell.is);
    const auto* instructions = std::get_if<Instructions>(&cell.is);
    return fmt::format("{},{},{},{},{},{},{}", quantity ? csv_quantity(*quantity) : ",",
        csv_ends(quantity ? quantity->range : Ends()), csv_ends(quantity ? quantity->quartiles : Ends()),
        cell.beside ? csv_quantity(*cell.beside) : ",",
        (quantity && quantity->derived) || (cell.beside && cell.beside->derived) ? "derived" : "",
        lack ? lack_name(*lack) : "", csv_field(instructions ? instructions->text : ""));
}
} // namespace

std::string grid_csv_head() {
    return "subject,table,caption,section,place,column,value,unit,low,high,lower_quartile,upper_quartile,beside,"
           "beside_unit,derived,lack,instructions\n";
}

std::string grid_csv(const Grid& grid, std::string_view subject) {
    std::string lines;
    for (const GridSection& section : grid.sections)
        for (const GridRow& row : section.rows)
            for (std::size_t i = 0; i < row.cells.size(); ++i)
                lines += fmt::format("{},{},{},{},{},{},{}\n", csv_field(subject), csv_field(grid.name),
                    csv_field(grid.caption), csv_field(section.title), csv_field(row.place),
                    csv_field(grid.columns.at(i)), csv_cell(row.cells[i]));
    return lines;
}

} // namespace sonde
