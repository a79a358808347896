// Levels: plateaus with edges and a confidence.
#include "core/analysis.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>

#include "core/estimate.h"
#include "core/plateaus.h"

namespace sonde {

namespace {

constexpr double kBinsPerOctave = 16;
constexpr double kSettled = 0.015;
constexpr double kEdgeSettled = 0.05;
    // ln: a point at a plateau's end further off than this, and than twice the noise, is on the ramp
constexpr double kOff = 0.02;         // ln above the plateau: off it, where the noise is not larger
constexpr double kStillMemory = 0.19; // ln above the last plateau: not off it yet
constexpr double kFoundAgain = 0.05; // latency within this

/// Sorted, one point per size (the median), only what is positive and finite.
std::vector<LogPoint> merged(std::span<const CurvePoint> curve) {
    std::map<double, std::vector<double>> by_size;
    for (const CurvePoint& point : curve)
        if (std::isfinite(point.bytes) && std::isfinite(point.latency) && point.bytes > 0 && point.latency > 0)
            by_size[std::log2(point.bytes)].push_back(std::log(point.latency));
    std::vector<LogPoint> points;
    for (const auto& [size, values] : by_size) points.push_back({size, median(values)});
    return points;
}

/// At most 16 points an octave: linear sweeps put a hundred points where a level ends and two where a small one is.
std::vector<LogPoint> thinned(std::span<const LogPoint> points) {
    std::vector<LogPoint> out;
    for (std::size_t from = 0; from < points.size();) {
        const double bin = std::floor(points[from].x * kBinsPerOctave);
        std::vector<double> sizes, values;
        for (; from < points.size() && std::floor(points[from].x * kBinsPerOctave) == bin; ++from) {
            sizes.push_back(points[from].x);
            values.push_back(points[from].y);
        }
        out.push_back({median(sizes), median(values)});
    }
    return out;
}

/// Median of all pairs' means (Hodges and Lehmann 1963): as robust as needed here, and nearly as sharp as the mean on few points.
double hodges_lehmann(std::vector<double> values) {
    std::vector<double> means;
    for (std::size_t i = 0; i < values.size(); ++i)
        for (std::size_t k = i; k < values.size(); ++k) means.push_back((values[i] + values[k]) / 2);
    return median(means);
}


/// Levels without confidence. `points`: as merged() gives them.
std::vector<Level> levels_of(std::span<const LogPoint> points) {
    const std::vector<LogPoint> curve = thinned(points);
    const std::vector<Plateau> plateaus = find_plateaus(curve);
    const double noise = noise_of(curve);
    std::vector<Level> levels;
    for (std::size_t k = 0; k < plateaus.size(); ++k) {
        const bool last = k + 1 == plateaus.size();
        const Plateau plateau = settled(curve, plateaus[k], std::max(kSettled, 1.3 * noise));
        const Plateau wide = settled(curve, plateaus[k], std::max(kEdgeSettled, 2 * noise));
        std::vector<double> values;
        for (const std::size_t i : plateau.points) values.push_back(curve[i].y);
        Level level;
        level.latency = std::exp(hodges_lehmann(values));

        // Behind the last level a slow rise is no edge: there is no plateau that it could lead to.
        const double limit = std::max(plateau.middle, end_of(curve, wide, 0.7)) + (last ? kStillMemory : std::max(kOff, 3 * noise));
        std::size_t on = 0;
        for (std::size_t i = 0; i < points.size() && (last || points[i].x < plateaus[k + 1].first); ++i)
            if (points[i].x <= plateau.first || points[i].y <= limit) on = i;
        level.capacity_on = std::exp2(points[on].x);
        if (on + 1 < points.size()) level.capacity_off = std::exp2(points[on + 1].x);
        for (const LogPoint& point : points)
            if (point.x >= plateau.first && point.x <= std::min(plateau.last, points[on].x)) level.sizes.push_back(std::exp2(point.x));
        levels.push_back(std::move(level));
    }
    return levels;
}

/// A random quarter of the points left out; xorshift, so that every platform leaves out the same.
std::vector<LogPoint> three_quarters(std::span<const LogPoint> points, std::uint64_t& state) {
    std::vector<LogPoint> out(points.begin(), points.end());
    for (std::size_t drops = points.size() / 4; drops > 0; --drops) {
        state ^= state << 13, state ^= state >> 7, state ^= state << 17;
        out.erase(out.begin() + static_cast<std::ptrdiff_t>(state % out.size()));
    }
    return out;
}

} // namespace

std::vector<Level> find_levels(std::span<const CurvePoint> curve, int reruns) {
    const std::vector<LogPoint> points = merged(curve);
    std::vector<Level> levels = levels_of(points);
    std::uint64_t state = 0x9e3779b97f4a7c15;
    for (int rerun = 0; rerun < reruns; ++rerun) {
        const std::vector<Level> again = levels_of(three_quarters(points, state));
        for (Level& level : levels) {
            const bool found = std::any_of(again.begin(), again.end(), [&](const Level& other) {
                return std::abs(std::log(other.latency / level.latency)) <= kFoundAgain;
            });
            if (found) level.confidence += 1.0 / reruns;
        }
    }
    return levels;
}

} // namespace sonde
