// Conclusions from the curves of structure probes.
#include "core/analysis/structure.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>
#include <valarray>

#include <fmt/format.h>

#include "core/analysis/plateaus.h"
#include "core/base/statistics.h"
#include "core/base/text.h"

namespace sonde {

namespace {
constexpr double kSeparated = 1.1; // two latencies closer than this are taken for one

std::vector<double> sizes_of(std::span<const CurvePoint> curve) {
    std::vector<double> sizes;
    for (const CurvePoint& point : curve) sizes.push_back(point.x);
    return sizes;
}

/// Share of the loads that miss, from a latency between a hit's and a miss's.
double missing(double latency, double hit, double miss) { return std::clamp((latency - hit) / (miss - hit), 0.0, 1.0); }

std::string bytes(double value) { return format_bytes(value); }
} // namespace

Conclusion fetched_bytes(std::span<const CurvePoint> curve) {
    if (curve.size() < 3) return Conclusion::inconclusive("fewer than three distances were measured");
    const auto [least, most] = std::minmax_element(
        curve.begin(), curve.end(), [](const CurvePoint& a, const CurvePoint& b) { return a.y < b.y; });
    if (most->y < kSeparated * least->y)
        return Conclusion::none_seen(fmt::format(
            "no second miss seen up to {}: the second load costs the same at every distance", bytes(curve.back().x)));
    const double middle = std::sqrt(least->y * most->y);
    const auto first =
        std::find_if(curve.begin(), curve.end(), [&](const CurvePoint& point) { return point.y > middle; });
    if (first == curve.begin())
        return Conclusion::inconclusive(
            fmt::format("already at {} the second load is a miss of its own", bytes(first->x)));
    const auto strays = std::count_if(first, curve.end(), [&](const CurvePoint& point) { return point.y <= middle; });
    const double confidence = 1 - 2 * static_cast<double>(strays) / static_cast<double>(curve.end() - first);
    if (confidence < 0.5) return Conclusion::inconclusive("near and far distances do not separate");
    if (std::exp2(std::round(std::log2(first->x))) != first->x) // what is fetched together is a power of two everywhere
        return Conclusion::inconclusive(
            fmt::format("the second load becomes a miss at {}, which is no power of two", bytes(first->x)));
    return {.value = first->x,
        .low = (first - 1)->x,
        .high = first->x,
        .x = sizes_of(curve),
        .confidence = confidence,
        .sides = std::pair{(first - 1)->x, first->x}};
}

namespace {
/// The longest stride at which half as many misses as at most are left. The shortest stride may be that only where all
/// of its loads miss: of lines half as long as that some sets would overflow, too.
Conclusion line_by_moved_loads(std::span<const CurvePoint> moved, double hit, double miss) {
    constexpr double kMisses = 0.25, kHits = 0.12, kLeft = 0.5, kAll = 0.75;
    const auto misses = [&](const CurvePoint& point) { return missing(point.y, hit, miss); };
    double most = 0;
    for (const CurvePoint& point : moved) most = std::max(most, misses(point));
    if (most < kMisses) return Conclusion::inconclusive("a footprint of 1.7 times the capacity hits at every stride");
    const auto last = std::find_if(
        moved.rbegin(), moved.rend(), [&](const CurvePoint& point) { return misses(point) >= kLeft * most; });
    if (last == moved.rbegin() || misses(moved.back()) > kHits)
        return Conclusion::none_seen(fmt::format("no end of a line seen up to a stride of {}", bytes(moved.back().x)));
    if (last + 1 == moved.rend() && most < kAll)
        return Conclusion::inconclusive(fmt::format("a line has {} at most", bytes(last->x)));
    return {.value = last->x, .low = last->x, .high = last->x, .x = sizes_of(moved)};
}
} // namespace

Conclusion line_bytes(
    std::span<const CurvePoint> curve, std::span<const CurvePoint> moved_within, double hit, double miss) {
    constexpr double kMisses = 0.25, kHits = 0.12, kAll = 0.9;
    constexpr std::size_t kFewestStrides = 3;
    if (miss < kSeparated * hit)
        return Conclusion::inconclusive("the latencies of the level and of the next differ by less than 10 %");
    if (!moved_within.empty()) {
        // Where plain strides hit, so many lines of that length would not fit: moved loads, which fill sets unevenly,
        // may still miss there.
        const auto fits = [&](const CurvePoint& each) {
            return std::ranges::any_of(curve,
                [&](const CurvePoint& plain) { return plain.x == each.x && missing(plain.y, hit, miss) < kHits; });
        };
        std::vector<CurvePoint> moved(moved_within.begin(), moved_within.end());
        for (CurvePoint& point : moved)
            if (fits(point)) point.y = hit;
        return line_by_moved_loads(moved, hit, miss);
    }
    if (curve.size() < kFewestStrides)
        return Conclusion::inconclusive(
            fmt::format("{} stride{} measured", curve.size(), curve.size() == 1 ? "" : "s"));
    const auto first = std::find_if(
        curve.begin(), curve.end(), [&](const CurvePoint& point) { return missing(point.y, hit, miss) < kHits; });
    if (first == curve.end())
        return Conclusion::inconclusive(
            "no stride lets a footprint of 1.7 times the capacity hit: the index is not hashed over the whole address");
    if (first == curve.begin() || missing((first - 1)->y, hit, miss) < kMisses)
        return Conclusion::inconclusive("strides that hit and strides that miss do not separate");
    const double longest = (first - 1)->x;
    auto shortest =
        first - 1; // where every load misses, sets overflow: half as many lines in half of the sets look the same
    while (shortest != curve.begin() && missing(shortest->y, hit, miss) > kAll &&
           missing((shortest - 1)->y, hit, miss) > kAll)
        --shortest;
    if (shortest != first - 1)
        return Conclusion::inconclusive(shortest == curve.begin()
                                            ? fmt::format("a line has {} at most", bytes(longest))
                                            : fmt::format("a line has {} to {}: between these the index is not hashed",
                                                  bytes(shortest->x), bytes(longest)));
    return {
        .value = longest, .low = longest, .high = longest, .x = sizes_of(curve), .sides = std::pair{longest, first->x}};
}

Conclusion associativity(std::span<const double> ways, double most_tried, double base, bool processor) {
    const char* cause = processor ? "hashed index, or pages that lie in no order" : "hashed index";
    const double half = ways[0], hit = ways[1], twice = ways[2];
    const std::string stride = format_bytes(base);
    if (hit == 0)
        return Conclusion::none_seen(fmt::format(
            "no set conflict seen up to {:.0f} lines {} apart: {}, or more ways", most_tried, stride, cause));
    if (hit < 2) return Conclusion::inconclusive(fmt::format("two lines {} apart evict one another", stride));
    if (twice != hit)
        return Conclusion::none_seen(fmt::format("no fixed number of ways seen up to a stride of {}, at which {:.0f} "
                                                 "lines hit together, and {:.0f} at half of it: {}",
            format_bytes(2 * base), twice, hit, cause));
    if (half != 2 * hit)
        return Conclusion::inconclusive(fmt::format(
            "{:.0f} lines {} apart hit together, but {:.0f} at a smaller stride: these are not the ways of a set", hit,
            stride, half));
    return {.value = hit, .low = hit, .high = hit, .sides = std::pair{hit, hit + 1}};
}

Conclusion private_caches(std::span<const CurvePoint> curve, double hit, double miss) {
    constexpr double kStays = 0.25;
    if (curve.size() < 2) return Conclusion::inconclusive("a workgroup has one subgroup only");
    if (miss < kSeparated * hit)
        return Conclusion::inconclusive("the latencies of the level and of the next differ by less than 10 %");
    if (missing(curve.front().y, hit, miss) > kStays)
        return Conclusion::inconclusive("one subgroup alone misses the level");
    auto last = curve.begin();
    while (last + 1 != curve.end() && missing((last + 1)->y, hit, miss) <= kStays) ++last;
    if (last + 1 == curve.end())
        return {
            .value = last->x, .low = last->x, .high = std::numeric_limits<double>::infinity(), .x = sizes_of(curve)};
    return {.value = last->x,
        .low = last->x,
        .high = last->x,
        .x = sizes_of(curve),
        .sides = std::pair{last->x, (last + 1)->x}};
}

Conclusion driven_out(std::span<const CurvePoint> curve, double hit, double miss, double capacity) {
    constexpr double kStays = 0.1, kAgain = 0.25;
    if (curve.size() < 2) return Conclusion::inconclusive("fewer than two sizes were measured");
    if (miss < kSeparated * hit)
        return Conclusion::inconclusive("the latencies of the level and of the next differ by less than 10 %");
    if (missing(curve.front().y, hit, miss) > kAgain)
        return Conclusion::inconclusive("the chain misses the level even where nothing is touched");
    double share = 0, at = curve.front().x;
    bool enough = false;
    for (const CurvePoint& point : curve) {
        if (point.x > 4 * capacity) break; // the touching itself takes longer and longer
        if (const double here = missing(point.y, curve.front().y, miss); here > share) share = here, at = point.x;
        enough = enough || point.x >= 2 * capacity;
    }
    if (!enough) return Conclusion::inconclusive("too few bytes were touched");
    Conclusion found{.value = share, .low = share, .high = share, .x = sizes_of(curve)};
    if (share >= kStays) found.sides = std::pair{curve.front().x, at};
    return found;
}

namespace {
constexpr double kMostlyMisses = 0.4, kMostlyHits = 0.25;
} // namespace

namespace {
constexpr double kTakesTurns = 1.5; // times what one workgroup takes
} // namespace

Conclusion cores_side_by_side(std::span<const CurvePoint> curve) {
    if (curve.size() < 2 || curve.front().x != 1)
        return Conclusion::inconclusive("one workgroup and more of them were not measured");
    const auto turns = [&](const CurvePoint& point) { return point.y > kTakesTurns * curve.front().y; };
    const auto first = std::ranges::find_if(curve, turns);
    if (first == curve.end())
        return Conclusion::none_seen(fmt::format("up to {:.0f} workgroups run side by side", curve.back().x));
    const double inside = std::prev(first)->x;
    if (first->x > inside + 1)
        return Conclusion::inconclusive(fmt::format("between {:.0f} and {:.0f} cores", inside, first->x - 1));
    const auto strays = std::count_if(first, curve.end(), [&](const CurvePoint& point) { return !turns(point); });
    return {.value = inside,
        .low = inside,
        .high = inside,
        .x = sizes_of(curve),
        .confidence = 1 - static_cast<double>(strays) / static_cast<double>(curve.end() - first),
        .sides = std::pair{inside, first->x}};
}

std::optional<std::uint64_t> next_group_count(std::span<const CurvePoint> curve, std::uint64_t most) {
    const auto one = std::ranges::find(curve, 1.0, &CurvePoint::x);
    if (one == curve.end()) return 1;
    double inside = 1, outside = INFINITY;
    for (const CurvePoint& point : curve)
        if (point.y > kTakesTurns * one->y) outside = std::min(outside, point.x);
    for (const CurvePoint& point : curve)
        if (point.x < outside) inside = std::max(inside, point.x);
    const auto largest = static_cast<std::uint64_t>(inside);
    if (std::isinf(outside)) return largest < most ? std::optional(std::min(2 * largest, most)) : std::nullopt;
    return outside > inside + 1 ? std::optional((largest + static_cast<std::uint64_t>(outside)) / 2) : std::nullopt;
}

bool is_missing(double latency, double hit, double miss) { return missing(latency, hit, miss) >= kMostlyMisses; }

Conclusion cores_sharing(std::span<const CurvePoint> curve, double core, double hit, double miss) {
    if (curve.size() < 2) return Conclusion::inconclusive("there is one core");
    if (miss < kSeparated * hit)
        return Conclusion::inconclusive("the latencies of the level and of the next differ by less than 10 %");
    double sharing = 1;
    bool alone = false;
    const CurvePoint* fastest = nullptr; // of those that share
    for (const CurvePoint& point : curve) {
        if (point.x == core) {
            alone = missing(point.y, hit, miss) <= kMostlyHits;
        } else if (is_missing(point.y, hit, miss)) {
            ++sharing;
            if (!fastest || point.y < fastest->y) fastest = &point;
        }
    }
    if (!alone) return Conclusion::inconclusive("the chain misses the level even where the core is alone");
    Conclusion found{.value = sharing, .low = sharing, .high = sharing, .x = sizes_of(curve)};
    if (fastest) found.sides = std::pair{core, fastest->x};
    return found;
}

Conclusion sharers_of_level(std::span<const CurvePoint> curve, double hit, double miss) {
    if (curve.size() < 2) return Conclusion::inconclusive("fewer than two shares were measured");
    if (miss < kSeparated * hit)
        return Conclusion::inconclusive("the latencies of the level and of the next differ by less than 10 %");
    const auto fits = [&](const CurvePoint& point) { return missing(point.y, hit, miss) <= kMostlyHits; };
    const auto first = std::find_if(curve.begin(), curve.end(), fits);
    if (first == curve.end())
        return Conclusion::none_seen(
            fmt::format("no end of sharing seen up to {:.0f} cores: at no size do the chains of all cores fit together",
                curve.back().x));
    if (!std::all_of(first, curve.end(), fits))
        return Conclusion::inconclusive("shares that fit and shares that do not are not apart");
    Conclusion found{.value = first->x,
        .low = first->x,
        .high = first->x,
        .x = sizes_of(curve)}; // two workgroups on one core look the same
    if (first == curve.begin()) return found;
    found.low = (first - 1)->x + 1;
    found.sides = std::pair{(first - 1)->x, first->x};
    return found;
}

std::optional<TwoGroups> two_groups(std::span<const CurvePoint> curve) {
    constexpr double kWide = 0.5, kShare = 0.1, kApart = 0.03;
    if (curve.size() < 4) return std::nullopt;
    std::vector<CurvePoint> cores(curve.begin(), curve.end());
    std::sort(cores.begin(), cores.end(), [](const CurvePoint& a, const CurvePoint& b) { return a.y < b.y; });
    std::vector<double> sorted;
    sorted.reserve(cores.size());
    for (const CurvePoint& point : cores) sorted.push_back(point.y);
    std::size_t cut = 1; // of the far group's first
    for (std::size_t i = 2; i < sorted.size(); ++i)
        if (sorted[i] - sorted[i - 1] > sorted[cut] - sorted[cut - 1]) cut = i;
    const double gap = sorted[cut] - sorted[cut - 1],
                 spans = std::max(sorted[cut - 1] - sorted.front(), sorted.back() - sorted[cut]);
    const std::span<const double> near(sorted.data(), cut), far(sorted.data() + cut, sorted.size() - cut);
    const bool two =
        gap > kWide * spans && gap > kApart * sorted.front() &&
        static_cast<double>(std::min(near.size(), far.size())) >= kShare * static_cast<double>(sorted.size());
    if (!two) return TwoGroups{sorted.size(), 0, median(sorted), median(sorted), sorted.front(), sorted.back()};
    return TwoGroups{near.size(), far.size(), median(near), median(far), sorted.front(), sorted.back(),
        std::pair{cores[cut - 1].x, cores[cut].x}};
}

namespace {
constexpr std::size_t kMostTranslationLevels = 3;
constexpr double kLeastCost = 0.015; // of the latency

/// Least squares of latency = base + sum of cost_i * max(0, 1 - reach_i / span), relative residuals.
struct TranslationFit {
    std::vector<double> reaches, costs;
    double base = 0, error = std::numeric_limits<double>::infinity(); // sum of squared relative residuals
};

double share_beyond(double reach, double span) { return std::max(0.0, 1 - reach / span); }

/// Least-squares fits of one curve with reaches out of `candidates`. The columns of all of them are the same, so their
/// products are taken once, and a fit is the decomposition of a few of these.
class TranslationFits {
public:
    TranslationFits(std::span<const CurvePoint> curve, std::vector<double> candidates)
        : candidates_(std::move(candidates)), columns_(candidates_.size() + 2) {
        std::vector<std::valarray<double>> columns(columns_, std::valarray<double>(1.0, curve.size())); // the last: y
        for (std::size_t i = 0; i < curve.size(); ++i)
            for (std::size_t k = 0; k + 1 < columns_; ++k)
                columns[k][i] = (k == 0 ? 1 : share_beyond(candidates_[k - 1], curve[i].x)) / curve[i].y;
        products_.reserve(columns_ * columns_);
        for (const auto& one : columns)
            for (const auto& other : columns) products_.push_back((one * other).sum());
    }

