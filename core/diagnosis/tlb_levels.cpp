#include "core/diagnosis/tlb_levels.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/analysis/findings.h"
#include "core/analysis/structure.h"
#include "core/diagnosis/card_grid.h"
#include "core/probes/probe.h"

namespace sonde {

namespace {
using Levels = std::vector<TranslationLevel>;

/// Two digits: so far the APIs of one card agree.
double rounded(double ns) {
    const double unit = std::pow(10, std::floor(std::log10(ns)) - 1);
    return std::round(ns / unit) * unit;
}

/// What the fit says; where the rise is no share of one cost, how much more loads take beyond the reach, from the least
/// to the most.
Quantity cost_of_miss(const Curve& curve, const Levels& levels, std::size_t i) {
    const std::vector<CurvePoint> points = curve_at_one_clock(*curve.series);
    const MissRise rise = rise_beyond(points, levels[i], i + 1 < levels.size() ? levels[i + 1].low : points.back().x);
    if (rise.is_share_of_cost) return {rounded(levels[i].cost), Unit::ns};
    const auto [least, most] = std::ranges::minmax(rise.beyond, {}, &CurvePoint::y);
    return {rounded(rise.beyond.back().y), Unit::ns, std::pair(rounded(least.y), rounded(most.y))};
}

/// Those whose misses cost about as much: the place of each of these levels among those of the device with the most.
std::vector<std::size_t> places_of(const Levels& levels, const Levels& most) {
    std::vector<std::size_t> places;
    for (const TranslationLevel& level : levels) {
        std::size_t nearest = places.empty() ? 0 : places.back() + 1;
        const std::size_t last = most.size() - (levels.size() - places.size()); // so that the others have one, too
        for (std::size_t i = nearest; i <= last; ++i)
            if (std::abs(std::log(most[i].cost / level.cost)) < std::abs(std::log(most[nearest].cost / level.cost)))
                nearest = i;
        places.push_back(nearest);
    }
    return places;
}
} // namespace

std::array<PlaceGroup, 2> tlb_levels(const Curves& curves) {
    std::vector<Levels> all;
    for (const Curve* curve : curves) all.push_back(translation_levels(curve_at_one_clock(*curve->series)));
    PlaceGroup reaches{kTlbReach, {}}, costs{kTlbMiss, {}};
    if (all.empty()) return {reaches, costs};
    const Levels most = std::ranges::max(all, {}, &Levels::size);
    for (std::size_t i = 0; i < most.size(); ++i) {
        const Slots number{{"number", as_count(static_cast<double>(i + 1))}};
        reaches.places.push_back({filled(label::tlb_level, number), {}});
        costs.places.push_back({filled(label::tlb_level, number), {}});
    }
    for (std::size_t k = 0; k < curves.size(); ++k) {
        const std::vector<std::size_t> places = places_of(all[k], most);
        for (std::size_t i = 0; i < all[k].size(); ++i) {
            const TranslationLevel& level = all[k][i];
            reaches.places[places[i]].cells.emplace_back(
                device_text(curves[k]), Quantity{level.reach, Unit::bytes, std::pair(level.low, level.high)});
            costs.places[places[i]].cells.emplace_back(device_text(curves[k]), cost_of_miss(*curves[k], all[k], i));
        }
    }
    return {reaches, costs};
}

std::array<PlaceGroup, 2> tlb_levels(const Card& card) {
    return tlb_levels(plain_curves(card, kTlb, "global.pointer"));
}

} // namespace sonde
