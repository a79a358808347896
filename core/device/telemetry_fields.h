// The fields of what a card's instruments show.
#pragma once
#include <tuple>

#include "core/base/fields.h"
#include "core/device/telemetry.h"

namespace sonde {

template <> inline constexpr auto fields_of<CardUser> = std::tuple{Field{"pid", &CardUser::pid, "process id"},
    Field{"busy_percent", &CardUser::busy_percent, "of the card's cores in the last second; null: not reported"}};

template <class Number> inline constexpr auto fields_of<CardNumbers<Number>> =
    std::tuple{where_known("core_mhz", &CardNumbers<Number>::core_mhz, "MHz of the cores"),
        where_known("memory_mhz", &CardNumbers<Number>::memory_mhz, "MHz of the memory"),
        where_known("power_watts", &CardNumbers<Number>::power_watts, "W, as the driver averages it"),
        where_known("energy_joules", &CardNumbers<Number>::energy_joules, "J since a beginning of the counter's own"),
        where_known("temperature_celsius", &CardNumbers<Number>::temperature_celsius, "of the card")};

template <> inline constexpr auto fields_of<CardSample> = std::tuple_cat(fields_of<CardNumbers<double>>,
    std::tuple{where_known("throttled_by", &CardSample::throttled_by, "what holds the clocks back")});

template <> inline constexpr auto fields_of<CardState> =
    std::tuple{where_known("pcie_generation", &CardState::pcie_generation, "of the link to the host"),
        where_known("pcie_width", &CardState::pcie_width, "lanes of that link"),
        where_known("pcie_best_generation", &CardState::pcie_best_generation, "that card and slot could have"),
        where_known("pcie_best_width", &CardState::pcie_best_width, "that card and slot could have"),
        where_known("ecc_corrected", &CardState::ecc_corrected, "errors of one bit since the driver was loaded"),
        where_known("ecc_uncorrected", &CardState::ecc_uncorrected, "errors that nothing corrected, since then"),
        where_known("ecc", &CardState::ecc, "the memory's errors are corrected"),
        where_known("mig", &CardState::mig, "the card is split"),
        where_known("persistence", &CardState::persistence, "the driver stays loaded"),
        where_known("power_limit_watts", &CardState::power_limit_watts, "W that the driver holds the card below"),
        where_known("power_default_watts", &CardState::power_default_watts, "that limit where nobody sets one"),
        where_known("application_mhz", &CardState::application_mhz, "MHz that the cores are set to"),
        where_known("default_mhz", &CardState::default_mhz, "that setting where nobody sets one")};

} // namespace sonde
