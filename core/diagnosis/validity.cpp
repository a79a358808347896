// Rules about what makes a number doubtful.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/base/statistics.h"
#include "core/base/text.h"
#include "core/diagnosis/rules.h"

namespace sonde {

namespace {
constexpr double kInside = 1.25;     // a size this far inside a plateau's footprints is at no edge of it
constexpr double kOverBus = 1.05;    // of the memory's bus
constexpr double kHostOverBus = 0.5; // a bus to the host carries less than half of what the card's own memory does
constexpr double kBeyondCaches = 4;  // times the caches: nearer by, replacement decides how much they still hold
constexpr double kTimersApart = 0.1; // as the run judges it
constexpr double kClockMoved = 0.05;
constexpr std::size_t kFewestClocks = 3;

double largest_of(const Card& card, const char* field) {
    double largest = 0;
    for (const Json* device : card.devices) largest = std::max(largest, number_field(*device, field));
    return largest;
}

bool of_processor(const Curve& curve) { return flag_field(*curve.device, "cpu"); }

/// The curve that tells a device's caches best: the first through its memory with more than one level.
const Curve* memory_curve(const Card& card, const std::string& device) {
    for (const Curve* curve : plain_curves(card, "latency"))
        if (curve->series->id.device == device && family_of(*curve->path) == Family::memory && curve->path->stage == Stage::nothing && curve->levels.size() > 1)
            return curve;
    return nullptr;
}

std::vector<double> clocks_of(const Series& series) {
    std::vector<double> clocks;
    for (const Point& point : series.points)
        if (point.clock_mhz) clocks.push_back(*point.clock_mhz);
    return clocks;
}

/// Each the median of up to nine around it: a clock moves for a while, short dispatches are timed coarsely.
std::vector<double> smoothed(const std::vector<double>& clocks) {
    const std::size_t reach = std::min<std::size_t>(4, clocks.size() / 8);
    std::vector<double> result;
    for (std::size_t i = 0; i < clocks.size(); ++i)
        result.push_back(median({clocks.begin() + (i < reach ? 0 : i - reach), clocks.begin() + std::min(clocks.size(), i + reach + 1)}));
    return result;
}

/// The first point beyond the caches that is faster than its memory's way and what the caches still hold can carry; nullptr: none.
const Point* too_fast(const Curve& curve, double bus, double caches) {
    const double share = family_of(*curve.path) == Family::memory ? kOverBus : kHostOverBus;
    for (const Point& point : curve.series->points)
        if (point.x >= kBeyondCaches * caches && point.median.value_or(0) * 1e9 * (1 - caches / point.x) > share * bus) return &point;
    return nullptr;
}
} // namespace

void buffer_elsewhere(const Card& card, Statements& out) {
    for (const Curve& curve : card.curves) {
        if (!curve.path || family_of(*curve.path) == Family::host || curve.series->points.empty() || of_processor(curve)) continue;
        const Json::json_pointer local("/placement/device_local"), text("/placement/text");
        const Json& evidence = curve.series->evidence;
        if (!evidence.contains(local) || evidence.at(local) != false) continue;
        const std::string where =
            evidence.contains(text) && evidence.at(text).is_string() ? evidence.at(text).get<std::string>() : "memory that is not the device's";
        out.push_back(statement(fmt::format("The buffer of {} landed in the system's memory: {}.", curve.series->id.text(), where), {&curve}));
    }
}

void reported_cache(const Card& card, Statements& out) {
    for (const Json* device : card.devices) {
        const double reported = number_field(*device, "cache_bytes");
        const Curve* curve = memory_curve(card, text_field(*device, "id"));
        if (!curve || reported <= 0) continue;
        for (const Finding& level : curve->levels) {
            if (!(reported > kInside * level.x.front() && reported < level.x.back() / kInside)) continue;
            out.push_back(
                statement(fmt::format("The driver of {} reports a cache of {}, where the curve of {} has no edge: its level of {} goes from {} to {}.",
                                      curve->series->id.device, format_bytes(reported), curve->series->id.path, latency_text(level),
                                      format_bytes(level.x.front()), capacity_text(level)),
                          {curve}));
            out.back().from[0].x = level.x;
        }
    }
}

namespace {
/// One more that the statement is true of, before its full stop.
void more_of(Statement& statement, const std::string& what) {
    statement.text.pop_back();
    statement.text += fmt::format("{} {}.", statement.from.size() == 1 ? "; so for" : ",", what);
}
} // namespace

void faster_than_bus(const Card& card, Statements& out) {
    const double bus = largest_of(card, "bus_bytes_per_second"), caches = largest_of(card, "cache_bytes");
    if (bus <= 0 || caches <= 0) return;
    std::vector<std::pair<std::string, std::string>> told; // device and path
    std::optional<std::size_t> memory;                     // the statement about all paths to the card's own memory
    for (const Curve& curve : card.curves) {
        const std::string& probe = curve.series->id.probe; // whose x is a footprint
        if (!curve.usable() || !curve.path || (probe != "bandwidth" && probe != "stream") || of_processor(curve)) continue;
        const Family family = family_of(*curve.path);
        const Point* point =
            curve.path->stage == Stage::nothing && (family == Family::memory || family == Family::host) ? too_fast(curve, bus, caches) : nullptr;
        if (!point || std::find(told.begin(), told.end(), std::pair{curve.series->id.device, curve.series->id.path}) != told.end()) continue;
        told.emplace_back(curve.series->id.device, curve.series->id.path);
        const std::string who = fmt::format("{} through {}", curve.series->id.path, curve.series->id.device), rate = format_si(*point->median * 1e9, "B/s"), at = format_bytes(point->x);
        const double share = *point->median * 1e9 / bus * 100;
        if (family == Family::host)
            out.push_back(statement(fmt::format("{} carries {} at {}, {:.0f} % of what the card's own memory bus carries: that is not the way to the host.", who, rate, at, share), {&curve}));
        else if (!memory)
            memory = out.size(), out.push_back(statement(fmt::format("{} carries {} at {}, {:.0f} % of what the memory's bus carries: something else answered.", who, rate, at, share), {&curve}));
        else
            more_of(out[*memory], fmt::format("{} ({} at {})", who, rate, at));
        Statement& said = family == Family::host ? out.back() : out[*memory];
        if (family != Family::host && said.from[0].series != curve.series->id) {
            Statement more = statement("", {&curve});
            said.evidence.push_back(more.evidence[0]);
            said.from.push_back(more.from[0]);
        }
        said.from.back().x = {point->x};
    }
}

void timers_disagree(const Card& card, Statements& out) {
    for (const Curve& curve : card.curves) {
        const auto ratio = evidence_number(*curve.series, "/timers/host_over_device");
        if (!ratio || std::abs(*ratio - 1) <= kTimersApart + 3 * evidence_number(*curve.series, "/timers/error").value_or(0)) continue;
        out.push_back(statement(
            fmt::format("Timers disagree on {}: by the host's clock a step takes {:.2f} times what it takes by the device's.", curve.series->id.text(), *ratio),
            {&curve}));
    }
}

void clock_moved(const Card& card, Statements& out) {
    const Curve *slowest = nullptr, *fastest = nullptr;
    const auto typical = [](const Curve* curve) { return median(clocks_of(*curve->series)); };
    for (const Curve& curve : card.curves) {
        const std::vector<double> clocks = clocks_of(*curve.series);
        if (clocks.size() < kFewestClocks || curve.series->id.probe == "l1-per-core") continue; // its counter was one wave's of several, once
        if (!slowest || typical(&curve) < typical(slowest)) slowest = &curve;
        if (!fastest || typical(&curve) > typical(fastest)) fastest = &curve;
        const std::vector<double> smooth = smoothed(clocks);
        const double low = quantile(smooth, 0.1), high = quantile(smooth, 0.9);
        if (high - low > kClockMoved * high)
            out.push_back(
                statement(fmt::format("The core's clock moved during {}: between {:.0f} and {:.0f} MHz.", curve.series->id.text(), low, high), {&curve}));
    }
    if (slowest && typical(fastest) - typical(slowest) > kClockMoved * typical(fastest))
        out.push_back(statement(fmt::format("The core's clock moved from series to series: {:.0f} MHz in {}, {:.0f} MHz in {}; compare cycles, not ns.",
                                            typical(slowest), slowest->series->id.text(), typical(fastest), fastest->series->id.text()),
                                {slowest, fastest}));
}

void series_failed(const Card& card, Statements& out) {
    for (const Curve& curve : card.curves)
        if (curve.series->status == Status::failed)
            out.push_back(statement(fmt::format("{} failed: {}.", curve.series->id.text(), curve.series->reason), {&curve}));
}

} // namespace sonde
