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
constexpr double kHostScatters = 4e5; // ns: by the host's clock a launch scatters by so much (Vulkan, H200), which is
                                      // nothing that interrupts a kernel
constexpr std::size_t kFewestPairs = 9;
constexpr double kControlOff = 1.2; // times the usual: chains that lie elsewhere differ by less
constexpr std::size_t kFewestControls =
    4; // of 110 on a quiet card one was 15 % too fast, where part of the chain had stayed in L2

} // namespace

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

/// The control measurement beside a series that took longer than those of the other series.
std::optional<Doubt> control_doubt(const Series& series, const std::vector<ControlPoint>& all) {
    if (all.size() < kFewestControls) return std::nullopt;
    for (const ControlLatency latency : kControlLatencies) {
        std::vector<double> seen;
        seen.reserve(all.size());
        for (const ControlPoint& each : all) seen.push_back(each.*latency);
        const double usual = quantile(seen, 0.25);
        for (const ControlPoint& each : controls_of(series))
            if (each.*latency > kControlOff * usual)
                return Doubt{.kind = DoubtKind::control,
                    .measured = each.*latency,
                    .usual = usual,
                    .bytes = latency == &ControlPoint::small_ns ? 4096 : static_cast<double>(each.large_bytes)};
    }
    return std::nullopt;
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

/// Whether plain loads of a kernel read the series' buffer, which was asked for in the device's memory.
static bool is_of_device_buffer(const std::string& name) {
    const Path* path = find_path(name);
    return path && path->stage == Stage::nothing && (path->space == Space::global || path->space == Space::address);
}

void judge(Series& series, const DeviceInfo& device, const BestSeen& best, bool times_host) {
    if (series.status != Status::ok) return;
    std::vector<Doubt>& doubts = series.doubts;
    const auto& placement = series.evidence.placement;
    const auto& timers = series.evidence.timers;
    const double least = 0.9 * best.clock_mhz;
    const auto lowered =
        lowered_clock(series); // which is what the card does under this load, and no reason to doubt it
    if (const double clock = typical_clock(series);
        clock > 0 && clock < least && !(lowered && lowered->beside >= least))
        doubts.push_back({.kind = DoubtKind::low_clock, .measured = clock, .usual = best.clock_mhz});
    if (placement && placement->device_local == false && is_of_device_buffer(series.id.path))
        doubts.push_back({.kind = DoubtKind::placement});
    if (const double longer = device_over_host(series); longer > 1 + kTimersApart)
        doubts.push_back({.kind = DoubtKind::device_timer, .measured = longer});
    else if (timers && timers->disagree(kTimersApart))
        doubts.push_back({.kind = DoubtKind::host_timer, .measured = timers->host_over_device});
    if (!others_text(series).empty()) doubts.push_back({.kind = DoubtKind::other_processes});
    if (auto control = control_doubt(series, best.controls)) doubts.push_back(std::move(*control));
    if (!times_host && !device.cpu && !device.software) {
        if (auto scatter = scatter_doubt(series)) doubts.push_back(std::move(*scatter));
        if (const double later = later_steps(series); later > kStepsInterrupted)
            doubts.push_back({.kind = DoubtKind::interrupted, .measured = later});
    }
    if (!doubts.empty()) series.status = Status::unstable;
}

} // namespace sonde
