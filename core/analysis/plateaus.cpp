// The partition, and the rules that turn its plateaus into levels. The numbers were tuned on real curves first
// (tests/published_curves.h) and modelled ones second.
#include "core/analysis/plateaus.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "core/base/statistics.h"

namespace sonde {

namespace {

constexpr double kRampCost = 6;       // lambda: a point on no plateau
constexpr double kSlope = 0.08;       // most drift of one piece, ln per octave
constexpr double kDrift = 0.16;       // and in all
constexpr double kLeastStep = 0.11;   // plateaus closer than this in ln are one
constexpr double kDriftStep = 0.19;   // so are these, where the rise between them is
constexpr double kDriftRise = 0.13;   // slower than this per octave
constexpr double kFacing = 0.7;       // octaves at the facing ends of two plateaus that tell the rise
constexpr double kStillRising = 0.12; // ln per octave: part of a ramp, where narrower than an octave
constexpr double kRampShare = 0.4;    // and steeper than this share of the gentler ramp beside it
constexpr double kSteps = 0.1;        // more than this between neighbours are steps rather than noise
constexpr double kClean = 0.005;      // noise below this
constexpr double kLeastOwned = 0.40;  // octaves
constexpr double kPairApart =
    0.39; // two points are a plateau when so many octaves apart: half of a coarse step, rounded sizes
constexpr double kPairAgree = 0.05;     // and within this
constexpr double kThreeAgree = 0.25;    // ln between the lowest and the highest of three: more is a rise
constexpr double kMostWeight = 0.25;    // octaves that one point may stand for
constexpr double kShoulderWidth = 0.75; // octaves: a narrower plateau
constexpr double kShoulderStep = 0.18;  // less than this below the next is its shoulder

/// Sums over the first n points, for the residual of a line through any run of them in constant time.
class Sums {
public:
    explicit Sums(std::span<const CurvePoint> curve) : curve_(curve), sums_(curve.size() + 1) {
        for (std::size_t i = 0; i < curve.size(); ++i) {
            const double x = curve[i].x - curve[0].x,
                         y = curve[i].y - curve[0].y; // near 0: differences of squares stay exact
            const Row& before = sums_[i];
            sums_[i + 1] = {before.x + x, before.y + y, before.xx + x * x, before.xy + x * y, before.yy + y * y};
        }
    }

