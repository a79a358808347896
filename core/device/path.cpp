// The table of paths.
#include "core/device/path.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "core/base/error.h"

namespace sonde {

namespace {
using enum Space;
using enum Stage;
constexpr std::array kPaths{
    Path{"global", global, nothing, 1, 128, 512, 16, false, true, "an ordinary load from a buffer, its address differing from lane to lane"},
    Path{"global.ca", global, nothing, 1, 128, 512, 16, false, false, "the same, with a hint to cache in L1"},
    Path{"global.cg", global, nothing, 1, 128, 512, 16, false, false, "the same, bypassing L1 by request"},
    Path{"global.cs", global, nothing, 1, 128, 512, 16, false, false, "streaming loads and stores, with a hint that nobody comes back to the data"},
    Path{"global.readonly", global, nothing, 1, 128, 512, 16, false, true, "a load from a buffer that the kernel promises not to write"},
    Path{"global.uniform", global, nothing, 1, 128, 512, 16, true, false, "an ordinary load from an address that is the same in all lanes, and known to be"},
    Path{"global.pointer", address, nothing, 2, 128, 512, 16, false, false, "a load from a stored 64-bit address: no arithmetic between loads"},
    Path{"private", global, each_lane, 1, 4, 512, 16, false, false, "a load from a lane's own array, too long for registers"},
    Path{"texel", texel, nothing, 1, 128, 512, 16, false, true, "a fetch from a linear texture: the texture units' address arithmetic"},
    Path{"image2d", image2d, nothing, 1, 128, 512, 4, false, false, "a fetch from a two-dimensional image, slots of 8 x 4 texels"},
    Path{"constant", constant, nothing, 4, 64, 512, 16, false, true, "a load from what the API calls constant memory"},
    Path{"constant.uniform", constant, nothing, 4, 64, 512, 16, true, false, "the same from one address for all lanes, which the compiler knows"},
    Path{"push", push, nothing, 1, 4, 16, 16, true, false, "a load from the kernel's own arguments"},
    Path{"scratchpad", global, scratchpad, 1, 128, 512, 16, false, true, "a load from the workgroup's scratchpad, filled from a buffer first"},
    Path{"cluster", global, peer_scratchpad, 1, 128, 512, 16, false, false, "a load from the scratchpad of another workgroup of the cluster"},
    Path{"host", host, nothing, 1, 128, 512, 16, false, false, "an ordinary load from host memory, over the host link"},
};
} // namespace

std::span<const Path> all_paths() { return kPaths; }

const Path* find_path(std::string_view name) {
    const auto* found = std::find_if(kPaths.begin(), kPaths.end(), [&](const Path& path) { return path.name == name; });
    return found == kPaths.end() ? nullptr : &*found;
}

const Path& path_named(std::string_view name) {
    if (const Path* path = find_path(name)) return *path;
    throw Error("there is no path " + std::string(name));
}

std::string path_define(std::string_view source, const Path& path) {
    std::string word = std::string(source) + "_" + std::string(path.name);
    for (char& c : word) c = c == '.' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    return word;
}

} // namespace sonde
