// What checks of conformance have in common: words on their way to a device and back, kernels compiled for it.
#pragma once
#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/device.h"
#include "core/source.h"

namespace sonde {

using uint = std::uint32_t;
using Words = std::vector<uint>;
using Defines = std::vector<std::pair<std::string, std::string>>;

inline constexpr uint kSeed = 20260101;
inline constexpr uint kUntouched = 0xA5A5A5A5u;

inline std::unique_ptr<Buffer> uploaded(Device& device, Space space, const Words& words) {
    auto buffer = device.allocate(space, words.size() * sizeof(uint));
    const Copy copy{.from_host = words.data(), .to = buffer.get(), .bytes = words.size() * sizeof(uint)};
    device.copy({&copy, 1});
    return buffer;
}

inline Words downloaded(Device& device, const Buffer& buffer, std::size_t count) {
    Words words(count);
    const Copy copy{.from = &buffer, .to_host = words.data(), .bytes = count * sizeof(uint)};
    device.copy({&copy, 1});
    return words;
}

inline std::unique_ptr<Kernel> compiled(Device& device, const char* kernel, const Path& path, uint group_size = 1, const Defines& defines = {}) {
    return device.compile(kernel_source(kernel), Build{.a = &path, .b = nullptr, .group_size = group_size, .defines = defines});
}

inline std::unique_ptr<Buffer> untouched(Device& device, std::size_t words) { return uploaded(device, Space::global, Words(words, kUntouched)); }

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
void check_banks(Device&, const Path&);
void check_hold(Device&, const Path&);

} // namespace sonde
