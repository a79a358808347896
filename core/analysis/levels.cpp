// Levels: plateaus with edges and a confidence.
#include "core/analysis/levels.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "core/analysis/plateaus.h"
#include "core/base/statistics.h"

namespace sonde {

namespace {

constexpr double kBinsPerOctave = 16;
constexpr double kLeastOctaves =
    6; // a curve that spans fewer looks at an edge, and is looked at as if it spanned so many
constexpr double kLeastSeen =
    0.2; // octaves of such a curve: a narrower plateau, unless the curve begins with it, is a stair of that edge
constexpr double kMemory = 29; // log2 of bytes: no cache holds more, so a plateau that ends beyond is DRAM
constexpr double kSettled =
    0.015; // ln: a point at a plateau's end further off than this is on the ramp, and not in the level's latency
constexpr double kEdgeSettled =
    0.04; // and further off than this, not on the stretch that tells where the plateau ends: it may drift
constexpr double kOff = 0.02;         // ln above that stretch: off the plateau, where
constexpr double kOffNoise = 3.5;     // so many deviations of a point are not more
constexpr double kDrifts = 0.1;       // ln: a plateau that rises less in all is flat
constexpr double kStillMemory = 0.19; // ln: the last plateau, unless it is left by more, has no end
constexpr double kFoundAgain = 0.05;  // latency and capacity within this
constexpr double kTlbRatio = 1.4;     // less between two levels may be TLB misses
constexpr double kHump = 0.2;         // ln: a fall by more, and by more than
constexpr double kHumpNoise = 6;      // so many deviations of a point, is no capacity's doing,
constexpr double kHumpOfRise = 0.25;  // nor a fall by more than this share of the rise before it,
constexpr double kOnHump = 0.4;       // and leaves so much of a level's confidence

/// By how much x of a narrow curve is drawn out: sizes chosen so closely say on which scale its plateaus are.
double stretch_of(std::span<const CurvePoint> points) {
    const double octaves = points.empty() ? 0 : points.back().x - points.front().x;
    return octaves > 1e-6 ? std::max(1.0, kLeastOctaves / octaves) : 1; // closer sizes are one
}

/// Points closer than 1/16 octave as one: linear sweeps put hundreds of points where a level ends and a few on a small
/// one.
std::vector<CurvePoint> thinned(std::span<const CurvePoint> points) {
    std::vector<CurvePoint> out;
    for (std::size_t from = 0; from < points.size();) {
        const double end = points[from].x + 1 / kBinsPerOctave;
        std::vector<double> sizes, values;
        for (; from < points.size() && points[from].x < end; ++from) {
            sizes.push_back(points[from].x);
            values.push_back(points[from].y);
        }
        out.push_back({median(sizes), median(values)});
    }
    return out;
}

/// Weighted median of all pairs' means (Hodges and Lehmann 1963): as robust as needed here, and nearly as sharp as the
/// mean on few points.
double middle_of(std::span<const CurvePoint> curve, const Plateau& plateau) {
    const std::vector<double> weights = weights_of(curve, plateau);
    std::vector<WeightedValue> means;
    for (std::size_t i = 0; i < weights.size(); ++i)
        for (std::size_t k = i; k < weights.size(); ++k)
            means.push_back({(curve[plateau.points[i]].y + curve[plateau.points[k]].y) / 2, weights[i] * weights[k]});
    return weighted_median(std::move(means));
}

/// ln latency by x, not below `y`.
struct Limit {
    double x = 0, y = 0, slope = 0;
    double at(double where) const { return y + slope * std::max(0.0, where - x); }
};

/// The last point on a level: where a cut leaves the fewest points of `from` <= x < `to` on the wrong side of `limit`.
std::size_t knee(std::span<const CurvePoint> points, double from, double to, const Limit& limit) {
    std::size_t i = 0, best = 0;
    while (points[i].x < from) ++i;
    int wrong = 0, fewest = 1; // relative to a cut before the first point
    for (best = i; i < points.size() && points[i].x < to; ++i) {
        wrong += points[i].y > limit.at(points[i].x) ? 1 : -1;
        if (wrong <= fewest) fewest = wrong, best = i;
    }
    return best;
}

/// Chance that noise of `noise` a point leaves the middle of so many points within 2 % (its error is 1.02 sigma /
/// sqrt(n)).
double chance_within_2_percent(double noise, std::size_t points) {
    if (noise <= 0) return 1;
    return std::erf(0.02 / (1.02 * noise / std::sqrt(static_cast<double>(points))) / std::sqrt(2.0));
}

/// Whether the curve rises and falls again on a plateau or before the next, or on the next back to the first. A lone
/// spike is no hump.
bool humped(std::span<const CurvePoint> curve, const Plateau& plateau, const Plateau* next, double noise) {
    const double least = std::max(kHump, kHumpNoise * noise), begins = next ? next->first : plateau.last,
                 ends = next ? next->last : plateau.last;
    double highest = -std::numeric_limits<double>::infinity();
    for (const std::size_t i : without_spikes(curve, noise)) {
        if (curve[i].x < plateau.first || curve[i].x > ends) continue;
        highest = std::max(highest, curve[i].y);
        const bool back = curve[i].y < plateau.middle + kHump / 2;
        const double fall = highest - curve[i].y;
        if (fall > least && (back || (curve[i].x <= begins && fall > kHumpOfRise * (highest - plateau.middle))))
            return true;
    }
    return false;
}

/// Levels whose confidence is what their noise leaves, and humps: where a level or what follows it rises and falls
/// again, something else than its capacity ends it. `sizes`: as merge_points() gives them.
std::vector<Level> levels_of(std::span<const CurvePoint> sizes) {
    std::vector<CurvePoint> points = log_points(sizes);
    const double stretch = stretch_of(points);
    for (CurvePoint& point : points) point.x *= stretch;
    const std::vector<CurvePoint> curve = thinned(points);
    const std::vector<Plateau> plateaus = find_plateaus(curve);
    const double noise = noise_on(curve, plateaus);
    std::vector<Level> levels;
    for (std::size_t k = 0; k < plateaus.size(); ++k) {
        const bool memory = plateaus[k].last >= kMemory * stretch, last = memory || k + 1 == plateaus.size();
        const Plateau plateau = settled(curve, plateaus[k], std::max(kSettled, 1.3 * noise));
        Level level;
        level.latency = std::exp(middle_of(curve, plateau));
        level.confidence = chance_within_2_percent(noise, plateau.points.size());
        if (humped(curve, plateaus[k], last ? nullptr : &plateaus[k + 1], noise)) level.confidence *= kOnHump;

        // Behind the LLC a slow rise is no edge: there is no plateau that it could lead to.
        const double margin = std::max(kEdgeSettled, 2 * noise),
                     rises = drift_of(curve, settled(curve, plateaus[k], margin));
        const double drift = rises * (plateaus[k].last - plateaus[k].first) < std::max(kDrifts, 6 * noise) ? 0 : rises;
        const Plateau wide = settled(curve, plateaus[k], margin, drift);
        const auto last_below = [&](double above) {
            const Limit limit{wide.last - 0.35, std::max(plateau.middle, end_of(curve, wide, 0.7)) + above, drift};
            return knee(
                points, plateau.first, k + 1 == plateaus.size() ? points.back().x + 1 : plateaus[k + 1].first, limit);
        };
        const double off = std::max(kOff, kOffNoise * noise);
        const bool ends = !last || last_below(kStillMemory) + 1 < points.size();
        const std::size_t on = last_below(!last ? off : memory || !ends ? kStillMemory : std::min(kStillMemory, off));
        level.capacity_on = memory ? sizes.back().x : sizes[on].x;
        if (ends) (memory ? level.tlb_beyond : level.capacity_off) = memory ? sizes[on].x : sizes[on + 1].x;
        for (std::size_t i = 0; i <= on; ++i)
            if (points[i].x >= plateau.first && points[i].x <= plateau.last) level.sizes.push_back(sizes[i].x);
        const bool stair = stretch > 1 && plateaus[k].points.front() > 0 &&
                           plateaus[k].last - plateaus[k].first < kLeastSeen * stretch;
        if (!stair) levels.push_back(std::move(level));
        if (memory) break;
    }
    return levels;
}

/// A random quarter of the points left out; xorshift (Marsaglia 2003), so that every platform leaves out the same.
std::vector<CurvePoint> three_quarters(std::span<const CurvePoint> points, std::uint64_t& state) {
    std::vector<CurvePoint> out;
    std::size_t drops = points.size() / 4;
    for (std::size_t i = 0; i < points.size();
         ++i) { // each of the rest has the same chance to be among the drops that are left
        state ^= state << 13, state ^= state >> 7, state ^= state << 17;
        if (state % (points.size() - i) < drops) --drops;
        else out.push_back(points[i]);
    }
    return out;
}

/// Whether two levels have one latency and may end at one place.
bool same(const Level& a, const Level& b) {
    const auto reaches = [](const Level& level, const Level& other) {
        return !level.capacity_off || *level.capacity_off * (1 + kFoundAgain) >= other.capacity_on;
    };
    return std::abs(std::log(a.latency / b.latency)) <= kFoundAgain &&
           a.capacity_off.has_value() == b.capacity_off.has_value() && reaches(a, b) && reaches(b, a);
}

} // namespace

std::vector<Level> find_levels(std::span<const CurvePoint> curve, int reruns) {
    const std::vector<CurvePoint> points = merge_points(curve);
    std::vector<Level> levels = levels_of(points);
    std::vector<int> found_again(levels.size());
    std::uint64_t state = 0x9e3779b97f4a7c15;
    for (int rerun = 0; rerun < reruns; ++rerun) {
        const std::vector<Level> again = levels_of(three_quarters(points, state));
        for (std::size_t i = 0; i < levels.size(); ++i) {
            found_again[i] +=
                std::any_of(again.begin(), again.end(), [&](const Level& other) { return same(levels[i], other); });
        }
    }
    for (std::size_t i = 0; i < levels.size(); ++i)
        levels[i].confidence *= reruns > 0 ? static_cast<double>(found_again[i]) / reruns : 0;
    return levels;
}

std::vector<Level> without_tlb_steps(std::vector<Level> levels) {
    for (std::size_t i = 1; i + 1 < levels.size();) {
        Level& first = levels[i - 1];
        const Level& second = levels[i];
        if (second.latency >= kTlbRatio * first.latency) {
            ++i;
            continue;
        }
        first.tlb_beyond = first.tlb_beyond.value_or(first.capacity_on);
        first.capacity_on = second.capacity_on, first.capacity_off = second.capacity_off;
        first.confidence = std::min(first.confidence, second.confidence);
        levels.erase(levels.begin() + static_cast<std::ptrdiff_t>(i));
    }
    return levels;
}

} // namespace sonde
