// What proves how a measuring kernel measures: its text, the compiler's listing, the loads and atomic instructions
// found in it.
#pragma once
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/json_fwd.h"

namespace sonde {

/// The load that proves the path; `note` alone where the listing does not show it.
struct LoadEvidence {
    std::string instruction{}, kind{};
    std::optional<std::size_t> line{}, unroll{};
    std::optional<std::vector<std::string>> address_instructions{};
    std::optional<bool> readfirstlane_in_loop{};
    std::string note{};
};
void to_json(Json&, const LoadEvidence&);
void from_json(const Json&, LoadEvidence&);

struct AtomicEvidence {
    std::string instruction{}, kind{};
    std::size_t line = 0, unroll = 0;
    std::string cache_control{}, combined_by{};
    bool lock_loop = false;
};
void to_json(Json&, const AtomicEvidence&);
void from_json(const Json&, AtomicEvidence&);

struct ListingEvidence {
    std::string kind{}, hash{}, note{};
    std::optional<double> instructions{};
};

/// What the compiler tells NVIDIA's scheduler in the loop with most instructions: sums of one trip, as if none were
/// skipped.
struct LoopIssueEvidence {
    double instructions = 0, stall_cycles = 0, dual_issued = 0, waiting = 0;
    std::optional<double> steps{}; // of a chain of arithmetic
};
void to_json(Json&, const LoopIssueEvidence&);
void from_json(const Json&, LoopIssueEvidence&);

/// The kernel that measures, and what proves how it does.
struct KernelEvidence {
    std::string name{}, text_hash{};
    std::map<std::string, std::string> defines{};
    ListingEvidence listing{};
    LoadEvidence load{};
    std::optional<std::vector<AtomicEvidence>> atomics{};
    std::map<std::string, std::string> facts{}; // by the driver's own names, which differ
    std::map<std::string, double> step_instructions{};
    std::optional<LoopIssueEvidence> loop_issue{};
    std::optional<double> held_scratchpad_bytes{};
};

} // namespace sonde
