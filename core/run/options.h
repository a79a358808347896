// What a run was asked for.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/run/option.h"

namespace sonde {

inline constexpr double kDispatchLimit = 50; // ms: a display's watchdog must never see a longer one

struct RunOptions {
    std::vector<std::string> probes, devices, paths; // empty: all
    AskedOptions options;
    std::string profile;               // empty: standard, or the resumed run's
    double seconds = 0;                // of the whole run; 0: the profile's
    std::filesystem::path out;         // empty: sonde-<time>.jsonl
    std::filesystem::path resume;      // a results file to go on with; empty: a new one
    double dispatch_limit_ms = 0;      // 0: kDispatchLimit, or the resumed run's
    std::uint32_t seed = 0;            // 0: from the clock
    std::vector<std::string> command;  // as typed, for the header
};

/// Whether a device of that id and API is among those asked for.
bool is_wanted_device(const RunOptions& options, std::string_view id, std::string_view api);

} // namespace sonde
