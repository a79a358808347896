// The list of backends: the only place that names them all.
#pragma once
#include <span>

#include "core/device.h"

namespace sonde {

std::span<const Backend> all_backends();

Opened open_host();
Opened open_cuda();
Opened open_opencl();
Opened open_vulkan();

} // namespace sonde
