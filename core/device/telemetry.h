// What stands around a measurement: a card's clocks, power, temperature and what holds them back, sampled while a
// series is measured.
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/device/device.h"

namespace sonde {

/// A process that uses a card.
struct CardUser {
    std::uint32_t pid = 0;
    std::optional<double> busy_percent{}; // of the card's cores, in the last second; nullopt: not told
};

/// What instruments show as numbers, each a `Number` or, of many samples, something made of them. Of what nobody tells
/// there is none.
template <class Number> struct CardNumbers {
    std::optional<Number> core_mhz{}, memory_mhz{}, power_watts{}, energy_joules{}, temperature_celsius{};
    bool operator==(const CardNumbers&) const = default;
    static constexpr std::array members{&CardNumbers::core_mhz, &CardNumbers::memory_mhz, &CardNumbers::power_watts,
        &CardNumbers::energy_joules, &CardNumbers::temperature_celsius};
};

/// What moves, at one time.
struct CardSample : CardNumbers<double> {
    std::optional<std::vector<std::string>> throttled_by{};
    bool operator==(const CardSample&) const = default;
    bool empty() const { return *this == CardSample{}; }
};

/// What seldom changes.
struct CardState {
    std::optional<double> pcie_generation{}, pcie_width{}, pcie_best_generation{},
        pcie_best_width{}; // of the link to the host, and the best that card and slot could have
    std::optional<double> power_limit_watts{}, power_default_watts{}; // the limit, and what it is where nobody sets it
    std::optional<double> ecc_corrected{}, ecc_uncorrected{};         // errors since the driver was loaded
    std::optional<double> application_mhz{}, default_mhz{};           // of the cores: as set, and where nobody sets it
    std::optional<bool> ecc{}, mig{}, persistence{};
    bool operator==(const CardState&) const = default;
    bool empty() const { return *this == CardState{}; }
};

/// Why fields could not be read, by their names.
using AbsentFields = std::map<std::string, std::string>;
/// Gives every field that was not read this reason.
void name_absent(const CardSample& read, const char* why, AbsentFields& absent);
void name_absent(const CardState& read, const char* why, AbsentFields& absent);

/// One card's instruments.
class Telemetry {
public:
    virtual ~Telemetry() = default;
    /// "NVML", "sysfs".
    virtual std::string source() const = 0;
    /// `absent` says why a field was not read, where it is asked for.
    virtual CardSample now(AbsentFields* absent = nullptr) = 0;
    virtual CardState state(AbsentFields& absent) = 0;
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
