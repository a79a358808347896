// What proves a kernel's path: its listing, the instruction that is measured, and what the driver reports of it.
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/base/json.h"
#include "core/device/device.h"

namespace sonde {

/// The kernel that a probe measures with on a device.
struct KernelChoice {
    std::string name;
    std::uint32_t group_size = 1;
    std::vector<std::pair<std::string, std::string>> defines = {};
    bool asks_for_core = false; // of DeviceInfo::core_name
    bool chases = false; // its measured load feeds its own next address; else loads are independent and summed
    bool atomic = false; // what it measures is its atomic instruction, and no load
    const Path* b = nullptr; // of its second source; null: it reads none

    Build build(const Path& a) const { return {.a = &a, .b = b, .group_size = group_size, .defines = defines}; }
};

/// The load instruction that proves the path, as it stands in the evidence: {"instruction","kind","line","unroll","address_instructions",
/// "readfirstlane_in_loop"}, or {"note"} where the listing does not show it.
Json load_evidence(const Listing& listing, bool chases);
/// The atomic instructions, the measured one first: [{"instruction","kind","line","unroll","cache_control","lock_loop"}].
Json atomic_evidence(const Listing& listing);
/// All of it, as it stands in a series' evidence: {"name","text_hash","defines","listing","load","atomics","facts"}.
Json kernel_evidence(const Kernel&, const KernelChoice&, const Path&);

} // namespace sonde
