// What OpenCL can be asked for without a driver.
#pragma once
#include <optional>
#include <string>

#include "core/device/path.h"

namespace sonde::opencl {

/// Whose words beyond OpenCL C the compiler takes: inline PTX, or AMD's meaning of volatile.
enum class Vendor { other, nvidia, amd };
/// The define by which the dialect knows it, "" for none.
std::string vendor_define(Vendor);

/// Why the dialect has no form of a path; nullopt: it has one. A device may still refuse it.
std::optional<std::string> why_no_form(const Path&, Vendor);

} // namespace sonde::opencl
