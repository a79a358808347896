#include "core/analysis/power.h"

#include <span>

namespace sonde {

namespace {
/// The card's power while the point at x was measured, as the driver averages it (NVML over about a second); else by
/// the energy counter, which moves in steps; or where no sample is of the point that of the whole series; 0: no
/// instrument told it.
double watts_at(const Series& series, double x) {
    const TelemetryEvidence& told = series.evidence.telemetry;
    for (const CardAtPoint& point : told.by_x)
        for (const auto& watts : {point.power_watts, point.energy_watts})
            if (point.x == x && watts) return *watts;
    return told.during.power_watts.value_or(NumberRange{}).median;
}
} // namespace

Power power_of(const Series& series) {
    Power power;
    for (const Point& point : std::span(series.points).subspan(series.points.size() > 1 ? 1 : 0)) {
        const double watts = watts_at(series, point.x);
        if (watts <= 0) continue;
        power.joules += watts, power.watts.push_back(watts); // in a second
        for (const Sample& sample : point.samples)
            power.work += sample.steps, power.busy += sample.device_ns.value_or(sample.host_ns) / 1e9;
    }
    return power;
}

} // namespace sonde
