// What CUDA can be asked for without a driver.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "core/device/path.h"

namespace sonde::cuda {

/// For a table behind the arguments: what pointers and arguments leave of the 4,096 bytes of a kernel's parameters (PUSH_WORDS).
inline constexpr std::uint32_t kPushBytes = 4000;

/// Why there is no CUDA form of a path for this compute capability (times ten); nullopt: there is one.
std::optional<std::string> why_no_form(const Path&, int capability);

} // namespace sonde::cuda
