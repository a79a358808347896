#include "core/diagnosis/instruments_grid.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/statistics.h"

namespace sonde {

namespace {
/// Telemetry of a device in the order of its series.
struct Instruments {
    std::string device{};
    std::vector<const TelemetryEvidence*> told{};
};

std::vector<Instruments> instruments_of(const Card& card) {
    std::vector<Instruments> all;
    for (const DeviceRecord* device : card.devices) {
        std::vector<std::pair<std::size_t, const TelemetryEvidence*>> by_line;
        for (const Curve& curve : card.curves)
            if (curve.series->id.device == device->id && !curve.series->evidence.telemetry.source.empty())
                by_line.emplace_back(curve.series->line, &curve.series->evidence.telemetry);
        if (by_line.empty()) continue;
        std::ranges::stable_sort(by_line, {}, &std::pair<std::size_t, const TelemetryEvidence*>::first);
        Instruments& own = all.emplace_back(Instruments{device->id, {}});
        for (const auto& [line, telemetry] : by_line) own.told.push_back(telemetry);
    }
    return all;
}

/// Before and behind each series.
std::vector<double> states(const Instruments& of, std::optional<double> CardState::*number) {
    std::vector<double> values;
    for (const TelemetryEvidence* each : of.told)
        for (const CardState* state : {&each->state, &each->last_state()})
            if (const auto value = state->*number) values.push_back(*value);
    return values;
}

/// The median of all series' medians, between the least and the greatest of all samples.
Cell during_cell(const Instruments& of, std::optional<NumberRange> CardNumbers<NumberRange>::*number, Unit unit) {
    std::vector<double> medians;
    std::optional<std::pair<double, double>> ends;
    for (const TelemetryEvidence* each : of.told)
        if (const auto range = each->during.*number) {
            medians.push_back(range->median);
            ends = ends ? std::pair(std::min(ends->first, range->low), std::max(ends->second, range->high))
                        : std::pair(range->low, range->high);
        }
    if (medians.empty()) return {};
    Quantity value{median(medians), unit};
    if (ends->first != ends->second) value.range = ends;
    return value;
}

/// The last, with the best beside it where it is another.
Cell state_cell(const Instruments& of, std::optional<double> CardState::*now, std::optional<double> CardState::*best,
    Unit unit, bool highest) {
    const std::vector<double> values = states(of, now), most = states(of, best);
    if (values.empty()) return {};
    const double value = highest ? std::ranges::max(values) : values.back(); // an idle link is slow to save power
    if (most.empty() || std::ranges::max(most) == value) return Quantity{value, unit};
    return {Quantity{value, unit}, Quantity{std::ranges::max(most), unit}};
}

/// At the end, and at the beginning.
Cell errors_cell(const Instruments& of, std::optional<double> CardState::*count) {
    const std::vector<double> counts = states(of, count);
    if (counts.empty()) return {};
    return {Quantity{counts.back(), Unit::count}, Quantity{counts.front(), Unit::count}};
}

/// Of the samples of all series.
double throttled_share(const Instruments& of, const std::string& reason) {
    double samples = 0, named = 0;
    for (const TelemetryEvidence* each : of.told) {
        samples += static_cast<double>(each->during.samples);
        if (const auto found = each->during.throttled_samples.find(reason);
            found != each->during.throttled_samples.end())
            named += found->second;
    }
    return samples > 0 ? named / samples : 0;
}

/// Reasons that hold a working card's clocks back, in any of the columns.
std::set<std::string> reasons_of(const std::vector<Instruments>& all) {
    std::set<std::string> reasons;
    for (const Instruments& of : all)
        for (const TelemetryEvidence* each : of.told)
            for (const auto& [reason, count] : each->during.throttled_samples)
                if (reason != "idle") reasons.insert(reason);
    return reasons;
}

/// By process the highest share of the card that it took.
std::map<std::uint32_t, double> others_of(const Instruments& of) {
    std::map<std::uint32_t, double> others;
    for (const TelemetryEvidence* each : of.told)
        for (const CardUser& user : each->others.value_or(std::vector<CardUser>{})) {
            double& most = others[user.pid];
            most = std::max(most, user.busy_percent.value_or(0));
        }
    return others;
}

template <class CellOf>
void add_row(GridSection& section, const std::string& place, const std::vector<Instruments>& all, CellOf cell_of) {
    GridRow row{place, {}};
    for (const Instruments& each : all) row.cells.push_back(cell_of(each));
    if (std::ranges::any_of(row.cells, [](const Cell& cell) { return cell.quantity() != nullptr; }))
        section.rows.push_back(std::move(row));
}
} // namespace

Grid instruments_grid(const Card& card) {
    const std::vector<Instruments> all = instruments_of(card);
    Grid grid{.name = "instruments", .unit_by = UnitBy::cell};
    for (const Instruments& each : all) grid.columns.push_back(each.device);
    GridSection during{"while series were measured, from the least to the greatest sample", {}},
        asked{"as set, in brackets what it is where nobody sets it, or the best", {}},
        throttled{"clocks held back, share of samples", {}},
        more{"at the end of the run, in brackets at its beginning", {}},
        others{"other processes, share of the card", {}};
    using InRange = std::optional<NumberRange> CardNumbers<NumberRange>::*;
    for (const auto& [place, number, unit] : {std::tuple{"core clock", InRange{&CardDuring::core_mhz}, Unit::mhz},
             {"memory clock", &CardDuring::memory_mhz, Unit::mhz}, {"power", &CardDuring::power_watts, Unit::watts},
             {"temperature in degrees Celsius", &CardDuring::temperature_celsius, Unit::count}})
        add_row(during, place, all,
            [&, of = number, in = unit](const Instruments& each) { return during_cell(each, of, in); });
    struct Setting {
        const char* place;
        std::optional<double> CardState::*now;
        std::optional<double> CardState::*best;
        Unit unit;
        bool highest;
    };
    for (const Setting& each :
        {Setting{"core clock setting", &CardState::application_mhz, &CardState::default_mhz, Unit::mhz, false},
            Setting{"power limit", &CardState::power_limit_watts, &CardState::power_default_watts, Unit::watts, false},
            Setting{
                "PCIe generation", &CardState::pcie_generation, &CardState::pcie_best_generation, Unit::count, true},
            Setting{"PCIe lanes", &CardState::pcie_width, &CardState::pcie_best_width, Unit::count, true}})
        add_row(asked, each.place, all,
            [&](const Instruments& of) { return state_cell(of, each.now, each.best, each.unit, each.highest); });
    for (const std::string& reason : reasons_of(all))
        add_row(throttled, reason, all, [&](const Instruments& each) {
            return Cell(Quantity{throttled_share(each, reason), Unit::spread});
        });
    for (const auto& [place, count] :
        {std::pair{"corrected errors", &CardState::ecc_corrected}, {"uncorrected errors", &CardState::ecc_uncorrected}})
        add_row(more, place, all, [&, of = count](const Instruments& each) { return errors_cell(each, of); });
    std::set<std::uint32_t> processes;
    for (const Instruments& each : all)
        for (const auto& [pid, percent] : others_of(each)) processes.insert(pid);
    for (const std::uint32_t pid : processes)
        add_row(others, fmt::format("process {}", pid), all, [&](const Instruments& each) {
            const auto own = others_of(each);
            const auto found = own.find(pid);
            return found == own.end() ? Cell() : Cell(Quantity{found->second / 100, Unit::spread});
        });
    grid.sections = {std::move(during), std::move(asked), std::move(throttled), std::move(more), std::move(others)};
    return grid;
}

} // namespace sonde
