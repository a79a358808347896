// Options that more than their own probe reads: findings, rules, readers of other tools' files, and the benches of
// several probes.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "core/data/option.h"
#include "core/device/device.h"

namespace sonde {

struct Operation;

/// What `coalescing` varies.
enum class AccessPattern { stride, offset, order, rectangle, part, misaligned };
/// What x is then: "stride in elements".
std::string_view axis_of(AccessPattern);
/// How the cells of `atomics` lie.
enum class CellLayout { same_address, consecutive, distinct_lines };
/// What operands of matrices hold, integers from -2 to 2 at random; or memory that is read, which holds random words
/// unless told.
enum class DataKind { integers, zeros };
/// What `segments` does with a chunk, or with two at once.
enum class SegmentTest { read, write, two_reads, two_writes, read_write };
/// Of `transfer`.
enum class Direction { to_device, to_host, both, on_device, to_peer, from_peer };
enum class Engine { copy, kernel, processor };

/// How much is under way at once: `loads` by each work-item, `group_size` work-items in a workgroup, `groups_per_core`
/// workgroups; kOnce of these: as many as there are tiles, each of which takes one and ends.
inline constexpr std::uint32_t kOnce = 0;
struct LaunchShape {
    std::uint32_t loads = 4, group_size = 1, groups_per_core = 1;
    std::string text() const; // "4x512x4", "4x1024xonce"
    bool operator==(const LaunchShape&) const = default;
};

namespace option {
/// nullopt: none of these values.
std::optional<LaunchShape> parse_shape(const std::string& text);
std::optional<Carveout> parse_carveout(const std::string& text);
std::optional<std::uint32_t> parse_banks(const std::string& text);
std::optional<std::uint32_t> parse_apart(const std::string& text);
std::optional<bool> parse_access(const std::string& text);
/// Digits, or two numbers with a point between: "1", "0.1"; or the word for each card.
std::optional<std::string> parse_peer(const std::string& text);
inline constexpr std::string_view kEachPeer = "all";

inline const Setting<LaunchShape> shape{"shape",
    "loads in flight (2, 4, 8) x work-items per workgroup (1 to 1024) x workgroups per core (1 to 256), like 4x512x4, "
    "or a workgroup for each tile, like 4x1024xonce",
    parse_shape};
inline const Setting<Carveout> carveout{"carveout",
    "percent of L1 and scratchpad together that the scratchpad gets, 0 to 100 (compute capability 7.0 and later), or "
    "16KiB, 32KiB, 48KiB (before)",
    parse_carveout};
inline const Setting<std::uint32_t> banks{
    "banks", "bytes of a scratchpad bank, 4 or 8 (compute capability 3.x)", parse_banks};
inline const Setting<std::uint32_t> apart{"apart",
    "bytes between the addresses of neighbouring lanes: 0 for one address, or a multiple of a link (4, or 8 on "
    "global.pointer and 16 on constant) up to 4096",
    parse_apart};
inline const Setting<std::string> peer{"peer",
    "the other card, by its number in the API: 1 for cuda:1, 0.1 for opencl:0.1, or all for each equal card, a series "
    "for each; the next card unless told",
    parse_peer};
inline const Setting<bool> stores{"access", "load (unless said otherwise), or store", parse_access};

/// Of an access; means bytes.
inline const Choice<std::uint32_t> width{"width", {{"16", 16}, {"8", 8}, {"4", 4}, {"2", 2}, {"1", 1}}};
inline const Choice<AccessPattern> pattern{
    "pattern", {{"stride", AccessPattern::stride}, {"offset", AccessPattern::offset}, {"order", AccessPattern::order},
                   {"rectangle", AccessPattern::rectangle}, {"part", AccessPattern::part},
                   {"misaligned", AccessPattern::misaligned}}};
inline const Choice<CellLayout> layout{
    "layout", {{"same-address", CellLayout::same_address}, {"consecutive", CellLayout::consecutive},
                  {"distinct-lines", CellLayout::distinct_lines}}};
inline const Choice<DataKind> data{"data", {{"integers", DataKind::integers}, {"zeros", DataKind::zeros}}};
inline const Choice<bool> from_dram{"level", {{"LLC", false}, {"DRAM", true}}};
inline const Choice<bool> waited_for{"test", {{"queued", false}, {"waited", true}}};
inline const Choice<SegmentTest> segment_test{
    "test", {{"read", SegmentTest::read}, {"write", SegmentTest::write}, {"two-reads", SegmentTest::two_reads},
                {"two-writes", SegmentTest::two_writes}, {"read-write", SegmentTest::read_write}}};
inline const Choice<bool> fetch{
    "test", {{"fetch", true}, {"line", false}}}; // of `line`: what a miss brings, or the line
inline const Choice<Direction> direction{"direction",
    {{"to-device", Direction::to_device}, {"to-host", Direction::to_host}, {"both", Direction::both},
        {"on-device", Direction::on_device}, {"to-peer", Direction::to_peer}, {"from-peer", Direction::from_peer}}};
inline const Choice<Engine> engine{
    "engine", {{"copy", Engine::copy}, {"kernel", Engine::kernel}, {"processor", Engine::processor}}};
inline const Choice<bool> together{"cards", {{"all", true}}}; // all equal cards copy at the same time
inline const Choice<bool> pageable{"memory", {{"pinned", false}, {"pageable", true}}};
inline const Choice<std::uint64_t> alignment{"alignment", {{"1", 1}, {"4", 4}, {"64", 64}, {"4096", 4096}}};

// What their words are, each probe that has one says itself.
inline constexpr OptionName operation{"operation"}, type{"type"}, cores{"cores"}, lanes{"lanes"}, level{"level"},
    other_path{"other_path"}, numbers{"numbers"};
} // namespace option

/// nullptr: none is named, or none that this version knows.
const Operation* operation_of(const Options&);

} // namespace sonde
