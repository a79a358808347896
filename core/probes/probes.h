// What all files of probes use.
#pragma once
#include <algorithm>

#include <fmt/format.h>

#include "core/base/text.h"
#include "core/measure/structure_probe.h"
#include "core/probes/probe.h"

namespace sonde {

/// A chase alone, as several probes measure with.
KernelChoice latency_kernel(const DeviceInfo&, const Path&, const Options&);
std::vector<std::string_view> every_path();
/// Option `other_path`: the second path of a probe that takes two.
Choice<const Path*> other_path(const std::vector<std::string_view>& names);

} // namespace sonde
