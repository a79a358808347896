// Clocks, places and timers that cast doubt on a series.
#include "core/run/judge.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/base/statistics.h"

namespace sonde {

double typical_clock(const Series& series) {
    std::vector<double> clocks;
    for (const Point& point : series.points)
        if (point.clock_mhz) clocks.push_back(*point.clock_mhz);
    if (const auto& clock = series.evidence.clock; clocks.empty() && clock)
        for (const auto& mhz : {clock->before_mhz, clock->after_mhz})
            if (mhz) clocks.push_back(*mhz);
    return clocks.empty() ? 0 : median(clocks);
}

namespace {
constexpr double kTimersApart = 0.1; // beyond what few short walks leave in doubt

/// How much longer launches took by the device's clock than the host waited for them, which cannot be: the median of what was timed by both.
double device_over_host(const Series& series) {
    std::vector<double> ratios;
    for (const Point& point : series.points)
        for (const Sample& sample : point.samples)
            if (sample.device_ns && sample.host_ns > 0) ratios.push_back(*sample.device_ns / sample.host_ns);
    return ratios.empty() ? 0 : median(ratios);
}
} // namespace

void judge(Series& series, double highest_clock_mhz) {
    if (series.status != Status::ok) return;
    std::vector<std::string> doubts;
    const auto& placement = series.evidence.placement;
    const auto& timers = series.evidence.timers;
    if (const double clock = typical_clock(series); clock > 0 && clock < 0.9 * highest_clock_mhz)
        doubts.push_back(fmt::format("the core ran at {:.0f} MHz, below 90 % of the {:.0f} MHz seen on this card", clock, highest_clock_mhz));
    if (placement && placement->device_local == false && series.id.path.starts_with("global")) doubts.push_back(fmt::format("the buffer landed in {}", placement->text));
    if (const double longer = device_over_host(series); longer > 1 + kTimersApart)
        doubts.push_back(fmt::format("timers disagree: by the device's clock a launch takes {:.4g} times what the host waited for it", longer));
    else if (timers && timers->disagree(kTimersApart))
        doubts.push_back(fmt::format("timers disagree: by the host's clock a step takes {:.2f} times what it takes by the device's", *timers->host_over_device));
    if (doubts.empty()) return;
    series.status = Status::unstable;
    series.reason = fmt::format("{}{}{}", fmt::join(doubts, "; "), series.reason.empty() ? "" : "; ", series.reason);
}

} // namespace sonde
