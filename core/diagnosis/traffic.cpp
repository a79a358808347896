// Rules about what traffic probes found: stores, atomics, copies, launches, scratchpads, and parts of the memory.
#include <algorithm>
#include <cmath>
#include <tuple>

#include "core/analysis/findings.h"
#include "core/analysis/traffic.h"
#include "core/base/statistics.h"
#include "core/base/text.h"
#include "core/diagnosis/overview.h"
#include "core/diagnosis/rules.h"
#include "core/probes/probe.h"

namespace sonde {

namespace {
constexpr double kAtomicsApart = 1.3; // times: of one operation on one layout
constexpr double kStillRises = 1.03;  // times the rate of the last number of workgroups but one
constexpr double kOfSubgroup = 0.75;  // of its lanes: as many times is one instruction for all of them
constexpr double kJoined = 3;         // times the additions on one address: far more than drivers and launches make
constexpr double kOverlaps = 1.5, kTakesTurns = 1.25; // both ways at once, beside the faster way alone
constexpr double kBothWays = 2;       // times: what two directions carry together that do not share anything
constexpr double kFromCache = 1.3;     // times the rate of the largest transfers
constexpr double kSlowerStores = 1.06; // on the median of the farthest footprints
constexpr double kFarthest = 8;       // footprints within this factor of the last one lie in memory
constexpr double kTimesApart = 2;      // launches
constexpr double kSameLoads = 1.25;    // times: load rates that are one, however wide the loads; more bytes than that are clearly more
constexpr double kRandomApart = 1.5;   // times: random loads
constexpr double kWellInside = 0.75;   // of a level's footprint
constexpr double kAlone = 1.5;         // times: the rate of one workgroup
constexpr double kOneByOne = 0.1;     // share by which a rough trial is wrong
constexpr double kHolds = 1.5;        // times: what a core's workgroups hold together
constexpr double kMoreThanSaid = 1.5, kAsSaid = 1.001;

std::vector<CurvePoint> points_of(const Curve& curve) {
    std::vector<CurvePoint> points = curve_of(*curve.series);
    std::erase_if(points, [](const CurvePoint& point) { return !(point.y > 0); });
    return points;
}

std::string op_rate(double rate) { return format_si(rate * 1e9, "op/s"); }

bool slower(const CurvePoint& a, const CurvePoint& b) { return a.y < b.y; }

/// Those whose last number of workgroups is clearly faster than the one before.
Curves still_rising(const Ranked& rates) {
    Curves rising;
    for (const auto& [rate, curve] : rates)
        if (const auto points = points_of(*curve); points.size() > 1 && points.back().y > kStillRises * points.end()[-2].y) rising.push_back(curve);
    return rising;
}

/// A processor copies to itself.
bool card_of_its_own(const Curve& curve) { return !curve.device->cpu && !curve.device->software; }

double first_of(const Curve& curve) {
    const auto points = points_of(curve);
    return points.empty() ? 0 : points.front().y;
}

/// Median of the curve at footprints far beyond every cache and no larger than `last`; 0 where it has no three of them.
double rate_in_memory(const Card& card, const Curve& curve, double last) {
    std::vector<double> rates;
    for (const CurvePoint& point : points_of(curve))
        if (point.x <= last * 1.01 && point.x * kFarthest >= last && point.x >= 4 * card.largest(&DeviceInfo::cache_bytes)) rates.push_back(point.y);
    return rates.size() < 3 ? 0 : median(rates);
}

/// The largest footprint that all of them reach.
double common_end(const Curves& curves) {
    double end = INFINITY;
    for (const Curve* curve : curves)
        if (const auto points = points_of(*curve); !points.empty()) end = std::min(end, points.back().x);
    return end;
}

/// Where reads of several widths may be limited by the number of loads: in a level, or from the footprint of strided loads.
struct ReadPlace {
    std::string text; // "L1"
    double x;
};
std::vector<ReadPlace> read_places(const Card& card, const Curve& curve) {
    if (is_strided(curve)) return {{format_bytes(curve.series->evidence.footprint_bytes.value_or(0)), 1}};
    std::vector<ReadPlace> places;
    const Curve* latency = plain_curve(card, kLatency, device_text(&curve), curve.series->id.path);
    for (std::size_t i = 0; latency && i < latency->levels.size(); ++i) places.push_back({latency->level_names[i], kWellInside * on(latency->levels[i])});
    return places;
}

/// Of the narrowest widths on those that load as often as the narrowest, each with its loads a second (in 1e9), as long as a wider one brings clearly more bytes.
Ranked as_often(const Curves& by_width, double x) {
    const auto bytes_of = [&](const Curve* curve) { return value_between(*curve->series, x).value_or(0); };
    double most = 0;
    for (const Curve* curve : by_width) most = std::max(most, bytes_of(curve));
    Ranked found;
    for (const Curve* curve : by_width) {
        const double bytes = bytes_of(curve), loads = bytes / width_of(curve->series->id.options);
        if (!(loads > 0) || bytes * kSameLoads > most || (!found.empty() && std::abs(std::log(loads / found[0].first)) > std::log(kSameLoads))) break;
        found.emplace_back(loads, curve);
    }
    return found;
}

/// "; not measured through vulkan:0", for devices of the card that these curves lack.
std::string missing_text(const Card& card, const Ranked& list) {
    std::vector<std::string> missing;
    for (const DeviceRecord* device : card.devices)
        if (std::none_of(list.begin(), list.end(), [&](const auto& each) { return device_text(each.second) == device->id; })) missing.push_back(device->id);
    return missing.empty() ? "" : "; not measured through " + list_text(missing);
}

/// Pinned copies between host and device.
Curves pinned_copies(const Card& card, Direction way) {
    const Options plain = option::engine.as(Engine::copy) * option::pageable.as(false) * option::direction.as(way);
    Curves copies = curves_of(card, kTransfer);
    std::erase_if(copies, [&](const Curve* curve) { return curve->series->id.path != "host" || curve->series->id.options != plain; });
    return copies;
}

/// Those of one device, each way alone and both at once.
struct Ways {
    const Curve *up = nullptr, *down = nullptr, *both = nullptr;

