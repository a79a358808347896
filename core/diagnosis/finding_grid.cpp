#include "core/diagnosis/finding_grid.h"

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "core/base/grouped.h"

namespace sonde {

namespace {
/// Any unit that is not known is a count of what its place names.
Quantity quantity_of_row(const FindingRow& row) {
    const auto in = [&](double value) { return quantity_in(value, row.unit).value_or(Quantity{value, Unit::count}); };
    Quantity quantity = in(row.value);
    if (row.range) quantity.range = std::pair(in(row.range->first).value, in(row.range->second).value);
    return quantity;
}

std::size_t column_for(Grid& grid, const std::string& device) {
    const auto found = std::ranges::find(grid.columns, device);
    if (found != grid.columns.end()) return static_cast<std::size_t>(found - grid.columns.begin());
    grid.columns.push_back(device);
    return grid.columns.size() - 1;
}

GridRow& row_for(GridSection& section, const std::string& place) {
    const auto found = std::ranges::find(section.rows, place, &GridRow::place);
    if (found != section.rows.end()) return *found;
    section.rows.push_back({place, {}});
    return section.rows.back();
}
} // namespace

Grid finding_grid(const std::vector<Finding>& findings) {
    Grid grid{.name = "findings"};
    const auto of_series = [](const Finding& finding) {
        return std::tuple(finding.series.probe, finding.series.path, finding.series.options);
    };
    for (const std::vector<Finding>& alike : grouped(findings, of_series)) {
        const SeriesId& id = alike[0].series;
        const std::string options = options_text(id.options);
        GridSection section{fmt::format("{} {}{}{}", id.probe, id.path, options.empty() ? "" : " ", options), {}};
        for (const Finding& finding : alike)
            for (const FindingRow& each : finding.rows) {
                const std::size_t column = column_for(grid, finding.series.device);
                std::vector<Cell>& cells = row_for(section, each.place).cells;
                cells.resize(std::max(cells.size(), column + 1));
                const Cell cell = quantity_of_row(each);
                cells.at(column) = cell;
            }
        if (!section.rows.empty()) grid.sections.push_back(std::move(section));
    }
    for (GridSection& section : grid.sections) // a row ends at its last device that has a number
        for (GridRow& row : section.rows) row.cells.resize(grid.columns.size());
    return grid;
}

} // namespace sonde
