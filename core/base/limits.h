// How much of the machine this process may use: what its control groups, its affinity and its own limits leave it.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>

namespace sonde {

struct ProcessLimits {
    long processors = 0;                          // of the machine, on which it may run
    std::optional<double> processor_time{};       // processors' worth of time that a control group allows
    std::optional<std::uint64_t> memory_bytes{};  // that a control group allows
    std::optional<std::uint64_t> address_bytes{}; // ulimit -v
};

/// `root`: the folder that holds proc and sys. Control groups of version 1 and 2, and those above them: the least.
ProcessLimits process_limits(const std::filesystem::path& root = "/");

/// A number that rises where the kernel kills a process for want of memory, in these control groups or on the machine;
/// nullopt: nothing tells.
std::optional<std::uint64_t> kills_for_memory(const std::filesystem::path& root = "/");

/// Milliseconds after which the system takes a card for hung and resets it, whatever its kernel would have done (TDR of
/// Windows); nullopt: it has no such limit, or only the driver knows it.
std::optional<double> watchdog_milliseconds();

} // namespace sonde
