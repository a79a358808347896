// The kernel of the pointer chase: which variant walks on a path, and what its links and slots are there.
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/measure/bench.h"

namespace sonde {

/// The words of a private array at the most, 16 KiB a lane; a driver may compile fewer only.
inline constexpr std::uint32_t kPrivateWords = 4096;

/// The kernel that walks chains on a path. Links of four words are elements of that width; a private array and a table
/// of arguments have a size that is part of the kernel.
KernelChoice chase_kernel(const DeviceInfo&, const Path&, std::uint32_t private_words = kPrivateWords);
/// Its variants, as probes name them: each work-item walks by itself; or workgroups do, by their cores where kernels
/// know them.
KernelChoice own_starts_kernel(const DeviceInfo&, const Path&, const Options& options);
KernelChoice by_core_kernel(const DeviceInfo&, const Path&, const Options& options);
/// The first of them with the time of each work-item's own walk.
KernelChoice own_clocks_kernel(const DeviceInfo&, const Path&, const Options& options);
/// The variant in which some lanes of a subgroup walk (WalkingLanes).
KernelChoice some_lanes_kernel(const DeviceInfo&, const Path&);
/// What the `chain` kernel is told so that its links and slots fit the path.
std::vector<std::pair<std::string, std::string>> chain_defines(const Path&);
/// What the chase returns for the link to a word of its source.
inline std::uint32_t link_number(const Path& path, std::uint32_t word) {
    return path.link_words == 4 ? word / 4 : word;
}
/// Bytes from one slot of a chain to the next: a GPU's line at most, a processor's, or less where
/// lanes or arguments have words.
std::uint32_t slot_bytes(const DeviceInfo&, const Path&);
/// Bytes of footprint that a slot stands for: where each lane has an array of its own, all of them.
std::uint32_t footprint_per_slot(const DeviceInfo&, const Path&);

} // namespace sonde
