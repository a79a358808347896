// What a control group leaves to a device that is a processor.
#include "core/device/memory_limit.h"

#include <algorithm>
#include <cstdint>

#include <fmt/format.h>

#include "core/base/text.h"

namespace sonde {

void keep_to_limits(DeviceInfo& info, const ProcessLimits& limits) {
    if (!info.cpu || !limits.memory_bytes || *limits.memory_bytes >= info.memory_bytes) return;
    constexpr std::uint64_t kPart = 4; // of the limit: a driver, its compiler and copies of a buffer take the rest
    info.facts.push_back({"memory limit",
        fmt::format("{} of {}", format_bytes(*limits.memory_bytes), format_bytes(info.memory_bytes)), "control group"});
    info.memory_bytes = *limits.memory_bytes;
    if (const std::uint64_t most = *limits.memory_bytes / kPart; most < info.largest_buffer) {
        info.largest_buffer = most;
        info.largest_buffer_limit = "a quarter of what its control group allows";
    }
}

} // namespace sonde
