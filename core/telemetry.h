// What stands around a measurement: a card's clocks, power, temperature and what holds them back, sampled while a series is measured.
#pragma once
#include <condition_variable>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "core/device.h"
#include "core/series.h"

namespace sonde {

/// One card's instruments. Fields: core_mhz, memory_mhz, power_watts, temperature_celsius (numbers), throttled_by (list of words), and of
/// what seldom changes pcie_generation, pcie_width, ecc, mig, persistence.
class Telemetry {
public:
    virtual ~Telemetry() = default;
    /// "NVML", "sysfs".
    virtual std::string source() const = 0;
    /// What moves. A field that cannot be read is left out; `absent` says why, by field, where it is asked for.
    virtual Json now(Json* absent = nullptr) = 0;
    /// What seldom changes.
    virtual Json state(Json& absent) = 0;
};

struct OpenedTelemetry {
    std::unique_ptr<Telemetry> telemetry;
    std::string absent; // why there is none
};
/// Opens a device's instruments, by its UUID or PCI address.
using OpenTelemetry = OpenedTelemetry (*)(const DeviceInfo&);

/// Samples a device's instruments in a thread of its own from construction on.
class TelemetrySampler {
public:
    /// Tries the sources in order.
    TelemetrySampler(std::span<const OpenTelemetry> sources, const DeviceInfo& info);
    ~TelemetrySampler();
    TelemetrySampler(const TelemetrySampler&) = delete;
    /// Stops. {"source","before","after","during":{field:{"low","median","high"},"samples","throttled_by"},"state","absent":{field: reason}},
    /// or {"absent":"reason"} where there are no instruments.
    Json finish();

private:
    void sample();
    std::unique_ptr<Telemetry> telemetry_;
    std::string why_absent_;
    Json absent_ = Json::object(), before_, state_;
    std::vector<Json> samples_;
    std::mutex mutex_;
    std::condition_variable stop_;
    bool stopped_ = false;
    std::thread thread_;
};

} // namespace sonde
