// Rules about what makes a number doubtful.
#include <algorithm>
#include <cmath>
#include <set>

#include "core/base/statistics.h"
#include "core/base/text.h"
#include "core/data/profile.h"
#include "core/diagnosis/overview.h"
#include "core/diagnosis/rules.h"

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

/// " (132 cores x 32 KiB)", where a reported size is so many KiB for each core.
std::string of_cores_text(double bytes, double cores) {
    return cores > 1 && std::fmod(bytes, cores * 1024) == 0
               ? fmt::format(" ({:.0f} cores x {})", cores, format_bytes(bytes / cores))
               : "";
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
} // namespace

const Rule buffer_elsewhere{"buffer_elsewhere", "suspect", [](const Card& card, Statements& out) {
                                for (const Curve& curve : card.curves) {
                                    const auto& placement = curve.series->evidence.placement;
                                    if (!curve.path || family_of(*curve.path) == Family::host ||
                                        curve.series->points.empty() || of_processor(curve) || !placement ||
                                        placement->device_local != false)
                                        continue;
                                    say(out, {&curve}, "The buffer of {} landed in the system's memory: {}.",
                                        curve.series->id.text(), placement->text);
                                }
                            }};

const Rule reported_cache{
    "reported_cache", "suspect", [](const Card& card, Statements& out) {
        for (const DeviceRecord* device : card.devices) {
            const auto reported = static_cast<double>(device->cache_bytes);
            const Curve* curve = memory_curve(card, device->id);
            if (!curve || reported <= 0) continue;
            for (std::size_t i = 0; i < curve->levels.size(); ++i)
                if (const Finding& level = curve->levels[i];
                    reported > kInside * level.x.front() && reported < level.x.back() / kInside)
                    say(out, {curve},
                        "The driver of {} reports a cache of {}{}, but latency on {} has no step there: {} from {} to "
                        "{}.",
                        device_text(curve), format_bytes(reported), of_cores_text(reported, device->cores),
                        curve->series->id.path, latency_text(level), format_bytes(level.x.front()),
                        format_bytes(level.x.back()))
                        .from[0]
                        .x = level.x;
        }
    }};

/// Paths to the host a statement each; those to the card's own memory together.
const Rule faster_than_peak{
    "faster_than_peak", "suspect", [](const Card& card, Statements& out) {
        const double bus = card.largest(&DeviceInfo::bus_bytes_per_second),
                     caches = card.largest(&DeviceInfo::cache_bytes);
        if (bus <= 0 || caches <= 0) return;
        std::set<std::pair<std::string, std::string>> told; // device and path
        std::optional<std::size_t> memory;                  // the statement about all paths to the card's own memory
        for (const Curve& curve : card.curves) {
            const SeriesId& id = curve.series->id;
            const Probe* probe = find_probe(id.probe);
            const bool by_footprint = probe && probe->peak == Peak::dram && probe->x.axis == Axis::footprint;
            if (!by_footprint || !curve.usable() || !curve.path || !curve.series->evidence.random_reads.empty() ||
                of_processor(curve))
                continue; // of random data alone
            const bool host = family_of(*curve.path) == Family::host, own = family_of(*curve.path) == Family::memory;
            const Point* point =
                curve.path->stage == Stage::nothing && (host || own) ? too_fast(curve, bus, caches) : nullptr;
            if (!point || !told.emplace(id.device, id.path).second) continue;
            const std::string who = fmt::format("{} through {}", id.path, id.device),
                              does = kBandwidth.measured(id) ? "reads" : "reads or writes",
                              rate = rate_text(*point->median), at = format_bytes(point->x);
            const double share = *point->median * 1e9 / bus * 100;
            const double link = curve.device->host_link_bytes_per_second;
            const std::string beyond = host && link > 0
                                           ? fmt::format("above the host link's {}", format_si(link, "B/s"))
                                           : fmt::format("{:.0f} % of the peak of the card's DRAM", share);
            Statement one = statement(
                host ? fmt::format("{} {} {} at {}, {}: not served by the host.", who, does, rate, at, beyond)
                     : fmt::format(
                           "{} {} {} at {}, {:.0f} % of the DRAM's peak: not served by DRAM (cached or compressed).",
                           who, does, rate, at, share),
                {&curve});
            one.from[0].x = {point->x};
            if (own && memory) {
                Statement& all = out[*memory];
                all.text.pop_back(); // the full stop
                all.text += fmt::format("{} {} ({} at {}).", all.from.size() == 1 ? "; likewise" : ",", who, rate, at);
                all.evidence.push_back(one.evidence[0]);
                all.from.push_back(one.from[0]);
                continue;
            }
            if (own) memory = out.size();
            out.push_back(std::move(one));
        }
        for (const Curve* curve : curves_of(card, kBandwidthLatency)) {
            const double link = curve->device->host_link_bytes_per_second,
                         rate = curve->series->evidence.unthrottled_gb_per_s.value_or(0) * 1e9;
            if (curve->path && family_of(*curve->path) == Family::host && !of_processor(*curve) && link > 0 &&
                rate > kOverLink * link)
                say(out, {curve}, "{} streams {}, above the host link's {}: not served by the host.",
                    curve->series->id.text(), format_si(rate, "B/s"), format_si(link, "B/s"));
        }
    }};

