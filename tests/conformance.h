// What checks of conformance have in common: words on their way to a device and back, kernels compiled for it.
#pragma once
#include <algorithm>
#include <memory>
#include <vector>

#include "tests/device_words.h"

namespace sonde {

using namespace words;

/// 1, a subgroup, and a number of subgroups: the sizes of workgroups that the device allows.
inline std::vector<uint> group_sizes(const DeviceInfo& info) {
    std::vector<uint> sizes{1, info.subgroup, 256};
    std::erase_if(sizes, [&](uint size) { return size > info.largest_group; });
    sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
    return sizes;
}

inline constexpr uint kRow = kImageRow; // words

/// Words in the memory of a path, whichever way it is filled.
inline std::unique_ptr<Buffer> source_of(Device& device, const Path& path, Words words) {
    if (path.space == Space::push) return nullptr;
    if (path.space == Space::image2d) words.resize((words.size() + kRow - 1) / kRow * kRow);
    return uploaded(device, path.space, words);
}

// Checks that have a file of their own, each on one device and one path.
void check_pattern(Device&, const Path&);
void check_pair(Device&, const Path&);
void check_narrow(Device&, const Path&);
void check_mix(Device&, const Path&);
void check_banks(Device&, const Path&);
void check_hold(Device&, const Path&);

} // namespace sonde
