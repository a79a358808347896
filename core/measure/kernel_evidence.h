// What proves a kernel's path: its listing, the instruction that is measured, and what the driver reports of it.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/data/evidence_kernel.h"
#include "core/device/operation.h"

namespace sonde {

/// The kernel that a probe measures with on a device.
struct KernelChoice {
    std::string name;
    std::uint32_t group_size = 1;
    std::vector<std::pair<std::string, std::string>> defines = {};
    bool asks_for_core = false; // of DeviceInfo::core_name
    bool chases = false;        // its measured load feeds its own next address; else loads are independent and summed
    bool atomic = false;        // what it measures is its atomic instruction, and no load
    const Path* b = nullptr;    // of its second source; null: it reads none
    std::vector<Feature> needs = {};
    std::uint32_t repeat = 0;             // Build::repeat
    const Operation* operation = nullptr; // that its chains are of; null: it measures no arithmetic
    std::uint32_t chains = 0;             // of a work-item
    const Operation* second = nullptr;    // that other chains of the same work-item are of; null: none are
    std::uint32_t second_chains = 0;

    Build build(const Path& a) const {
        return {.a = &a,
            .b = b,
            .group_size = group_size,
            .defines = defines,
            .repeat = repeat,
            .matrix = operation ? operation->matrix : nullptr,
            .needs = needs};
    }
};

/// The load instruction that proves the path, or a note alone where the listing does not show it.
LoadEvidence load_evidence(const Listing& listing, bool chases);
/// The atomic instructions, the measured one first.
std::vector<AtomicEvidence> atomic_evidence(const Listing& listing);
/// Of a kernel of arithmetic: instructions of a step (of two operations: on average), by mnemonic; those that a step
/// holds less than a twentieth of are the loop's. Nothing where no listing of machine code can be read. Throws Error
/// where the operation has an instruction of its own and the loop holds fewer of it than steps need.
std::map<std::string, double> step_instructions(const Listing&, const KernelChoice&);
/// All of it. `facts`: the driver's, of the kernel.
KernelEvidence kernel_evidence(const Listing&, const std::vector<Fact>& facts, const KernelChoice&, const Path&);

} // namespace sonde
