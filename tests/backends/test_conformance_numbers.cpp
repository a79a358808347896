// Conformance of the kernel `write` with BabelStream's operations: memory and sums against the host's, fused or rounded
// twice.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include <fmt/format.h>

#include "core/measure/chain.h"
#include "core/probes/probes.h"
#include "tests/backends/conformance.h"

namespace sonde {

namespace {

/// How a kernel's work-items go through a tile.
struct NumberTiling {
    uint width, loads, turns, group_size, factor = 0; // FACTOR
    uint scalar(uint n) const { return factor == 0 ? 3 : factor == 1 ? 5 : n + 7; }
    uint tile() const { return group_size * loads * turns; } // elements
    Defines defines() const {
        Defines all{
            {"WIDTH", std::to_string(width)}, {"LOADS", std::to_string(loads)}, {"TURNS", std::to_string(turns)}};
        if (factor) all.emplace_back("FACTOR", std::to_string(factor));
        return all;
    }
};

/// BabelStream's operations on numbers, with the scalar 3 where nothing else gives it: what stands in the memory of
/// `arrays` arrays afterwards, and what each work-item sums up.
template <class Number> struct Numbers {
    std::vector<Number> memory;
    std::vector<Number> sums; // by work-item
    void work(uint operation, const NumberTiling& tiling, uint group, uint own, uint first, uint step, uint count,
        uint array, bool fused) {
        for (uint n = 0; n < count; ++n)
            for (uint e = 0; e < tiling.tile(); ++e) {
                const uint at = (group * first + n % own * step) * tiling.tile() + e;
                const Number a = memory.at(at), b = memory.at(array + at), product = 3 * b;
                if (operation == 4) memory.at(array + at) = static_cast<Number>(tiling.scalar(n)) * a;
                if (operation == 5) memory.at(2 * array + at) = a + b;
                if (operation == 6) memory.at(2 * array + at) = fused ? std::fma(Number{3}, b, a) : a + product;
                if (operation == 7) sums.at(group * tiling.group_size + e % tiling.group_size) += a * b;
            }
    }
};

template <class Number>
void check_stream(Device& device, const Path& path, uint operation, const char* type, const NumberTiling& tiling) {
    CAPTURE(operation);
    CAPTURE(std::string(type));
    CAPTURE(tiling.group_size);
    CAPTURE(tiling.loads);
    CAPTURE(tiling.turns);
    CAPTURE(tiling.factor);
    constexpr uint kGroups = 3, kOwn = 2, kCount = 6, kArrays = 3;
    const bool local = path.stage == Stage::scratchpad;
    const uint array = tiling.tile() * kOwn * (local ? 1 : kGroups), first = local ? 0 : 1, step = local ? 1 : kGroups;
    const uint bytes = array * kArrays * tiling.width * 4, items = tiling.group_size * kGroups;
    if (local && bytes >= device.info().scratchpad_bytes) return;
    Defines defines = tiling.defines();
    defines.insert(defines.end(), {{"OPERATION", std::to_string(operation)}, {type, "1"}});
    if (tiling.loads == 8) defines.emplace_back("ROW", std::to_string(tiling.group_size));
    const std::vector<Feature> needs =
        sizeof(Number) == 8 ? std::vector<Feature>{Feature::float64} : std::vector<Feature>{};
    const auto kernel =
        device.compile(kernel_source("write"), Build{.a = &path,
                                                   .b = tiling.factor == 2 ? find_path("constant") : nullptr,
                                                   .group_size = tiling.group_size,
                                                   .defines = defines,
                                                   .needs = needs});
    Numbers<Number> before{std::vector<Number>(array * kArrays), std::vector<Number>(items)};
    for (uint at = 0; at < before.memory.size(); ++at) // of a sum's factors each has few bits: it is exact
        before.memory[at] = operation == 7 ? 1 + static_cast<Number>(fill_word(at, 1u << 20, kSeed) % 4) / 4
                                           : 1 + static_cast<Number>(fill_word(at, 1u << 20, kSeed)) / 4294967296;
    Words words(bytes / 4);
    std::memcpy(words.data(), before.memory.data(), bytes);
    const auto a = source_of(device, path, words);
    Words factors(64);
    for (uint n = 0; n < factors.size(); ++n) factors[n] = tiling.scalar(n);
    const auto b = tiling.factor == 2 ? uploaded(device, Space::constant, factors) : nullptr;
    const auto out = untouched(device, items * tiling.width);
    launch(device, *kernel,
        kernel_args::Write{.own = kOwn,
            .first = first,
            .step = step,
            .count = kCount,
            .array_elements = array,
            .salt = 0,
            .stage = local ? array * kArrays : 0,
            .factor = tiling.scalar(0)},
        *out, {.a = a.get(), .b = b.get(), .groups = kGroups, .scratchpad_bytes = local ? bytes : 0});
    const Words answer = downloaded(device, *out, items * tiling.width), left = downloaded(device, *a, words.size());
    std::vector<Words> answers, lefts; // fused, and rounded twice
    for (const bool fused : {true, false}) {
        Numbers<Number> after = before;
        Words expected(items * tiling.width, kCount / kOwn), all(words.size());
        for (uint group = 0; group < kGroups; ++group) {
            if (local) after.memory = before.memory;
            after.work(operation, tiling, group, kOwn, first, step, kCount, array, fused);
        }
        std::memcpy(all.data(), after.memory.data(), bytes);
        if (operation == 7) std::memcpy(expected.data(), after.sums.data(), items * sizeof(Number));
        else expected.resize(items);
        answers.push_back(expected), lefts.push_back(all);
    }
    if (operation == 7) CHECK(answer == answers[0]);
    if (operation == 7) return;
    if (!local) {
        CHECK(Words(answer.begin(), answer.begin() + items) == answers[0]);
        CHECK((left == lefts[0] || left == lefts[1]));
        return;
    }
    const uint counted = tiling.group_size * (kCount / kOwn),
               unread = operation == 4 ? array : 0; // the third array is none of a `scale`
    for (uint group = 0; group < kGroups; ++group) {
        const uint sum = std::accumulate(
            answer.begin() + group * tiling.group_size, answer.begin() + (group + 1) * tiling.group_size, 0u);
        const auto sum_of = [&](const Words& all) {
            return std::accumulate(all.begin(), all.end() - unread * tiling.width, counted);
        };
        CHECK((sum == sum_of(lefts[0]) || sum == sum_of(lefts[1])));
    }
}

/// A workgroup for each tile, or several, leaves what one round does, and a mark of its own.
template <class Number>
void check_stream_once(Device& device, const Path& path, uint operation, const char* type, const NumberTiling& tiling) {
    CAPTURE(operation);
    CAPTURE(std::string(type));
    CAPTURE(tiling.group_size);
    constexpr uint kTiles = 3, kGroups = 5, kArrays = 3, kSalt = 77;
    const uint array = tiling.tile() * kTiles;
    Defines defines = tiling.defines();
    defines.insert(defines.end(), {{"OPERATION", std::to_string(operation)}, {type, "1"}, {"ONCE", "1"}});
    const std::vector<Feature> needs =
        sizeof(Number) == 8 ? std::vector<Feature>{Feature::float64} : std::vector<Feature>{};
    const auto kernel =
        device.compile(kernel_source("write"), Build{.a = &path,
                                                   .b = tiling.factor == 2 ? find_path("constant") : nullptr,
                                                   .group_size = tiling.group_size,
                                                   .defines = defines,
                                                   .needs = needs});
    Numbers<Number> before{std::vector<Number>(array * kArrays), std::vector<Number>(kGroups)};
    for (uint at = 0; at < before.memory.size(); ++at)
        before.memory[at] = 1 + static_cast<Number>(fill_word(at, 1u << 20, kSeed)) / 4294967296;
    Words words(before.memory.size() * tiling.width);
    std::memcpy(words.data(), before.memory.data(), words.size() * 4);
    const auto a = source_of(device, path, words);
    const auto b = tiling.factor == 2 ? uploaded(device, Space::constant, Words(64, tiling.scalar(0))) : nullptr;
    const auto out = untouched(device, kGroups + 1);
    launch(device, *kernel,
        kernel_args::Write{.own = kTiles,
            .first = 1,
            .step = kTiles,
            .count = 2,
            .array_elements = array,
            .salt = kSalt,
            .factor = tiling.scalar(0)},
        *out, {.a = a.get(), .b = b.get(), .groups = kGroups});
    const Words left = downloaded(device, *a, words.size());
    std::vector<Words> lefts(2, words); // fused, and rounded twice
    for (const bool fused : {true, false}) {
        Numbers<Number> after = before;
        for (uint tile = 0; tile < kTiles; ++tile) after.work(operation, tiling, tile, 1, 1, 1, 1, array, fused);
        std::memcpy(lefts[fused].data(), after.memory.data(), words.size() * 4);
    }
    CHECK((left == lefts[0] || left == lefts[1]));
    CHECK(
        downloaded(device, *out, kGroups + 1) == Words{kSalt, kSalt + 1, kSalt + 2, kSalt + 3, kSalt + 4, kUntouched});
}

} // namespace

CONFORMANCE(numbers_once, "global", "global.cs") {
    for (const uint group_size : group_sizes(device.info()))
        for (const uint operation : {4u, 5u, 6u})
            for (const uint factor : {0u, 1u, 2u}) {
                if (factor > 0 && (operation != 4 || path.name != "global" || device.why_not(*find_path("constant"))))
                    continue;
                check_stream_once<float>(device, path, operation, "TYPE_F32", {1, 1, 1, group_size, factor});
                if (!device.why_lacking(Feature::float64, false))
                    check_stream_once<double>(device, path, operation, "TYPE_F64", {2, 1, 1, group_size, factor});
            }
}

CONFORMANCE(numbers, kEveryPath) {
    const auto& paths = find_probe("stream")->paths;
    if (std::find(paths.begin(), paths.end(), path.name) == paths.end()) return;
    CasesOfTheDay cases(device.info().cpu ? 3 : 1);
    for (const uint group_size : group_sizes(device.info()))
        for (const uint operation : {4u, 5u, 6u, 7u})
            for (const auto& [loads, turns] : {std::pair{4u, 1u}, {1u, 1u}, {8u, 1u}, {4u, 16u}}) {
                if (loads == 8 ? path.stage != Stage::scratchpad || group_size != 256
                               : turns > 1 && path.space == Space::host)
                    continue;
                if (!cases.take()) continue;
                check_stream<float>(device, path, operation, "TYPE_F32", {1, loads, turns, group_size});
                if (const auto lacking = device.why_lacking(Feature::float64, false))
                    MESSAGE(device.info().id, ": ", *lacking);
                else check_stream<double>(device, path, operation, "TYPE_F64", {2, loads, turns, group_size});
            }
}

/// Of `scale` by an argument, and by constants that differ from tile to tile.
CONFORMANCE(factors, "global") {
    for (const uint group_size : group_sizes(device.info()))
        for (const uint factor : {1u, 2u}) {
            const auto lacking = factor == 2 ? device.why_not(*find_path("constant")) : std::nullopt;
            if (lacking) MESSAGE(device.info().id, ": ", *lacking);
            else check_stream<float>(device, path, 4, "TYPE_F32", {1, 4, 1, group_size, factor});
            if (!lacking && !device.why_lacking(Feature::float64, false))
                check_stream<double>(device, path, 4, "TYPE_F64", {2, 1, 1, group_size, factor});
        }
}

} // namespace sonde
