// Rules about what makes a number doubtful.
#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/statistics.h"
#include "core/base/text.h"
#include "core/data/profile.h"
#include "core/device/chips.h"
#include "core/diagnosis/fact_of.h"
#include "core/diagnosis/overview.h"

namespace sonde {

namespace {
constexpr double kSteadyClock =
    1.01;                         // times that core clocks of one series differ at the most, where one timer is right
constexpr double kInside = 1.25;  // a size this far inside a plateau's footprints is at no edge of it
constexpr double kOverBus = 1.05; // of the memory's bus
constexpr double kOverLink = 1.1; // times: the rate that a driver reports for the link is nominal
constexpr double kHostOverBus = 0.5; // a bus to the host carries less than half of what the card's own memory does
constexpr double kOverL2 = 1.15;     // times: what launch shapes and footprints make of one cache's rate
constexpr double kTimersApart = 0.1; // as the run judges it
constexpr double kClockMoved = 0.05;
constexpr std::size_t kFewestClocks = 3;

bool of_processor(const Curve& curve) { return curve.device->cpu; }

/// The curve that tells a device's caches best: the first through its memory with more than one level.
const Curve* memory_curve(const Card& card, const std::string& device) {
    for (const Curve* curve : plain_curves(card, kLatency))
        if (curve->series->id.device == device && family_of(*curve->path) == Family::memory &&
            curve->path->stage == Stage::nothing && curve->levels.size() > 1)
            return curve;
    return nullptr;
}

/// Each the median of up to nine around it: a clock moves for a while, short dispatches are timed coarsely.
std::vector<double> smoothed(const std::vector<double>& clocks) {
    const std::size_t reach = std::min<std::size_t>(4, clocks.size() / 8);
    std::vector<double> result;
    for (std::size_t i = 0; i < clocks.size(); ++i)
        result.push_back(median(
            {clocks.begin() + (i < reach ? 0 : i - reach), clocks.begin() + std::min(clocks.size(), i + reach + 1)}));
    return result;
}

/// Whether loads on the path pass L1 by: by request, or as its latency shows.
bool passes_l1(const Card& card, const Curve& curve) {
    const Curve* latency = plain_curve(card, kLatency, device_text(&curve), curve.series->id.path);
    return curve.series->id.path == "global.cg" ||
           (latency && !card.level_names.empty() && latency->passes(card.level_names[0]));
}

/// A compiler's messages may take pages: `sonde show` has all of them.
std::string first_words(const std::string& reason) {
    constexpr std::size_t kFewWords = 240;
    const std::string line = reason.substr(0, reason.find('\n'));
    return line.size() <= kFewWords ? line : line.substr(0, line.rfind(' ', kFewWords)) + " ...";
}

/// Those that may be cited: each of the others, which are unstable, has a doubt of its own.
Curves without_doubt(Curves curves) {
    std::erase_if(curves, [](const Curve* curve) { return curve->series->status != Status::ok; });
    return curves;
}

/// "latency global lanes=1": what series of several devices have in common.
std::string series_place(const Curve& curve) {
    const SeriesId& id = curve.series->id;
    return filled(label::series, {{"probe", id.probe}, {"path", id.path}, {"options", id.options}});
}

/// A row for each such place, with a cell for each device.
void add_series(PlaceGroup& group, const Curve& curve, Cell cell) {
    const std::string name = series_place(curve);
    auto place = std::ranges::find(group.places, name, &Place::name);
    if (place == group.places.end()) place = group.places.insert(place, Place{name, {}});
    place->cells.emplace_back(device_text(&curve), std::move(cell));
}

PlaceGroup by_series(std::string title, const Curves& curves, const std::function<Cell(const Curve&)>& cell_of) {
    PlaceGroup group{std::move(title), {}};
    for (const Curve* curve : curves) add_series(group, *curve, cell_of(*curve));
    return group;
}

Ranked together(const Curves& curves) {
    return ranked(curves, [](const Curve&) { return 1.0; });
}

/// What the run, or a driver, said of all of them; a row for each.
void tell_with_reason(const Card& card, const Curves& alike, const std::string& reason, Lack lack, Statements& out) {
    Place why{"reason", {}};
    for (const Curves& of_device : grouped(alike, device_text))
        why.cells.emplace_back(device_text(of_device[0]), Instructions{reason});
    tell(out,
        exact_fact(card, {{"found", as_count(static_cast<double>(alike.size()))}}, together(alike),
            {{"", {why}}, by_series("series", alike, [&](const Curve&) { return lack; })}),
        {alike[0]});
}

/// The first point beyond the caches that is faster than its memory's way and what the caches still hold can carry;
/// nullptr: none.
const Point* too_fast(const Curve& curve, double bus, double caches) {
    const double share = family_of(*curve.path) == Family::memory ? kOverBus : kHostOverBus;
    for (const Point& point : curve.series->points)
        if (point.x >= kBeyondCaches * caches && point.median.value_or(0) * 1e9 * (1 - caches / point.x) > share * bus)
            return &point;
    return nullptr;
}

/// What other processes together took of the card around one of the series, the most and from the least on; nullopt:
/// not told.
std::optional<Quantity> busy_with_others(const Curves& curves) {
    double least = 1, most = 0;
    for (const Curve* curve : curves) {
        double busy = 0;
        for (const CardUser& user : curve->series->evidence.telemetry.others.value_or(std::vector<CardUser>{}))
            busy += user.busy_percent.value_or(0) / 100;
        if (busy > 0) least = std::min(least, busy), most = std::max(most, std::min(busy, 1.0));
    }
    if (most <= 0) return std::nullopt;
    return Quantity{most, Unit::share, std::pair(least, most)};
}

/// Where others used the card during most of what was measured on it.
void tell_in_use(const Card& card, Statements& out) {
    const Curves used = curves_in_use(card);
    if (used.empty()) return;
    Place share{"series in doubt", {}}, busy{"busy with others", {}}, who{"others", {}}, cap{"throttled by", {}};
    for (const Curves& of_device : grouped(used, device_text)) {
        const std::string device = device_text(of_device[0]);
        const auto measured = std::ranges::count_if(card.curves,
            [&](const Curve& curve) { return device_text(&curve) == device && !curve.series->points.empty(); });
        share.cells.emplace_back(
            device, Quantity{static_cast<double>(of_device.size()) / static_cast<double>(measured), Unit::share});
        if (const auto taken = busy_with_others(of_device)) busy.cells.emplace_back(device, *taken);
        std::set<std::string> others, reasons;
        for (const Curve* curve : of_device) {
            const TelemetryEvidence& told = curve->series->evidence.telemetry;
            for (const CardUser& user : told.others.value_or(std::vector<CardUser>{}))
                if (user.busy_percent.value_or(0) > 0)
                    others.insert(filled(label::process, {{"pid", as_count(static_cast<double>(user.pid))}}));
            reasons.insert(told.during.throttled_by.begin(), told.during.throttled_by.end());
        }
        if (others.empty()) others.insert("pid not told");
        who.cells.emplace_back(device, Instructions{joined_text(others)});
        if (!reasons.empty()) cap.cells.emplace_back(device, Instructions{joined_text(reasons)});
    }
    tell(out, exact_fact(card, {}, together(used), {{"", {share, busy, who, cap}}}), used);
}

/// How many of the card's series these are.
Slots of_all(const Card& card, const Curves& found) {
    return {{"found", as_count(static_cast<double>(found.size()))},
        {"all", as_count(static_cast<double>(with_points(card)))}};
}

void tell_elsewhere(const Card& card, Statements& out) {
    Curves found;
    for (const Curve& curve : card.curves) {
        const auto& placement = curve.series->evidence.placement;
        if (curve.path && !takes_machine(*curve.path) && !curve.series->points.empty() && !of_processor(curve) &&
            placement && placement->device_local == false)
            found.push_back(&curve);
    }
    if (found.empty()) return;
    const auto where = [](const Curve& curve) {
        const std::string& text = curve.series->evidence.placement->text;
        return Instructions{text.empty() ? "not in the device's memory" : text};
    };
    tell(out, exact_fact(card, of_all(card, found), together(found), {by_series("placement", found, where)}), found);
}

/// What each device tells, the table has, and was counted, where these are not one number.
void tell_cores(const Card& card, Statements& out) {
    Place told{"told", {}}, in_table{"table of boards", {}}, counted{"counted", {}};
    Curves about;
    std::set<double> numbers;
    const auto add = [&](Place& place, const Curve& of, double cores) {
        numbers.insert(cores);
        place.cells.emplace_back(device_text(&of), as_count(cores));
    };
    for (const DeviceRecord* device : card.devices) {
        const auto of = std::ranges::find(card.curves, device, &Curve::device);
        if (of == card.curves.end()) continue;
        about.push_back(&*of);
        if (device->cores) add(told, *of, device->cores);
        if (const Board* board = find_board(device->pci_id)) add(in_table, *of, board->cores);
    }
    for (const Curve* curve : plain_curves(card, kCoreCount))
        for (const Finding& found : curve->findings)
            if (found.value) add(counted, *curve, *found.value), about.push_back(curve);
    if (numbers.size() < 2) return;
    tell(out, exact_fact(card, {}, together(about), {{"", {told, in_table, counted}}}), about);
}

void tell_reported_cache(const Card& card, Statements& out) {
    for (const DeviceRecord* device : card.devices) {
        const auto reported = static_cast<double>(device->cache_bytes);
        const Curve* curve = memory_curve(card, device->id);
        if (!curve || reported <= 0) continue;
        for (const Finding& level : curve->levels) {
            const double from = level.x.front(), to = level.x.back();
            if (!(reported > kInside * from && reported < to / kInside)) continue;
            PlaceGroup rows{"", {place_of("the driver reports", *curve, Quantity{reported, Unit::bytes})}};
            if (device->cores > 1 && std::fmod(reported, device->cores * 1024.0) == 0) // so many KiB for each core
                rows.places.push_back(
                    place_of("for each core", *curve, Quantity{reported / device->cores, Unit::bytes}));
            rows.places.push_back(place_of("no step within", *curve, Quantity{to, Unit::bytes, std::pair(from, to)}));
            rows.places.push_back(place_of("a load there takes", *curve, latency_cell(level)));
            tell(out, exact_fact(card, {{"path", curve->series->id.path}}, {{0, curve}}, {rows}), {curve}).from[0].x =
                level.x;
        }
    }
}

/// A path to memory, and a point of it at a rate that the memory does not have.
struct TooFast {
    const Curve* curve;
    const Point* point;
};

/// The first series of each device and path that are faster.
std::vector<TooFast> faster_than(const Card& card, Family family, double bus, double caches) {
    std::vector<TooFast> found;
    for (const Curve& curve : card.curves) {
        const Probe* probe = find_probe(curve.series->id.probe);
        const bool by_footprint = probe && probe->peak == Peak::dram && probe->x.axis == Axis::footprint;
        if (!by_footprint || !curve.usable() || !curve.path || curve.path->stage != Stage::nothing ||
            family_of(*curve.path) != family || !curve.series->evidence.random_reads.empty() || of_processor(curve))
            continue; // of random data alone
        const bool told = std::ranges::any_of(found, [&](const TooFast& each) {
            return each.curve->series->id.path == curve.series->id.path && each.curve->device == curve.device;
        });
        const Point* point = told ? nullptr : too_fast(curve, bus, caches);
        if (point) found.push_back({&curve, point});
    }
    return found;
}

/// A row for each path, with the footprint in brackets, and what its memory's way carries.
void tell_too_fast(const Card& card, const Term& what, const std::vector<TooFast>& all, const char* carries,
    double (*carried)(const Card&, const Curve&), Statements& out) {
    if (all.empty()) return;
    PlaceGroup rows;
    Place limit{carries, {}};
    Curves about;
    about.reserve(all.size());
    for (const TooFast& each : all) {
        add_series(rows, *each.curve,
            {Quantity{*each.point->median * 1e9, Unit::bytes_per_s}, Quantity{each.point->x, Unit::bytes}});
        if (std::ranges::find(about, each.curve->device, &Curve::device) == about.end())
            limit.cells.emplace_back(device_text(each.curve), Quantity{carried(card, *each.curve), Unit::bytes_per_s});
        about.push_back(each.curve);
    }
    rows.places.push_back(std::move(limit));
    Statement& said = tell(out, exact_fact(card, {{"what", what}}, {{0, about[0]}}, {rows}), about);
    for (std::size_t i = 0; i < all.size(); ++i) said.from[i].x = {all[i].point->x};
}

double host_link(const Card&, const Curve& curve) { return curve.device->host_link_bytes_per_second; }
double dram_peak(const Card& card, const Curve&) { return card.largest(&DeviceInfo::bus_bytes_per_second); }

void tell_faster_than_peak(const Card& card, Statements& out) {
    const double bus = card.largest(&DeviceInfo::bus_bytes_per_second), caches = card.largest(&DeviceInfo::cache_bytes);
    if (bus > 0 && caches > 0) {
        tell_too_fast(card, term::dram, faster_than(card, Family::memory, bus, caches), "peak of DRAM", dram_peak, out);
        std::vector<TooFast> linked = faster_than(card, Family::host, bus, caches), unlinked = linked;
        const auto has_link = [](const TooFast& each) { return each.curve->device->host_link_bytes_per_second > 0; };
        std::erase_if(linked, [&](const TooFast& each) { return !has_link(each); });
        std::erase_if(unlinked, has_link);
        tell_too_fast(card, term::way_to_host, linked, "host link", host_link, out);
        tell_too_fast(card, term::way_to_host, unlinked, "peak of DRAM", dram_peak, out);
    }
    for (const Curve* curve : curves_of(card, kBandwidthLatency)) {
        const double link = curve->device->host_link_bytes_per_second,
                     rate = curve->series->evidence.unthrottled_gb_per_s.value_or(0) * 1e9;
        if (bus > 0 && caches > 0 && curve->path && family_of(*curve->path) == Family::host && !of_processor(*curve) &&
            link > 0 && rate > kOverLink * link)
            tell(out,
                exact_fact(card, {{"what", term::way_to_host}}, {{0, curve}},
                    {{"", {place_of(series_place(*curve), *curve, Quantity{rate, Unit::bytes_per_s}),
                              place_of("host link", *curve, Quantity{link, Unit::bytes_per_s})}}}),
                {curve});
    }
}

void tell_faster_than_l2(const Card& card, Statements& out) {
    for (const Curve* curve : curves_of(card, kBandwidth)) {
        const Curve* global = plain_curve(card, kLatency, device_text(curve), "global");
        if (of_processor(*curve) || !global || curve->series->id.path == "global" || global->levels.size() < 3 ||
            global->level_names[0] != card.level_names[0] || !passes_l1(card, *curve))
            continue;
        const auto l2 = read_rate(card, *global, global->levels[1]);
        const Point& best = *std::ranges::max_element(
            curve->series->points, {}, [](const Point& point) { return point.median.value_or(0); });
        const double rate = best.median.value_or(0);
        if (!l2 || best.x >= on(global->levels[1]) || !(rate > kOverL2 * l2->gigabytes)) continue;
        tell(out,
            exact_fact(card, {{"path", curve->series->id.path}}, {{0, curve}},
                {{"", {place_of(
                           "fastest", *curve, {Quantity{rate * 1e9, Unit::bytes_per_s}, Quantity{best.x, Unit::bytes}}),
                          place_of("global from L2", *curve,
                              {Quantity{l2->gigabytes * 1e9, Unit::bytes_per_s},
                                  Quantity{l2->to, Unit::bytes, std::pair(l2->from, l2->to)}})}}}),
            {curve, global})
            .from[0]
            .x = {best.x};
    }
}

Cell ends_before(const Curve& curve) {
    const Series& series = *curve.series;
    const auto before = series.ending ? series.ending->before : std::nullopt;
    return before ? Cell(Quantity{*before, series.x.unit == "bytes" ? Unit::bytes : Unit::count}) : Cell();
}

void tell_cut_short(const Card& card, Statements& out) {
    Curves cut;
    for (const Curve& curve : card.curves)
        if (!curve.series->points.empty() && curve.series->status != Status::failed && ends_early(*curve.series))
            cut.push_back(&curve);
    const Curves named = without_doubt(cut);
    if (named.empty()) return;
    tell(out, exact_fact(card, of_all(card, cut), together(named), {by_series("ends before", named, ends_before)}),
        named)
        .tells_all = false;
}

void tell_interrupted(const Card& card, Statements& out) {
    Curves scattered;
    for (const Curve& curve : card.curves)
        if (curve.scatters && curve.series->status == Status::ok) scattered.push_back(&curve);
    if (scattered.empty()) return;
    tell(out,
        exact_fact(card, of_all(card, scattered), together(scattered),
            {by_series("series", scattered, [](const Curve&) { return Lack::scatters; })}),
        scattered);
}

Cell host_over_device(const Curve& curve) {
    return Quantity{*curve.series->evidence.timers->host_over_device, Unit::times};
}
Cell core_clock(const Curve& curve) { return Quantity{median(clocks_of(*curve.series)), Unit::mhz}; }

/// Those whose timers are the farthest apart first.
void tell_timers(const Card& card, Ranked apart, Cause cause, Statements& out) {
    if (apart.empty()) return;
    apart = sorted(std::move(apart));
    const Curves curves = curves_in(apart);
    std::vector<PlaceGroup> groups{by_series("", curves, host_over_device)};
    if (cause == Cause::steady_core_clock)
        groups.push_back(by_series("core cycles by the device's time", curves, core_clock));
    CardFact fact = exact_fact(card, {}, {apart[0]}, groups);
    fact.cause = cause;
    tell(out, std::move(fact), curves);
}

void tell_timers_disagree(const Card& card, Statements& out) {
    Ranked steady, apart; // by how far the two timers are
    for (const Curve& curve : card.curves) {
        const auto& timers = curve.series->evidence.timers;
        if (curve.disturbed || !timers || !timers->disagree(kTimersApart)) continue;
        const std::vector<double> clocks = clocks_of(*curve.series);
        const bool is_steady =
            clocks.size() >= kFewestClocks && std::ranges::max(clocks) < kSteadyClock * std::ranges::min(clocks);
        (is_steady ? steady : apart)
            .emplace_back(std::max(*timers->host_over_device, 1 / *timers->host_over_device), &curve);
    }
    tell_timers(card, std::move(steady), Cause::steady_core_clock, out);
    tell_timers(card, std::move(apart), Cause::none, out);
}

Quantity mhz_range(double low, double high) { return {(low + high) / 2, Unit::mhz, std::pair(low, high)}; }

/// Of each device the slowest and the fastest of its series.
Place clocks_by_device(const Ranked& typical) {
    Place place{"median of a series", {}};
    for (const Ranked& own : grouped(typical, [](const auto& each) { return device_text(each.second); })) {
        const auto [low, high] = std::ranges::minmax(own, {}, [](const auto& each) { return each.first; });
        place.cells.emplace_back(device_text(own[0].second), mhz_range(low.first, high.first));
    }
    return place;
}

void tell_clock_moved(const Card& card, Statements& out) {
    Ranked typical;
    Curves moved;
    PlaceGroup within;
    for (const Curve& curve : card.curves) {
        const std::vector<double> clocks = clocks_of(*curve.series);
        if (curve.disturbed || clocks.size() < kFewestClocks || !counts_core_clock(curve)) continue;
        if (lowered_clock(*curve.series)) continue; // clock_under_load reports it
        typical.emplace_back(median(clocks), &curve);
        const std::vector<double> smooth = smoothed(clocks);
        const double low = quantile(smooth, 0.1), high = quantile(smooth, 0.9);
        if (high - low <= kClockMoved * high) continue;
        add_series(within, curve, mhz_range(low, high));
        moved.push_back(&curve);
    }
    if (!moved.empty()) tell(out, exact_fact(card, {{"where", term::within_series}}, {{0, moved[0]}}, {within}), moved);
    if (typical.empty()) return;
    typical = sorted(std::move(typical));
    const auto &fastest = typical.front(), &slowest = typical.back();
    if (fastest.first - slowest.first <= kClockMoved * fastest.first) return;
    PlaceGroup ends{"the slowest, and the fastest", {}};
    for (const auto& [mhz, curve] : {slowest, fastest}) add_series(ends, *curve, Quantity{mhz, Unit::mhz});
    CardFact fact =
        exact_fact(card, {{"where", term::between_series}}, typical, {{"", {clocks_by_device(typical)}}, ends});
    fact.effect = fastest.first / slowest.first;
    tell(out, std::move(fact), {slowest.second, fastest.second});
}

void tell_failed(const Card& card, Statements& out) {
    Curves failed;
    for (const Curve& curve : card.curves)
        if (curve.series->status == Status::failed) failed.push_back(&curve);
    for (const Curves& alike : grouped(failed, [](const Curve* curve) { return first_words(curve->series->reason); }))
        tell_with_reason(card, alike, first_words(alike[0]->series->reason), Lack::failed, out);
}

void tell_unstable(const Card& card, Statements& out) {
    Curves unstable;
    for (const Curve& curve : card.curves)
        if (curve.series->status == Status::unstable && !cites(out, curve.series->id))
            unstable.push_back(&curve); // another doubt has told it
    for (const Curves& alike : grouped(unstable, [](const Curve* curve) { return reason_text(*curve->series); }))
        tell_with_reason(card, alike, reason_text(*alike[0]->series), Lack::scatters, out);
}
} // namespace

const Rule card_in_use{"card_in_use", "void", tell_in_use};
const Rule buffer_elsewhere{"buffer_elsewhere", "suspect", tell_elsewhere};
const Rule cores_disagree{"cores_disagree", "suspect", tell_cores};
const Rule reported_cache{"reported_cache", "path", tell_reported_cache};
const Rule faster_than_peak{"faster_than_peak", "suspect", tell_faster_than_peak};
const Rule faster_than_l2{"faster_than_l2", "suspect", tell_faster_than_l2};
const Rule cut_short{"cut_short", "suspect", tell_cut_short};
const Rule interrupted{"interrupted", "suspect", tell_interrupted};
const Rule timers_disagree{"timers_disagree", "suspect", tell_timers_disagree};
const Rule clock_moved{"clock_moved", "suspect", tell_clock_moved};
const Rule series_failed{"series_failed", "suspect", tell_failed};
const Rule series_unstable{"series_unstable", "suspect", tell_unstable};

} // namespace sonde
