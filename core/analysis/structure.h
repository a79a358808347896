// What follows from a structure probe's curve, as pure functions: each gives a value with its bounds, or the reason why
// there is none.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/analysis/curve.h"
#include "core/data/finding.h"

namespace sonde {

struct Conclusion {
    std::optional<double> value{};      // nullopt: see `reason`
    double low = 0, high = 0;           // between which the value must lie
    std::vector<double> x{};            // the points that it rests on; none: all of them
    std::optional<double> confidence{}; // 0..1, as far as the curve's shape shows it
    std::optional<std::pair<double, double>>
        sides{}; // x of the two points between which it was decided: their samples' spread gives the rest
    std::string reason{};
    std::optional<NoValue> no_value{};
    /// A measured negative. `what`: "no conflicts seen up to 1 MiB".
    static Conclusion none_seen(std::string what) { return {.reason = std::move(what), .no_value = NoValue::not_seen}; }
    static Conclusion inconclusive(const std::string& why) {
        return {.reason = "inconclusive: " + why, .no_value = NoValue::inconclusive};
    }
};

/// How many bytes a miss fetches. `curve`: by the distance in bytes of two loads of a slot, of which the first always
/// misses, the latency of both together: the first distance at which the second one is as slow as a miss. Stride test
/// of Saavedra and Smith, "Measuring Cache and TLB Performance and Their Effect on Benchmark Runtimes" (1995), with
/// random slots.
Conclusion fetched_bytes(std::span<const CurvePoint> curve);

/// The line that is looked up as a whole. `curve`: latency by stride, the slots at each stride spanning half as much
/// again as the level holds. Below the line's size a doubled stride leaves as many lines; beyond it half as many, and
/// they fit if the index is hashed. Where all loads of several strides miss, the index may not be hashed between them,
/// and the line is somewhere there. `moved_within`: latency at the same strides where each slot's load is moved by
/// 32-byte steps of its own choice, and lies in any set whatever the index; empty where a file has none, else it
/// decides. `hit`, `miss`: latency of the level and of the one behind it.
Conclusion line_bytes(
    std::span<const CurvePoint> curve, std::span<const CurvePoint> moved_within, double hit, double miss);

/// Ways of a set. `ways[i]`: lines a stride of base / 2, base, 2 * base bytes apart that still hit together (0: more
/// than were tried). With the index taken from address bits all three agree: twice as many at half the stride, as many
/// at twice. `processor`: the pages of its memory lie in no order.
Conclusion associativity(std::span<const double> ways, double most_tried, double base, bool processor = false);

/// How many private caches stand behind a path. `curve`: latency by subgroups that follow chains of their own, each of
/// a size that fits one cache.
Conclusion private_caches(std::span<const CurvePoint> curve, double hit, double miss);

/// The share of a path's cached lines that other loads evict, touching twice the level's size. `curve`: latency by
/// bytes touched between two walks, the touching included; the highest share counts, for a cache may keep more of a
/// longer stream.
Conclusion driven_out(std::span<const CurvePoint> curve, double hit, double miss, double capacity);

/// Cores by how far something is from them. With one group all are near.
struct TwoGroups {
    std::size_t near_cores = 0, far_cores = 0;
    double near = 0, far = 0;                         // medians of the groups, in the curve's unit
    double least = 0, most = 0;                       // of all cores
    std::optional<std::pair<double, double>> sides{}; // the cores on both sides of the gap
};
/// `curve`: latency by core. Two groups where the widest gap between neighbours, in the order of latency, is wider than
/// half of what either side spans, leaves a tenth of the cores on each side and is 3 % of the latency at least. nullopt
/// for fewer than four cores.
std::optional<TwoGroups> two_groups(std::span<const CurvePoint> curve);

/// How many cores share the level, the one asked included. `curve`: by another core's number the latency of a walk on
/// `core` that fits the level while the other walks a chain of its own that does; at `core` it walks alone. `hit`,
/// `miss`: the level's latency and the next one's.
Conclusion cores_sharing(std::span<const CurvePoint> curve, double core, double hit, double miss);
/// The same by how small the chains must be so that all cores' fit at once: x is by how many the level is divided, each
/// chain filling three quarters of a part.
Conclusion sharers_of_level(std::span<const CurvePoint> curve, double hit, double miss);
/// How many workgroups run side by side, each of which keeps a core busy. `curve`: time by number of workgroups, from
/// one on, ascending; the last number below one and a half times one's, where the next one is above.
Conclusion cores_side_by_side(std::span<const CurvePoint> curve);
/// Which number of workgroups tells more of that, of those up to `most`: twice the largest that ran side by side, then
/// halfway to the smallest that did not. `curve`: what was measured, in any order. nullopt: it is told.
std::optional<std::uint64_t> next_group_count(std::span<const CurvePoint> curve, std::uint64_t most);
/// Whether a walk with this latency missed the level for the most part.
bool is_missing(double latency, double hit, double miss);

/// A level of translation: pages for `reach` bytes are known to it, and a load beyond them waits `cost` longer (in the
/// curve's unit).
struct TranslationLevel {
    double reach = 0, low = 0, high = 0; // bytes: best fit, and the sizes measured next to it
    double cost = 0;
    double confidence = 0;
};

/// `curve`: latency by span in bytes of chains with one and the same number of lines. A random page of a span is known
/// with probability reach / span, so each level adds cost * (1 - reach / span) beyond its reach: least squares over up
/// to three levels, as many as the Bayesian information criterion (Schwarz 1978) wants and each worth at least 1.5 % of
/// the latency. Levels of a confidence below a half are left out.
std::vector<TranslationLevel> translation_levels(std::span<const CurvePoint> curve);

/// How much longer loads take beyond a level's reach than within it.
struct MissRise {
    std::vector<CurvePoint> beyond{}; // at each span, of the curve's unit
    bool is_share_of_cost = true;     // cost * (1 - reach / span), or too few spans to tell
};
/// `next`: the span up to which it is that level's alone.
MissRise rise_beyond(std::span<const CurvePoint> curve, const TranslationLevel& level, double next);

} // namespace sonde