    /// Squared residuals of points first..last (included) around their best line of at most the allowed slope.
    double residual(std::size_t first, std::size_t last) const {
        const Row &a = sums_[first], &b = sums_[last + 1];
        const double n = static_cast<double>(last - first + 1);
        const double x = b.x - a.x, y = b.y - a.y;
        const double sxx = b.xx - a.xx - x * x / n, sxy = b.xy - a.xy - x * y / n, syy = b.yy - a.yy - y * y / n;
        if (sxx <= 0) return std::max(0.0, syy);
        const double steepest = std::min(kSlope, kDrift / (curve_[last].x - curve_[first].x));
        const double slope = std::clamp(sxy / sxx, -steepest, steepest);
        return std::max(0.0, syy - 2 * slope * sxy + slope * slope * sxx);
    }

private:
    struct Row {
        double x = 0, y = 0, xx = 0, xy = 0, yy = 0;
    };
    std::span<const CurvePoint> curve_;
    std::vector<Row> sums_;
};

/// Four points, three that are nothing like a rise, or two that lie apart and agree.
bool may_be_plateau(std::span<const CurvePoint> curve, std::size_t first, std::size_t last) {
    if (last - first >= 3) return true;
    if (last - first == 2) {
        const auto [low, high] = std::minmax({curve[first].y, curve[first + 1].y, curve[last].y});
        return high - low <= kThreeAgree;
    }
    return last - first == 1 && curve[last].x - curve[first].x >= kPairApart &&
           std::abs(curve[last].y - curve[first].y) <= kPairAgree;
}

double plateau_cost(std::span<const CurvePoint> curve) {
    const double octaves = std::max(1.0, curve.back().x - curve.front().x);
    const double density = static_cast<double>(curve.size()) / octaves;
    const auto [low, high] = std::minmax_element(
        curve.begin(), curve.end(), [](const CurvePoint& a, const CurvePoint& b) { return a.y < b.y; });
    const double range = high->y - low->y;
    return kRampCost * std::max({1.8, std::min(2.4, 0.75 * density), std::min(0.25, 0.06 * range) * density});
}

Plateau plateau_of(std::span<const CurvePoint> curve, std::vector<std::size_t> points) {
    std::vector<double> values;
    values.reserve(points.size());
    for (const std::size_t i : points) values.push_back(curve[i].y);
    const double first = curve[points.front()].x, last = curve[points.back()].x;
    return {std::move(points), median(values), first, last};
}

std::vector<Plateau> best_partition(std::span<const CurvePoint> curve, double noise) {
    const Sums sums(curve);
    const double beta = plateau_cost(curve);
    struct Best {
        double cost = std::numeric_limits<double>::infinity();
        std::size_t from = 0; // the last piece begins here
        bool plateau = false;
    };
    std::vector<Best> best(curve.size() + 1);
    best[0].cost = 0;
    for (std::size_t end = 1; end <= curve.size(); ++end) {
        best[end] = {best[end - 1].cost + kRampCost, end - 1, false};
        for (std::size_t from = 0; from + 1 < end; ++from) {
            if (!may_be_plateau(curve, from, end - 1)) continue;
            const double cost = best[from].cost + sums.residual(from, end - 1) / (noise * noise) + beta;
            if (cost < best[end].cost) best[end] = {cost, from, true};
        }
    }
    std::vector<Plateau> plateaus;
    for (std::size_t end = curve.size(); end > 0; end = best[end].from) {
        if (!best[end].plateau) continue;
        std::vector<std::size_t> points;
        for (std::size_t i = best[end].from; i < end; ++i) points.push_back(i);
        plateaus.push_back(plateau_of(curve, std::move(points)));
    }
    std::reverse(plateaus.begin(), plateaus.end());
    return plateaus;
}

/// Slope of the plateau, ln per octave, not clipped: each point counts for what it stands for, or those of a refined
/// edge would make a slope of it.
double slope_of(std::span<const CurvePoint> curve, const Plateau& plateau) {
    const std::vector<double> weights = weights_of(curve, plateau);
    double total = 0, x = 0, y = 0, sxx = 0, sxy = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
        const CurvePoint& point = curve[plateau.points[i]];
        total += weights[i], x += weights[i] * point.x, y += weights[i] * point.y;
    }
    x /= total, y /= total;
    for (std::size_t i = 0; i < weights.size(); ++i) {
        const CurvePoint& point = curve[plateau.points[i]];
        sxx += weights[i] * (point.x - x) * (point.x - x);
        sxy += weights[i] * (point.x - x) * (point.y - y);
    }
    return sxx > 0 ? sxy / sxx : 0;
}

/// Octaves from the middle between a plateau's first point and the one before to the middle between its last and the
/// one after.
double owned(std::span<const CurvePoint> curve, const Plateau& plateau) {
    const std::size_t first = plateau.points.front(), last = plateau.points.back();
    const double from = first == 0 ? curve[first].x : (curve[first].x + curve[first - 1].x) / 2;
    const double to = last + 1 == curve.size() ? curve[last].x : (curve[last].x + curve[last + 1].x) / 2;
    return to - from;
}

bool same_level(std::span<const CurvePoint> curve, const Plateau& a, const Plateau& b, double noise) {
    const double step = b.middle - a.middle;
    const double error =
        1.2533 * noise *
        std::sqrt(1.0 / static_cast<double>(a.points.size()) + 1.0 / static_cast<double>(b.points.size()));
    if (step < std::max(kLeastStep, 2.5 * error)) return true; // a lower one as well
    if (step >= kDriftStep) return false;
    const double width_a = std::min(kFacing, a.last - a.first), width_b = std::min(kFacing, b.last - b.first);
    const double apart = b.first + width_b / 2 - (a.last - width_a / 2);
    return beginning_of(curve, b, kFacing) - end_of(curve, a, kFacing) < kDriftRise * apart;
}

/// Merges neighbours that are one level, those closest in latency first.
void merge(std::span<const CurvePoint> curve, std::vector<Plateau>& plateaus, double noise) {
    while (true) {
        std::optional<std::size_t> closest;
        for (std::size_t i = 0; i + 1 < plateaus.size(); ++i) {
            if (!same_level(curve, plateaus[i], plateaus[i + 1], noise)) continue;
            const auto step = [&](std::size_t k) { return std::abs(plateaus[k + 1].middle - plateaus[k].middle); };
            if (!closest || step(i) < step(*closest)) closest = i;
        }
        if (!closest) return;
        std::vector<std::size_t> points = plateaus[*closest].points;
        const auto& more = plateaus[*closest + 1].points;
        points.insert(points.end(), more.begin(), more.end());
        plateaus[*closest] = plateau_of(curve, std::move(points));
        plateaus.erase(plateaus.begin() + static_cast<std::ptrdiff_t>(*closest) + 1);
    }
}

/// ln per octave over the kFacing octaves beside a plateau, on the gentler side; 0 where the curve begins or ends
/// there.
double gentler_ramp(std::span<const CurvePoint> curve, const Plateau& plateau) {
    std::size_t before = plateau.points.front(), after = plateau.points.back();
    while (before > 0 && curve[plateau.points.front()].x - curve[before].x < kFacing) --before;
    while (after + 1 < curve.size() && curve[after].x - curve[plateau.points.back()].x < kFacing) ++after;
    const auto slope = [&](std::size_t a, std::size_t b) {
        return a == b ? 0 : (curve[b].y - curve[a].y) / (curve[b].x - curve[a].x);
    };
    return std::min(slope(before, plateau.points.front()), slope(plateau.points.back(), after));
}

void drop_slivers(std::span<const CurvePoint> curve, std::vector<Plateau>& plateaus, double noise) {
    const double least = std::min(kLeastOwned, (curve.back().x - curve.front().x) / 10);
    std::erase_if(plateaus, [&](const Plateau& plateau) {
        const bool at_an_end = plateau.points.front() == 0 || plateau.points.back() + 1 == curve.size();
        if (owned(curve, plateau) < (at_an_end ? least / 2 : least)) return true;
        const double steepest = std::max(kStillRising, kRampShare * gentler_ramp(curve, plateau));
        if (plateau.last - plateau.first >= 1 || slope_of(curve, plateau) <= steepest) return false;
        // A clean flat stretch between two ramps is told from them; under noise it is chance as often as not.
        const bool clean = noise_of(curve) < kClean || noise_on(curve, std::span(&plateau, 1)) < kClean;
        return !clean || slope_of(curve, settled(curve, plateau, noise)) > steepest;
    });
}

void drop_shoulders(std::vector<Plateau>& plateaus) {
    for (std::size_t i = 0; i + 1 < plateaus.size();) {
        const bool shoulder = plateaus[i].last - plateaus[i].first < kShoulderWidth &&
                              plateaus[i + 1].middle - plateaus[i].middle < kShoulderStep;
        if (shoulder) plateaus.erase(plateaus.begin() + static_cast<std::ptrdiff_t>(i));
        else ++i;
    }
}

/// Distance of point b from the line through a and c, in units that make it the deviation of one point.
double second_difference(std::span<const CurvePoint> curve, std::size_t a, std::size_t b, std::size_t c) {
    const double right = (curve[b].x - curve[a].x) / (curve[c].x - curve[a].x), left = 1 - right;
    return std::abs(curve[b].y - left * curve[a].y - right * curve[c].y) / std::sqrt(1 + left * left + right * right);
}

double median_between(std::span<const CurvePoint> curve, const Plateau& plateau, double from, double to) {
    const std::vector<double> weights = weights_of(curve, plateau);
    std::vector<WeightedValue> values;
    for (std::size_t i = 0; i < weights.size(); ++i) {
        const CurvePoint& point = curve[plateau.points[i]];
        if (point.x >= from && point.x <= to) values.push_back({point.y, weights[i]});
    }
    return weighted_median(std::move(values));
}

} // namespace

