#include "core/diagnosis/finding_grid.h"

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "core/base/grouped.h"
#include "core/diagnosis/terms.h"
#include "core/probes/probe.h"

namespace sonde {

namespace {
/// Any unit that is not known is a count of what its place names.
Quantity quantity_of_row(const FindingRow& row) {
    const auto in = [&](double value) { return quantity_in(value, row.unit).value_or(Quantity{value, Unit::count}); };
    Quantity quantity = in(row.value.value_or(0));
    if (row.range) quantity.range = std::pair(in(row.range->first).value, in(row.range->second).value);
    return quantity;
}

/// What stands where a finding has no number.
Lack lack_of(const Finding& finding) {
    return finding.no_value == NoValue::inconclusive ? Lack::unsure : Lack::not_reached;
}

Cell cell_of_row(const FindingRow& row, Lack lack) {
    if (!row.text.empty()) return Instructions{row.text};
    if (!row.value) return lack;
    return {quantity_of_row(row), row.cycles ? std::optional(Quantity{*row.cycles, Unit::cycles}) : std::nullopt};
}

/// What its one number is: "line of L1", as runs are compared by it, else its name and what is counted or of what it
/// is a share.
std::string place_of_value(const Finding& finding) {
    const Probe* probe = find_probe(finding.series.probe);
    const ComparedFinding* compared = probe ? probe->compared_as(finding) : nullptr;
    if (compared) return fmt::format(fmt::runtime(compared->item), finding.name);
    const Unit unit = quantity_of_row({.unit = finding.unit}).unit;
    const bool measured = unit != Unit::count && unit != Unit::share && unit != Unit::times;
    return measured || finding.unit.empty() ? finding.name : fmt::format("{}, {}", finding.name, finding.unit);
}

using PlacedCell = std::pair<std::string, Cell>;
std::vector<PlacedCell> cells_of_finding(const Finding& finding) {
    std::vector<PlacedCell> cells;
    cells.reserve(finding.rows.size());
    for (const FindingRow& row : finding.rows) cells.emplace_back(row.place, cell_of_row(row, lack_of(finding)));
    if (!cells.empty()) return cells;
    const std::string place = place_of_value(finding);
    return {{place, cell_of_row({place, finding.value, finding.unit, {}, finding.cycles}, lack_of(finding))}};
}

std::size_t column_for(Grid& grid, const std::string& device) {
    const auto found = std::ranges::find(grid.columns, device);
    if (found != grid.columns.end()) return static_cast<std::size_t>(found - grid.columns.begin());
    grid.columns.push_back(device);
    return grid.columns.size() - 1;
}

/// The place's first row that has no cell in this column yet: a device's several findings of one place stay apart.
Cell& cell_for(GridSection& section, const std::string& place, std::size_t column) {
    auto row = std::ranges::find_if(section.rows, [&](const GridRow& each) {
        return each.place == place && (each.cells.size() <= column || each.cells[column].is == Cell().is);
    });
    if (row == section.rows.end()) row = section.rows.insert(row, {place, {}});
    row->cells.resize(std::max(row->cells.size(), column + 1));
    return row->cells[column];
}
} // namespace

Grid finding_grid(const std::vector<Finding>& findings, const std::vector<const DeviceRecord*>& devices) {
    Grid grid{.name = "findings"};
    for (const DeviceRecord* device : devices)
        if (std::ranges::any_of(findings, [&](const Finding& each) { return each.series.device == device->id; }))
            grid.columns.push_back(device->id);
    const auto of_series = [](const Finding& finding) {
        return std::tuple(finding.series.probe, finding.series.path, finding.series.options);
    };
    for (const std::vector<Finding>& alike : grouped(findings, of_series)) {
        const SeriesId& id = alike[0].series;
        GridSection section{
            filled(label::series, {{"probe", id.probe}, {"path", id.path}, {"options", id.options}}), {}};
        for (const Finding& finding : alike)
            for (const auto& [place, cell] : cells_of_finding(finding))
                cell_for(section, place, column_for(grid, finding.series.device)) = cell;
        grid.sections.push_back(std::move(section));
    }
    for (GridSection& section : grid.sections) // a row ends at its last device that has a number
        for (GridRow& row : section.rows) row.cells.resize(grid.columns.size());
    return grid;
}

} // namespace sonde
