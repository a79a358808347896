// What stands around a measurement: a card's clocks, power, temperature and what holds them back, sampled while a series is measured.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "core/base/fields.h"
#include "core/device/device.h"

namespace sonde {

/// A process that uses a card.
struct CardUser {
    std::uint32_t pid = 0;
    std::optional<double> busy_percent{}; // of the card's cores, in the last second; nullopt: not told
    static constexpr auto fields = std::tuple{Field{"pid", &CardUser::pid, "process id"}, Field{"busy_percent", &CardUser::busy_percent, "of the card's cores in the last second; null: not reported"}};
};

/// One card's instruments. Fields: core_mhz, memory_mhz, power_watts, energy_joules (since a beginning of its own), temperature_celsius (numbers), throttled_by (list of words), and of
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
    /// The processes that use the card, this one included; none where the source does not list them.
    virtual std::vector<CardUser> users() { return {}; }
};

struct OpenedTelemetry {
    std::unique_ptr<Telemetry> telemetry;
    std::string absent; // why there is none
};
/// Opens a device's instruments, by its UUID or PCI address.
using OpenTelemetry = OpenedTelemetry (*)(const DeviceInfo&);

} // namespace sonde