    /// `chosen`: places of candidates. The products are L D L', whose last pivot is what the others leave of y.
    TranslationFit with(std::span<const std::size_t> chosen) const {
        constexpr std::size_t kMost = kMostTranslationLevels + 2;
        const std::size_t n = chosen.size() + 1;
        std::array<std::size_t, kMost> column{};
        for (std::size_t i = 1; i < n; ++i) column[i] = chosen[i - 1] + 1;
        column[n] = columns_ - 1;
        std::array<double, kMost> pivots{};
        std::array<std::array<double, kMost>, kMost> shares{}; // [i][k]: of what is left of column i in column k
        for (std::size_t i = 0; i <= n; ++i)
            for (std::size_t k = i; k <= n; ++k) {
                double left = products_[column[i] * columns_ + column[k]];
                for (std::size_t before = 0; before < i; ++before)
                    left -= shares[before][i] * shares[before][k] * pivots[before];
                if (k == i) pivots[i] = left;
                else shares[i][k] = left / pivots[i];
                if (k == i && i < n && left < 1e-12) return {};
            }
        std::array<double, kMost> solution{};
        for (std::size_t i = n; i-- > 0;) {
            solution[i] = shares[i][n];
            for (std::size_t k = i + 1; k < n; ++k) solution[i] -= shares[i][k] * solution[k];
        }
        for (std::size_t i = 1; i < n; ++i)
            if (solution[i] < kLeastCost * solution[0]) return {};
        TranslationFit fit{{}, {solution.begin() + 1, solution.begin() + n}, solution[0], std::max(0.0, pivots[n])};
        for (const std::size_t place : chosen) fit.reaches.push_back(candidates_[place]);
        return fit;
    }

