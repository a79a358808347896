#include "core/diagnosis/comparisons.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/analysis/findings.h"
#include "core/analysis/traffic.h"
#include "core/base/text.h"

namespace sonde {

const Finding* end_of_l1(const Card& card, const std::string& device) {
    const Curve* latency = plain_curve(card, kLatency, device, "global");
    const Finding* first = latency && latency->levels.size() > 1 && !card.level_names.empty()
                               ? latency->reached(card.level_names[0])
                               : nullptr;
    return first && first->is_sure() ? first : nullptr;
}

namespace {
/// What stands below, and is not compared.
Compared beside(Place place) { return {.place = std::move(place), .differs = false}; }

/// Read from those of each path and options by themselves.
template <auto read> std::vector<Compared> each_alike(const Card& card, const Curves& of_fact) {
    std::vector<Compared> all;
    for (const Curves& alike : grouped(
             of_fact, [](const Curve* curve) { return std::pair(curve->series->id.path, curve->series->id.options); }))
        if (Compared each = read(card, alike); each.numbers.size() > 1) all.push_back(std::move(each));
    return all;
}

// What a core's workgroups hold together.

/// What the workgroups resident on a core hold together at most: so much longer one takes alone, so many are there at
/// once. Where the largest that there can be are there one by one, they tell better how long that is than the trial
/// before.
struct HeldByCore {
    double workgroups = 0, each = 0; // bytes
    double bytes() const { return workgroups * each; }
};

HeldByCore held_by_core(const Curve& curve) {
    constexpr double kOneByOne = 0.1; // share by which a rough trial is wrong
    const auto points = points_of(curve);
    double alone = curve.series->evidence.alone_ns.value_or(0);
    if (!points.empty() && std::abs(points.back().y / alone - 1) < kOneByOne) alone = points.back().y;
    HeldByCore most;
    for (const CurvePoint& point : points)
        if (const HeldByCore held{std::floor(alone / point.y), point.x}; held.bytes() > most.bytes()) most = held;
    return most;
}

Curves workgroups_holding(const Card& card, const Statements&) {
    return curves_with(card, kOccupancy, "scratchpad", {});
}

/// Whether L1 is smaller, too, through the device whose cores hold the least than through each that holds more.
bool is_l1_smaller(const Card& card, const Ranked& held) {
    const std::string& least = device_text(held.back().second);
    const Finding* small = end_of_l1(card, least);
    return small && std::ranges::all_of(held, [&](const auto& each) {
        const Finding* other = end_of_l1(card, device_text(each.second));
        return device_text(each.second) == least || (other && off(*small) < on(*other));
    });
}

std::vector<Compared> held_together(const Card& card, const Curves& curves) {
    const Ranked held = ranked(curves, [](const Curve& curve) { return held_by_core(curve).bytes(); });
    const Ranked each = ranked(curves, [](const Curve& curve) { return held_by_core(curve).each; });
    std::vector<Compared> all{{.place = place_of("together", held, Unit::bytes), .numbers = held},
        beside(place_of("each of them", each, Unit::bytes))};
    if (held.size() < 2 || !is_l1_smaller(card, held)) return all;
    all[0].cause = Cause::one_carve_out;
    Place ends{filled(label::ends_at, {{"level", card.level_names[0]}}), {}};
    for (const auto& [bytes, curve] : held)
        ends.cells.emplace_back(device_text(curve), end_cell(*end_of_l1(card, device_text(curve))));
    all.push_back(beside(std::move(ends)));
    return all;
}

// What runs of the same code take, of those whose kernels count cycles: a run is too short for other clocks.

Curves first_runs(const Card& card, const Statements&) {
    return curves_with(card, kFirstRun, "global", {{"card", "awake"}});
}

std::vector<Compared> last_run(const Card&, const Curves& curves) {
    const auto cycles_of = [](const Point& point) { return point.cycles.value_or(0); };
    const Ranked last = ranked(curves, [&](const Curve& curve) { return cycles_of(curve.series->points.back()); });
    if (last.empty()) return {};
    Ranked first = last;
    for (auto& [cycles, curve] : first) cycles = cycles_of(curve->series->points.front());
    std::erase_if(first, [](const auto& each) { return each.first <= 0; });
    return {{.slots = {{"at", as_count(last[0].second->series->points.back().x)}},
                .place = place_of("last launch", last, Unit::cycles),
                .numbers = last},
        beside(place_of("first launch", first, Unit::cycles))};
}

// Copies within the device.

Curves copies_within(const Card& card, const Statements&) {
    Curves copies = curves_with(
        card, kTransfer, "host", option::direction.as(Direction::on_device) * option::engine.as(Engine::copy));
    std::erase_if(copies, [](const Curve* curve) { return !card_of_its_own(*curve) || points_of(*curve).empty(); });
    return copies;
}

/// The largest, then smaller ones.
std::vector<Compared> largest_copy(const Card&, const Curves& copies) {
    const auto points = points_of(*copies[0]);
    const Ranked largest = ranked(copies, [](const Curve& curve) { return points_of(curve).back().y; });
    std::vector<Compared> all{{.slots = {{"at", in_bytes(points.back().x)}},
        .place = place_of(format_bytes(points.back().x), largest),
        .numbers = largest}};
    for (auto point = points.rbegin() + 1; point != points.rend(); ++point)
        all.push_back(beside(place_of(
            format_bytes(point->x), ranked(copies, [&](const Curve& curve) { return value_at(curve, point->x); }))));
    return all;
}

// Traffic of all cores beyond the caches.

/// Reads, or fills, of memory that no option but width and number of passes changes; none that another fact tells.
Curves plain_traffic(const Card& card, const Statements& told, const Probe& probe, bool (*plain)(const Options&)) {
    Curves all = curves_of(card, probe);
    std::erase_if(all, [&](const Curve* curve) {
        const bool by_memory =
            family_of(*curve->path) == Family::memory && curve->path->stage == Stage::nothing && !curve->device->cpu;
        return !by_memory || !plain(curve->series->id.options) || std::ranges::any_of(told, [&](const Statement& each) {
            return each.rule == bandwidth_apart.name && cites({each}, curve->series->id);
        });
    });
    return all;
}

Curves plain_reads(const Card& card, const Statements& told) {
    return plain_traffic(card, told, kBandwidth, [](const Options& options) { return !option::data.asked(options); });
}
Curves plain_fills(const Card& card, const Statements& told) {
    return plain_traffic(card, told, kStream, [](const Options& options) {
        return option::operation.asked(options) && option::operation.word(options) == "fill";
    });
}

/// At the largest of the curve's footprints up to `last`; 0 where caches hold much of it.
double rate_in_memory(const Card& card, const Curve& curve, double last) {
    double rate = 0;
    for (const CurvePoint& point : points_of(curve))
        if (point.x <= last * 1.01 && point.x >= 4 * card.largest(&DeviceInfo::cache_bytes)) rate = point.y;
    return rate;
}

/// The largest footprint that all of them reach.
double common_end(const Curves& curves) {
    double end = INFINITY;
    for (const Curve* curve : curves)
        if (const auto points = points_of(*curve); !points.empty()) end = std::min(end, points.back().x);
    return end;
}

Compared rates_in_memory(const Card& card, const Curves& alike) {
    const double end = common_end(alike);
    const Ranked rates = ranked(alike, [&](const Curve& curve) { return rate_in_memory(card, curve, end); });
    Slots slots = joined(path_slots(*alike[0]), {{"at", in_bytes(end)}});
    const auto shape = option::shape.in(alike[0]->series->id.options);
    if (shape && shape->groups_per_core == kOnce) slots.push_back({"tiles", term::a_group_for_each_tile});
    return {.slots = slots, .place = place_of(filled(label::reads_at, slots), rates), .numbers = rates};
}

// Launches of an empty kernel.

Curves launches(const Card& card, const Statements&) {
    Curves all = curves_with(card, kLaunch, "global", option::waited_for.as(true));
    for (const Curve* curve : curves_with(card, kLaunch, "global", option::waited_for.as(false))) all.push_back(curve);
    return all;
}

double first_of(const Curve& curve) {
    const auto points = points_of(curve);
    return points.empty() ? 0 : points.front().y;
}

/// From the least to the greatest median: of blocks that lie apart; on a processor, where other work leaves little, of
/// all numbers of workgroups.
std::pair<double, double> launch_range(const Curve& curve) {
    constexpr double kVaries = 1.5, kBlocksApart = 1.1; // times
    const auto points = points_of(curve);
    const auto [least, most] = std::ranges::minmax(points, {}, &CurvePoint::y);
    if ((curve.device->cpu || curve.device->software) && most.y > kVaries * least.y) return {least.y, most.y};
    const std::vector<double> blocks = values_by_block(*curve.series, curve.series->points.front());
    if (blocks.empty()) return {points.front().y, points.front().y};
    const auto [low, high] = std::ranges::minmax(blocks);
    return high > kBlocksApart * low ? std::pair(low, high) : std::pair(points.front().y, points.front().y);
}

/// One of one workgroup, with the wait for its end or without.
std::vector<Compared> first_launches(const Card&, const Curves& of_fact) {
    std::vector<Compared> all;
    for (const Curves& alike :
        grouped(of_fact, [](const Curve* curve) { return option::waited_for.in(curve->series->id.options); })) {
        const Ranked times = ranked(alike, first_of);
        if (times.size() < 2) continue;
        const Term& test = option::waited_for.in(alike[0]->series->id.options) ? term::waited : term::queued;
        Place place{std::string(test.text), {}};
        for (const auto& [ns, curve] : times)
            place.cells.emplace_back(device_text(curve), Quantity{ns, Unit::ns, launch_range(*curve)});
        all.push_back({.slots = {{"test", test}},
            .place = std::move(place),
            .numbers = times,
            .differs = launch_range(*times.front().second).first > launch_range(*times.back().second).second});
    }
    return all;
}

// Loads and stores of neighbouring work-items, by the width of an access.

constexpr std::uint32_t kWidestLoad = 16; // bytes
bool stores(const Curve& curve) { return option::stores.in(curve.series->id.options).value_or(false); }
std::uint64_t footprint_of(const Curve& curve) { return curve.series->evidence.footprint_bytes.value_or(0); }

/// A series of `coalescing` by that pattern, with loads or stores, and nothing else that was asked for.
bool accesses_by(const Curve& curve, AccessPattern pattern) {
    const Options& options = curve.series->id.options;
    return options.size() == (option::stores.asked(options) ? 3 : 2) && option::width.asked(options) &&
           option::pattern.is(options, pattern);
}

FactKey path_and_footprint(const Curve* curve) {
    return {curve->series->id.path, footprint_of(*curve), stores(*curve)};
}
FactKey path_and_access(const Curve* curve) { return {curve->series->id.path, 0, stores(*curve)}; }

/// "4-byte loads by half of the lanes"
Slots accesses_slots(const Curve& curve) {
    Slots slots{{"path", curve.series->id.path}, {"width", as_count(width_of(curve.series->id.options))},
        {"accesses", stores(curve) ? term::stores : term::loads}};
    if (accesses_by(curve, AccessPattern::part)) slots.push_back({"lanes", term::half_of_lanes});
    return slots;
}

Curves contiguous_accesses(const Card& card, const Statements&) {
    Curves all = curves_of(card, kCoalescing);
    std::erase_if(all, [](const Curve* curve) {
        return !accesses_by(*curve, AccessPattern::stride) && !accesses_by(*curve, AccessPattern::part);
    });
    return all;
}

/// Whether loads run faster than all cores read that much from random tiles: the cores' L1, which together may hold as
/// much, serve some of them.
bool served_by_l1(const Card& card, const Curve& loads, double rate) {
    constexpr double kAbove = 1.05; // times: two series of one rate lie closer
    const auto bytes = static_cast<double>(footprint_of(loads));
    return !stores(loads) && std::ranges::any_of(curves_of(card, kBandwidth), [&](const Curve* reads) {
        const SeriesId& id = reads->series->id;
        return id.device == loads.series->id.device && id.path == loads.series->id.path &&
               option::width.in(id.options) == kWidestLoad && option::width.alone(id.options) &&
               rate > kAbove * value_between(*reads->series, bytes).value_or(INFINITY);
    });
}

/// No numbers where L1 serves some of a device's loads.
Compared contiguous_rates(const Card& card, const Curves& alike) {
    constexpr double kContiguous = 1, kHalf = 2; // places: a stride, and one of so many lanes
    const double x = accesses_by(*alike[0], AccessPattern::stride) ? kContiguous : kHalf;
    const Ranked rates = ranked(alike, [&](const Curve& curve) { return value_at(curve, x); });
    if (std::ranges::any_of(rates, [&](const auto& each) { return served_by_l1(card, *each.second, each.first); }))
        return {};
    const Slots slots =
        joined(accesses_slots(*alike[0]), {{"footprint", in_bytes(static_cast<double>(footprint_of(*alike[0])))}});
    return {.slots = slots, .place = place_of(filled(label::accesses, slots), rates), .numbers = rates, .x = x};
}

/// What `bandwidth` reads by as many bytes over that footprint, through devices of those rates: its kernel has no
/// predicate before a load.
Compared reads_beside(const Card& card, const Curves& alike) {
    const Curve& first = *alike[0];
    const double width = width_of(first.series->id.options);
    if (stores(first) || !accesses_by(first, AccessPattern::stride)) return beside({});
    Curves reads = curves_of(card, kBandwidth);
    std::erase_if(reads, [&](const Curve* curve) {
        const SeriesId& id = curve->series->id;
        return id.path != first.series->id.path || option::width.in(id.options) != width ||
               !option::width.alone(id.options);
    });
    const auto bytes = static_cast<double>(footprint_of(first));
    const Ranked rates =
        ranked(reads, [&](const Curve& curve) { return value_between(*curve.series, bytes).value_or(0); });
    return beside(place_of(filled(label::all_cores, {{"width", as_count(width)}}), rates));
}

std::vector<Compared> contiguous_and_reads(const Card& card, const Curves& all) {
    std::vector<Compared> rates = each_alike<contiguous_rates>(card, all);
    for (const Curves& alike : grouped(all, [](const Curve* curve) { return curve->series->id.options; }))
        rates.push_back(reads_beside(card, alike));
    return rates;
}

/// None that the fact of the TLB's reach tells.
Curves random_accesses(const Card& card, const Statements& told) {
    Curves all = curves_of(card, kCoalescing);
    std::erase_if(all, [&](const Curve* curve) {
        return !accesses_by(*curve, AccessPattern::order) || std::ranges::any_of(told, [&](const Statement& each) {
            return each.rule == tlb_reach.name && cites({each}, curve->series->id);
        });
    });
    return all;
}

double random_bytes(const Curve& curve) {
    return scattered_bytes(footprint_of(curve), static_cast<std::uint32_t>(width_of(curve.series->id.options)));
}

/// Whether the slowest device's TLB reaches less than the accesses, and the fastest's all of them.
bool beyond_reach(const Card& card, const Ranked& rates, double bytes) {
    const auto slow = translation_of(card, rates.back().second), fast = translation_of(card, rates.front().second);
    return !slow.empty() && !fast.empty() && slow[0].high < bytes && fast[0].low >= bytes;
}

Place place_of_footprints(const Ranked& rates) {
    Place place{"footprint", {}};
    for (const auto& [rate, curve] : rates)
        place.cells.emplace_back(device_text(curve), in_bytes(random_bytes(*curve)));
    return place;
}

Place place_of_reaches(const Card& card, const Ranked& rates) {
    Place place{"TLB reach", {}};
    for (const auto& [rate, curve] : rates)
        if (const auto levels = translation_of(card, curve); !levels.empty())
            place.cells.emplace_back(
                device_text(curve), Quantity{levels[0].low, Unit::bytes, std::pair(levels[0].low, levels[0].high)});
    return place;
}

/// Of one width. No numbers: fewer than two devices have it.
Compared random_rates_of_width(const Card& card, const Curves& alike) {
    const Ranked rates = ranked(alike, [](const Curve& curve) { return value_at(curve, kScatteredPlace); });
    if (rates.size() < 2) return {};
    const double bytes = random_bytes(*rates.back().second);
    Slots slots = joined(accesses_slots(*alike[0]), {{"footprint", in_bytes(bytes)}});
    Place place = place_of(filled(label::accesses, slots), rates);
    return {.slots = std::move(slots),
        .place = std::move(place),
        .numbers = rates,
        .x = kScatteredPlace,
        .cause = beyond_reach(card, rates, bytes) ? Cause::smaller_tlb_reach : Cause::none};
}

/// Of 4 bytes, then of other widths, and how far the TLBs reach.
std::vector<Compared> random_rates(const Card& card, const Curves& of_fact) {
    std::vector<Compared> told, others;
    for (const Curves& alike : grouped(of_fact, [](const Curve* curve) { return curve->series->id.options; })) {
        Compared rates = random_rates_of_width(card, alike);
        if (rates.numbers.empty()) continue;
        if (option::width.in(alike[0]->series->id.options) == 4) told.push_back(std::move(rates));
        else others.push_back(beside(std::move(rates.place)));
    }
    if (told.empty()) return {};
    told.insert(told.end(), others.begin(), others.end());
    told.push_back(beside(place_of_footprints(told[0].numbers)));
    told.push_back(beside(place_of_reaches(card, told[0].numbers)));
    return told;
}

// What a single workgroup reads at a level, by index and by pointer.

Curves saturation(const Card& card, const Statements&) { return curves_of(card, kSaturation); }

/// Work-items and independent loads of each, where all have as many.
Slots lone_shape(const Ranked& rates) {
    const auto shape_of = [](const auto& each) {
        const ShapeEvidence own = each.second->series->evidence.shape.value_or(ShapeEvidence{});
        return std::pair(own.group_size.value_or(0), own.loads_in_flight.value_or(0));
    };
    const auto first = shape_of(rates[0]);
    if (first.first == 0 || first.second == 0 ||
        std::ranges::any_of(rates, [&](const auto& each) { return shape_of(each) != first; }))
        return {};
    return {{"items", as_count(first.first)}, {"loads", as_count(first.second)}};
}

/// The same series by pointers in place of indices; null where it was not measured.
const Curve* by_pointers(const Curves& all, const Curve& plain) {
    const auto found = std::ranges::find_if(all, [&](const Curve* each) {
        return each->series->id.path == "global.pointer" && each->series->id.options == plain.series->id.options &&
               device_text(each) == device_text(&plain);
    });
    return found == all.end() ? nullptr : *found;
}

/// The devices of those that read as many bytes.
std::vector<Compared> reads_of_one(const Card&, const Curves& all) {
    std::vector<Compared> reads;
    for (const char* level : {"LLC", "DRAM"}) {
        Curves alone = all;
        std::erase_if(alone, [&](const Curve* curve) {
            return curve->series->id.path != "global" || curve->series->id.options != option::level.as(level);
        });
        if (alone.empty()) continue;
        const auto bytes = alone[0]->series->evidence.footprint_bytes;
        std::erase_if(alone, [&](const Curve* curve) { // a largest buffer may be a few pages short of that
            constexpr double kAsMuch = 0.01;
            const auto own = static_cast<double>(curve->series->evidence.footprint_bytes.value_or(0));
            return std::abs(own / static_cast<double>(bytes.value_or(0)) - 1) > kAsMuch;
        });
        const Ranked rates = ranked(alone, first_of);
        const Ranked pointers = ranked(alone, [&](const Curve& curve) {
            const Curve* other = by_pointers(all, curve);
            return other ? first_of(*other) : 0;
        });
        const Slots slots{{"footprint", in_bytes(static_cast<double>(bytes.value_or(0)))}};
        if (!rates.empty())
            reads.push_back({.slots = joined(slots, lone_shape(rates)),
                .place = place_of(filled(label::footprint, slots), rates),
                .numbers = rates});
        if (!pointers.empty())
            reads.push_back(
                {.place = place_of(filled(label::by_pointer, slots), pointers), .numbers = pointers, .differs = false});
    }
    return reads;
}

constexpr double kHolds = 1.5, kCopiesApart = 2, kDramApart = 1.06, kLaunchesApart = 2, kAccessesApart = 1.15,
                 kAloneApart = 1.5; // times

const Comparison kComparisons[] = {
    {.rule = "core_scratchpad", .series = workgroups_holding, .read = held_together, .times = kHolds, .apart = apart},
    {.rule = "reruns_apart", .series = first_runs, .read = last_run, .times = kLatencyApart, .apart = apart},
    {.rule = "copies_on_device", .series = copies_within, .read = largest_copy, .times = kCopiesApart},
    {.rule = "launches_apart", .series = launches, .read = first_launches, .times = kLaunchesApart},
    {.rule = "one_workgroup", .series = saturation, .read = reads_of_one, .times = kAloneApart},
    {.rule = "dram_rates_apart",
        .series = plain_reads,
        .read = each_alike<rates_in_memory>,
        .times = kDramApart,
        .about = {{"what", term::reads}},
        .alike_below = false},
    {.rule = "dram_rates_apart",
        .series = plain_fills,
        .read = each_alike<rates_in_memory>,
        .times = kDramApart,
        .about = {{"what", term::fills}},
        .alike_below = false},
    {.rule = "consecutive_apart",
        .series = contiguous_accesses,
        .read = contiguous_and_reads,
        .times = kAccessesApart,
        .fact = path_and_footprint},
    {.rule = "random_apart",
        .series = random_accesses,
        .read = random_rates,
        .times = kAccessesApart,
        .fact = path_and_access},
};

void tell_farthest(const Comparison& row, const Card& card, const Curves& of_fact, Statements& out) {
    std::vector<Compared> all = row.read(card, of_fact);
    for (Compared& each : all) each.differs = each.differs && row.apart(each.numbers, row.times);
    if (!row.alike_below) std::erase_if(all, [](const Compared& each) { return !each.differs; });
    sort_by_distance(all);
    if (all.empty() || !all[0].differs) return;
    CardFact fact = fact_of(card, joined(row.about, all[0].slots), all[0].numbers, {{"", places_of(all)}});
    fact.cause = all[0].cause;
    Statement& said = tell(out, std::move(fact), curves_in(all));
    auto from = said.from.begin();
    for (const Compared& each : all)
        for (std::size_t i = 0; i < each.numbers.size(); ++i, ++from)
            if (each.x) from->x = {*each.x};
}
} // namespace

bool core_scratchpad_tells_l1(const Card& card, const std::string& device) {
    const Curves curves = workgroups_holding(card, {});
    const std::vector<Compared> held = held_together(card, curves);
    return !held[0].numbers.empty() && held[0].cause == Cause::one_carve_out && apart(held[0].numbers, kHolds) &&
           device_text(held[0].numbers.back().second) == device;
}

std::vector<Compared> random_beyond_reach(const Card& card) {
    std::vector<Compared> all;
    for (const Curves& alike : grouped(random_accesses(card, {}),
             [](const Curve* curve) { return std::pair(curve->series->id.path, curve->series->id.options); })) {
        Compared rates = random_rates_of_width(card, alike);
        if (rates.cause == Cause::smaller_tlb_reach && differ(rates.numbers, kAccessesApart))
            all.push_back(std::move(rates));
    }
    sort_by_distance(all);
    return all;
}

void compare(std::string_view rule, const Card& card, Statements& out) {
    for (const Comparison& row : kComparisons)
        if (row.rule == rule)
            for (const Curves& of_fact : grouped(row.series(card, out), row.fact))
                tell_farthest(row, card, of_fact, out);
}

const Rule core_scratchpad{"core_scratchpad"}, reruns_apart{"reruns_apart"}, copies_on_device{"copies_on_device"},
    launches_apart{"launches_apart"}, one_workgroup{"one_workgroup"}, dram_rates_apart{"dram_rates_apart"},
    consecutive_apart{"consecutive_apart"}, random_apart{"random_apart"};

} // namespace sonde
