// Rules about what traffic probes found: stores, atomics, copies, launches, scratchpads, and parts of the memory.
#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "core/analysis/traffic.h"
#include "core/base/statistics.h"
#include "core/base/text.h"
#include "core/diagnosis/rules.h"

namespace sonde {

namespace {
constexpr double kJoined = 3;         // times the additions on one address: far more than drivers and launches make
constexpr double kOverlaps = 1.5, kTakesTurns = 1.25; // both ways at once, beside the faster way alone
constexpr double kFromCache = 1.3;     // times the rate of the largest transfers
constexpr double kSlowerStores = 1.06; // on the median of the farthest footprints
constexpr double kFarthest = 8;       // footprints within this factor of the last one lie in memory
constexpr double kTimesApart = 2;       // times: launches, and what one workgroup brings
constexpr double kOneByOne = 0.1;     // share by which a rough trial is wrong
constexpr double kHolds = 1.5;        // times: what a core's workgroups hold together
constexpr double kMoreThanSaid = 1.5, kAsSaid = 1.001;

using Options = std::map<std::string, std::string>;

/// Usable curves of a probe with these options (and others besides), one a device.
Curves curves_with(const Card& card, std::string_view probe, std::string_view path, const Options& options) {
    Curves found;
    for (const Curve& curve : card.curves) {
        const SeriesId& id = curve.series->id;
        const bool asked = std::all_of(options.begin(), options.end(), [&](const auto& option) {
            const auto own = id.options.find(option.first);
            return own != id.options.end() && own->second == option.second;
        });
        const bool known = std::any_of(found.begin(), found.end(), [&](const Curve* other) { return other->series->id.device == id.device; });
        if (asked && !known && curve.usable() && id.probe == probe && id.path == path) found.push_back(&curve);
    }
    return found;
}

std::vector<CurvePoint> points_of(const Curve& curve) {
    std::vector<CurvePoint> points;
    for (const Point& point : curve.series->points)
        if (point.median && *point.median > 0) points.push_back({point.x, *point.median});
    return points;
}

/// Each curve's number, the largest first; curves without one are left out.
using Ranked = std::vector<std::pair<double, const Curve*>>;
template <class Number> Ranked ranked(const Curves& curves, Number number) {
    Ranked list;
    for (const Curve* curve : curves)
        if (const double value = number(*curve); value > 0) list.emplace_back(value, curve);
    std::stable_sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    return list;
}

bool apart(const Ranked& list, double times) { return list.size() > 1 && list.front().first >= times * list.back().first; }

template <class Text> std::string through_each(const Ranked& list, Text text) {
    std::vector<std::string> words;
    for (const auto& [value, curve] : list) words.push_back(fmt::format("{} through {}", text(value), curve->series->id.device));
    return list_text(words);
}

Curves curves_of(const Ranked& list) {
    Curves curves;
    for (const auto& [value, curve] : list) curves.push_back(curve);
    return curves;
}

double most_of(const Curve& curve) {
    double most = 0;
    for (const CurvePoint& point : points_of(curve)) most = std::max(most, point.latency);
    return most;
}

double first_of(const Curve& curve) {
    const auto points = points_of(curve);
    return points.empty() ? 0 : points.front().latency;
}

double value_at(const Curve& curve, double x) {
    for (const CurvePoint& point : points_of(curve))
        if (point.bytes == x) return point.latency;
    return 0;
}

/// Median of the farthest footprints; 0 where the curve has no three of them, or they are no memory's.
double rate_in_memory(const Curve& curve) {
    const auto points = points_of(curve);
    std::vector<double> rates;
    for (const CurvePoint& point : points)
        if (point.bytes * kFarthest >= points.back().bytes && point.bytes >= 4 * number_field(*curve.device, "cache_bytes")) rates.push_back(point.latency);
    return rates.size() < 3 ? 0 : median(rates);
}

/// Pinned copies of one device: each way alone and both at once.
struct Ways {
    const Curve *up = nullptr, *down = nullptr, *both = nullptr;
};

std::vector<Ways> pinned_copies(const Card& card) {
    const auto of_way = [&](const char* way) { return curves_with(card, "transfer", "host", {{"engine", "copy"}, {"memory", "pinned"}, {"direction", way}}); };
    const Curves ups = of_way("to-device"), downs = of_way("to-host");
    std::vector<Ways> all;
    for (const Curve* both : of_way("both")) {
        Ways ways{.both = both};
        for (const Curve* up : ups)
            if (up->series->id.device == both->series->id.device) ways.up = up;
        for (const Curve* down : downs)
            if (down->series->id.device == both->series->id.device) ways.down = down;
        const bool card_of_its_own = !flag_field(*both->device, "cpu") && !flag_field(*both->device, "software"); // a processor copies to itself
        if (ways.up && ways.down && card_of_its_own) all.push_back(ways);
    }
    return all;
}

/// How much more both ways bring together than the faster one alone, with transfers of `x`; 0: not measured.
double gain_at(const Ways& ways, double x) {
    const double one = std::max(value_at(*ways.up, x), value_at(*ways.down, x));
    return one > 0 ? value_at(*ways.both, x) / one : 0;
}

/// The transfers with which both ways overlap best, where that is not the largest.
std::string smaller_text(const Ways& ways) {
    const auto points = points_of(*ways.both);
    const auto best = std::max_element(points.begin(), points.end(), [&](const CurvePoint& a, const CurvePoint& b) { return a.latency < b.latency; });
    if (gain_at(ways, best->bytes) < kOverlaps) return "";
    return fmt::format(", though with {} it is {}", format_bytes(best->bytes), format_si(best->latency * 1e9, "B/s"));
}

/// The scratchpad that all workgroups on a core hold together: so much longer one takes alone, so many are there at once. Where the largest
/// that there can be are there one by one, they tell better how long that is than the trial before.
double held_by_core(const Curve& curve) {
    const auto points = points_of(curve);
    double alone = evidence_number(*curve.series, "/alone_ns").value_or(0), most = 0;
    if (!points.empty() && std::abs(points.back().latency / alone - 1) < kOneByOne) alone = points.back().latency;
    for (const CurvePoint& point : points) most = std::max(most, point.bytes * alone / point.latency);
    return most;
}
} // namespace

void stores_slower(const Card& card, Statements& out) {
    std::vector<std::string> words;
    Curves curves;
    for (const char* width : {"16", "8", "4"}) {
        const Ranked rates = ranked(curves_with(card, "stream", "global", {{"operation", "fill"}, {"width", width}}), rate_in_memory);
        if (!apart(rates, kSlowerStores)) continue;
        words.push_back(fmt::format("with {}-byte stores {}", width, through_each(rates, [](double rate) { return format_si(rate * 1e9, "B/s"); })));
        const Curves more = curves_of(rates);
        curves.insert(curves.end(), more.begin(), more.end());
    }
    if (!words.empty()) out.push_back(statement(fmt::format("Stores do not reach the memory equally fast: {}.", fmt::join(words, "; ")), curves));
}

void atomics_joined(const Card& card, Statements& out) {
    std::vector<std::string> words;
    Curves curves;
    double times = 0;
    std::string device;
    for (const auto& [path, text] : {std::pair{"global", "global"}, std::pair{"scratchpad", "scratchpad, an address for each workgroup,"}}) {
        const Ranked rates = ranked(curves_with(card, "atomics", path, {{"layout", "same-address"}}), most_of);
        if (!apart(rates, kJoined)) continue;
        words.push_back(fmt::format("on {} {}", text, through_each(rates, [](double rate) { return fmt::format("{} billion a second", rate < 1000 ? fmt::format("{:.3g}", rate) : fmt::format("{:.0f}", rate)); })));
        const Curves more = curves_of(rates);
        curves.insert(curves.end(), more.begin(), more.end());
        if (const double ratio = rates.front().first / rates.back().first; ratio > times) times = ratio, device = rates.front().second->series->id.device;
    }
    if (words.empty()) return;
    out.push_back(statement(fmt::format("Additions on one address: {}. The card is the same, so what reaches it is not: as if the compiler of {} added up a wave's "
                                        "lanes first.",
                                        fmt::join(words, "; "), device),
                            curves));
}

void bus_takes_turns(const Card& card, Statements& out) {
    std::vector<std::string> turns, overlaps;
    Curves curves;
    for (const Ways& ways : pinned_copies(card)) {
        const double largest = ways.both->series->points.back().x, gain = gain_at(ways, largest);
        const std::string& device = ways.both->series->id.device;
        const auto rate = [&](const Curve& curve) { return format_si(value_at(curve, largest) * 1e9, "B/s"); };
        if (gain >= kOverlaps) overlaps.push_back(fmt::format("{} through {}", rate(*ways.both), device));
        if (gain <= 0 || gain >= kTakesTurns) continue;
        turns.push_back(fmt::format("through {} copies of {} bring {} to the device, {} to the host and {} both ways at once{}", device, format_bytes(largest), rate(*ways.up),
                                    rate(*ways.down), rate(*ways.both), smaller_text(ways)));
        curves.insert(curves.end(), {ways.up, ways.down, ways.both});
    }
    if (turns.empty()) return;
    const std::string others = overlaps.empty() ? "" : fmt::format("; both ways at once bring {}", list_text(overlaps));
    out.push_back(statement(fmt::format("The bus's two directions do not overlap everywhere: {}{}.", fmt::join(turns, "; "), others), curves));
}

void copies_from_cache(const Card& card, Statements& out) {
    for (const char* way : {"to-device", "to-host"})
        for (const Curve* curve : curves_with(card, "transfer", "host", {{"engine", "copy"}, {"memory", "pinned"}, {"direction", way}})) {
            const auto points = points_of(*curve);
            if (points.size() < 2 || flag_field(*curve->device, "cpu") || flag_field(*curve->device, "software")) continue;
            const auto best = std::max_element(points.begin(), points.end(), [](const CurvePoint& a, const CurvePoint& b) { return a.latency < b.latency; });
            const double times = best->latency / points.back().latency;
            if (times < kFromCache) continue;
            out.push_back(statement(fmt::format("Copies {} through {} carry {} with transfers of {}, {:.2g} times what they do with {}: as if a cache had kept what was sent before.", way,
                                                curve->series->id.device, format_si(best->latency * 1e9, "B/s"), format_bytes(best->bytes), times, format_bytes(points.back().bytes)),
                                    {curve}));
            out.back().from[0].x = {best->bytes, points.back().bytes};
        }
}

void launches_apart(const Card& card, Statements& out) {
    std::vector<std::string> words;
    Curves curves;
    const std::pair<const char*, const char*> kTests[] = {{"queued", "behind others in a queue"}, {"waited", "that is waited for"}};
    for (const auto& [test, text] : kTests) {
        const Ranked times = ranked(curves_with(card, "launch", "global", {{"test", test}}), first_of);
        if (!apart(times, kTimesApart)) continue;
        words.push_back(fmt::format("{} {} takes {}", words.empty() ? "an empty one" : "one", text, through_each(times, [](double ns) { return fmt::format("{:.3g} us", ns / 1e3); })));
        const Curves more = curves_of(times);
        curves.insert(curves.end(), more.begin(), more.end());
    }
    if (!words.empty()) out.push_back(statement(fmt::format("Starting a kernel costs more here than there: {}.", fmt::join(words, "; ")), curves));
}

void core_scratchpad(const Card& card, Statements& out) {
    const Ranked held = ranked(curves_with(card, "occupancy", "scratchpad", {}), held_by_core);
    if (!apart(held, kHolds)) return;
    out.push_back(statement(fmt::format("Together, the workgroups on one core were seen to hold scratchpad of up to {}; more of them wait.", through_each(held, [](double bytes) { return format_bytes(bytes); })),
                            curves_of(held)));
}

void room_unlike_said(const Card& card, Statements& out) {
    for (const Curve* curve : plain_curves(card, "limits")) {
        const auto said = evidence_number(*curve->series, "/reported_bytes"), taken = evidence_number(*curve->series, "/accepted_bytes");
        if (!said || !taken || *said <= 0) continue;
        const bool constant = family_of(*curve->path) == Family::constant;
        if (constant && *taken >= kMoreThanSaid * *said)
            out.push_back(statement(fmt::format("A kernel through {} takes {} of {} memory{}, where the driver names {}: it is kept where buffers are.", curve->series->id.device, format_bytes(*taken),
                                                curve->series->id.path, evidence_number(*curve->series, "/rejected_bytes") ? "" : " or more", format_bytes(*said)),
                                    {curve}));
        if (!constant && *taken * kAsSaid < *said)
            out.push_back(statement(fmt::format("A workgroup through {} gets {} of scratchpad and no more, where the driver names {}.", curve->series->id.device, format_bytes(*taken), format_bytes(*said)), {curve}));
    }
}

void memory_in_segments(const Card& card, Statements& out) {
    for (const char* test : {"read", "write"})
        for (const Curve* curve : curves_with(card, "segments", "global", {{"test", test}})) {
            const auto points = points_of(*curve);
            const double chunk = evidence_number(*curve->series, "/chunk_bytes").value_or(0);
            const auto classes = points.size() < 4 || chunk <= 0 ? std::vector<SpeedClass>() : speed_classes(points);
            if (classes.size() < 2) continue;
            std::vector<std::string> parts;
            parts.reserve(classes.size());
            for (const SpeedClass& each : classes)
                parts.push_back(fmt::format("{} from {} on {} {}", format_bytes(static_cast<double>(each.chunks.size()) * chunk), format_bytes(points[each.chunks[0]].bytes),
                                            std::string(test) == "read" ? "read" : "write", format_si(each.rate * 1e9, "B/s")));
            out.push_back(statement(fmt::format("The memory is not alike throughout: through {} {}.", curve->series->id.device, list_text(parts)), {curve}));
        }
}

} // namespace sonde
