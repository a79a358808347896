#include "core/diagnosis/full_grid.h"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/grouped.h"
#include "core/diagnosis/fact_of.h"

namespace sonde {

namespace {
template <class Row> using Shown = std::function<Cell(const Row&)>;

bool shows_anything(const Cell& cell) {
    const Lack* lack = std::get_if<Lack>(&cell.is);
    return !lack || *lack != Lack::not_measured;
}

/// Where no device has anything to show, there is no row.
template <class Source> void add_shown_row(
    GridSection& section, std::string place, const std::vector<Source>& sources, const Shown<Source>& cell_of) {
    GridRow row{std::move(place), {}};
    row.cells.reserve(sources.size());
    for (const Source& each : sources) row.cells.push_back(cell_of(each));
    if (std::ranges::any_of(row.cells, shows_anything)) section.rows.push_back(std::move(row));
}

Cell latency_at(const MatrixCell& cell) {
    switch (cell.reach) {
    case Reached::reached:
        break;
    case Reached::passed_by:
        return Lack::not_reached;
    case Reached::blurred:
    case Reached::unsure:
        return Lack::unsure;
    case Reached::unsupported:
        return Lack::unsupported;
    case Reached::failed:
        return Lack::failed;
    case Reached::scattered:
        return Lack::scatters;
    case Reached::not_covered:
    case Reached::not_measured:
        return Cell();
    }
    Cell latency = latency_cell(*cell.level);
    const auto most = risen(*cell.curve, *cell.level), least = fallen(*cell.curve, *cell.level);
    if (!most && !least) return latency;
    Quantity quantity = *latency.quantity();
    quantity.range = std::pair(least.value_or(quantity.value), most.value_or(quantity.value));
    return quantity;
}

Cell bytes_if(std::optional<double> bytes) { return bytes ? Cell(Quantity{*bytes, Unit::bytes}) : Cell(); }

/// Of a level that is reached; nothing of any other.
Shown<MatrixCell> of_level(Cell (*show)(const Finding&)) {
    return [show](const MatrixCell& cell) { return cell.reach == Reached::reached ? show(*cell.level) : Cell(); };
}

Cell rise_of(const Finding& level) { return bytes_if(level.rises_to_bytes); }
Cell tlb_of(const Finding& level) { return bytes_if(level.tlb_beyond_bytes); }
Cell measured_to(const Finding& level) {
    return level.capacity_bytes && !level.capacity_bytes->second ? bytes_if(level.capacity_bytes->first) : Cell();
}

void add_level(GridSection& section, const MatrixRow& row) {
    const std::string name = row.level.is_none() ? "nearest level" : row.level.text();
    add_shown_row<MatrixCell>(section, name, row.cells, latency_at);
    const std::pair<const char*, Cell (*)(const Finding&)> kBeside[] = {{"ends at", end_cell},
        {"rises without a plateau to", rise_of}, {"slower beyond, by the TLB", tlb_of}, {"measured to", measured_to}};
    for (const auto& [what, show] : kBeside)
        add_shown_row<MatrixCell>(section, fmt::format("{}, {}", name, what), row.cells, of_level(show));
}

Cell latency_at(const ArithmeticCell& cell) {
    if (cell.latency_cycles) return Quantity{*cell.latency_cycles, Unit::cycles};
    if (cell.latency_ns) return Quantity{*cell.latency_ns, Unit::ns};
    return cell.failed && cell.rate ? Cell(Lack::failed) : Cell();
}

/// With its share of what the vendor documents.
Cell rate_at_documented(const ArithmeticCell& cell, const Operation& operation) {
    if (!cell.rate) return cell.failed ? Cell(Lack::failed) : Cell();
    const Quantity rate{*cell.rate * 1e9, rate_unit(operation)};
    return cell.of_documented ? Cell(rate, Quantity{*cell.of_documented, Unit::share}) : Cell(rate);
}

Cell clock_at_rate(const ArithmeticCell& cell) {
    return cell.clock_mhz ? Cell(Quantity{*cell.clock_mhz, Unit::mhz}) : Cell();
}

/// What instruments show of so short a load may be of the pauses beside it: none where kernels counted the clock.
Cell shown_at_rate(const ArithmeticCell& cell) {
    return cell.shown_mhz && !cell.clock_mhz ? Cell(Quantity{*cell.shown_mhz, Unit::mhz}) : Cell();
}
} // namespace

Grid paths_grid(const Matrix& matrix) {
    Grid grid{.name = "paths"};
    for (const DeviceRecord* device : matrix.devices) grid.columns.push_back(device->id);
    for (const std::vector<MatrixRow>& rows :
        grouped(matrix.rows, [](const MatrixRow& row) { return std::pair(row.path, row.options); })) {
        GridSection section{filled(label::on_path, {{"path", rows[0].path}, {"options", rows[0].options}}), {}};
        for (const MatrixRow& row : rows) add_level(section, row);
        if (!section.rows.empty()) grid.sections.push_back(std::move(section));
    }
    return grid;
}

Grid operations_grid(std::string name, const Card& card, const ArithmeticTable& table) {
    Grid grid{.name = std::move(name)};
    for (const DeviceRecord* device : table.devices) grid.columns.push_back(device->id);
    GridSection latencies{"latency in a dependent chain", {}}, rates{"rate of all cores (of documented, by clock)", {}},
        peaks{"documented (at MHz)", {}}, clocks{"clock counted at that rate", {}},
        shown{"clock that instruments show meanwhile", {}}, instructions{"instructions of one", {}};
    for (const ArithmeticRow& row : table.rows) {
        const std::string place(row.operation->name);
        add_shown_row<ArithmeticCell>(
            latencies, place, row.cells, [](const ArithmeticCell& cell) { return latency_at(cell); });
        add_shown_row<ArithmeticCell>(rates, place, row.cells,
            [&](const ArithmeticCell& cell) { return rate_at_documented(cell, *row.operation); });
        const auto peak = documented_peak(card, *row.operation);
        add_shown_row<ArithmeticCell>(peaks, place, row.cells, [&](const ArithmeticCell& cell) {
            return cell.rate && peak ? Cell(Quantity{peak->gops * 1e9, rate_unit(*row.operation)},
                                           Quantity{peak->clock_mhz, Unit::mhz})
                                     : Cell();
        });
        add_shown_row<ArithmeticCell>(clocks, place, row.cells, clock_at_rate);
        add_shown_row<ArithmeticCell>(shown, place, row.cells, shown_at_rate);
        add_shown_row<ArithmeticCell>(instructions, place, row.cells,
            [&](const ArithmeticCell& cell) { return instructions_cell(table, row, cell); });
    }
    for (GridSection* section : {&latencies, &rates, &peaks, &clocks, &shown, &instructions})
        if (!section->rows.empty()) grid.sections.push_back(std::move(*section));
    return grid;
}

} // namespace sonde
