// Paths: how a load reaches memory. A path is a row of a table; dialects and backends switch on its define, nothing
// subclasses it.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace sonde {

/// Where a buffer of a path lives, which is also how a kernel binds it. address: memory whose addresses kernels store
/// and follow. texel: words that the texture units number. image2d: rows of `kImageRow` words, filled by copies of
/// whole rows. push: no buffer, the words stand behind the kernel's arguments. Of no path are mapped: the device's
/// memory, where the processor can map it; and shared: host memory that processor and device both see while a kernel
/// runs. peer: another card's memory, which kernels of this one reach; peer_unmapped: the same where they do not, so
/// that copies alone do.
enum class Space { global, host, address, constant, texel, image2d, push, mapped, shared, peer, peer_unmapped };
inline bool is_of_peer(Space space) { return space == Space::peer || space == Space::peer_unmapped; }
inline constexpr std::uint32_t kImageRow = 2048; // IMAGE_ROW in kernels/vocabulary.h

/// What a kernel does with its source before it loads from it. peer: of the cluster's other workgroup.
enum class Stage { nothing, scratchpad, peer_scratchpad, each_lane };

struct Path {
    std::string_view name;        // "global", "scratchpad", ... the same intent in every API
    std::string_view intent;      // what a load on this path asks for, in one phrase
    Space space;                  // memory that source A of such a kernel is allocated in
    Stage stage = Stage::nothing; // where the kernel puts the source before it loads
    std::uint32_t link_words =
        1; // of a chain: 1 words are numbered, 4 elements of four words, 2 the link is an address
    std::uint32_t slot_bytes = 128;     // of a chain on a GPU; a lane's own bytes where each lane has its own
    std::uint32_t smallest_bytes = 512; // where a sweep by footprint begins
    std::uint32_t widest_bytes = 16;    // of one independent load
    bool uniform = false;               // all lanes load from one address, and the compiler knows
    std::string_view by_lane = ""; // of uniform: the path whose lanes load from addresses of their own; empty: none
    bool evicted_first = false;    // lines may leave a cache before it is full: where a level ends tells no size of it
    bool copied_only = false;      // no kernel loads through it: what it measures are copies
    bool second = false;           // kernels may read a second source through it: the dialects have a form B_...
};

/// All paths, in the order in which tables show them.
std::span<const Path> all_paths();
/// Whether series on it use a link that all cards of a machine share, or another card: nothing else is measured then.
inline bool takes_machine(const Path& path) { return path.space == Space::host || is_of_peer(path.space); }
/// nullptr when there is no path of that name.
const Path* find_path(std::string_view name);
/// Throws Error where there is none.
const Path& path_named(std::string_view name);
/// The preprocessor word that selects a path for one source of a kernel: ("A", global.cg) -> "A_GLOBAL_CG".
std::string path_define(std::string_view source, const Path& path);

} // namespace sonde
