// Variants of the kernel by path.
#include "core/measure/chase_kernel.h"

#include <algorithm>

namespace sonde {

std::uint32_t slot_bytes(const DeviceInfo& info, const Path& path) {
    if (path.space == Space::image2d) return path.slot_bytes; // a block of texels, everywhere
    return info.cpu ? std::min(64u, path.slot_bytes) : path.slot_bytes;
}

std::uint32_t footprint_per_slot(const DeviceInfo& info, const Path& path) {
    return slot_bytes(info, path) * (path.stage == Stage::each_lane ? chase_lanes(info) : 1);
}

std::vector<std::pair<std::string, std::string>> chain_defines(const Path& path) {
    std::vector<std::pair<std::string, std::string>> defines{{"LINK_WORDS", std::to_string(path.link_words)}};
    if (path.space == Space::image2d) defines.emplace_back("SLOTS_2D", "1");
    return defines;
}

KernelChoice chase_kernel(const DeviceInfo& info, const Path& path, std::uint32_t private_words) {
    KernelChoice choice{.name = "chase", .group_size = chase_lanes(info), .defines = {}, .chases = true};
    choice.defines.emplace_back("WIDTH", path.link_words == 4 ? "4" : "1");
    if (path.stage == Stage::each_lane) choice.defines.emplace_back("PRIVATE_WORDS", std::to_string(private_words));
    if (path.space == Space::push)
        choice.defines.emplace_back("PUSH_WORDS", std::to_string(info.reach_of(Space::push).bytes / 4));
    return choice;
}

KernelChoice own_starts_kernel(const DeviceInfo& info, const Path& path, const Options&) {
    KernelChoice choice = chase_kernel(info, path);
    choice.defines.emplace_back("OWN_STARTS", "1");
    return choice;
}

KernelChoice own_clocks_kernel(const DeviceInfo& info, const Path& path, const Options& options) {
    KernelChoice choice = own_starts_kernel(info, path, options);
    choice.defines.emplace_back("OWN_CLOCKS", "1");
    return choice;
}

KernelChoice by_core_kernel(const DeviceInfo& info, const Path& path, const Options&) {
    KernelChoice choice = chase_kernel(info, path);
    if (!info.core_name.empty()) choice.defines.emplace_back("BY_CORE", "1");
    return choice;
}

KernelChoice some_lanes_kernel(const DeviceInfo& info, const Path& path) {
    KernelChoice choice = chase_kernel(info, path);
    choice.group_size = info.subgroup;
    choice.defines.emplace_back("SOME_LANES", "1");
    return choice;
}

} // namespace sonde
