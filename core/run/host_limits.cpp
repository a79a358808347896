// Written by a worker, read by whoever shows a run.
#include "core/run/host_limits.h"

#include <cstdint>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/base/text.h"

namespace sonde {

namespace {
constexpr const char *kUsable = "usable_cores", *kTime = "processor_time", *kMemory = "memory_limit_bytes";
}

Json host_fields(const HostSystem& system, const ProcessLimits& limits) {
    Json host{{"system", system.system}, {"release", system.release}, {"machine", system.machine},
        {"cores", system.cores}, {"memory_bytes", system.memory_bytes}};
    if (limits.processors > 0 && limits.processors < system.cores) host[kUsable] = limits.processors;
    if (limits.processor_time && *limits.processor_time < static_cast<double>(system.cores))
        host[kTime] = *limits.processor_time;
    if (limits.memory_bytes && *limits.memory_bytes < system.memory_bytes) host[kMemory] = *limits.memory_bytes;
    return host;
}

std::string limits_text(const Json& host) {
    std::vector<std::string> parts;
    const double cores = number_field(host, "cores"), usable = number_field(host, kUsable),
                 time = number_field(host, kTime), memory = number_field(host, kMemory);
    if (usable > 0) parts.push_back(fmt::format("{:.0f} of {:.0f} processors", usable, cores));
    if (time > 0) parts.push_back(fmt::format("the time of {:g} of {:.0f} processors", time, cores));
    if (memory > 0) parts.push_back(fmt::format("{} of memory", format_bytes(static_cast<std::uint64_t>(memory))));
    return parts.empty() ? "" : fmt::format("this process may use {}", fmt::join(parts, ", "));
}

std::string why_killed(std::optional<std::uint64_t> kills_before, std::optional<std::uint64_t> kills_after,
    std::optional<std::uint64_t> limit) {
    const std::string group = limit ? fmt::format("its control group allows {}", format_bytes(*limit)) : "";
    if (kills_after && kills_after > kills_before)
        return fmt::format(" for want of memory{}", limit ? fmt::format(" ({})", group) : "");
    return limit ? fmt::format(" ({} of memory)", group) : "";
}

void check_dispatch_limit(double milliseconds, std::optional<double> watchdog) {
    constexpr double kShare = 0.9; // of the watchdog's time; the rest is what the driver does around a dispatch
    if (!watchdog || milliseconds <= kShare * *watchdog) return;
    throw UsageError(
        fmt::format("--dispatch-limit {:g}: this system resets a card after {:g} ms (TDR); give {:g} or less",
            milliseconds, *watchdog, kShare * *watchdog));
}

} // namespace sonde
