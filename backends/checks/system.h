// What differs by the system: which checks it has, and whether files name its drivers.
#pragma once
#include <span>

#include "core/device/checkup.h"

namespace sonde {

/// In the order in which they are made.
std::span<const Check> checks_here();
/// APIs whose loaders find drivers by files, or by variables that name some.
std::span<const ApiDrivers> drivers_here();

} // namespace sonde