std::vector<std::size_t> without_spikes(std::span<const CurvePoint> curve, double noise) {
    const double limit = std::max(4 * noise, 0.05);
    std::vector<std::size_t> kept;
    for (std::size_t i = 0; i < curve.size(); ++i) {
        if (i > 0 && i + 1 < curve.size()) {
            const double left = curve[i].y - curve[i - 1].y, right = curve[i].y - curve[i + 1].y;
            if (left * right > 0 && std::min(std::abs(left), std::abs(right)) > limit && std::abs(left - right) < limit)
                continue;
        }
        kept.push_back(i);
    }
    return kept;
}

std::vector<double> weights_of(std::span<const CurvePoint> curve, const Plateau& plateau) {
    const auto& points = plateau.points;
    std::vector<double> weights;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const bool at_an_end = i == 0 || i + 1 == points.size();
        const double from = curve[points[i == 0 ? 0 : i - 1]].x,
                     to = curve[points[i + 1 == points.size() ? i : i + 1]].x;
        weights.push_back(std::min(kMostWeight, (to - from) / (at_an_end ? 1 : 2)));
    }
    return weights;
}

double weighted_median(std::vector<WeightedValue> values) {
    std::sort(
        values.begin(), values.end(), [](const WeightedValue& a, const WeightedValue& b) { return a.value < b.value; });
    double total = 0, below = 0;
    for (const WeightedValue& value : values) total += value.weight;
    for (std::size_t i = 0; i < values.size(); ++i) {
        below += values[i].weight;
        if (std::abs(below - total / 2) < 1e-9 * total && i + 1 < values.size())
            return (values[i].value + values[i + 1].value) / 2;
        if (below >= total / 2) return values[i].value;
    }
    return std::numeric_limits<double>::quiet_NaN();
}

