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
    Path{.name = "global",
        .intent = "an ordinary load from a buffer, its address differing from lane to lane",
        .space = global,
        .second = true},
    Path{.name = "global.ca", .intent = "the same, with a hint to cache in L1", .space = global},
    Path{.name = "global.cg", .intent = "the same, bypassing L1 by request", .space = global},
    Path{.name = "global.cs",
        .intent = "streaming loads and stores, with a hint that nobody comes back to the data",
        .space = global,
        .evicted_first = true},
    Path{.name = "global.readonly",
        .intent = "a load from a buffer that the kernel promises not to write",
        .space = global,
        .second = true},
    Path{.name = "global.uniform",
        .intent = "an ordinary load from an address that is the same in all lanes, and known to be",
        .space = global,
        .uniform = true,
        .by_lane = "global"},
    Path{.name = "global.pointer",
        .intent = "a load from a stored 64-bit address: no arithmetic between loads",
        .space = address,
        .link_words = 2},
    Path{.name = "private",
        .intent = "a load from a lane's own array, too long for registers",
        .space = global,
        .stage = each_lane,
        .slot_bytes = 4},
    Path{.name = "texel",
        .intent = "a fetch from a linear texture: the texture units' address arithmetic",
        .space = texel,
        .second = true},
    Path{.name = "image2d",
        .intent = "a fetch from a two-dimensional image, slots of 8 x 4 texels",
        .space = image2d,
        .widest_bytes = 4},
    Path{.name = "constant",
        .intent = "a load from what the API calls constant memory",
        .space = constant,
        .link_words = 4,
        .slot_bytes = 64,
        .second = true},
    Path{.name = "constant.uniform",
        .intent = "the same from one address for all lanes, which the compiler knows",
        .space = constant,
        .link_words = 4,
        .slot_bytes = 64,
        .uniform = true,
        .by_lane = "constant"},
    Path{.name = "push",
        .intent = "a load from the kernel's own arguments",
        .space = push,
        .slot_bytes = 4,
        .smallest_bytes = 16,
        .uniform = true},
    Path{.name = "scratchpad",
        .intent = "a load from the workgroup's scratchpad, filled from a buffer first",
        .space = global,
        .stage = scratchpad,
        .second = true},
    Path{.name = "cluster",
        .intent = "a load from the scratchpad of another workgroup of the cluster",
        .space = global,
        .stage = peer_scratchpad},
    Path{.name = "host", .intent = "an ordinary load from host memory, over the host link", .space = host},
    Path{.name = "peer",
        .intent = "an ordinary load from another card's memory, over the link between them",
        .space = peer},
    Path{.name = "peer.cg", .intent = "the same, bypassing L1 by request", .space = peer},
    Path{.name = "peer.unmapped",
        .intent = "no load: copies from and to another card's memory that no kernel here reaches",
        .space = peer_unmapped,
        .copied_only = true},
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
