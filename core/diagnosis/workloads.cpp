// Times of workloads from the limits that were measured beside them.
#include <algorithm>
#include <cctype>
#include <iterator>
#include <limits>
#include <tuple>

#include <fmt/format.h>

#include "core/analysis/findings.h"
#include "core/analysis/traffic.h"
#include "core/base/text.h"
#include "core/device/matrix_form.h"
#include "core/diagnosis/arithmetic.h"
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
bool has_no_prediction(const WorkloadPoint& point) { return !point.missing.empty() && point.ratio() > 1 / kAtLimit; }

/// A workload at one size, through all devices whose time the same limit bounds there.
using WorkloadPlace = std::vector<WorkloadPoint>;

/// By how much the longest limit exceeds the next, on the device where it does so least.
double lead_of(const WorkloadPlace& place) {
    double lead = std::numeric_limits<double>::infinity();
    for (const WorkloadPoint& point : place)
        if (point.limits.size() > 1) lead = std::min(lead, point.limits[0].ns / point.limits[1].ns);
    return lead;
}

bool accounts_for_time(const WorkloadPoint& point) { return point.ratio() <= 1 / kAtLimit; }

/// Whether other sizes of the series show that DRAM does not bind it: one whose memory is a nearer level's, which would
/// allow much more, is no faster; or a larger one, of which caches hold less, stays below what DRAM allows.
bool is_refuted(const WorkloadPoint& point, const std::vector<WorkloadPoint>& points) {
    constexpr double kMuchMore = 1.25, kNoFaster = 1.03; // times
    const WorkloadLimit& limit = point.limits.front();
    return limit.by.level == LevelName::dram() && std::ranges::any_of(points, [&](const WorkloadPoint& other) {
        const WorkloadLimit& its = other.limits.front();
        if (other.curve != point.curve || its.by.resource != limit.by.resource || its.by.level.is_none()) return false;
        return its.by.level == limit.by.level
                   ? other.x > point.x && !accounts_for_time(other)
                   : other.x < point.x && kMuchMore * its.ns < limit.ns && kNoFaster * other.ns > point.ns;
    });
}

bool is_at_limit(const WorkloadPoint& point, const std::vector<WorkloadPoint>& points) {
    return accounts_for_time(point) && !is_refuted(point, points);
}

/// Of each limit the size that most devices have in common, of those where it exceeds the others the most, and of
/// nearly equal ones the largest. The largest size first, and there also what limits other devices.
std::vector<WorkloadPlace> places_by_limit(const std::vector<WorkloadPoint>& at_limit) {
    const auto limit = [](const WorkloadPlace& place) { return place[0].limits.front().by; };
    const auto all =
        grouped(at_limit, [](const WorkloadPoint& point) { return std::pair(point.limits.front().by, point.x); });
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
    return grouped(at_sizes, [](const WorkloadPoint& point) { return point.x; });
}

/// Sizes at which a device is at a limit; those devices first, the fastest before the others.
std::vector<WorkloadPlace> told_places(const std::vector<WorkloadPoint>& points) {
    std::vector<WorkloadPoint> at_limit;
    std::ranges::copy_if(
        points, std::back_inserter(at_limit), [&](const WorkloadPoint& point) { return is_at_limit(point, points); });
    std::vector<WorkloadPlace> told = places_by_limit(at_limit);
    for (WorkloadPlace& place : told) {
        std::ranges::stable_sort(place, {}, &WorkloadPoint::ns);
        WorkloadPlace others;
        std::ranges::copy_if(points, std::back_inserter(others), [&](const WorkloadPoint& point) {
            return point.x == place[0].x && !has_no_prediction(point) && !is_at_limit(point, points);
        });
        std::ranges::stable_sort(others, {}, &WorkloadPoint::ns);
        place.insert(place.end(), others.begin(), others.end());
    }
    return told;
}

