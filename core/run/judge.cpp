// Clocks, places and timers that cast doubt on a series.
#include "core/run/judge.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "core/base/statistics.h"
#include "core/base/text.h"
#include "core/device/telemetry.h"

namespace sonde {

double typical_clock(const Series& series) {
    std::vector<double> clocks = clocks_of(series);
    if (const auto& clock = series.evidence.clock; clocks.empty() && clock)
        for (const auto& mhz : {clock->before_mhz, clock->after_mhz})
            if (mhz) clocks.push_back(*mhz);
    return clocks.empty() ? 0 : median(clocks);
}

double clock_beside(const Series& series) {
    const auto& clock = series.evidence.clock;
    const double highest = clock ? std::max(clock->before_mhz.value_or(0), clock->after_mhz.value_or(0)) : 0;
    return highest > 0 ? highest : typical_clock(series);
}

namespace {
constexpr double kTimersApart = 0.1;  // beyond what few short walks leave in doubt
constexpr double kOff = 1.3;          // times a point's median
constexpr double kMostOff = 0.1;      // share of such pairs
constexpr double kNearlyAll = 0.9;    // of those
constexpr std::size_t kFewestOff = 2; // one pair of nine moves no median
constexpr double kLongByHost = 2e6;   // ns, against which that scatter is little
constexpr double kHostScatters = 4e5; // ns: by the host's clock a launch scatters by so much (Vulkan, H200), which is
                                      // nothing that interrupts a kernel
constexpr std::size_t kFewestPairs = 9;
constexpr double kControlOff = 1.2; // times the usual: chains that lie elsewhere differ by less
constexpr std::size_t kFewestControls =
    4;                      // of 110 on a quiet card one was 15 % too fast, where part of the chain had stayed in L2
constexpr double kBusy = 5; // percent of a card that another process takes

/// How much longer launches took by the device's clock than the host waited for them, which cannot be: the median of
/// what was timed by both.
double device_over_host(const Series& series) {
    std::vector<double> ratios;
    for (const Point& point : series.points)
        for (const Sample& sample : point.samples)
            if (sample.device_ns && sample.host_ns > 0) ratios.push_back(*sample.device_ns / sample.host_ns);
    return ratios.empty() ? 0 : median(ratios);
}
} // namespace

std::optional<Scatter> scatter_of(const Series& series) {
    std::size_t pairs = 0, off = 0, off_in_block = 0, off_there = 0;
    double blocks_apart = 1;
    std::vector<double> there; // points where many are off
    const auto is_off = [](double slope, double middle) { return slope > middle * kOff || slope < middle / kOff; };
    for (const Point& point : series.points) {
        Timer timer = Timer::device;
        std::vector<double> slopes = slopes_ns(point.samples, timer);
        if (slopes.empty() &&
            std::ranges::any_of(point.samples, [](const Sample& sample) { return sample.host_ns >= kLongByHost; }))
            slopes = slopes_ns(point.samples, timer = Timer::host);
        if (slopes.size() < 3) continue;
        pairs += slopes.size();
        const double middle = median(slopes);
        const auto off_here = static_cast<std::size_t>(
            std::ranges::count_if(slopes, [&](double slope) { return is_off(slope, middle); }));
        off += off_here;
        if (static_cast<double>(off_here) > kMostOff * static_cast<double>(slopes.size()))
            there.push_back(point.x), off_there += off_here;
        double least = INFINITY, most = 0; // of blocks
        std::map<int, std::vector<Sample>> blocks;
        for (const Sample& sample : point.samples) blocks[sample.block].push_back(sample);
        for (const auto& [number, samples] : blocks)
            if (const std::vector<double> block = slopes_ns(samples, timer); !block.empty()) {
                const double of_block = median(block);
                least = std::min(least, of_block), most = std::max(most, of_block);
                off_in_block += static_cast<std::size_t>(
                    std::ranges::count_if(block, [&](double slope) { return is_off(slope, of_block); }));
            }
        blocks_apart = std::max(blocks_apart, most / least);
    }
    if (pairs < kFewestPairs) return std::nullopt;
    if (2 * there.size() > series.points.size() ||
        static_cast<double>(off_there) < kNearlyAll * static_cast<double>(off))
        there.clear();
    const double all = static_cast<double>(pairs);
    return Scatter{
        static_cast<double>(off) / all, static_cast<double>(off_in_block) / all, off, blocks_apart, std::move(there)};
}

namespace {
/// What many samples far from their point's median may come from; "" where they are few.
std::string scatter_doubt(const Series& series) {
    const auto scatter = scatter_of(series);
    if (!scatter || scatter->off < kFewestOff || scatter->share <= kMostOff) return "";
    std::vector<std::string> places;
    for (const double x : scatter->at)
        places.push_back(series.x.unit == "bytes"
                             ? format_bytes(x)
                             : fmt::format("{:g}{}{}", x, series.x.unit.empty() ? "" : " ", series.x.unit));
    constexpr std::size_t kFewPlaces = 3;
    const std::string where = places.empty() ? ""
                              : places.size() > kFewPlaces
                                  ? fmt::format(", nearly all at {} of {} points", places.size(), series.points.size())
                                  : fmt::format(", nearly all at {} {}", series.x.name, fmt::join(places, " and "));
    const std::string text = fmt::format(
        "{:.0f} % of the samples are more than 30 % off their point's median{}", scatter->share * 100, where);
    if (scatter->share_in_block <= kMostOff)
        return text + fmt::format("; those of each block agree, and blocks differ up to {:.3g} times, cause unknown",
                          scatter->blocks_apart);
    return text + "; cause unknown" + (places.empty() ? ", another process on this card would do it" : "");
}
} // namespace

std::string others_text(const Series& series) {
    std::vector<std::string> others;
    for (const CardUser& user : series.evidence.telemetry.others.value_or(std::vector<CardUser>{}))
        if (user.busy_percent.value_or(0) >= kBusy)
            others.push_back(fmt::format("pid {}, {:.0f} % busy", user.pid, *user.busy_percent));
    if (others.empty()) return "";
    return fmt::format("{} this card ({})", others.size() == 1 ? "another process uses" : "other processes use",
        fmt::join(others, "; "));
}

namespace {
using ControlLatency = double ControlPoint::*;
constexpr ControlLatency kControlLatencies[] = {&ControlPoint::small_ns, &ControlPoint::large_ns};

std::vector<ControlPoint> controls_of(const Series& series) {
    std::vector<ControlPoint> points;
    if (series.evidence.control)
        for (const auto& each : {series.evidence.control->before, series.evidence.control->after})
            if (each) points.push_back(*each);
    return points;
}

/// What the control measurements around a series say of the card; "" where they are as fast as in the other series.
std::string control_doubt(const Series& series, const std::vector<ControlPoint>& all) {
    if (all.size() < kFewestControls) return "";
    for (const ControlLatency latency : kControlLatencies) {
        std::vector<double> seen;
        seen.reserve(all.size());
        for (const ControlPoint& each : all) seen.push_back(each.*latency);
        const double usual = quantile(seen, 0.25);
        for (const ControlPoint& each : controls_of(series))
            if (each.*latency > kControlOff * usual)
                return fmt::format("the control measurement beside it took {:.4g} ns a load over {}, usually {:.4g} ns "
                                   "in this run: consistent with another process or a lower clock",
                    each.*latency, format_bytes(latency == &ControlPoint::small_ns ? 4096 : each.large_bytes), usual);
    }
    return "";
}
} // namespace

TimersEvidence timers_of(const Series& series, Timer value_from) {
    std::vector<double> ratios;
    double scatter = 0; // as a share of a dispatch
    for (const Point& point : series.points) {
        const auto host = slopes_ns(point.samples, Timer::host), device = slopes_ns(point.samples, Timer::device);
        if (device.empty() || !is_long_enough(point.samples, median(device))) continue;
        if (!host.empty()) ratios.push_back(median(host) / median(device));
        if (series.points.size() > 1 || host.size() != device.size()) continue;
        ratios.clear(); // one point alone tells its doubt by its pairs
        for (std::size_t pair = 0; pair < host.size(); ++pair) ratios.push_back(host[pair] / device[pair]);
        if (host.size() < kFewestPairs)
            scatter =
                kHostScatters /
                (median(device) * (point.samples[1].steps - point.samples[0].steps)); // all of few pairs may be off
    }
    const double error = ratios.size() < 2 ? 0 : relative_error_of_median(ratios);
    return {value_from, ratios.empty() ? std::nullopt : std::optional(median(ratios)),
        std::max(error, scatter / 3)}; // disagree() allows three of these
}

void note_controls(std::vector<ControlPoint>& controls, const Series& series) {
    if (!series.evidence.control) return;
    const auto& [before, after] = *series.evidence.control;
    if (before && (controls.empty() || controls.back() != *before))
        controls.push_back(*before); // it may stand behind another series already
    if (after) controls.push_back(*after);
}

void judge(Series& series, const DeviceInfo& device, const BestSeen& best, bool times_host) {
    if (series.status != Status::ok) return;
    std::vector<std::string> doubts;
    const auto& placement = series.evidence.placement;
    const auto& timers = series.evidence.timers;
    const double least = 0.9 * best.clock_mhz;
    const auto lowered =
        lowered_clock(series); // which is what the card does under this load, and no reason to doubt it
    if (const double clock = typical_clock(series);
        clock > 0 && clock < least && !(lowered && lowered->beside >= least))
        doubts.push_back(fmt::format(
            "the core ran at {:.0f} MHz, below 90 % of the {:.0f} MHz seen on this card", clock, best.clock_mhz));
    if (placement && placement->device_local == false && series.id.path.starts_with("global"))
        doubts.push_back(fmt::format("the buffer landed in {}", placement->text));
    if (const double longer = device_over_host(series); longer > 1 + kTimersApart)
        doubts.push_back(fmt::format(
            "timers disagree: by the device's clock a launch takes {:.4g} times what the host waited for it", longer));
    else if (timers && timers->disagree(kTimersApart))
        doubts.push_back(
            fmt::format("timers disagree: by the host's clock a step takes {:.2f} times what it takes by the device's",
                *timers->host_over_device));
    if (const std::string others = others_text(series); !others.empty()) doubts.push_back(others);
    if (const std::string control = control_doubt(series, best.controls); !control.empty()) doubts.push_back(control);
    if (const std::string scatter = scatter_doubt(series);
        !scatter.empty() && !times_host && !device.cpu && !device.software)
        doubts.push_back(scatter);
    if (const double later = later_steps(series);
        later > kStepsInterrupted && !times_host && !device.cpu && !device.software)
        doubts.push_back(fmt::format("steps that a longer dispatch adds take {:.2g} times those of a shorter one with "
                                     "its launch: something interrupted the longer ones",
            later));
    if (doubts.empty()) return;
    series.status = Status::unstable;
    series.reason = fmt::format("{}{}{}", fmt::join(doubts, "; "), series.reason.empty() ? "" : "; ", series.reason);
}

} // namespace sonde
