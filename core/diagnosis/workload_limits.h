// The rates that bound what a unit of a workload demands, as other series of the same device measured them.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "core/diagnosis/rules.h"
#include "core/diagnosis/workloads.h"

namespace sonde {

/// A rate per ns and whose it is; 0: none.
struct MeasuredRate {
    double value = 0;
    const Curve* curve = nullptr;
};

/// The series of a device that have these options, of which `wanted` makes a rate; the highest.
template <class Wanted> MeasuredRate best_rate(const Card& card, const std::string& device, const Probe& probe,
    std::string_view path, const Options& options, const Wanted& wanted) {
    MeasuredRate found;
    for (const Curve* curve : curves_of(card, probe)) {
        if (device_text(curve) != device || curve->series->id.path != path ||
            !curve->series->id.options.has_all(options))
            continue;
        if (const double value = wanted(*curve); value > found.value) found = {value, curve};
    }
    return found;
}

/// Of what a workload's operations are (`Demand::operation`): whether of lanes, those of the probe `rate`, else of
/// `matrix`.
bool by_lanes(const std::string& operation);
/// "FMA", "FMA f64", "mma.f16.f32.m16n8k16"
std::string operation_text(const std::string& operation);
/// "DRAM reads and writes", "FMA rate"
std::string limit_words(const LimitBy&);
MeasuredRate operation_rate(const Card&, const std::string& device, const std::string& operation);

/// What a unit of work demands at this size; nullptr: not known.
const Demand* demand_at(const Series&, double x);

/// "stream", "triad", "f64"
std::vector<std::string> words_of(const SeriesId&);

} // namespace sonde
