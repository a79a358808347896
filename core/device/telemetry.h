// What stands around a measurement: a card's clocks, power, temperature and what holds them back, sampled while a
// series is measured.
#pragma once
#include <array>
#include <cstdint>
#include <map>
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
    static constexpr auto fields = std::tuple{Field{"pid", &CardUser::pid, "process id"},
        Field{"busy_percent", &CardUser::busy_percent, "of the card's cores in the last second; null: not reported"}};
};

/// What instruments show as numbers, each a `Number` or, of many samples, something made of them. Of what nobody tells
/// there is none.
template <class Number> struct CardNumbers {
    std::optional<Number> core_mhz{}, memory_mhz{}, power_watts{}, energy_joules{}, temperature_celsius{};
    bool operator==(const CardNumbers&) const = default;
    static constexpr auto fields = std::tuple{where_known("core_mhz", &CardNumbers::core_mhz, "MHz of the cores"),
        where_known("memory_mhz", &CardNumbers::memory_mhz, "MHz of the memory"),
        where_known("power_watts", &CardNumbers::power_watts, "W, as the driver averages it"),
        where_known("energy_joules", &CardNumbers::energy_joules, "J since a beginning of the counter's own"),
        where_known("temperature_celsius", &CardNumbers::temperature_celsius, "of the card")};
    static constexpr std::array members{&CardNumbers::core_mhz, &CardNumbers::memory_mhz, &CardNumbers::power_watts,
        &CardNumbers::energy_joules, &CardNumbers::temperature_celsius};
};

/// What moves, at one time.
struct CardSample : CardNumbers<double> {
    std::optional<std::vector<std::string>> throttled_by{};
    bool operator==(const CardSample&) const = default;
    bool empty() const { return *this == CardSample{}; }
    static constexpr auto fields = std::tuple_cat(CardNumbers::fields,
        std::tuple{where_known("throttled_by", &CardSample::throttled_by, "what holds the clocks back")});
};

/// What seldom changes.
struct CardState {
    std::optional<double> pcie_generation{}, pcie_width{}, power_limit_watts{};
    std::optional<bool> ecc{}, mig{}, persistence{};
    bool operator==(const CardState&) const = default;
    bool empty() const { return *this == CardState{}; }
    static constexpr auto fields =
        std::tuple{where_known("pcie_generation", &CardState::pcie_generation, "of the link to the host"),
            where_known("pcie_width", &CardState::pcie_width, "lanes of that link"),
            where_known("ecc", &CardState::ecc, "the memory's errors are corrected"),
            where_known("mig", &CardState::mig, "the card is split"),
            where_known("persistence", &CardState::persistence, "the driver stays loaded"),
            where_known("power_limit_watts", &CardState::power_limit_watts, "W that the driver holds the card below")};
};

/// Why fields could not be read, by their names.
using AbsentFields = std::map<std::string, std::string>;
/// Gives every field that was not read this reason.
template <class T> void name_absent(const T& read, const char* why, AbsentFields& absent) {
    std::apply(
        [&](const auto&... field) {
            (void(std::invoke(field.at, read) || absent.emplace(field.name, why).second), ...);
        },
        T::fields);
}

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