    /// The best with `count` reaches, ascending and at least an octave apart.
    TranslationFit best(std::size_t count) const {
        TranslationFit found;
        std::vector<std::size_t> chosen;
        search(count, 0, chosen, found);
        return found;
    }

private:
    void search(std::size_t count, std::size_t from, std::vector<std::size_t>& chosen, TranslationFit& found) const {
        if (chosen.size() == count) {
            TranslationFit fit = with(chosen);
            if (fit.error < found.error) found = std::move(fit);
            return;
        }
        for (std::size_t i = from; i < candidates_.size(); ++i) {
            if (!chosen.empty() && candidates_[i] < 2 * candidates_[chosen.back()]) continue;
            chosen.push_back(i);
            search(count, i + 1, chosen, found);
            chosen.pop_back();
        }
    }

    std::vector<double> candidates_;
    std::size_t columns_;
    std::vector<double> products_;
};

/// Reaches to try: each size measured, and the geometric middle between it and the next; two points stay before the
/// first and beyond the last.
std::vector<double> reaches_to_try(std::span<const CurvePoint> curve) {
    std::vector<double> candidates;
    for (std::size_t i = 1; i + 2 < curve.size(); ++i) {
        candidates.push_back(curve[i].x);
        candidates.push_back(std::sqrt(curve[i].x * curve[i + 1].x));
    }
    return candidates;
}

/// Those of a curve without duplicates.
std::vector<TranslationLevel> fitted_levels(const std::vector<CurvePoint>& curve) {
    constexpr double kNoiseFloor = 0.003, kLeastConfidence = 0.5; // smaller relative residuals are not worth explaining
    if (curve.size() < 5) return {};
    const double noise = std::max(kNoiseFloor, noise_of(log_points(curve)));
    const auto n = static_cast<double>(curve.size());
    const auto criterion = [&](const TranslationFit& fit) {
        return n * std::log(fit.error / n + noise * noise) +
               static_cast<double>(1 + 2 * fit.reaches.size()) * std::log(n);
    };
    const TranslationFits fits(curve, reaches_to_try(curve));
    TranslationFit chosen = fits.with({});
    for (std::size_t count = 1; count <= kMostTranslationLevels; ++count) {
        TranslationFit best = fits.best(count);
        if (best.error < std::numeric_limits<double>::infinity() && criterion(best) < criterion(chosen))
            chosen = std::move(best);
    }
    std::vector<TranslationLevel> levels;
    for (std::size_t i = 0; i < chosen.reaches.size(); ++i) {
        const double reach = chosen.reaches[i];
        const auto above = std::upper_bound(
            curve.begin(), curve.end(), reach, [](double value, const CurvePoint& point) { return value < point.x; });
        const auto below =
            std::find_if(curve.rbegin(), curve.rend(), [&](const CurvePoint& point) { return point.x < reach; });
        const double left = std::sqrt(chosen.error / n) + noise / 2;
        const double confidence = std::clamp(1 - 1.5 * left * chosen.base / chosen.costs[i], 0.0, 0.95);
        if (confidence < kLeastConfidence) continue;
        levels.push_back({reach, below == curve.rend() ? reach : below->x, above == curve.end() ? reach : above->x,
            chosen.costs[i], confidence});
    }
    return levels;
}
} // namespace

std::vector<TranslationLevel> translation_levels(std::span<const CurvePoint> measured) {
    std::vector<CurvePoint> curve = merge_points(measured);
    std::vector<TranslationLevel> levels = fitted_levels(curve);
    if (levels.empty()) return levels;
    // A walk through all the tables costs so much, and so unevenly, that an L1's few cycles drown in what its fit
    // leaves, and the reach between gets a part of it: what lies below the last reach is fitted without what lies
    // beyond, and that without what it adds.
    std::vector<CurvePoint> nearer = curve;
    std::erase_if(nearer, [&](const CurvePoint& point) { return point.x > levels.back().low; });
    std::vector<TranslationLevel> found = translation_levels(nearer);
    if (found.empty()) return levels;
    for (CurvePoint& point : curve)
        for (const TranslationLevel& level : found) point.y -= level.cost * share_beyond(level.reach, point.x);
    for (const TranslationLevel& level : fitted_levels(curve))
        if (level.reach > found.back().high) found.push_back(level);
    return found;
}

MissRise rise_beyond(std::span<const CurvePoint> curve, const TranslationLevel& level, double next) {
    constexpr double kFits = 0.3; // of the rise
    MissRise rise;
    double within = 0;
    for (const CurvePoint& point : curve) {
        if (point.x < level.high) within = point.y;
        else if (point.x <= next) rise.beyond.push_back({point.x, point.y - within});
    }
    rise.is_share_of_cost = rise.beyond.size() < 2 || std::ranges::all_of(rise.beyond, [&](const CurvePoint& point) {
        return std::abs(level.cost * (1 - level.reach / point.x) - point.y) <= kFits * point.y;
    });
    return rise;
}

} // namespace sonde
