// Which NVIDIA chip a device is, by what its API says of it.
#pragma once
#include <span>

#include "core/device/device.h"

namespace sonde {

/// Compute capability times ten, as CUDA or OpenCL gives it: 90; 0: the facts do not tell.
int compute_capability(std::span<const Fact>);

} // namespace sonde
