// A card's instruments, sampled while a series is measured.
#pragma once
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/device/telemetry.h"

namespace sonde {

/// Samples a device's instruments in a thread of its own from construction on.
class TelemetrySampler {
public:
    /// Tries the sources in order.
    TelemetrySampler(std::span<const OpenTelemetry> sources, const DeviceInfo& info);
    /// What was sampled since the last point belongs to this one.
    void point_measured(double x);
    /// Stops. {"source","before","after","during":{field:{"low","median","high"},"samples","throttled_by"},"by_x":[{"x",field: median}] of points that lasted half a second or more,"state","absent":{field: reason}},
    /// and "others", the processes of other programs that used the card before or after ([{"pid","busy_percent"}]); or {"absent":"reason"} where there are no instruments.
    Json finish();

private:
    std::unique_ptr<Telemetry> telemetry_;
    std::string why_absent_;
    Json absent_ = Json::object(), before_, state_;
    std::mutex mutex_; // of samples_
    std::vector<Json> samples_;
    std::vector<std::pair<double, std::size_t>> points_; // x, and the samples until its end
    std::vector<CardUser> others_;
    std::jthread thread_; // stops before what it samples into goes
};

} // namespace sonde
