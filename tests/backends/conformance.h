// What checks of conformance have in common: words on their way to a device and back, kernels compiled for it. A check
// is one body, run once per device and path; tests/CMakeLists.txt makes of it an entry for each API,
// `conformance.<check>.<api>`.
#pragma once
#include <doctest/doctest.h>

#include <algorithm>
#include <initializer_list>
#include <memory>
#include <string_view>
#include <vector>

#include "tests/backends/device_words.h"
#include "tests/thorough.h"

namespace sonde {

using namespace words;

using DeviceCheck = void(Device&, const Path&);
inline constexpr const char* kEveryPath = "*";

/// Runs a check on every device of every API (or of --api), on each of the named paths that the device has.
void conform(const char* name, std::initializer_list<std::string_view> paths, DeviceCheck* check);

#define CONFORMANCE(name, ...)                                                                                         \
    static void check_##name(Device&, const Path&);                                                                    \
    TEST_CASE("conformance." #name) { conform(#name, {__VA_ARGS__}, check_##name); }                                   \
    static void check_##name([[maybe_unused]] Device& device, [[maybe_unused]] const Path& path)

/// 1, a subgroup, and a number of subgroups: the sizes of workgroups that the device allows. Every day a processor does
/// without the second.
inline std::vector<uint> group_sizes(const DeviceInfo& info) {
    std::vector<uint> sizes{1, info.subgroup, 256};
    if (info.cpu && !thorough()) sizes.erase(sizes.begin() + 1);
    std::erase_if(sizes, [&](uint size) { return size > info.largest_group; });
    sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
    return sizes;
}

/// Words that a work-item moves at once. Every day a processor does without the one in the middle.
inline std::vector<uint> widths(const DeviceInfo& info) {
    return info.cpu && !thorough() ? std::vector<uint>{1, 4} : std::vector<uint>{1, 2, 4};
}

inline constexpr uint kRow = kImageRow; // words

/// Words in the memory of a path, whichever way it is filled.
inline std::unique_ptr<Buffer> source_of(Device& device, const Path& path, Words words) {
    if (path.space == Space::push) return nullptr;
    if (path.space == Space::image2d) words.resize((words.size() + kRow - 1) / kRow * kRow);
    return uploaded(device, path.space, words);
}

/// A launch whose source stands where the path wants it: `elements` of `width` words are staged.
inline void stage(Sources& with, const Device& device, const Path& path, uint bytes) {
    if (path.stage == Stage::scratchpad) with.scratchpad_bytes = bytes;
    if (path.stage != Stage::peer_scratchpad) return;
    with.groups = with.cluster = 2;
    with.scratchpad_bytes = device.info().scratchpad_bytes;
}

} // namespace sonde