double drift_of(std::span<const CurvePoint> curve, const Plateau& plateau) {
    const std::vector<double> weights = weights_of(curve, plateau);
    std::vector<WeightedValue> slopes;
    for (std::size_t i = 0; i < weights.size(); ++i)
        for (std::size_t k = i + 1; k < weights.size(); ++k) {
            const CurvePoint &a = curve[plateau.points[i]], &b = curve[plateau.points[k]];
            slopes.push_back({(b.y - a.y) / (b.x - a.x), weights[i] * weights[k]});
        }
    return std::clamp(weighted_median(std::move(slopes)), 0.0, kSlope);
}

Plateau settled(std::span<const CurvePoint> curve, const Plateau& plateau, double margin, double drift) {
    Plateau out = plateau;
    const std::vector<double> weights = weights_of(curve, plateau);
    double kept = std::accumulate(weights.begin(), weights.end(), 0.0);
    const double least = kept / 2;
    std::size_t from = 0, to = weights.size(); // of plateau.points, what is left
    while (to - from > 3) {
        const CurvePoint &first = curve[out.points.front()], &second = curve[out.points[1]];
        const CurvePoint &last = curve[out.points.back()], &before = curve[out.points[out.points.size() - 2]];
        const double low =
            median_between(curve, out, second.x, second.x + 1) - first.y - drift * (second.x + 0.5 - first.x);
        const double high =
            last.y - median_between(curve, out, before.x - 1, before.x) - drift * (last.x - before.x + 0.5);
        kept -= low > high ? weights[from] : weights[to - 1];
        if (std::max(low, high) <= margin || kept < least) break;
        low > high ? ++from : --to;
        out = plateau_of(curve, {plateau.points.begin() + static_cast<std::ptrdiff_t>(from),
                                    plateau.points.begin() + static_cast<std::ptrdiff_t>(to)});
    }
    return out;
}

double noise_of(std::span<const CurvePoint> curve) {
    if (curve.size() < 3) return 0;
    std::vector<double> second, first;
    for (std::size_t i = 1; i + 1 < curve.size(); ++i) second.push_back(second_difference(curve, i - 1, i, i + 1));
    for (std::size_t i = 1; i < curve.size(); ++i)
        first.push_back(std::abs(curve[i].y - curve[i - 1].y) / std::sqrt(2.0));
    const double noise = 1.4826 * median(second);
    return noise < kSteps ? noise : std::min(noise, 1.4826 * median(first));
}

double noise_on(std::span<const CurvePoint> curve, std::span<const Plateau> plateaus) {
    std::vector<double> differences;
    for (const Plateau& plateau : plateaus)
        for (std::size_t i = 1; i + 1 < plateau.points.size(); ++i)
            differences.push_back(
                second_difference(curve, plateau.points[i - 1], plateau.points[i], plateau.points[i + 1]));
    return differences.empty() ? noise_of(curve) : 1.4826 * median(differences);
}

double beginning_of(std::span<const CurvePoint> curve, const Plateau& plateau, double octaves) {
    return median_between(curve, plateau, plateau.first, plateau.first + octaves);
}

double end_of(std::span<const CurvePoint> curve, const Plateau& plateau, double octaves) {
    return median_between(curve, plateau, plateau.last - octaves, plateau.last);
}

std::vector<Plateau> find_plateaus(std::span<const CurvePoint> all) {
    if (all.size() < 3) return {};
    const double noise = std::max(kLeastNoise, noise_of(all));
    const std::vector<std::size_t> kept = without_spikes(all, noise);
    std::vector<CurvePoint> curve;
    curve.reserve(kept.size());
    for (const std::size_t i : kept) curve.push_back(all[i]);
    if (curve.size() < 2) return {};

    std::vector<Plateau> plateaus = best_partition(curve, noise);
    merge(curve, plateaus, noise);
    drop_slivers(curve, plateaus, noise);
    merge(curve, plateaus, noise);
    drop_shoulders(plateaus);
    merge(curve, plateaus, noise);
    for (Plateau& plateau : plateaus)
        for (std::size_t& i : plateau.points) i = kept[i];
    return plateaus;
}

} // namespace sonde
