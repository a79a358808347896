// What this process was started with: LD_PRELOAD, and limits of memory and processors.
#include <filesystem>

#include <fmt/format.h>

#include "backends/checks/checks.h"
#include "backends/checks/libraries.h"
#include "core/base/json.h"
#include "core/base/limits.h"
#include "core/base/text.h"

namespace sonde {

namespace {
/// The linker says that it ignores what is missing, in a line before anything else, and goes on.
void add_preload_rows(const Surroundings& surroundings, std::vector<CheckRow>& rows) {
    std::string value = variable("LD_PRELOAD").value_or("");
    for (char& each : value)
        if (each == ':') each = ' ';
    for (const std::string& library : split(value, ' ')) {
        if (library.empty() || !surroundings.ask("library", library).contains("error")) continue;
        CheckRow row = wrong_variable("LD_PRELOAD", library);
        row.state = CheckState::note;
        rows.push_back(row);
    }
}

void add_limit_rows(const Surroundings& surroundings, std::vector<CheckRow>& rows) {
    constexpr std::uint64_t kMostOfDrivers = std::uint64_t{16} << 30; // addresses that NVIDIA's maps without a card's
    constexpr std::uint64_t kLittle = std::uint64_t{1} << 30;         // for a run's buffers and a driver's compiler
    const ProcessLimits limits = process_limits(surroundings.root);
    if (limits.address_bytes && *limits.address_bytes < kMostOfDrivers)
        rows.push_back({.check = "limit",
            .subject = "ulimit -v",
            .state = surroundings.absent.empty() ? CheckState::note : CheckState::problem,
            .found = fmt::format("{} of addresses: drivers map more", format_bytes(*limits.address_bytes)),
            .mend = "ulimit -v unlimited",
            .cause = true});
    if (limits.memory_bytes)
        rows.push_back({"limit", "memory", *limits.memory_bytes < kLittle ? CheckState::note : CheckState::ok,
            fmt::format("{} by its control group", format_bytes(*limits.memory_bytes)),
            *limits.memory_bytes < kLittle ? "a larger limit (docker run -m 4g): series end where it does" : ""});
}
} // namespace

std::vector<CheckRow> check_process(const Surroundings& surroundings) {
    std::vector<CheckRow> rows;
    add_preload_rows(surroundings, rows);
    add_limit_rows(surroundings, rows);
    return rows;
}

} // namespace sonde
