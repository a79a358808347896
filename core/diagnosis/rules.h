// The rules, by the file that holds them, and the words they share.
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

// levels.cpp: which levels a path reaches.
extern const Rule l1_not_reached, smaller_l1, cache_in_parts, option_moves_l1, one_cache_two_paths, uniform_apart,
    constant_is_global, lanes_differ, lanes_apart;
// api_differences.cpp: where APIs of one card differ.
extern const Rule extra_cycles, host_memory, bandwidth_apart;
// structure.cpp: what structure probes found, API against API.
extern const Rule tlb_reach, l1_by_scratchpad, evicts_as_own;
// load_times.cpp: what single loads take.
extern const Rule mean_of_two_kinds;
// traffic.cpp: reads and stores of many work-items, launches, parts of the memory.
extern const Rule slow_fills, dram_rates_apart, loads_not_bytes, consecutive_apart, random_apart, data_compressed,
    launches_apart, one_workgroup, memory_in_segments;
// atomics.cpp: atomic operations.
extern const Rule atomics_apart;
// copies.cpp: copies between host and device, and within it.
extern const Rule transfers_take_turns, copies_from_cache, copies_on_device, copies_by_address;
// limits.cpp: the largest memories of a kernel and of a core.
extern const Rule scratchpad_limit, core_scratchpad, limit_unlike_reported;
// arithmetic.cpp: operations, API against API.
extern const Rule operation_apart, operation_rates_apart, roundings, alternating_instructions, kinds_in_turn,
    denormals_flushed, steps_removed;
// instruction_caches.cpp: code by its size.
extern const Rule reruns_apart, instruction_caches;
// clock_under_load.cpp: the core clock under load.
extern const Rule clock_under_load;
// machine_code.cpp: what compilers made of loads and atomic operations.
extern const Rule atomic_cache_control, load_moved;
// derived_clock.cpp: cycles where an API has no clock.
extern const Rule derived_cycles;
// matrix_units.cpp: instructions and APIs of matrix units beside each other.
extern const Rule cooperative_beside_mma, wgmma_beside_mma, sparse_beside_dense, zeros_as_integers, library_beside;
// workloads.cpp: workloads beside their limits.
extern const Rule workload_bound;
// validity.cpp: what makes a number doubtful.
extern const Rule card_in_use, buffer_elsewhere, reported_cache, faster_than_peak, faster_than_l2, interrupted,
    timers_disagree, clock_moved, cap_contradicted, cut_short, series_failed, series_unstable;

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

/// The largest footprint within the level "L2 far" at which some loads are as slow as DRAM's fastest and the others are
/// not.
struct MeanOfTwo {
    const Curve* curve; // of load-times, through the device of the latency
    double bytes;
    SlowLoads loads;
};
std::optional<MeanOfTwo> mean_of_two(const Card&, const Curve& latency);
/// The largest footprint of a latency curve's level at which its single loads fall into two groups.
struct KindsOfLevel {
    double bytes;
    TwoKinds kinds; // in counts of the clock
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
/// How many times two runs of one device lie apart at `x` at the most (95 % of them), by the noise that the probe
/// declares, and of one block by that of blocks.
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
/// Pinned copies that end faster than larger ones do, and than the host's link carries where that is known.
bool is_copied_from_cache(const Curve&);
/// The curve's value at a footprint between two of its own, by the logarithm of both; nullopt: outside.
std::optional<double> value_between(const Series&, double x);

} // namespace sonde
