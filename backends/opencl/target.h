// What OpenCL can be asked for without a driver.
#pragma once
#include <optional>
#include <string>

#include "core/path.h"

namespace sonde::opencl {

/// Why the dialect has no form of a path; nullopt: it has one. A device may still refuse it.
std::optional<std::string> why_no_form(const Path&);

} // namespace sonde::opencl
