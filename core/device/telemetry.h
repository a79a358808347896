// What stands around a measurement: a card's clocks, power, temperature and what holds them back, sampled while a series is measured.
#pragma once
#include <memory>
#include <string>

#include "core/base/json.h"
#include "core/device/device.h"

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

} // namespace sonde
