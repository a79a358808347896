#include "core/diagnosis/finding_grid.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "core/base/grouped.h"

namespace sonde {

namespace {
/// Units of findings, and what a number in one is in the table's; any other is a count of what its place names.
struct FindingUnit {
    std::string_view name;
    Unit unit;
    double times = 1;
};
constexpr std::array kFindingUnits{FindingUnit{"cycles", Unit::cycles}, FindingUnit{"ns", Unit::ns},
    FindingUnit{"bytes", Unit::bytes}, FindingUnit{"GB/s", Unit::bytes_per_s, 1e9},
    FindingUnit{"Gop/s", Unit::op_per_s, 1e9}, FindingUnit{"%", Unit::share, 0.01}, FindingUnit{"times", Unit::times}};

Quantity quantity_of_row(const FindingRow& row) {
    const auto known = std::ranges::find(kFindingUnits, row.unit, &FindingUnit::name);
    const FindingUnit unit = known == kFindingUnits.end() ? FindingUnit{"", Unit::count} : *known;
    Quantity quantity{row.value * unit.times, unit.unit};
    if (row.range) quantity.range = std::pair(row.range->first * unit.times, row.range->second * unit.times);
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
