// Which footprint to measure next.
#include "core/analysis/refinement.h"

#include <algorithm>
#include <cmath>

#include "core/analysis/levels.h"
#include "core/analysis/plateaus.h"
#include "core/base/error.h"

namespace sonde {

namespace {

constexpr double kCoarse = 0.8;  // octaves between the sizes of the start
constexpr double kJump = 0.2;    // ln between neighbours that may hide a level,
constexpr double kHides = 0.3;   // where they lie so many octaves apart
constexpr double kRamp = 0.21;   // octaves: as far apart may points lie that are on no level
constexpr double kFlat = 0.25;   // ln per octave: what rises less may be a narrow level,
constexpr double kNarrow = 0.12; // of which so many octaves between points show enough
constexpr double kClose = 0.1;   // octaves: points closer than this tell nothing new about a level's latency
constexpr double kAimed = 0.005; // error of a level's latency: so many points are asked for,
constexpr std::size_t kFewest = 5, kEnough = 11;
constexpr std::size_t kMostSizes = 59; // of a whole hierarchy
constexpr double kMoves = 0.35;        // share by which another placement moves an edge at the most

/// A place to measure: between two neighbours. The widest gap goes first, where a level has half of the points that it
/// wants as if it were an octave wider: the narrow levels, whose latency is the least known, would else find that the
/// points are spent.
struct Gap {
    double low = 0, high = 0; // bytes
    double wanting = 0;       // octaves
    double octaves() const { return std::log2(high / low); }
    double weight() const { return octaves() + wanting; }
};

/// The multiple of `granule` next to the geometric middle, where one lies strictly between.
std::optional<double> middle_of(const Gap& gap, double granule) {
    double middle = std::round(std::sqrt(gap.low * gap.high) / granule) * granule;
    if (middle <= gap.low) middle = (std::floor(gap.low / granule) + 1) * granule;
    if (middle >= gap.high) middle = (std::ceil(gap.high / granule) - 1) * granule;
    return middle > gap.low && middle < gap.high ? std::optional(middle) : std::nullopt;
}

/// The gaps in and beside levels whose latency rests on few points.
void add_thin_levels(
    std::vector<Gap>& gaps, std::span<const Level> levels, std::span<const CurvePoint> sizes, double noise) {
    const auto wanted = std::clamp(static_cast<std::size_t>(std::ceil(std::pow(noise / kAimed, 2))), kFewest, kEnough);
    for (const Level& level : levels) {
        if (level.sizes.size() >= wanted) continue;
        for (std::size_t i = 0; i + 1 < sizes.size(); ++i) {
            const Gap gap{sizes[i].x, sizes[i + 1].x,
                std::log2(static_cast<double>(wanted) / static_cast<double>(level.sizes.size()))};
            if (gap.high >= level.sizes.front() && gap.low <= level.sizes.back() && gap.octaves() > kClose)
                gaps.push_back(gap);
        }
    }
}

/// The gaps beside points without which the curve would have another number of levels: there a level may be missed, or
/// rest on one point.
void add_doubtful(std::vector<Gap>& gaps, std::span<const CurvePoint> sizes, std::size_t levels) {
    std::vector<CurvePoint> rest(sizes.begin() + 1, sizes.end());
    for (std::size_t left_out = 1; left_out + 1 < sizes.size(); ++left_out) {
        rest[left_out - 1] = sizes[left_out - 1];
        if (find_levels(rest, 0).size() == levels) continue;
        for (const std::size_t low : {left_out - 1, left_out})
            if (const Gap gap{sizes[low].x, sizes[low + 1].x}; gap.octaves() > kClose) gaps.push_back(gap);
    }
}

/// The size to measure in the gap of most weight that has one left in it.
std::optional<double> in_the_weightiest(std::vector<Gap> gaps, double granule) {
    std::sort(gaps.begin(), gaps.end(), [](const Gap& a, const Gap& b) { return a.weight() > b.weight(); });
    for (const Gap& gap : gaps)
        if (const auto size = middle_of(gap, granule)) return size;
    return std::nullopt;
}

} // namespace

std::vector<double> coarse_sizes(double smallest, double largest, double granule) {
    if (!(granule > 0) || !(smallest > 0) || !(smallest <= largest))
        throw Error("sizes to measure: need 0 < granule and 0 < smallest <= largest");
    const double first = std::ceil(smallest / granule) * granule,
                 last = std::max(first, std::floor(largest / granule) * granule);
    std::vector<double> sizes{first};
    for (double i = 1; first * std::exp2((i + 0.5) * kCoarse) <= last;
         ++i) { // the same sizes wherever curves end: they can be laid side by side
        const double size = std::round(first * std::exp2(i * kCoarse) / granule) * granule;
        if (size > sizes.back() && size < last) sizes.push_back(size);
    }
    if (last > sizes.back()) sizes.push_back(last);
    return sizes;
}

std::vector<CurvePoint> away_from_edges(std::span<const CurvePoint> curve) {
    const std::vector<Level> levels = find_levels(curve, 0);
    std::vector<CurvePoint> away(curve.begin(), curve.end());
    for (std::size_t i = 1; i < levels.size(); ++i)
        if (levels[i].capacity_off)
            std::erase_if(away, [&](const CurvePoint& point) {
                return point.x >= levels[i].capacity_on * (1 - kMoves) &&
                       point.x <= *levels[i].capacity_off * (1 + kMoves);
            });
    return away;
}

std::vector<double> sizes_between_ends(std::span<const CurvePoint> curve) {
    const std::vector<Level> levels = find_levels(curve, 0);
    if (levels.size() < 3) return {};
    const double from = levels[1].capacity_on * (1 - kMoves), to = std::ranges::min(levels.back().sizes);
    std::vector<double> sizes;
    for (const CurvePoint& point : curve)
        if (point.x >= from && point.x <= to) sizes.push_back(point.x);
    return sizes;
}

std::optional<double> next_size(
    std::span<const CurvePoint> measured, double tolerance, double smallest, double largest, double granule) {
    const std::vector<CurvePoint> sizes = merge_points(measured);
    const std::vector<CurvePoint> points = log_points(sizes);
    if (points.size() >= kMostSizes) return std::nullopt;
    for (const double size :
        coarse_sizes(smallest, largest, granule)) { // the start, where the caller has not measured it
        const double x = std::log2(size);
        const auto near = [&](const CurvePoint& point) { return std::abs(point.x - x) < kCoarse / 2; };
        if (std::none_of(points.begin(), points.end(), near)) return size;
    }
    const std::vector<Level> levels = find_levels(sizes, 0);
    const double noise = noise_of(points);
    std::vector<Gap> gaps;
    for (const Level& level : levels)
        if (level.capacity_off && *level.capacity_off / level.capacity_on - 1 > tolerance)
            gaps.push_back({level.capacity_on, *level.capacity_off});
    for (std::size_t i = 0; i + 1 < points.size(); ++i) {
        const Gap gap{sizes[i].x, sizes[i + 1].x};
        const bool jump = std::abs(points[i + 1].y - points[i].y) > std::max(kJump, 6 * noise);
        const bool on_a_level = std::any_of(levels.begin(), levels.end(),
            [&](const Level& level) { return gap.low >= level.sizes.front() && gap.high <= level.capacity_on; });
        const bool flat = std::abs(points[i + 1].y - points[i].y) < kFlat * gap.octaves();
        if (gap.octaves() > (jump ? kHides : flat ? kNarrow : kRamp) && (jump || !on_a_level)) gaps.push_back(gap);
    }
    add_thin_levels(gaps, levels, sizes, noise);
    if (gaps.empty()) add_doubtful(gaps, sizes, levels.size());
    return in_the_weightiest(std::move(gaps), granule);
}

} // namespace sonde
