// A card's instruments, sampled while a series is measured.
#pragma once
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/data/evidence.h"

namespace sonde {

/// Samples a device's instruments in a thread of its own from construction on.
class TelemetrySampler {
public:
    /// Tries the sources in order.
    TelemetrySampler(std::span<const OpenTelemetry> sources, const DeviceInfo& info);
    /// What was sampled since the last point belongs to this one.
    void point_measured(double x);
    /// Stops.
    TelemetryEvidence finish();

    struct Taken {
        CardSample sample;
        double seconds; // when, by the steady clock
    };

private:
    std::unique_ptr<Telemetry> telemetry_;
    TelemetryEvidence told_;
    std::mutex mutex_; // of samples_
    std::vector<Taken> samples_;
    std::vector<std::pair<double, std::size_t>> points_; // x, and the samples until its end
    std::jthread thread_;                                // stops before what it samples into goes
};

} // namespace sonde
