// Rules about what structure probes found, where the APIs of one card differ.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "core/analysis/level_findings.h"
#include "core/analysis/structure.h"
#include "core/analysis/traffic.h"
#include "core/base/text.h"
#include "core/diagnosis/comparisons.h"
#include "core/diagnosis/fact_of.h"
#include "core/diagnosis/tlb_levels.h"

namespace sonde {

namespace {
constexpr double kSameCost = 0.2; // share: levels of translation whose misses cost no more apart are one level
constexpr double kPages = 3;      // times: less apart is no other page
constexpr double kAgree = 0.5;    // octaves: so far may the ratios of several levels lie apart
constexpr double kEvicts = 0.1;   // share of what misses cost: fewer lines are no eviction
constexpr double kAlikeL1 = 1.08; // ends of one L1 in two series: a step of a quick sweep
constexpr double kAllOf = 0.85;   // times what the path's own loads evict: they evict as much
constexpr double kShrinks = 0.6, kStays = 0.9; // of L1's capacity

/// Reaches of the same levels through two devices, the farther one first.
struct Reaches {
    const Curve *far, *near;
    std::vector<std::pair<TranslationLevel, TranslationLevel>> pairs;
    double ratio() const { return std::exp2(std::round(std::log2(pairs[0].first.reach / pairs[0].second.reach))); }
};

/// Levels that cost the same, each the same number of times farther through one of the two; nullopt: there is no such
/// number.
std::optional<Reaches> reaches_of(const Curve& far, const Curve& near) {
    Reaches reaches{&far, &near, {}};
    const auto of_near = translation_levels(curve_at_one_clock(*near.series));
    for (const TranslationLevel& level : translation_levels(curve_at_one_clock(*far.series)))
        for (const TranslationLevel& other : of_near)
            if (std::abs(std::log(level.cost / other.cost)) < kSameCost) reaches.pairs.emplace_back(level, other);
    if (reaches.pairs.empty()) return std::nullopt;
    const double octaves = std::log2(reaches.pairs[0].first.reach / reaches.pairs[0].second.reach);
    for (const auto& [a, b] : reaches.pairs)
        if (std::abs(std::log2(a.reach / b.reach) - octaves) > kAgree) return std::nullopt;
    return octaves > std::log2(kPages) ? std::optional(reaches) : std::nullopt;
}

/// One device beside all that reach the same number of times farther.
std::vector<Reaches> reaches_from(const Card& card, const Curve& near) {
    std::vector<Reaches> all;
    for (const Curve* far : plain_curves(card, kTlb, "global.pointer"))
        if (const auto reaches = far == &near ? std::nullopt : reaches_of(*far, near);
            reaches && (all.empty() || reaches->ratio() == all[0].ratio()))
            all.push_back(*reaches);
    std::stable_sort(
        all.begin(), all.end(), [](const Reaches& a, const Reaches& b) { return a.pairs.size() > b.pairs.size(); });
    return all;
}

/// A footprint that all of them measured, and what a load takes there.
struct LoadsOver {
    double footprint = 0;
    Ranked ns{};
};

/// Where they lie the farthest apart.
LoadsOver farthest_loads(const Curves& curves) {
    LoadsOver farthest;
    for (const Point& point : curves[0]->series->points) {
        const Ranked loads =
            ranked(curves, [&](const Curve& curve) { return value_between(*curve.series, point.x).value_or(0); });
        if (loads.size() == curves.size() && ratio_of(loads) > ratio_of(farthest.ns)) farthest = {point.x, loads};
    }
    return farthest;
}

/// Those that the TLB's reach explains, one a row.
std::vector<PlaceGroup> rows_of(const std::vector<Compared>& random) {
    PlaceGroup group{"random accesses", {}};
    for (const Compared& each : random)
        group.places.push_back({filled(label::random_accesses, each.slots), each.place.cells});
    return group.places.empty() ? std::vector<PlaceGroup>() : std::vector{group};
}

/// A device's L1 by the scratchpad held, least first.
struct Held {
    double scratchpad;
    const Curve* curve;
    Finding first;
};
std::vector<Held> held_on(const Card& card, const std::string& device) {
    std::vector<Held> all;
    for (const Curve* curve : curves_of(card, kCarveout)) {
        if (device_text(curve) != device || option::carveout.asked(curve->series->id.options))
            continue; // asked for, not what drivers do by themselves
        const auto levels = level_findings(*curve->series, *curve->device);
        const auto held = curve->series->evidence.scratchpad_bytes;
        if (held && levels.size() > 1) all.push_back({double(*held), curve, levels[0]});
    }
    std::sort(all.begin(), all.end(), [](const Held& a, const Held& b) { return a.scratchpad < b.scratchpad; });
    return all.size() > 1 && all.front().scratchpad == 0 ? all : std::vector<Held>();
}
/// How much loads on another path evict, as a share of what the path's own loads do with the same footprint.
struct Evicted {
    const Curve *by, *own;
    double of_own, x;
};

/// By how much latency has risen at a footprint, as a share of what a miss costs more than a hit.
double risen(const Series& series, double x) {
    const auto& levels = series.evidence.levels;
    const auto value = value_between(series, x);
    return value ? (*value - series.points.front().median.value_or(0)) / (levels[1].ns - levels[0].ns) : 0;
}

/// Both at the first footprint that fills L1 twice; nullopt: one of them does not reach it, the path's own loads evict
/// nothing to compare with, or L1 had another size in the control: a driver may change the carve-out from launch to
/// launch.
std::optional<Evicted> evicted(const Curve& by, const Curve& own) {
    const auto fills = [](const Curve& curve) {
        return curve.series->evidence.levels.size() > 1 ? curve.series->evidence.filling_bytes.value_or(0) : 0;
    };
    const double enough = std::max(fills(by), fills(own));
    if (!(std::min(fills(by), fills(own)) > 0)) return std::nullopt;
    const double size = by.series->evidence.levels[0].on_bytes, in_control = own.series->evidence.levels[0].on_bytes;
    if (std::max(size, in_control) > kAlikeL1 * std::min(size, in_control)) return std::nullopt;
    for (const Point& point : own.series->points) {
        if (point.x < enough || !value_between(*by.series, point.x)) continue;
        const double share = risen(*own.series, point.x), other = risen(*by.series, point.x);
        return share < kEvicts || other < kEvicts ? std::nullopt
                                                  : std::optional(Evicted{&by, &own, other / share, point.x});
    }
    return std::nullopt;
}
} // namespace

static void tell_reaches(const Card& card, Statements& out) {
    for (const Curve* near : plain_curves(card, kTlb, "global.pointer")) {
        const std::vector<Reaches> all = reaches_from(card, *near);
        if (all.empty()) continue;
        Curves curves{near};
        for (const Reaches& each : all) curves.push_back(each.far);
        const LoadsOver loads = farthest_loads(curves);
        if (loads.ns.empty() || loads.ns.front().second != near) continue;
        const Slots slots{
            {"lines", as_count(near->series->evidence.lines.value_or(0))}, {"footprint", in_bytes(loads.footprint)}};
        const auto [reaches, costs] = tlb_levels(curves);
        std::vector<PlaceGroup> rows{{"", {place_of(filled(label::loads_over, slots), loads.ns)}}, reaches, costs};
        const std::vector<Compared> random = random_beyond_reach(card);
        for (PlaceGroup& group : rows_of(random)) rows.push_back(std::move(group));
        for (const Curve* curve : curves_in(random)) curves.push_back(curve);
        CardFact fact = fact_of(card, slots, loads.ns, rows);
        fact.cause = Cause::smaller_pages;
        for (CitedSeries& from : tell(out, std::move(fact), curves).from)
            if (from.series.probe == kCoalescing.name) from.x = {kScatteredPlace};
    }
}

const Rule tlb_reach{"tlb_reach", "path", tell_reaches};

namespace {
/// How many times larger L1 is with nothing held than with the least scratchpad that shrinks it; 1: it stays; nullopt:
/// neither.
std::optional<double> shrinks_by(const std::vector<Held>& held) {
    const double free = on(held.front().first);
    const auto shrunk = std::ranges::find_if(held, [&](const Held& each) { return on(each.first) < kShrinks * free; });
    if (shrunk != held.end()) return free / on(shrunk->first);
    return on(held.back().first) < kStays * free ? std::nullopt : std::optional(1.0);
}

/// Whether more scratchpad leaves more L1.
bool grows_again(const std::vector<Held>& held) {
    return std::ranges::adjacent_find(held, [](const Held& less, const Held& more) {
        return on(less.first) < kShrinks * on(more.first);
    }) != held.end();
}

std::vector<Place> ends_by_scratchpad(const std::vector<std::vector<Held>>& devices) {
    std::map<double, Place> by_size;
    for (const std::vector<Held>& held : devices)
        for (const Held& each : held) {
            Place& place = by_size[each.scratchpad];
            place.name =
                each.scratchpad > 0 ? filled(label::held, {{"scratchpad", in_bytes(each.scratchpad)}}) : "nothing held";
            place.cells.emplace_back(device_text(each.curve), end_cell(each.first));
        }
    std::vector<Place> places;
    places.reserve(by_size.size());
    for (const auto& [size, place] : by_size) places.push_back(place);
    return places;
}
} // namespace

static void tell_l1_by_scratchpad(const Card& card, Statements& out) {
    std::vector<std::vector<Held>> devices;
    Ranked shrinking; // by how many times
    Curves curves;
    bool grows = false;
    for (const DeviceRecord* device : card.devices) {
        const std::vector<Held> held = held_on(card, device->id);
        const auto times = held.empty() ? std::nullopt : shrinks_by(held);
        if (!times) continue;
        if (*times > 1) shrinking.emplace_back(*times, held.front().curve);
        grows = grows || grows_again(held);
        for (const Held& each : held) curves.push_back(each.curve);
        devices.push_back(held);
    }
    if (shrinking.empty()) return;
    const auto most = sorted(shrinking).front();
    CardFact fact = fact_of(card, {}, {most}, {{"", ends_by_scratchpad(devices)}});
    if (grows) fact.cause = Cause::carve_out;
    fact.effect = most.first;
    tell(out, std::move(fact), curves);
}

const Rule l1_by_scratchpad{"l1_by_scratchpad", "path", tell_l1_by_scratchpad};

/// Sizes of L1 by the splits that any API tells of the card, ascending.
static std::vector<std::uint64_t> l1_sizes(const Card& card) {
    std::set<std::uint64_t> sizes;
    for (const DeviceRecord* device : card.devices)
        for (const L1Split& split : device->l1_splits) sizes.insert(split.l1_bytes);
    return {sizes.begin(), sizes.end()};
}

static void tell_smallest_split(const Card& card, Statements& out) {
    const std::vector<std::uint64_t> sizes = l1_sizes(card);
    if (sizes.size() < 2 || card.level_names.empty()) return;
    const auto smallest = static_cast<double>(sizes.front());
    Ranked ends;
    Place ends_at{filled(label::ends_at, {{"level", card.level_names[0]}}), {}}, size{"smallest size", {}};
    for (const DeviceRecord* device : card.devices) {
        const Finding* end = end_of_l1(card, device->id);
        if (!end || on(*end) > kOneStep * smallest || off(*end) * kOneStep < smallest) continue;
        ends.emplace_back(on(*end), plain_curve(card, kLatency, device->id, "global"));
        ends_at.cells.emplace_back(device->id, end_cell(*end));
        size.cells.emplace_back(device->id, in_bytes(smallest));
    }
    if (ends.empty()) return;
    std::vector<std::string> texts;
    texts.reserve(sizes.size());
    for (const std::uint64_t each : sizes) texts.push_back(format_bytes(each));
    tell(out, fact_of(card, {{"sizes", fmt::format("{}", fmt::join(texts, ", "))}}, ends, {{"", {ends_at, size}}}),
        curves_in(ends));
}

const Rule smallest_split{"smallest_split", "path", tell_smallest_split};

namespace {
/// An L1 that keeps lines of a longer stream is not emptied by any path: what a path's own loads evict is the most that
/// others can. A processor's paths all have one L1.
std::vector<Evicted> evicted_by_others(const Card& card) {
    std::vector<Evicted> all;
    for (const Curve* by : curves_of(card, kSharing)) {
        const auto& [path, options] = std::pair(by->series->id.path, by->series->id.options);
        if (by->device->cpu || !option::other_path.asked(options) || option::other_path.word(options) == path ||
            option::other_path.word(options) == "scratchpad")
            continue;
        for (const Curve* own : curves_with(card, kSharing, path, option::other_path.as(path)))
            if (const auto found = device_text(own) == device_text(by) ? evicted(*by, *own) : std::nullopt)
                all.push_back(*found);
    }
    return all;
}

std::vector<Place> places_of_evicted(const std::vector<Evicted>& group) {
    Place share{"evicted, of what its own loads evict", {}}, after{"a load after these", {}},
        after_own{"a load after its own", {}}, undisturbed{"a load undisturbed", {}}, footprint{"footprint", {}};
    for (const Evicted& each : group) {
        const std::string& device = device_text(each.by);
        const Series &by = *each.by->series, &own = *each.own->series;
        share.cells.emplace_back(device, Quantity{each.of_own, Unit::share});
        after.cells.emplace_back(device, quantity_of(value_between(by, each.x).value_or(0), by));
        after_own.cells.emplace_back(device, quantity_of(value_between(own, each.x).value_or(0), own));
        undisturbed.cells.emplace_back(device, quantity_of(own.points.front().median.value_or(0), own));
        footprint.cells.emplace_back(device, Quantity{each.x, Unit::bytes});
    }
    return {share, after, after_own, undisturbed, footprint};
}
} // namespace

static void tell_evicted(const Card& card, Statements& out) {
    for (const auto& group : grouped(evicted_by_others(card), [](const Evicted& each) {
             return std::tuple(each.by->series->id.path, each.by->series->id.options, each.of_own >= kAllOf);
         })) {
        Curves curves;
        Ranked shares;
        for (const Evicted& each : group) {
            curves.insert(curves.end(), {each.by, each.own});
            shares.emplace_back(each.of_own, each.by);
        }
        const SeriesId& id = group[0].by->series->id;
        CardFact fact = fact_of(card,
            {{"path", id.path}, {"other", option::other_path.word(id.options)}, {"footprint", in_bytes(group[0].x)}},
            shares, {{"", places_of_evicted(group)}});
        fact.cause = group[0].of_own >= kAllOf ? Cause::one_cache : Cause::part_of_cache;
        fact.effect = 1; // devices are not compared
        tell(out, std::move(fact), curves);
    }
}

const Rule evicts_as_own{"evicts_as_own", "path", tell_evicted};

} // namespace sonde