/// The size that most devices have, of these the largest.
WorkloadPlace largest_place(const std::vector<WorkloadPoint>& points) {
    std::vector<WorkloadPlace> by_size = grouped(points, [](const WorkloadPoint& point) { return point.x; });
    WorkloadPlace largest =
        std::ranges::max(by_size, {}, [](const WorkloadPlace& each) { return std::pair(each.size(), each[0].x); });
    std::ranges::stable_sort(largest, {}, &WorkloadPoint::ns);
    return largest;
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

/// Shares of the time by limit.
PlaceGroup shares_of(const WorkloadPlace& place) {
    PlaceGroup group{place_text(place[0].curve->series->x, place[0].x), {}};
    for (const LimitBy& by : limits_of(place)) {
        Place& shares = group.places.emplace_back(Place{limit_row(place, by), {}});
        for (const WorkloadPoint& point : place)
            shares.cells.emplace_back(device_text(point.curve), share_of_time(point, by));
    }
    Place rates{"it runs at", {}};
    for (const WorkloadPoint& point : place)
        rates.cells.emplace_back(device_text(point.curve), speed_of(point, point.ns));
    group.places.push_back(std::move(rates));
    return group;
}

/// With what the limit allows.
PlaceGroup group_of(const WorkloadPlace& place) {
    PlaceGroup group = shares_of(place);
    Place& allowed = group.places.emplace_back(Place{"its limit allows", {}});
    for (const WorkloadPoint& point : place)
        allowed.cells.emplace_back(device_text(point.curve), speed_of(point, point.limits.front().ns));
    return group;
}

/// Where they are at the limit that the first one is at.
Ranked shares_of_limit(const WorkloadPlace& place) {
    Ranked shares;
    for (const WorkloadPoint& point : place)
        if (point.limits.front().by == place[0].limits.front().by && accounts_for_time(point))
            shares.emplace_back(1 / point.ratio(), point.curve);
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

std::vector<std::vector<WorkloadPoint>> points_by_workload(const Card& card) {
    return grouped(workload_points(card), [](const WorkloadPoint& point) {
        const SeriesId& id = point.curve->series->id;
        return std::tuple(id.probe, id.path, id.options);
    });
}

/// The same work through several devices: of a product by matrix units that of the same numbers, whichever form an API
/// has for them.
struct SameWork {
    std::string probe, path, numbers; // "f16 with sums in f32"; none: no matrix units
    Options options;
    auto operator<=>(const SameWork&) const = default;
};

SameWork work_of(const Curve* curve) {
    const SeriesId& id = curve->series->id;
    SameWork work{id.probe, id.path, "", id.options};
    if (const Operation* operation = operation_of(*curve); operation && operation->matrix) {
        work.options.set(option::operation, "");
        work.numbers = filled(label::numbers,
            {{"in", std::string(operation->matrix->in->name)}, {"sum", std::string(operation->matrix->sum->name)}});
    }
    return work;
}

/// The largest size that all of them have; nullopt: none.
std::optional<double> common_size(const Curves& curves) {
    std::optional<double> largest;
    for (const Point& point : curves[0]->series->points)
        if (std::ranges::all_of(curves, [&](const Curve* curve) { return value_at(*curve, point.x) > 0; }))
            largest = point.x;
    return largest;
}

/// What its loop computes with, or else its load.
std::string instruction_text(const Curve& curve) {
    const auto& kernel = curve.series->evidence.kernel;
    if (!kernel) return "";
    return kernel->step_instructions.empty() ? kernel->load.instruction
                                             : step_instructions_text(kernel->step_instructions, kFewInstructions);
}

/// Rates of one workload, one a device, where they lie apart.
void tell_apart(const Card& card, const Curves& alike, Statements& out) {
    constexpr double kRatesApart = 1.15; // times
    const std::optional<double> size = common_size(alike);
    if (!size) return;
    Ranked rates;
    for (const Curves& of_device : grouped(alike, device_text)) {
        const Curve* best = std::ranges::max(of_device, {}, [&](const Curve* each) { return value_at(*each, *size); });
        rates.emplace_back(value_at(*best, *size), best);
    }
    rates = sorted(std::move(rates));
    if (!differ(rates, kRatesApart)) return;
    Place speeds{"rate", {}};
    Place forms{"matrix form", {}};
    for (const auto& [rate, curve] : rates) {
        speeds.cells.emplace_back(device_text(curve), speed_of({.curve = curve, .x = *size}, 1 / rate));
        if (const Operation* operation = operation_of(*curve); operation && operation->matrix)
            forms.cells.emplace_back(device_text(curve), Instructions{std::string(operation->name)});
    }
    const SeriesId& first = rates[0].second->series->id;
    const Probe* probe = find_probe(first.probe);
    const SameWork work = work_of(rates[0].second);
    Statement& said = tell(out,
        fact_of(card,
            {{"workload", work.numbers.empty() ? workload_text(first) : std::string(probe->workload)},
                {"numbers", work.numbers}, {"size", place_text(rates[0].second->series->x, *size)}},
            rates, {{"", {speeds, forms, instructions_of(curves_in(rates), instruction_text)}}}),
        curves_in(rates));
    said.tells_all = false;
    for (CitedSeries& from : said.from) from.x = {*size};
}

void tell_workloads_apart(const Card& card, Statements& out) {
    Curves all;
    for (const Curve& curve : card.curves) {
        const Probe* probe = find_probe(curve.series->id.probe);
        if (curve.usable() && probe && !probe->workload.empty() && !curve.series->evidence.demand.empty() &&
            !curve.device->cpu && is_rate(curve.series->unit))
            all.push_back(&curve);
    }
    for (const Curves& alike : grouped(all, work_of)) tell_apart(card, alike, out);
}
} // namespace

const Rule workload_apart{"workload_apart", "path", tell_workloads_apart};

const Rule workload_bound{"workload_bound", "path", [](const Card& card, Statements& out) {
                              for (const auto& points : points_by_workload(card))
                                  if (const auto told = told_places(points); !told.empty())
                                      tell_workload(card, told, out);
                          }};

Grid workloads_grid(const Card& card) {
    std::vector<PlaceGroup> groups;
    for (const auto& points : points_by_workload(card)) {
        const WorkloadPlace place = largest_place(points);
        if (std::ranges::any_of(place, [&](const WorkloadPoint& point) { return is_at_limit(point, points); }))
            continue;
        groups.push_back(shares_of(place));
        groups.back().title = filled(label::workload_at,
            {{"workload", workload_text(place[0].curve->series->id)}, {"size", groups.back().title}});
    }
    Grid grid = fact_of(card, {}, {}, groups).grid;
    grid.name = "workloads";
    return grid;
}

} // namespace sonde
