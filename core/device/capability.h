// Which NVIDIA chip a device is, by what its API says of it.
#pragma once
#include <span>

#include "core/device/device.h"

namespace sonde {

/// Compute capability times ten, as CUDA or OpenCL gives it: 90; 0: the facts do not tell.
int compute_capability(std::span<const Fact>);
/// The number that a fact's value begins with, "1980000 kHz"; 0: there is no such fact.
double number_of_fact(std::span<const Fact>, std::string_view name);

} // namespace sonde
