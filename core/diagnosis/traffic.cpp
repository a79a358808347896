// Rules about what traffic probes found: stores, atomics, copies, launches, scratchpads, and parts of the memory.
#include <algorithm>
#include <cmath>

#include "core/analysis/traffic.h"
#include "core/base/statistics.h"
#include "core/base/text.h"
#include "core/diagnosis/rules.h"

namespace sonde {

namespace {
constexpr double kJoined = 3;         // times the additions on one address: far more than drivers and launches make
constexpr double kOverlaps = 1.5, kTakesTurns = 1.25; // both ways at once, beside the faster way alone
constexpr double kBothWays = 2;       // times: what two directions carry together that do not share anything
constexpr double kFromCache = 1.3;     // times the rate of the largest transfers
constexpr double kSlowerStores = 1.06; // on the median of the farthest footprints
constexpr double kFarthest = 8;       // footprints within this factor of the last one lie in memory
constexpr double kTimesApart = 2;       // times: launches, and what one workgroup brings
constexpr double kOneByOne = 0.1;     // share by which a rough trial is wrong
constexpr double kHolds = 1.5;        // times: what a core's workgroups hold together
constexpr double kMoreThanSaid = 1.5, kAsSaid = 1.001;

std::vector<CurvePoint> points_of(const Curve& curve) {
    std::vector<CurvePoint> points = curve_of(*curve.series);
    std::erase_if(points, [](const CurvePoint& point) { return !(point.y > 0); });
    return points;
}

bool slower(const CurvePoint& a, const CurvePoint& b) { return a.y < b.y; }

/// A processor copies to itself.
bool card_of_its_own(const Curve& curve) { return !curve.device->cpu && !curve.device->software; }

double most_of(const Curve& curve) {
    const auto points = points_of(curve);
    return points.empty() ? 0 : std::max_element(points.begin(), points.end(), slower)->y;
}

double first_of(const Curve& curve) {
    const auto points = points_of(curve);
    return points.empty() ? 0 : points.front().y;
}

double value_at(const Curve& curve, double x) {
    const auto points = points_of(curve);
    const auto found = std::find_if(points.begin(), points.end(), [x](const CurvePoint& point) { return point.x == x; });
    return found == points.end() ? 0 : found->y;
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

/// "; not measured through vulkan:0", for devices of the card that these curves lack.
std::string missing_text(const Card& card, const Ranked& list) {
    std::vector<std::string> missing;
    for (const DeviceRecord* device : card.devices)
        if (std::none_of(list.begin(), list.end(), [&](const auto& each) { return device_text(each.second) == device->id; })) missing.push_back(device->id);
    return missing.empty() ? "" : "; not measured through " + list_text(missing);
}

/// Pinned copies between host and device.
Curves pinned_copies(const Card& card, const char* way) { return curves_with(card, "transfer", "host", {{"engine", "copy"}, {"memory", "pinned"}, {"direction", way}}); }

/// Those of one device, each way alone and both at once.
struct Ways {
    const Curve *up = nullptr, *down = nullptr, *both = nullptr;

    /// How much more both ways bring together than the faster one alone, with transfers of `x`; 0: not measured.
    double gain_at(double x) const {
        const double one = std::max(value_at(*up, x), value_at(*down, x));
        return one > 0 ? value_at(*both, x) / one : 0;
    }

    /// The transfers with which both ways overlap best, where that is not the largest.
    std::string smaller_text() const {
        const auto points = points_of(*both);
        const auto best = std::max_element(points.begin(), points.end(), slower);
        return gain_at(best->x) < kOverlaps ? "" : fmt::format(", though with {} it is {}", format_bytes(best->x), rate_text(best->y));
    }
};

std::vector<Ways> copies_by_way(const Card& card) {
    const Curves ups = pinned_copies(card, "to-device"), downs = pinned_copies(card, "to-host");
    std::vector<Ways> all;
    for (const Curve* both : pinned_copies(card, "both")) {
        const auto same_device = [&](const Curve* curve) { return device_text(curve) == device_text(both); };
        const auto up = std::find_if(ups.begin(), ups.end(), same_device), down = std::find_if(downs.begin(), downs.end(), same_device);
        if (up != ups.end() && down != downs.end() && card_of_its_own(*both)) all.push_back({*up, *down, both});
    }
    return all;
}

/// The scratchpad that all workgroups on a core hold together: so much longer one takes alone, so many are there at once. Where the largest
/// that there can be are there one by one, they tell better how long that is than the trial before.
double held_by_core(const Curve& curve) {
    const auto points = points_of(curve);
    double alone = curve.series->evidence.alone_ns.value_or(0), most = 0;
    if (!points.empty() && std::abs(points.back().y / alone - 1) < kOneByOne) alone = points.back().y;
    for (const CurvePoint& point : points) most = std::max(most, point.x * std::floor(alone / point.y));
    return most;
}
} // namespace

const Rule stores_slower{"stores_slower", "path", "Slower stores to DRAM", [](const Card& card, Statements& out) {
    Parts parts;
    for (const char* width : {"16", "8", "4"}) {
        const Curves fills = curves_with(card, "stream", "global", {{"operation", "fill"}, {"width", width}});
        const double end = common_end(fills);
        const Ranked rates = ranked(fills, [&](const Curve& curve) { return rate_in_memory(card, curve, end); });
        if (apart(rates, kSlowerStores))
            parts.add(fmt::format("with {}-byte stores {}{}", width, through_each(rates, rate_text), missing_text(card, rates)), curves_in(rates), ratio_of(rates));
    }
    parts.tell(out, "Fill bandwidth of DRAM differs by API: {}.");
}};

const Rule atomics_joined{"atomics_joined", "path", "Additions aggregated by a compiler", [](const Card& card, Statements& out) {
    Parts parts;
    std::pair<double, const Curve*> most{}; // times, and through which device
    const auto text = [](double rate) { return fmt::format("{} billion a second", rate < 1000 ? fmt::format("{:.3g}", rate) : fmt::format("{:.0f}", rate)); };
    for (const auto& [path, name] : {std::pair{"global", "global"}, std::pair{"scratchpad", "scratchpad, an address for each workgroup,"}}) {
        Curves added = curves_with(card, "atomics", path, {{"layout", "same-address"}});
        std::erase_if(added, [](const Curve* curve) { return curve->series->id.options.size() > 1; }); // another operation
        const Ranked rates = ranked(added, most_of);
        if (!apart(rates, kJoined)) continue;
        std::vector<std::string> code;
        for (const auto& [rate, curve] : rates)
            if (const std::string instruction = atomic_instruction(*curve->series); !instruction.empty()) code.push_back(fmt::format("{} {}", device_text(curve), instruction));
        parts.add(fmt::format("on {} {}{}", name, through_each(rates, text), code.empty() ? "" : fmt::format(" (instructions: {})", fmt::join(code, ", "))), curves_in(rates));
        if (const double times = rates.front().first / rates.back().first; times > most.first) most = {times, rates.front().second};
    }
    if (!parts.texts.empty())
        say(out, parts.curves, "Atomic additions on one address: {}. The largest ratio is {:.3g}, a subgroup has {} lanes: consistent with the compiler of {} aggregating per subgroup.",
            fmt::join(parts.texts, "; "), most.first, most.second->device->subgroup, device_text(most.second)).effect = most.first;
}};

const Rule transfers_take_turns{"transfers_take_turns", "path", "Copies both ways at once gain little", [](const Card& card, Statements& out) {
    Parts turns;
    std::vector<std::string> overlaps;
    for (const Ways& ways : copies_by_way(card)) {
        const double largest = ways.both->series->points.back().x, gain = ways.gain_at(largest);
        const std::string& device = device_text(ways.both);
        const auto rate = [&](const Curve* curve) { return rate_text(value_at(*curve, largest)); };
        if (gain >= kOverlaps) overlaps.push_back(fmt::format("{} through {}", rate(ways.both), device));
        if (gain <= 0 || gain >= kTakesTurns) continue;
        turns.add(fmt::format("go through {}: copies of {} reach {} to the device, {} to the host and {} both ways{}", device, format_bytes(largest), rate(ways.up), rate(ways.down),
                              rate(ways.both), ways.smaller_text()),
                  {ways.up, ways.down, ways.both}, kBothWays / gain);
    }
    if (turns.texts.empty()) return;
    say(out, turns.curves, "Copies both ways at once gain little where they {}{}{}.", fmt::join(turns.texts, "; "), overlaps.empty() ? "" : "; both ways at once reach ", list_text(overlaps)).effect = turns.effect;
}};

const Rule copies_from_cache{"copies_from_cache", "suspect", "Copies served by a cache", [](const Card& card, Statements& out) {
    for (const char* way : {"to-device", "to-host"})
        for (const Curve* curve : pinned_copies(card, way)) {
            const auto points = points_of(*curve);
            if (points.size() < 2 || !card_of_its_own(*curve)) continue;
            const CurvePoint best = *std::max_element(points.begin(), points.end(), slower), last = points.back();
            if (best.y < kFromCache * last.y) continue;
            say(out, {curve}, "Copies {} through {} carry {} with transfers of {}, {:.2g} times the rate with {}: consistent with a cache hit; cause not measured.", way, device_text(curve),
                rate_text(best.y), format_bytes(best.x), best.y / last.y, format_bytes(last.x)).from[0].x = {best.x, last.x};
        }
}};

const Rule launches_apart{"launches_apart", "path", "Launch overhead differs", [](const Card& card, Statements& out) {
    Parts parts;
    bool differs = false;
    const std::pair<const char*, const char*> kTests[] = {{"queued", "behind others in a queue"}, {"waited", "that is waited for"}};
    for (const auto& [test, text] : kTests) {
        const Ranked times = ranked(curves_with(card, "launch", "global", {{"test", test}}), first_of);
        differs = differs || apart(times, kTimesApart);
        if (times.size() < 2) continue;
        const std::string each = through_each(times, [](double ns) { return fmt::format("{:.3g} us", ns / 1e3); });
        parts.add(fmt::format("{} {} takes {}", parts.texts.empty() ? "an empty kernel" : "one", text, each), curves_in(times), ratio_of(times));
    }
    if (differs) parts.tell(out, "Launch overhead differs by API: {}.");
}};

const Rule core_scratchpad{"core_scratchpad", "path", "A core's scratchpad differs", [](const Card& card, Statements& out) {
    const Ranked held = ranked(curves_with(card, "occupancy", "scratchpad", {}), held_by_core);
    if (apart(held, kHolds)) say(out, curves_in(held), "Scratchpad held together by the workgroups resident on one core: {} or more.", through_each(held, format_bytes)).effect = ratio_of(held);
}};

const Rule limit_unlike_reported{"limit_unlike_reported", "path", "A limit that is not what the driver reports", [](const Card& card, Statements& out) {
    for (const Curve* curve : plain_curves(card, "limits")) {
        const Evidence& tried = curve->series->evidence;
        const double said = static_cast<double>(tried.reported_bytes.value_or(0)), taken = tried.accepted_bytes ? static_cast<double>(*tried.accepted_bytes) : NAN;
        const bool constant = family_of(*curve->path) == Family::constant;
        if (said > 0 && constant && taken >= kMoreThanSaid * said)
            say(out, {curve}, "A kernel through {} takes {} of {} memory{}, where the driver reports {}: consistent with placement in buffer memory.", device_text(curve), format_bytes(taken),
                curve->series->id.path, tried.rejected_bytes ? "" : " or more", format_bytes(said)).effect = taken / said;
        if (said > 0 && !constant && taken * kAsSaid < said)
            say(out, {curve}, "Through {} a kernel runs with {:.0f} bytes of scratchpad passed at launch and fails with {}, where the driver reports {:.0f}; a static array was not tried.",
                device_text(curve), taken, tried.rejected_bytes ? std::to_string(*tried.rejected_bytes) : "more", said)
                .effect = said / taken;
    }
}};

const Rule memory_in_segments{"memory_in_segments", "path", "DRAM segments of unequal bandwidth", [](const Card& card, Statements& out) {
    for (const char* test : {"read", "write"})
        for (const Curve* curve : curves_with(card, "segments", "global", {{"test", test}})) {
            const auto points = points_of(*curve);
            const auto chunk = static_cast<double>(curve->series->evidence.chunk_bytes.value_or(0));
            const auto classes = points.size() < 4 || chunk <= 0 ? std::vector<SpeedClass>() : speed_classes(points);
            const auto text = [&](const SpeedClass& each) {
                return fmt::format("{} from {} on {} {}", format_bytes(static_cast<double>(each.chunks.size()) * chunk), format_bytes(points[each.chunks[0]].x), test, rate_text(each.rate));
            };
            if (classes.size() > 1) say(out, {curve}, "DRAM bandwidth depends on the address: through {} {}.", device_text(curve), list_text(classes, text)).effect = classes.front().rate / classes.back().rate;
        }
}};

} // namespace sonde