const Rule faster_than_l2{
    "faster_than_l2", "suspect", [](const Card& card, Statements& out) {
        for (const Curve* curve : curves_of(card, kBandwidth)) {
            const Curve* global = plain_curve(card, kLatency, device_text(curve), "global");
            if (of_processor(*curve) || !global || curve->series->id.path == "global" || global->levels.size() < 3 ||
                global->level_names[0] != card.level_names[0] || !passes_l1(card, *curve))
                continue;
            const auto l2 = read_rate(card, *global, global->levels[1]);
            const auto& points = curve->series->points;
            const auto best = std::max_element(points.begin(), points.end(),
                [](const Point& a, const Point& b) { return a.median.value_or(0) < b.median.value_or(0); });
            if (!l2 || best->x >= on(global->levels[1]) || !(best->median.value_or(0) > kOverL2 * l2->gigabytes))
                continue;
            say(out, {curve, global},
                "{} through {} bypasses L1, yet reads {} at {}; global reads {} from L2 ({}): consistent with hits in "
                "a nearer cache, or fewer bytes than counted.",
                curve->series->id.path, device_text(curve), rate_text(*best->median), format_bytes(best->x),
                rate_text(l2->gigabytes), format_byte_range(l2->from, l2->to))
                .from[0]
                .x = {best->x};
        }
    }};

const Rule cut_short{
    "cut_short", "suspect", [](const Card& card, Statements& out) {
        constexpr std::size_t kNamed = 5; // more are counted
        Curves cut;
        for (const Curve& curve : card.curves)
            if (!curve.series->points.empty() && curve.series->status != Status::failed && ends_early(*curve.series))
                cut.push_back(&curve);
        Curves named = without_doubt(cut);
        if (named.empty()) return;
        named.resize(std::min(named.size(), kNamed));
        const char* of = cut.size() == 1 ? "s within its sweep, as its" : " within their sweep, as their";
        const char* which = cut.size() == 1              ? "It is "
                            : cut.size() == named.size() ? "They are "
                            : named.size() == 1          ? "Among them is "
                                                         : "Among them are ";
        say(out, named, "{} of {} series end{} time was over: some of their points are missing. {}{}.", cut.size(),
            with_points(card), of, which, list_text(named, [](const Curve* curve) { return curve->series->id.text(); }))
            .tells_all = false;
    }};

const Rule interrupted{"interrupted", "suspect", [](const Card& card, Statements& out) {
                           Curves scattered;
                           for (const Curve& curve : card.curves)
                               if (curve.scatters && curve.series->status == Status::ok) scattered.push_back(&curve);
                           if (scattered.empty()) return;
                           say(out, scattered,
                               "{} of {} series scatter, and no sentence below uses them: at a tenth of their points "
                               "quartiles of a step lie more than {:g} times apart, or at a point the steps that long "
                               "dispatches add take {:g} times as long as those of short ones. Cause unknown, such as "
                               "other work on the processor, or caches that serve short dispatches; {} {}.",
                               scattered.size(), with_points(card), kScattered, kStepsInterrupted,
                               scattered.size() > 1 ? "the first is" : "it is", scattered[0]->series->id.text());
                       }};

const Rule timers_disagree{
    "timers_disagree", "suspect", [](const Card& card, Statements& out) {
        Ranked apart; // by how far the two timers are
        for (const Curve& curve : card.curves) {
            const auto& timers = curve.series->evidence.timers;
            if (!timers || !timers->disagree(kTimersApart)) continue;
            const std::vector<double> clocks = clocks_of(*curve.series);
            if (clocks.size() >= kFewestClocks && std::ranges::max(clocks) < kSteadyClock * std::ranges::min(clocks))
                say(out, {&curve},
                    "Timers disagree on {}: by the host's clock a step takes {:.2f} times what it takes by the "
                    "device's. Core cycles over the device's time are {:.0f} MHz at every point, so the host's is in "
                    "doubt.",
                    curve.series->id.text(), *timers->host_over_device, median(clocks));
            else apart.emplace_back(std::max(*timers->host_over_device, 1 / *timers->host_over_device), &curve);
        }
        if (apart.empty()) return;
        apart = sorted(std::move(apart));
        const Curve& farthest = *apart[0].second;
        say(out, curves_in(apart),
            "Timers disagree on {}{}: by the host's clock a step takes {:.2f} times what it takes by the device's.",
            farthest.series->id.text(),
            apart.size() > 1 ? fmt::format(", and by less on {} more series", apart.size() - 1) : "",
            *farthest.series->evidence.timers->host_over_device);
    }};