    /// How much more both ways bring together than the faster one alone, with transfers of `x`; 0: not measured.
    double gain_at(double x) const {
        const double one = std::max(is_copied_from_cache(*up) ? 0 : value_at(*up, x), is_copied_from_cache(*down) ? 0 : value_at(*down, x)); // nothing rests on a doubted series
        return one > 0 ? value_at(*both, x) / one : 0;
    }

    /// The transfers with which both ways overlap best, where that is not the largest.
    std::string smaller_text() const {
        const auto points = points_of(*both);
        const auto best = std::max_element(points.begin(), points.end(), slower);
        return is_copied_from_cache(*up) || is_copied_from_cache(*down) || gain_at(best->x) < kOverlaps ? "" : fmt::format(" ({} at {})", rate_text(best->y), format_bytes(best->x));
    }
};

std::vector<Ways> copies_by_way(const Card& card) {
    const Curves ups = pinned_copies(card, Direction::to_device), downs = pinned_copies(card, Direction::to_host);
    std::vector<Ways> all;
    for (const Curve* both : pinned_copies(card, Direction::both)) {
        const auto same_device = [&](const Curve* curve) { return device_text(curve) == device_text(both); };
        const auto up = std::find_if(ups.begin(), ups.end(), same_device), down = std::find_if(downs.begin(), downs.end(), same_device);
        if (up != ups.end() && down != downs.end() && card_of_its_own(*both)) all.push_back({*up, *down, both});
    }
    return all;
}

double reported_bytes(const Curve& limit) { return static_cast<double>(limit.series->evidence.reported_bytes.value_or(0)); }
double accepted_bytes(const Curve& limit) { return static_cast<double>(limit.series->evidence.accepted_bytes.value_or(0)); }
bool is_below_reported(const Curve& limit) { return family_of(*limit.path) == Family::scratchpad && accepted_bytes(limit) > 0 && accepted_bytes(limit) * kAsSaid < reported_bytes(limit); }

/// What the workgroups resident on a core hold together at most: so much longer one takes alone, so many are there at once. Where the largest
/// that there can be are there one by one, they tell better how long that is than the trial before.
struct HeldByCore {
    double workgroups = 0, each = 0; // bytes
    double bytes() const { return workgroups * each; }
};

HeldByCore held_by_core(const Curve& curve) {
    const auto points = points_of(curve);
    double alone = curve.series->evidence.alone_ns.value_or(0);
    if (!points.empty() && std::abs(points.back().y / alone - 1) < kOneByOne) alone = points.back().y;
    HeldByCore most;
    for (const CurvePoint& point : points)
        if (const HeldByCore held{std::floor(alone / point.y), point.x}; held.bytes() > most.bytes()) most = held;
    return most;
}
} // namespace

bool takes_more_than_reported(const Curve& limit) { return family_of(*limit.path) == Family::constant && reported_bytes(limit) > 0 && accepted_bytes(limit) >= kMoreThanSaid * reported_bytes(limit); }

std::string limit_text(const Curve& limit) {
    const auto& rejected = limit.series->evidence.rejected_bytes;
    const double plain = limit.device->scratchpad_default_bytes;
    std::string note;
    if (family_of(*limit.path) == Family::scratchpad && plain > 0 && plain < accepted_bytes(limit)) note = fmt::format(" (by opt-in; {} without)", format_bytes(plain));
    const auto& array = limit.series->evidence.static_bytes;
    if (is_below_reported(limit) && array && static_cast<double>(*array) > accepted_bytes(limit)) note = fmt::format(" as an argument ({} as a static array)", format_bytes(*array));
    return fmt::format("{}{} through {}{}", takes_more_than_reported(limit) && !rejected ? "at least " : "", format_bytes(accepted_bytes(limit)), device_text(&limit), note);
}

std::string limit_notes(const Curves& limits) {
    std::string notes;
    for (const Curve* limit : limits) {
        if (!kLimits.measured(limit->series->id) || !is_below_reported(*limit)) continue;
        const auto &rejected = limit->series->evidence.rejected_bytes, &array = limit->series->evidence.static_bytes;
        const std::string as_array = !array ? "a static array was not tried" : *array > 0 ? fmt::format("a static array of {} bytes runs", *array) : "a static array fails as well";
        notes += fmt::format(" Through {} {} as an argument fail, where the driver reports {:.0f}; {}.", device_text(limit), rejected ? fmt::format("{} bytes", *rejected) : "more", reported_bytes(*limit), as_array);
    }
    return notes;
}

bool is_copied_from_cache(const Curve& curve) {
    const auto points = points_of(curve);
    const double link = curve.device->host_link_bytes_per_second / 1e9, best = highest_of(curve);
    return points.size() > 1 && card_of_its_own(curve) && best >= kFromCache * points.back().y && (link <= 0 || best > link);
}

const Rule stores_slower{"stores_slower", "path", "Slower stores to DRAM", [](const Card& card, Statements& out) {
    Parts parts;
    for (const char* width : {"16", "8", "4"}) {
        const Curves fills = curves_with(card, kStream, "global", {{"operation", "fill"}, {"width", width}});
        const double end = common_end(fills);
        const Ranked rates = ranked(fills, [&](const Curve& curve) { return rate_in_memory(card, curve, end); });
        if (differ(rates, kSlowerStores))
            parts.add(fmt::format("with {}-byte stores {}{}", width, through_each(rates, rate_text), missing_text(card, rates)), curves_in(rates), ratio_of(rates));
    }
    parts.tell(out, "Fill bandwidth of DRAM differs by API: {}.");
}};

const Rule data_compressed{"data_compressed", "path", "Zeros read at another rate than random data", [](const Card& card, Statements& out) {
    Parts parts;
    for (const Curve* curve : curves_with(card, kBandwidth, "global", option::data.as(DataKind::zeros)))
        for (const DataEffect& each : effects_of_data(curve->series->evidence.random_reads, run_noise::levels)) {
            if (!each.seen.value_or(false)) continue;
            parts.add(fmt::format("{:.3g} times the rate over {} through {} ({} and {})", each.times, format_bytes(each.bytes), device_text(curve), rate_text(each.times * each.random_gb_per_s), rate_text(each.random_gb_per_s)), {curve},
                      std::max(each.times, 1 / each.times));
        }
    parts.tell(out, "Zeros are read at another rate than random data: {}. Cause unknown (compression, or the power that data takes).");
}};

const Rule atomics_joined{"atomics_joined", "path", "Additions aggregated by a compiler", [](const Card& card, Statements& out) {
    Parts parts;
    std::vector<std::string> instructions, by_path;
    double most = 1, least = std::numeric_limits<double>::infinity(); // times
    const Curve* highest = nullptr;
    std::string joined_on;
    for (const auto& [path, name] : {std::pair{"global", "global"}, std::pair{"scratchpad", "scratchpad (one address per workgroup)"}}) {
        Curves added = curves_with(card, kAtomics, path, option::layout.as(CellLayout::same_address));
        std::erase_if(added, [](const Curve* curve) { return curve->series->id.options.size() > 1; }); // another operation
        const Ranked rates = ranked(added, highest_of);
        if (!differ(rates, kJoined)) continue;
        std::vector<std::string> code;
        for (const Curve* curve : {rates.front().second, rates.back().second})
            if (const std::string instruction = atomic_instruction(*curve->series); !instruction.empty()) code.push_back(fmt::format("{} {}", device_text(curve), instruction));
        parts.add(fmt::format("on {} {}", name, through_each(rates, op_rate)), curves_in(rates));
        if (!code.empty()) instructions.push_back(fmt::format("on {}: {}", path, fmt::join(code, ", ")));
        by_path.push_back(fmt::format("{:.3g} (on {})", rates.front().first / rates.back().first, path));
        const double times = rates.front().first / rates.back().first;
        if (times > most) most = times, highest = rates.front().second, joined_on = path;
        least = std::min(least, times);
    }
    if (parts.texts.empty()) return;
    const std::uint32_t lanes = highest->device->subgroup;
    const std::string all_lanes = fmt::format("consistent with one atomic instruction per subgroup of {} through {}", lanes, device_text(highest));
    const std::string cause = most < lanes * kOfSubgroup ? "" : least < lanes * kOfSubgroup ? fmt::format(". On {} that is {}", joined_on, all_lanes) : ": " + all_lanes;
    say(out, parts.curves, "Additions on one address, each lane's counted: {}. The highest is {} times the lowest{}.{}", sentences(parts.texts), list_text(by_path), cause,
        instructions.empty() ? "" : fmt::format(" Instructions {}.", sentences(instructions))).effect = most;
}};

/// Of other layouts and operations, the three that differ most.
const Rule atomics_apart{"atomics_apart", "path", "Rates of atomic operations by API", [](const Card& card, Statements& out) {
    constexpr std::size_t kMostTold = 3;
    std::vector<Ranked> differing;
    for (const Curves& alike : grouped(curves_of(card, kAtomics), [](const Curve* curve) { return std::pair(curve->series->id.path, curve->series->id.options); })) {
        const Ranked rates = ranked(alike, highest_of);
        if (option::layout.is(alike[0]->series->id.options, CellLayout::same_address)) continue; // atomics_joined
        if (differ(rates, kAtomicsApart)) differing.push_back(rates);
    }
    std::ranges::stable_sort(differing, std::greater(), ratio_of);
    differing.resize(std::min(differing.size(), kMostTold));
    for (const Ranked& rates : differing) {
        const auto instruction = [](const auto& each) {
            const std::string text = atomic_instruction(*each.second->series);
            return text.substr(0, text.find(" (by ptxas)"));
        };
        const auto kinds = grouped(rates, instruction);
        const SeriesId& id = rates[0].second->series->id;
        const std::string code = instruction(rates[0]).empty() ? "Cause unknown" : kinds.size() == 1 ? fmt::format("Each has {}; cause unknown", instruction(rates[0]))
            : fmt::format("Instructions: {}", list_text(kinds, [&](const auto& same) { return fmt::format("{} through {}", instruction(same[0]), list_text(same, [](const auto& each) { return device_text(each.second); })); }));
        const Curves rising = still_rising(rates);
        const std::string rises = rising.empty() ? "" : fmt::format("With {:g} workgroups, the most tried, the rate still rises: {}. ", rising[0]->series->points.back().x, list_text(rising, [](const Curve* curve) {
            const CurvePoint before = points_of(*curve).end()[-2];
            return fmt::format("from {} with {:g} through {}", op_rate(before.y), before.x, device_text(curve));
        }));
        Statement& said = say(out, curves_in(rates), "Atomics on {} with {}: {}. {}{}.", id.path, options_text(id.options), through_each(rates, op_rate), rises, code);
        said.effect = ratio_of(rates), said.tells_all = false;
    }
}};

const Rule transfers_take_turns{"transfers_take_turns", "path", "Copies both ways at once gain little", [](const Card& card, Statements& out) {
    Parts turns;
    Ranked overlaps;
    for (const Ways& ways : copies_by_way(card)) {
        const double largest = ways.both->series->points.back().x, gain = ways.gain_at(largest);
        const std::string& device = device_text(ways.both);
        const auto rate = [&](const Curve* curve) { return rate_text(value_at(*curve, largest)); };
        if (gain >= kOverlaps) overlaps.emplace_back(value_at(*ways.both, largest), ways.both);
        if (gain <= 0 || gain >= kTakesTurns) continue;
        std::vector<std::string> each;
        Curves curves{ways.both};
        for (const auto& [curve, where] : {std::pair{ways.up, "to the device"}, {ways.down, "to the host"}}) {
            if (is_copied_from_cache(*curve)) continue;
            each.push_back(fmt::format("{} {}", rate(curve), where));
            curves.push_back(curve);
        }
        each.push_back(rate(ways.both) + " both ways together");
        turns.add(fmt::format("through {}: at {} per transfer {}{}", device, format_bytes(largest), list_text(each), ways.smaller_text()), curves, kBothWays / gain);
    }
    if (turns.texts.empty()) return;
    say(out, turns.curves, "Copies both ways at once gain little {}{}{}.", sentences(turns.texts), overlaps.empty() ? "" : ". Both ways together: ", fmt::join(texts_of(overlaps, [](const auto& each) { return fmt::format("through {} {}", device_text(each.second), best_and_last(points_of(*each.second))); }), "; ")).effect = turns.effect;
}};

const Rule copies_from_cache{"copies_from_cache", "suspect", "Copies faster than the largest ones", [](const Card& card, Statements& out) {
    for (const Direction way : {Direction::to_device, Direction::to_host})
        for (const Curve* curve : pinned_copies(card, way)) {
            if (!is_copied_from_cache(*curve)) continue;
            const auto points = points_of(*curve);
            const CurvePoint best = *std::max_element(points.begin(), points.end(), slower), last = points.back();
            const double link = curve->device->host_link_bytes_per_second / 1e9;
            const bool above = link > 0 && best.y > link;
            say(out, {curve}, "Copies {} through {} reach {} at {} per transfer{}, but {} at {}{}; cause unknown.", option::direction.word(curve->series->id.options), device_text(curve), rate_text(best.y), format_bytes(best.x),
                above ? fmt::format(", above the host link's {}", rate_text(link)) : "", rate_text(last.y), format_bytes(last.x), above ? ": not all of it crossed the link in that time" : "").from[0].x = {best.x, last.x};
        }
    Curves over = curves_of(card, kTransfer); // the link, by others than those
    std::erase_if(over, [&](const Curve* curve) {
        const Options& options = curve->series->id.options;
        const double link = curve->device->host_link_bytes_per_second / 1e9;
        return !card_of_its_own(*curve) || !(link > 0) || (!option::direction.is(options, Direction::to_device) && !option::direction.is(options, Direction::to_host)) || highest_of(*curve) <= link || cites(out, curve->series->id);
    });
    for (const Curves& of_device : grouped(over, [](const Curve* curve) { return device_text(curve); }))
        say(out, of_device, "Transfers through {} exceed the host link's {}, so not all of it crossed the link; cause unknown. {}.", device_text(of_device[0]), rate_text(of_device[0]->device->host_link_bytes_per_second / 1e9),
            fmt::join(texts_of(of_device, [](const Curve* curve) { return fmt::format("{} with {}", rate_text(highest_of(*curve)), options_text(curve->series->id.options)); }), ". "));
}};

const Rule copies_on_device{"copies_on_device", "path", "Copies within the device differ", [](const Card& card, Statements& out) {
    const Curves copies = curves_with(card, kTransfer, "host", option::direction.as(Direction::on_device) * option::engine.as(Engine::copy));
    const Ranked rates = ranked(copies, [](const Curve& curve) { return card_of_its_own(curve) ? points_of(curve).back().y : 0; });
    if (differ(rates, kTimesApart)) say(out, curves_in(rates), "Copies within the device differ by API: at {} {}; cause unknown.", format_bytes(points_of(*copies[0]).back().x), through_each(rates, rate_text)).effect = ratio_of(rates);
}};

const Rule launches_apart{"launches_apart", "path", "Launch overhead differs", [](const Card& card, Statements& out) {
    Parts parts;
    bool differs = false;
    for (const bool waited : {false, true}) {
        const Ranked times = ranked(curves_with(card, kLaunch, "global", option::waited_for.as(waited)), first_of);
        differs = differs || differ(times, kTimesApart);
        if (unranked_groups(times).size() < 2) continue; // no difference
        const std::string each = through_each(times, [](double ns) { return fmt::format("{:.{}f} us", ns / 1e3, ns < 1e4 ? 1 : 0); });
        parts.add(fmt::format("{} {}", waited ? "launch and wait" : "queued", each), curves_in(times), ratio_of(times));
    }
    if (differs) parts.tell(out, "Empty kernels of one workgroup differ by API: {}.");
}};

const Rule loads_not_bytes{"loads_not_bytes", "path", "Narrow loads at one load rate", [](const Card& card, Statements& out) {
    Parts parts;
    Curves reads = curves_of(card, kBandwidth), strided = curves_of(card, kCoalescing);
    reads.insert(reads.end(), strided.begin(), strided.end());
    std::erase_if(reads, [](const Curve* curve) { return curve->device->cpu || curve->device->software || (kBandwidth.measured(curve->series->id) ? !option::width.alone(curve->series->id.options) : !is_strided(*curve)); });
    std::stable_sort(reads.begin(), reads.end(), [](const Curve* a, const Curve* b) { return width_of(a->series->id.options) < width_of(b->series->id.options); });
    const double each_core = card.largest(&DeviceInfo::cores) * clock_mhz(card) / 1e3; // cycles a ns
    struct Narrow {
        std::string place, loads; // "on global from 30 MiB, of loads of 1 and 2 bytes", "2.6 and 2.5 through cuda:0"
    };
    std::vector<Narrow> narrow;
    for (const Curves& by_width : grouped(reads, [](const Curve* curve) { return std::tuple(curve->series->id.probe, device_text(curve), curve->series->id.path); }))
        for (const auto& [where, x] : read_places(card, *by_width[0])) {
            const Ranked same = as_often(by_width, x);
            if (same.size() < 2) continue;
            const auto widths = list_text(same, [](const auto& each) { return fmt::format("{:g}", width_of(each.second->series->id.options)); });
            const auto loads = list_text(same, [&](const auto& each) { return each_core > 0 ? fmt::format("{:.1f}", each.first / each_core) : format_si(each.first * 1e9, "loads/s"); });
            const auto& [most, widest] = same.back();
            narrow.push_back({fmt::format("on {} from {}, loads of {} bytes", widest->series->id.path, where, widths), fmt::format("{} through {}", loads, device_text(widest))});
            parts.add("", curves_in(same), most * width_of(widest->series->id.options) / (same[0].first * width_of(same[0].second->series->id.options)));
        }
    if (narrow.empty()) return;
    const auto places = texts_of(grouped(narrow, [](const Narrow& each) { return each.place; }), [](const auto& alike) { return fmt::format("{} {}", alike[0].place, fmt::join(texts_of(alike, [](const Narrow& each) { return each.loads; }), ", ")); });
    say(out, parts.curves, "Narrow loads run at much the same load rate, and bytes per second grow with the width. {}: {}.", each_core > 0 ? "Loads of a core and cycle" : "Loads per second", sentences(places)).effect = parts.effect;
    for (CitedSeries& from : out.back().from)
        if (from.series.probe == "coalescing") from.x = {1};
}};

namespace {
/// Where the slowest device's TLB reaches less than the loads, and the fastest's all of them.
std::string reach_beside(const Card& card, const Ranked& rates, double bytes) {
    const auto slow = translation_of(card, rates.back().second), fast = translation_of(card, rates.front().second);
    if (slow.empty() || fast.empty() || slow[0].high >= bytes || fast[0].low < bytes) return "";
    return fmt::format(", whose TLB reaches {} (through {} {})", format_byte_range(slow[0].low, slow[0].high), device_text(rates.front().second), format_byte_range(fast[0].low, fast[0].high));
}
} // namespace

const Rule random_apart{"random_apart", "path", "Random loads from L2 differ", [](const Card& card, Statements& out) {
    Parts parts;
    bool all_same = true;
    for (const Curves& alike : grouped(curves_of(card, kCoalescing), [](const Curve* curve) { return std::pair(curve->series->id.path, curve->series->id.options); })) {
        if (alike[0]->series->id.options != option::pattern.as(AccessPattern::order) * option::width.as(4)) continue;
        const Ranked rates = ranked(alike, [](const Curve& curve) { return value_at(curve, kScatteredPlace); });
        if (!differ(rates, kRandomApart)) continue;
        const auto shape = [](const Curve* curve) {
            const ShapeEvidence own = curve->series->evidence.shape.value_or(ShapeEvidence{});
            return fmt::format("{} x {} x {}", own.groups.value_or(0), own.group_size.value_or(0), own.loads_in_flight.value_or(0));
        };
        const auto bytes = [](const Curve* curve) { return scattered_bytes(curve->series->evidence.footprint_bytes.value_or(0), 4); };
        const auto rate = [&](const auto& each) { return fmt::format("{} from {} through {}", rate_text(each.first), format_bytes(bytes(each.second)), device_text(each.second)); };
        const bool same = std::all_of(alike.begin(), alike.end(), [&](const Curve* curve) { return shape(curve) == shape(alike[0]); });
        all_same = all_same && same;
        const std::string shapes = same ? "" : ", launch shapes (workgroups x work-items x loads) " + list_text(rates, [&](const auto& each) { return shape(each.second) + " through " + device_text(each.second); });
        const bool one_size = std::ranges::all_of(rates, [&](const auto& each) { return bytes(each.second) == bytes(rates[0].second); });
        const std::string each_rate = one_size ? fmt::format("from {} {}", format_bytes(bytes(rates[0].second)), through_each(rates, rate_text)) : list_text(rates, rate);
        parts.add(fmt::format("On {} {}{}{}", alike[0]->series->id.path, each_rate, shapes, reach_beside(card, rates, bytes(rates.back().second))), curves_in(rates), ratio_of(rates));
    }
    const bool by_misses = std::ranges::all_of(parts.texts, [](const std::string& text) { return text.find("whose TLB") != std::string::npos; });
    if (parts.texts.empty()) return;
    say(out, parts.curves, "Random loads within L2 differ{}, {}. {}.", all_same ? " in one launch shape" : "", by_misses ? "consistent with misses of the TLB" : "cause unknown", sentences(parts.texts)).effect = parts.effect;
    for (std::size_t i = 0; i < parts.curves.size(); ++i) out.back().from[i].x = {kScatteredPlace};
}};

namespace {
/// The same series by pointers in place of indices; null where it was not measured.
const Curve* by_pointers(const Card& card, const Curve& plain) {
    const Curves curves = curves_of(card, kSaturation);
    const auto found = std::ranges::find_if(curves, [&](const Curve* each) { return each->series->id.path == "global.pointer" && each->series->id.options == plain.series->id.options && device_text(each) == device_text(&plain); });
    return found == curves.end() ? nullptr : *found;
}

/// What one workgroup of a device reads by pointers, and with other shapes where these read much faster, as far as they were measured.
std::string otherwise_alone(const Card& card, const Curve& plain) {
    std::vector<std::string> texts;
    if (const Curve* pointers = by_pointers(card, plain)) texts.push_back(fmt::format("by pointers {}", rate_text(first_of(*pointers))));
    for (const Curve* each : curves_of(card, kSaturation)) {
        const SeriesId& id = each->series->id;
        const bool shaped = option::shape.asked(id.options) && option::level.word(id.options) == option::level.word(plain.series->id.options);
        if (shaped && device_text(each) == device_text(&plain) && id.path == "global" && first_of(*each) >= kAlone * first_of(plain)) texts.push_back(fmt::format("with shape {} {}", option::shape.word(id.options), rate_text(first_of(*each))));
    }
    return texts.empty() ? "" : fmt::format(". Through {} it reads {}", device_text(&plain), list_text(texts));
}
} // namespace

const Rule one_workgroup{"one_workgroup", "path", "The read rate of one workgroup differs", [](const Card& card, Statements& out) {
    Parts parts;
    for (const char* level : {"LLC", "DRAM"}) {
        Curves alone = curves_of(card, kSaturation);
        std::erase_if(alone, [&](const Curve* curve) { return curve->series->id.path != "global" || curve->series->id.options != option::level.as(level); });
        if (alone.empty()) continue;
        const Evidence& first = alone[0]->series->evidence;
        std::erase_if(alone, [&](const Curve* curve) { return curve->series->evidence.footprint_bytes != first.footprint_bytes; });
        const Ranked rates = ranked(alone, first_of);
        if (!differ(rates, kAlone)) continue;
        const ShapeEvidence shape = first.shape.value_or(ShapeEvidence{});
        const std::string loads = shape.group_size && shape.loads_in_flight ? fmt::format(". The kernel has {} work-items with {} independent loads each in the source", *shape.group_size, *shape.loads_in_flight) : "";
        parts.add(fmt::format("Over {} {}{}{}", format_bytes(first.footprint_bytes.value_or(0)), through_each(rates, rate_text), loads, otherwise_alone(card, *rates.back().second)), curves_in(rates), ratio_of(rates));
    }
    parts.tell(out, "One workgroup alone reads at different rates, cause unknown. {}.");
}};

const Rule core_scratchpad{"core_scratchpad", "path", "A core's scratchpad differs", [](const Card& card, Statements& out) {
    const Ranked held = ranked(curves_with(card, kOccupancy, "scratchpad", {}), [](const Curve& curve) { return held_by_core(curve).bytes(); });
    if (!apart(held, kHolds)) return;
    say(out, curves_in(held), "Workgroups of one core hold together, of the sizes tried: {}.", list_text(held, [](const auto& each) {
        const HeldByCore most = held_by_core(*each.second);
        return fmt::format("{} ({:g} x {}) through {}", format_bytes(each.first), most.workgroups, format_bytes(most.each), device_text(each.second));
    })).effect = ratio_of(held);
}};

const Rule limit_unlike_reported{"limit_unlike_reported", "path", "A limit that is not what the driver reports", [](const Card& card, Statements& out) {
    for (const Curve* curve : plain_curves(card, kLimits)) {
        if (cites(out, curve->series->id)) continue; // said where APIs differ
        const double said = reported_bytes(*curve), taken = accepted_bytes(*curve);
        if (takes_more_than_reported(*curve))
            say(out, {curve}, "A kernel takes {} memory of {}, where the driver reports {}: consistent with placement in buffer memory.", curve->series->id.path, limit_text(*curve),
                format_bytes(said)).effect = taken / said;
        else if (is_below_reported(*curve)) say(out, {curve}, "Largest scratchpad of a workgroup: {}.{}", limit_text(*curve), limit_notes({curve})).effect = said / taken;
    }
}};

const Rule memory_in_segments{"memory_in_segments", "path", "DRAM segments of unequal bandwidth", [](const Card& card, Statements& out) {
    for (const SegmentTest test : {SegmentTest::read, SegmentTest::write})
        for (const Curve* curve : curves_with(card, kSegments, "global", option::segment_test.as(test))) {
            const auto points = points_of(*curve);
            const auto chunk = static_cast<double>(curve->series->evidence.chunk_bytes.value_or(0));
            const auto classes = points.size() < 4 || chunk <= 0 ? std::vector<SpeedClass>() : speed_classes(points);
            const auto text = [&](const SpeedClass& each) {
                return fmt::format("{} from {} on {} {}", format_bytes(static_cast<double>(each.chunks.size()) * chunk), format_bytes(points[each.chunks[0]].x), option::segment_test.word(curve->series->id.options), rate_text(each.rate));
            };
            if (classes.size() > 1) say(out, {curve}, "DRAM bandwidth differs by address: through {} {}.", device_text(curve), list_text(classes, text)).effect = classes.front().rate / classes.back().rate;
        }
}};

} // namespace sonde
