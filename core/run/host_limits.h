// What a run's machine leaves to this process, as its header keeps it.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "core/base/json_fwd.h"
#include "core/base/limits.h"
#include "core/base/system.h"

namespace sonde {

/// Fields of a header's `host`: the machine's, and those of limits that there are.
Json host_fields(const HostSystem&, const ProcessLimits&);
/// "this process may use 2 of 64 processors, 150 MiB of memory"; "": all.
std::string limits_text(const Json& host);

/// What to say of a process that ended by SIGKILL, by kills_for_memory() before and after, and the limit of its control
/// group: " for want of memory (its control group allows 150 MiB)"; "": nothing points to memory.
std::string why_killed(std::optional<std::uint64_t> kills_before, std::optional<std::uint64_t> kills_after,
    std::optional<std::uint64_t> limit);

/// Throws UsageError where a dispatch of `milliseconds` might be taken for a hung card by a watchdog of that many.
void check_dispatch_limit(double milliseconds, std::optional<double> watchdog);

} // namespace sonde
