// How many instructions a core issues, as vendors document it.
#pragma once
#include <optional>
#include <span>

#include "core/device/device.h"

namespace sonde {

/// Instructions, each of a work-item, that a core issues in a clock: one of a subgroup by each scheduler; nullopt: the
/// facts do not name the chip, or its vendor documents none. Of NVIDIA's: CUDA C++ Programming Guide, "Multiprocessor
/// Level" and "Compute Capabilities".
std::optional<double> documented_issue(std::span<const Fact>);

} // namespace sonde
