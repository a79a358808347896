// The rules, and what they share.
#pragma once
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/analysis/load_times.h"
#include "core/analysis/structure.h"
#include "core/base/grouped.h"
#include "core/base/list_text.h"
#include "core/data/shared_options.h"
#include "core/diagnosis/statement.h"
#include "core/probes/probe.h"

namespace sonde {

/// The list of rules; of statements with equal effects those of the first are told first.
// clang-format off
#define SONDE_RULES(RULE) \
    RULE(card_in_use) RULE(faster_than_peak) RULE(l1_not_reached) RULE(smaller_l1) RULE(option_moves_l1) \
    RULE(cache_in_parts) RULE(mean_of_two_kinds) RULE(extra_cycles) RULE(constant_is_global) \
    RULE(one_cache_two_paths) RULE(uniform_apart) RULE(lanes_differ) RULE(lanes_apart) RULE(scratchpad_limit) \
    RULE(host_memory) RULE(tlb_reach) RULE(l1_by_scratchpad) RULE(smallest_split) RULE(evicts_as_own) \
    RULE(bandwidth_apart) \
    RULE(consecutive_apart) RULE(random_apart) RULE(loads_not_bytes) RULE(operation_apart) \
    RULE(operation_rates_apart) RULE(reruns_apart) RULE(roundings) RULE(instruction_caches) \
    RULE(alternating_instructions) RULE(kinds_in_turn) RULE(denormals_flushed) RULE(steps_removed) \
    RULE(clock_under_load) RULE(cooperative_beside_mma) RULE(wgmma_beside_mma) RULE(sparse_beside_dense) \
    RULE(zeros_as_integers) RULE(library_beside) RULE(workload_apart) RULE(workload_bound) RULE(slow_fills) \
    RULE(dram_rates_apart) RULE(data_compressed) RULE(atomics_apart) RULE(transfers_take_turns) \
    RULE(copies_by_address) RULE(copies_on_device) RULE(other_card) RULE(derived_cycles) RULE(launches_apart) \
    RULE(one_workgroup) RULE(core_scratchpad) RULE(limit_unlike_reported) RULE(memory_in_segments) \
    RULE(cores_disagree) RULE(reported_cache) RULE(atomic_cache_control) RULE(load_moved) RULE(buffer_elsewhere) \
    RULE(faster_than_l2) RULE(copies_from_cache) RULE(interrupted) RULE(timers_disagree) RULE(clock_moved) \
    RULE(power_cap) RULE(cut_short) RULE(series_failed) RULE(series_unstable)
// clang-format on
#define SONDE_DECLARED(name) extern const Rule name;
SONDE_RULES(SONDE_DECLARED)
#undef SONDE_DECLARED

/// Usable curves of a probe, on paths of this version.
Curves curves_of(const Card&, const Probe&);
/// Those without options, of one path where one is named.
Curves plain_curves(const Card&, const Probe&, std::string_view path = {});
/// A device's; nullptr: there is none.
const Curve* plain_curve(const Card&, const Probe&, const std::string& device, std::string_view path);
/// Those of a path with these options, and others besides; one a device.
Curves curves_with(const Card&, const Probe&, std::string_view path, const Options& options);
/// Its points with a value above 0.
std::vector<CurvePoint> points_of(const Curve&);
/// The median at `x`; 0: there is none.
double value_at(const Curve&, double x);
/// The largest median; 0: there is none.
double highest_of(const Curve&);
/// Levels of the TLB, as the probe `tlb` found them through the device of that curve; none where it did not run.
std::vector<TranslationLevel> translation_of(const Card&, const Curve*);
/// Curves of latency without options, those of one path together; of a path that was measured with options only, those
/// of equal ones.
std::vector<Curves> latency_by_path(const Card&);

/// A statement with the curves' levels and load instructions as evidence.
Statement statement(const Curves& about);

/// Whether one of them rests on the series.
bool cites(const Statements&, const SeriesId&);

/// Two groups of single loads at the largest footprint that lies within a latency curve's level.
struct KindsOfLevel {
    const Curve* loads; // of load-times, through the device of the latency
    double bytes;
    TwoKinds kinds;                           // in counts of the clock
    std::optional<double> as_last, as_faster; // share of them that take the median of the largest footprint, or longer;
                                              // and the time of that one's faster kind
};
std::optional<KindsOfLevel> kinds_of_level(const Card&, const Curve& latency, const Finding& level);

/// Curves by a number of each, the largest first.
using Ranked = std::vector<std::pair<double, const Curve*>>;
Ranked sorted(Ranked);
/// Those whose number is above 0.
template <class Number> Ranked ranked(const Curves& curves, Number number) {
    Ranked list;
    for (const Curve* curve : curves)
        if (const double value = number(*curve); value > 0) list.emplace_back(value, curve);
    return sorted(std::move(list));
}
/// How many times two runs of one device lie apart at `x` at the most (95 % of them): of one block of a GPU as recorded
/// runs do (learned_noise.h), else by the noise that the probe declares.
double runs_apart(const Curve&, double x);
/// Those together that runs would not rank: each with the next below it, as far as their points' ranges, widened by
/// what runs differ by, overlap. The largest first.
std::vector<Ranked> unranked_groups(const Ranked&);
/// Whether the first is so much of the last, and more than runs differ by.
bool differ(const Ranked&, double times);
inline constexpr double kLatencyApart = 1.15; // times: latencies of an operation, or of code, that differ
inline constexpr double kAgrees =
    0.99; // times: of devices that agree so far the first is shown, whatever the run's noise
/// Times the first is the last; 1 for fewer than two.
double ratio_of(const Ranked&);
/// Whether that is so much.
bool apart(const Ranked&, double times);
Curves curves_in(const Ranked&);

/// Why the clock was lowered during a series, as the card's instruments say: "NVML: power cap"; "" where they name no
/// reason.
std::string throttle_text(const Series&);

/// Two levels' latencies in one unit: core cycles where both have them, else ns.
std::pair<double, double> latencies(const Finding& a, const Finding& b);

double on(const Finding& level);           // the last footprint inside
double off(const Finding& level);          // the first one outside; infinity where the curve ends inside
inline constexpr double kBeyondCaches = 4; // times the caches: nearer by, replacement decides how much they still hold
inline constexpr double kOneStep = 1.05;   // with this slack, ranges that only touch meet too
/// Whether two levels may end at the same footprint: their ranges overlap when widened by the factor `slack`.
bool ends_meet(const Finding& a, const Finding& b, double slack = 1);

std::string latency_text(const Finding& level); // "39.2 cycles"
std::string level_text(const Finding& level);   // "39.2 cycles to 215-256 KiB"
/// What the curve's largest footprint takes, in cycles where the level is, if that is over 4 % more than the level on
/// which the curve ends.
std::optional<double> risen(const Curve&, const Finding& last);
/// The lowest latency beyond the first footprint that reaches the last level's, if it is over 15 % lower.
std::optional<double> fallen(const Curve&, const Finding& last);
std::string rate_text(double gigabytes);      // a second: "4.26 TB/s"
const std::string& device_text(const Curve*); // "cuda:0"
std::string path_text(const Curve&);          // "global", of a series with options "global apart=0"
/// Of a series of `limits`: far more than the driver says.
bool takes_more_than_reported(const Curve&);
/// The memory path that is its load instruction's own, by machine code: "constant", "scalar"; empty: that of ordinary
/// loads; nullopt: no machine code shows it.
std::optional<std::string_view> path_by_code(const Curve&);
/// A series of `coalescing` by stride that loads from L2, whose options are this version's.
bool is_strided(const Curve&);
/// Whether the samples' kernels ran for most of the time that the series took: else what instruments show meanwhile is
/// of the pauses, too.
bool runs_for_most(const Series&);
/// The curve's value at a footprint between two of its own, by the logarithm of both; nullopt: outside.
std::optional<double> value_between(const Series&, double x);

} // namespace sonde
