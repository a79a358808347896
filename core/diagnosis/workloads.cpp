// Times of workloads from the limits that were measured beside them.
#include <algorithm>
#include <cctype>
#include <limits>
#include <tuple>

#include <fmt/format.h>

#include "core/analysis/findings.h"
#include "core/analysis/traffic.h"
#include "core/base/text.h"
#include "core/diagnosis/fact_of.h"
#include "core/diagnosis/workload_limits.h"

namespace sonde {

namespace {
constexpr double kSameLead = 0.9; // of a limit over the next: rates vary by less

/// At which the workload runs where a unit of it takes so long; that time where the series is one of times.
Quantity speed_of(const WorkloadPoint& point, double ns) {
    const Series& series = *point.curve->series;
    const Demand* demand = demand_at(series, point.x);
    if (!is_rate(series.unit)) return quantity_of(ns, series);
    return demand && demand->operations == 1 ? Quantity{1e9 / ns, Unit::flop_per_s} : quantity_of(1 / ns, series);
}

/// A limit that was not measured may be the one that binds.
bool has_no_prediction(const WorkloadPoint& point) { return !point.missing.empty() && point.ratio() > kUnexplained; }

/// A workload at one size, through all devices whose time the same limit bounds there.
using WorkloadPlace = std::vector<WorkloadPoint>;

/// By how much the longest limit exceeds the next, on the device where it does so least.
double lead_of(const WorkloadPlace& place) {
    double lead = std::numeric_limits<double>::infinity();
    for (const WorkloadPoint& point : place)
        if (point.limits.size() > 1) lead = std::min(lead, point.limits[0].ns / point.limits[1].ns);
    return lead;
}

/// Of each limit the size that most devices have in common, of those where it exceeds the others the most, and of
/// nearly equal ones the largest. The largest size first, and there also what limits other devices. None of points
/// without a prediction.
std::vector<WorkloadPlace> told_places(std::vector<WorkloadPoint> points) {
    std::erase_if(points, has_no_prediction);
    const auto limit = [](const WorkloadPlace& place) { return place[0].limits.front().by; };
    const auto all =
        grouped(points, [](const WorkloadPoint& point) { return std::pair(point.limits.front().by, point.x); });
    std::vector<WorkloadPlace> told;
    for (const WorkloadPlace& place : all) {
        const auto same = std::ranges::find(told, limit(place), limit);
        if (same == told.end()) told.push_back(place);
        else if (place.size() > same->size() ||
                 (place.size() == same->size() && lead_of(place) >= kSameLead * lead_of(*same)))
            *same = place;
    }
    std::ranges::sort(told, std::greater(), [](const WorkloadPlace& each) { return each[0].x; });
    std::vector<WorkloadPoint> at_sizes;
    for (const WorkloadPlace& place : told) {
        const auto at_first = std::ranges::find_if(all, [&](const WorkloadPlace& other) {
            return limit(other) == limit(place) && other[0].x == told[0][0].x && other.size() >= place.size();
        });
        const WorkloadPlace& chosen = at_first == all.end() ? place : *at_first;
        at_sizes.insert(at_sizes.end(), chosen.begin(), chosen.end());
    }
    told = grouped(at_sizes, [](const WorkloadPoint& point) { return point.x; });
    for (WorkloadPlace& place : told) std::ranges::stable_sort(place, {}, &WorkloadPoint::ns);
    return told;
}

/// The share of a point's time that a limit accounts for.
Cell share_of_time(const WorkloadPoint& point, const LimitBy& by) {
    const auto limit = std::ranges::find(point.limits, by, &WorkloadLimit::by);
    if (limit == point.limits.end()) return Lack::not_measured;
    return {Quantity{limit->ns / point.ns, Unit::share}, limit->of};
}

/// Whatever bounds any of them, the longest limit of the first before the others, and then what nothing was measured
/// of.
std::vector<LimitBy> limits_of(const WorkloadPlace& place) {
    std::vector<LimitBy> all;
    const auto add = [&](const LimitBy& by) {
        if (std::ranges::find(all, by) == all.end()) all.push_back(by);
    };
    for (const WorkloadPoint& point : place)
        for (const WorkloadLimit& limit : point.limits) add(limit.by);
    for (const WorkloadPoint& point : place)
        for (const LimitBy& by : point.missing) add(by);
    return all;
}

/// Caches hold much of the footprint of a limit by DRAM.
bool is_cached(const WorkloadPlace& place, const LimitBy& by) {
    return std::ranges::any_of(place, [&](const WorkloadPoint& point) {
        return std::ranges::any_of(
            point.limits, [&](const WorkloadLimit& limit) { return limit.by == by && limit.cached; });
    });
}

std::string limit_row(const WorkloadPlace& place, const LimitBy& by) {
    return (is_cached(place, by) ? "caches and " : "") + limit_words(by);
}

PlaceGroup group_of(const WorkloadPlace& place) {
    PlaceGroup group{place_text(place[0].curve->series->x, place[0].x), {}};
    for (const LimitBy& by : limits_of(place)) {
        Place& shares = group.places.emplace_back(Place{limit_row(place, by), {}});
        for (const WorkloadPoint& point : place)
            shares.cells.emplace_back(device_text(point.curve), share_of_time(point, by));
    }
    Place rates{"it runs at", {}}, allowed{"its limit allows", {}};
    for (const WorkloadPoint& point : place) {
        rates.cells.emplace_back(device_text(point.curve), speed_of(point, point.ns));
        allowed.cells.emplace_back(device_text(point.curve), speed_of(point, point.limits.front().ns));
    }
    group.places.insert(group.places.end(), {rates, allowed});
    return group;
}

/// Where the first one's longest limit is theirs too.
Ranked shares_of_limit(const WorkloadPlace& place) {
    Ranked shares;
    for (const WorkloadPoint& point : place)
        if (point.limits.front().by == place[0].limits.front().by) shares.emplace_back(1 / point.ratio(), point.curve);
    return shares;
}

/// "GEMM mma.f16.f32.m16n8k16", "Histogram global uniform"; a path where the probe has several.
std::string workload_text(const SeriesId& id) {
    const Probe* probe = find_probe(id.probe);
    std::vector<std::string> words = words_of(id);
    std::string& name = words[0];
    if (probe && !probe->workload.empty()) name = probe->workload;
    else name[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(name[0])));
    if (probe && probe->paths.size() > 1) words.insert(words.begin() + 1, id.path);
    return joined_text(words, " ");
}

/// Those of the workload first, then what its limits are from.
Curves curves_of_places(const std::vector<WorkloadPlace>& told) {
    Curves about;
    const auto add = [&](const Curve* curve) {
        if (std::ranges::find(about, curve) == about.end()) about.push_back(curve);
    };
    for (const WorkloadPlace& place : told)
        for (const WorkloadPoint& point : place) add(point.curve);
    for (const WorkloadPlace& place : told)
        for (const WorkloadPoint& point : place)
            for (const Curve* curve : point.limits.front().measured) add(curve);
    return about;
}

/// A workload at the sizes that are told, the largest first.
void tell_workload(const Card& card, const std::vector<WorkloadPlace>& told, Statements& out) {
    std::vector<PlaceGroup> groups;
    groups.reserve(told.size());
    double effect = 1;
    for (const WorkloadPlace& place : told) {
        groups.push_back(group_of(place));
        for (const WorkloadPoint& point : place)
            if (point.missing.empty()) effect = std::max(effect, point.ratio());
    }
    const WorkloadPoint& first = told[0][0];
    CardFact fact = fact_of(card,
        {{"workload", workload_text(first.curve->series->id)}, {"limit", groups[0].places[0].name},
            {"size", groups[0].title}},
        shares_of_limit(told[0]), groups);
    fact.effect = effect;
    for (CitedSeries& from : tell(out, std::move(fact), curves_of_places(told)).from)
        for (const WorkloadPlace& place : told)
            for (const WorkloadPoint& point : place)
                if (point.curve->series->id == from.series) from.x.push_back(point.x);
}
} // namespace

const Rule workload_bound{"workload_bound", "path", [](const Card& card, Statements& out) {
                              for (const auto& points : grouped(workload_points(card), [](const WorkloadPoint& point) {
                                       const SeriesId& id = point.curve->series->id;
                                       return std::tuple(id.probe, id.path, id.options);
                                   }))
                                  if (const auto told = told_places(points); !told.empty())
                                      tell_workload(card, told, out);
                          }};

} // namespace sonde
