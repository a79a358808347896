// What kernels that move data in tiles must give on every device: fills, reads and writes.
#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <numeric>

#include <fmt/format.h>

#include "core/device/kernel_source.h"
#include "core/measure/chain.h"
#include "core/measure/chase.h"
#include "core/probes/probes.h"
#include "tests/backends/conformance.h"

using namespace sonde;
using namespace sonde::words;

namespace {
bool in_scratchpad(const Path& path) { return path.stage == Stage::scratchpad || path.stage == Stage::peer_scratchpad; }

CONFORMANCE(fill, "global") {
    constexpr uint kWords = 5000, kPeriod = 1024;
    for (const uint group_size : group_sizes(device.info())) {
        CAPTURE(group_size);
        const auto kernel = compiled(device, "fill", path, group_size);
        const auto out = untouched(device, kWords + 1);
        for (const FillPattern& pattern : {FillPattern{}, FillPattern{.rare = kPeriod - 1},
                 FillPattern{.keep = {0xFFFF0000u, 0x000FFFFFu}, .set = {1, 0x3FF00000u}}}) {
            launch(device, *kernel, fill_args(kWords, kPeriod, kSeed, pattern), *out, {.groups = 4});
            Words expected(kWords + 1, kUntouched);
            for (uint word = 0; word < kWords; ++word)
                expected[word] = ((pattern.rare ? word % kPeriod == 0 : true)
                                         ? scrambled(word % kPeriod, kSeed) & pattern.keep[word % 2]
                                         : 0) |
                                 pattern.set[word % 2];
            CHECK(downloaded(device, *out, kWords + 1) == expected);
            for (uint word = 0; word < kWords; ++word) expected[word] = fill_word(word, kPeriod, kSeed, pattern);
            CHECK(downloaded(device, *out, kWords + 1) == expected);
        }
    }
}

struct Reading {
    uint elements, tiles, start_factor, step_base, step_factor, step_range, count, groups;
};

/// How a kernel that moves data in tiles was compiled.
struct Tiling {
    uint width, loads, turns, group_size;
    bool each_lane; // a tile is one lane's
    uint lanes() const { return each_lane ? 1 : group_size; }
    uint tile() const { return lanes() * loads * turns; } // elements
    Defines defines() const {
        return {{"WIDTH", std::to_string(width)}, {"LOADS", std::to_string(loads)}, {"TURNS", std::to_string(turns)}};
    }
};

/// What kernels/read.h leaves: per work-item the sum of every word it read.
Words read_answer(const Words& data, const Reading& reading, const Tiling& tiling) {
    Words answer;
    for (uint group = 0; group < reading.groups; ++group)
        for (uint item = 0; item < tiling.group_size; ++item) {
            const uint lane = tiling.each_lane ? 0 : item;
            uint sum = 0;
            for (uint n = 0; n < reading.count; ++n) {
                const uint step = reading.step_base + group * reading.step_factor % reading.step_range;
                const uint tile = (group * reading.start_factor % reading.tiles + n * step) % reading.tiles;
                for (uint row = 0; row < tiling.loads * tiling.turns; ++row) {
                    const uint turn = row / tiling.loads, load = row % tiling.loads;
                    const uint element = tile * tiling.tile() + turn * tiling.loads * tiling.lanes() +
                                         (lane + load * tiling.lanes()) % reading.elements;
                    for (uint word = 0; word < tiling.width; ++word) sum += data.at(element * tiling.width + word);
                }
            }
            answer.push_back(sum);
        }
    return answer;
}

/// Where an image has the texels that are numbered block by block, 8 x 4 each.
Words in_blocks(const Words& words) {
    const uint band = 4 * kRow;
    Words rows((words.size() + band - 1) / band * band, kUntouched);
    for (uint e = 0; e < words.size(); ++e) {
        const uint block = e / 32, x = block % (kRow / 8) * 8 + e % 8, y = block / (kRow / 8) * 4 + e / 8 % 4;
        rows.at(y * kRow + x) = words[e];
    }
    return rows;
}

/// What readings may have besides: a define, and workgroups of a cluster.
struct ReadingBesides {
    const char* define = nullptr;
    uint cluster = 2;
};

void check_readings(Device& device, const Path& path, const Tiling& tiling, const ReadingBesides& besides = {}) {
    CAPTURE(tiling.group_size);
    CAPTURE(tiling.width);
    CAPTURE(tiling.loads);
    CAPTURE(tiling.turns);
    const bool peer = path.stage == Stage::peer_scratchpad;
    const uint tile = tiling.tile(), even = peer ? besides.cluster : 1;
    std::vector<Reading> readings{{tile, 1, 1, 0, 0, 1, 3, 3}, {3 * tile, 3, 1, 1, 0, 1, 4, 5},
        {3 * tile, 3, 2, 1, 1, 2, 4, 3}, {3 * tile, 3, 1, 2, 0, 1, 5, 2}};
    if (tiling.turns == 1) // a footprint smaller than a tile: only one row of loads wraps round inside it
        for (const uint elements : {1u, std::max(1u, tile / 2 - 1), std::max(1u, tile - 1)})
            readings.push_back({elements, 1, 1, 0, 0, 1, 3, 2});
    Defines defines = tiling.defines();
    if (tiling.each_lane) defines.emplace_back("PRIVATE_WORDS", std::to_string(1024 / tiling.width));
    if (besides.define) defines.emplace_back(besides.define, "1");
    const bool shows_core = besides.define && std::string_view(besides.define) == "SHOWS_CORE";
    const auto kernel = compiled(device, "read", path, tiling.group_size, defines);
    if (peer && kernel->resident_clusters(besides.cluster, device.info().scratchpad_bytes) == 0u)
        return; // no part of the card has so many cores
    for (Reading reading : readings) {
        CAPTURE(reading.elements);
        CAPTURE(reading.tiles);
        reading.groups = (reading.groups + even - 1) / even * even;
        Words data(std::size_t{reading.elements} * tiling.width);
        const uint bytes = static_cast<uint>(data.size() * sizeof(uint));
        // Below the limit: NVIDIA's OpenCL promises 48 KiB and refuses a launch that asks for all of them.
        if (in_scratchpad(path) && bytes >= device.info().scratchpad_bytes) continue;
        if (bytes > device.info().reach_of(path.space).bytes) continue;
        for (uint word = 0; word < data.size(); ++word) data[word] = fill_word(word, 1u << 20, kSeed);
        const auto a = source_of(device, path, path.space == Space::image2d ? in_blocks(data) : data);
        const uint items = tiling.group_size * reading.groups,
                   staged = path.stage == Stage::nothing ? 0 : reading.elements;
        const auto out = untouched(device, items + reading.groups);
        Sources with{.a = a.get()};
        stage(with, device, path, bytes);
        with.groups = reading.groups;
        if (peer) with.cluster = besides.cluster;
        launch(device, *kernel,
            kernel_args::Read{reading.elements, reading.tiles, reading.start_factor, reading.step_base,
                reading.step_factor, reading.step_range, reading.count, staged},
            *out, with);
        CHECK(downloaded(device, *out, items) == read_answer(data, reading, tiling));
        const Words behind = downloaded(device, *out, items + reading.groups);
        CHECK(std::ranges::all_of(
            behind.begin() + items, behind.end(), [&](uint word) { return (word == kUntouched) != shows_core; }));
    }
}

/// A workgroup for each tile leaves one word, the sum of the lane that is asked for.
CONFORMANCE(read_once, "global", "global.ca", "global.cg", "global.readonly") {
    constexpr uint kTiles = 3, kGroups = 5;
    for (const uint group_size : group_sizes(device.info()))
        for (const uint width : widths(device.info())) {
            const Tiling tiling{width, 4, 1, group_size, false};
            const Reading reading{tiling.tile(), kTiles, 1, 1, 0, 1, 1, kGroups};
            Words data(std::size_t{tiling.tile()} * kTiles * width);
            for (uint word = 0; word < data.size(); ++word) data[word] = fill_word(word, 1u << 20, kSeed);
            const auto a = source_of(device, path, data);
            Defines defines = tiling.defines();
            defines.emplace_back("ONCE", "1");
            const auto kernel = compiled(device, "read", path, group_size, defines);
            const Words all = read_answer(data, reading, tiling);
            for (const uint shown : {0u, group_size - 1}) {
                CAPTURE(shown);
                const auto out = untouched(device, kGroups + 1);
                launch(device, *kernel,
                    kernel_args::Read{.elements = tiling.tile(),
                        .tiles = kTiles,
                        .start_factor = 1,
                        .step_base = 1,
                        .step_factor = 0,
                        .step_range = 1,
                        .count = 1,
                        .stage = 0,
                        .shown = shown},
                    *out, {.a = a.get(), .groups = kGroups});
                Words expected;
                for (uint group = 0; group < kGroups; ++group) expected.push_back(all[group * group_size + shown]);
                expected.push_back(kUntouched);
                CHECK(downloaded(device, *out, kGroups + 1) == expected);
            }
        }
}

CONFORMANCE(read, kEveryPath) {
    const auto& paths = find_probe("bandwidth")->paths;
    if (std::find(paths.begin(), paths.end(), path.name) == paths.end()) return;
    const bool each_lane = path.stage == Stage::each_lane;
    std::vector<std::pair<uint, uint>> loads{{4, 1}};
    if (!each_lane) loads.insert(loads.end(), {{2, 1}, {8, 1}});
    if (path.name == "global" || path.name == "scratchpad") loads.emplace_back(4, 16);
    for (const uint group_size : group_sizes(device.info()))
        for (const uint width : widths(device.info())) {
            if (width * 4 > path.widest_bytes ||
                (path.space == Space::constant && device.info().api == "vulkan" && width != 4))
                continue; // std140
            try {
                for (const auto& [in_flight, turns] : loads) {
                    if (group_size == 1 && device.info().subgroup > 1 && in_flight != 4) continue;
                    check_readings(device, path, {width, in_flight, turns, group_size, each_lane});
                }
            } catch (const Unsupported& reason) { // texels of such a width, say
                MESSAGE(device.info().id, " ", path.name, " by ", width, " words: ", std::string(reason.what()));
            }
        }
}

/// Each workgroup leaves the number of its core besides, where something tells it.
CONFORMANCE(read_shows_core, "global", "global.cg", "global.pointer") {
    if (device.info().core_name.empty()) return;
    for (const uint group_size : group_sizes(device.info()))
        check_readings(device, path, {4, 4, 1, group_size, false}, {.define = "SHOWS_CORE"});
}

/// Larger clusters, each workgroup reading the next one's scratchpad, or each other one's in turn.
CONFORMANCE(read_cluster, "cluster") {
    for (const uint cluster : {4u, 8u, 16u})
        for (const char* define : {static_cast<const char*>(nullptr), "ALL_TO_ALL"})
            for (const uint group_size : group_sizes(device.info()))
                check_readings(device, path, {4, 4, 1, group_size, false}, {define, cluster});
}

/// What kernels/write.h does to `memory`, its own words or those of each workgroup's scratchpad.
void write_answer(Words& memory, uint operation, const Tiling& tiling, uint group, uint own, uint first, uint step,
    uint count, uint half, uint salt) {
    for (uint n = 0; n < count; ++n)
        for (uint e = 0; e < tiling.tile(); ++e)
            for (uint word = 0; word < tiling.width; ++word) {
                const uint element = (group * first + n % own * step) * tiling.tile() + e;
                const uint from = memory.at(element * tiling.width + word);
                if (operation == 1) memory.at(element * tiling.width + word) = element + salt + n;
                if (operation == 2) memory.at((half + element) * tiling.width + word) = from + salt + n;
                if (operation == 3) memory.at(element * tiling.width + word) = from + 1;
            }
}

void check_writings(Device& device, const Path& path, uint operation, const Tiling& tiling) {
    CAPTURE(operation);
    CAPTURE(tiling.group_size);
    CAPTURE(tiling.width);
    CAPTURE(tiling.loads);
    CAPTURE(tiling.turns);
    constexpr uint kGroups = 3, kOwn = 2, kCount = 5, kSalt = 77;
    const bool local = path.stage == Stage::scratchpad;
    const uint half = tiling.tile() * kOwn * (local ? 1 : kGroups), all = half * (operation == 2 ? 2 : 1);
    const uint first = local ? 0 : 1, step = local ? 1 : kGroups;
    const uint bytes = all * tiling.width * 4;
    if (local && bytes >= device.info().scratchpad_bytes) return;
    Defines defines = tiling.defines();
    defines.emplace_back("OPERATION", std::to_string(operation));
    if (tiling.loads == 8) defines.emplace_back("ROW", std::to_string(tiling.group_size));
    const auto kernel = compiled(device, "write", path, tiling.group_size, defines);
    Words memory(bytes / 4);
    for (uint word = 0; word < memory.size(); ++word) memory[word] = fill_word(word, 1u << 20, kSeed);
    const auto a = source_of(device, path, memory);
    const auto out = untouched(device, tiling.group_size * kGroups);
    launch(device, *kernel,
        kernel_args::Write{.own = kOwn,
            .first = first,
            .step = step,
            .count = kCount,
            .array_elements = half,
            .salt = kSalt,
            .stage = local ? all : 0},
        *out, {.a = a.get(), .groups = kGroups, .scratchpad_bytes = local ? bytes : 0});
    for (uint group = 0; group < (local ? 1 : kGroups); ++group)
        write_answer(memory, operation, tiling, group, kOwn, first, step, kCount, half, kSalt);
    const uint sum = std::accumulate(memory.begin(), memory.end(), 0u);
    if (local) {
        const Words sums = downloaded(device, *out, tiling.group_size * kGroups);
        for (uint group = 0; group < kGroups; ++group)
            CHECK(std::accumulate(sums.begin() + group * tiling.group_size,
                      sums.begin() + (group + 1) * tiling.group_size, 0u) == sum);
        return;
    }
    CHECK(downloaded(device, *a, memory.size()) == memory);
    const auto summing = compiled(device, "sum", path, tiling.group_size, {{"WIDTH", "4"}});
    const uint elements = bytes / 16;
    launch(device, *summing, kernel_args::Sum{.elements = elements}, *out, {.a = a.get(), .groups = kGroups});
    const Words sums = downloaded(device, *out, tiling.group_size * kGroups);
    CHECK(std::accumulate(sums.begin(), sums.end(), 0u) ==
          std::accumulate(memory.begin(), memory.begin() + elements * 4, 0u));
}

CONFORMANCE(write, kEveryPath) {
    const auto& paths = find_probe("stream")->paths;
    if (std::find(paths.begin(), paths.end(), path.name) == paths.end()) return;
    CasesOfTheDay cases(device.info().cpu ? 3 : 1);
    for (const uint group_size : group_sizes(device.info()))
        for (const uint operation : {1u, 2u, 3u})
            for (const uint width : widths(device.info()))
                for (const auto& [loads, turns] : {std::pair{4u, 1u}, {1u, 1u}, {8u, 1u}, {4u, 16u}})
                    if ((loads == 8 ? path.stage == Stage::scratchpad && group_size == 256
                                    : turns == 1 || path.space != Space::host) &&
                        cases.take())
                        check_writings(device, path, operation, {width, loads, turns, group_size, false});
}

/// A workgroup for each tile, or several, leaves what one round does, and a mark of its own.
CONFORMANCE(write_once, "global", "global.cs") {
    constexpr uint kTiles = 3, kGroups = 5, kSalt = 77;
    for (const uint group_size : group_sizes(device.info()))
        for (const uint operation : {1u, 2u})
            for (const uint width : widths(device.info())) {
                const Tiling tiling{width, 1, 1, group_size, false};
                const uint half = tiling.tile() * kTiles;
                Words memory(std::size_t{half} * width * (operation == 2 ? 2 : 1));
                for (uint word = 0; word < memory.size(); ++word) memory[word] = fill_word(word, 1u << 20, kSeed);
                const auto a = source_of(device, path, memory);
                Defines defines = tiling.defines();
                defines.insert(defines.end(), {{"OPERATION", std::to_string(operation)}, {"ONCE", "1"}});
                const auto kernel = compiled(device, "write", path, group_size, defines);
                const auto out = untouched(device, kGroups + 1);
                launch(device, *kernel,
                    kernel_args::Write{
                        .own = kTiles, .first = 1, .step = kTiles, .count = 2, .array_elements = half, .salt = kSalt},
                    *out, {.a = a.get(), .groups = kGroups});
                for (uint tile = 0; tile < kTiles; ++tile)
                    write_answer(memory, operation, tiling, tile, 1, 1, 1, 1, half, kSalt);
                CHECK(downloaded(device, *a, memory.size()) == memory);
                Words marks{kSalt, kSalt + 1, kSalt + 2, kSalt + 3, kSalt + 4, kUntouched};
                CHECK(downloaded(device, *out, kGroups + 1) == marks);
            }
}

} // namespace
