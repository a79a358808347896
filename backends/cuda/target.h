// What CUDA can be asked for without a driver.
#pragma once
#include <optional>
#include <string>

#include "core/path.h"

namespace sonde::cuda {

/// Why there is no CUDA form of a path for this compute capability (times ten); nullopt: there is one.
std::optional<std::string> why_no_form(const Path&, int capability);

} // namespace sonde::cuda