const Rule clock_moved{
    "clock_moved", "suspect", [](const Card& card, Statements& out) {
        Ranked typical;
        for (const Curve& curve : card.curves) {
            const std::vector<double> clocks = clocks_of(*curve.series);
            const Probe* probe = find_probe(curve.series->id.probe);
            if (clocks.size() < kFewestClocks || (probe && probe->clock_of_one_subgroup)) continue;
            if (lowered_clock(*curve.series)) continue; // clock_under_load reports it
            typical.emplace_back(median(clocks), &curve);
            const std::vector<double> smooth = smoothed(clocks);
            const double low = quantile(smooth, 0.1), high = quantile(smooth, 0.9);
            if (high - low > kClockMoved * high)
                say(out, {&curve}, "The core's clock moved during {}: between {:.0f} and {:.0f} MHz.",
                    curve.series->id.text(), low, high);
        }
        if (typical.empty()) return;
        const auto by_clock = [](const auto& a, const auto& b) { return a.first < b.first; };
        const auto slowest = std::min_element(typical.begin(), typical.end(), by_clock),
                   fastest = std::max_element(typical.begin(), typical.end(), by_clock);
        if (fastest->first - slowest->first > kClockMoved * fastest->first)
            say(out, {slowest->second, fastest->second},
                "The core's clock moved from series to series: {:.0f} MHz in {}, {:.0f} MHz in {}; compare cycles, not "
                "ns.",
                slowest->first, slowest->second->series->id.text(), fastest->first, fastest->second->series->id.text());
    }};

namespace {
/// Series of `sustained` for which the driver names a power cap that the card's power contradicts: it stays below the
/// limit, or drew more in `other`, without a cap.
struct ContradictedCaps {
    Curves capped;
    const Curve* other = nullptr;
};
double drawn_watts(const Curve& curve) {
    return curve.series->evidence.telemetry.during.power_watts.value_or(NumberRange{}).median;
}

ContradictedCaps contradicted_caps(const Card& card) {
    constexpr double kMore = 1.05; // times: the power of one load varies by less
    ContradictedCaps found;
    const Curves all = curves_of(card, kSustained);
    for (const Curve* curve : all)
        if (!names_power_cap(*curve->series) && (!found.other || drawn_watts(*curve) > drawn_watts(*found.other)))
            found.other = curve;
    for (const Curve* curve : all) {
        if (!names_power_cap(*curve->series)) continue;
        const Series& series = *curve->series;
        const bool drew_more =
            found.other && drawn_watts(*found.other) >
                               kMore * series.evidence.telemetry.during.power_watts.value_or(NumberRange{}).high;
        if (series.evidence.telemetry.state.power_limit_watts ? below_power_limit(series) : drew_more)
            found.capped.push_back(curve);
    }
    return found;
}
} // namespace

const Rule cap_contradicted{
    "cap_contradicted", "suspect", [](const Card& card, Statements& out) {
        const auto [capped, other] = contradicted_caps(card);
        for (const Curves& alike : grouped(capped,
                 [](const Curve* curve) { return curve->series->evidence.telemetry.state.power_limit_watts; })) {
            const auto load = [](const Curve* curve) {
                return fmt::format(
                    "{} at {:.0f} W", option::operation.word(curve->series->id.options), drawn_watts(*curve));
            };
            const auto& told = alike[0]->series->evidence.telemetry;
            const std::string beside = told.state.power_limit_watts
                                           ? fmt::format(", of a limit of {:.0f} W", *told.state.power_limit_watts)
                                           : fmt::format(", yet none under {}", load(other));
            Statement& said = say(out, alike, "{} names a power cap under {}{}: cause unknown.",
                told.source.empty() ? "The driver" : told.source, list_text(alike, load), beside);
            said.tells_all = false;
        }
    }};

const Rule series_failed{
    "series_failed", "suspect", [](const Card& card, Statements& out) {
        for (const Curve& curve : card.curves)
            if (curve.series->status == Status::failed)
                say(out, {&curve}, "{} failed: {}.", curve.series->id.text(), first_words(curve.series->reason));
    }};

const Rule series_unstable{
    "series_unstable", "suspect", [](const Card& card, Statements& out) {
        Curves unstable;
        for (const Curve& curve : card.curves)
            if (curve.series->status == Status::unstable && !cites(out, curve.series->id))
                unstable.push_back(&curve); // another doubt has told it
        for (const Curves& alike : grouped(unstable, [](const Curve* curve) { return reason_text(*curve->series); })) {
            const std::string others = alike.size() > 1 ? fmt::format(" and {} more", alike.size() - 1) : "";
            say(out, {alike[0]}, "{}{}: unstable, and used by no sentence below. Reason: {}.",
                alike[0]->series->id.text(), others, reason_text(*alike[0]->series));
        }
    }};

} // namespace sonde
