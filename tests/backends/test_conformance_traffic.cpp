// Conformance of the kernels that move data with many work-items at once: every work-item's answer against the host's.
#include <doctest/doctest.h>

#include <cstring>
#include <functional>
#include <map>
#include <numeric>
#include <string>

#include <fmt/format.h>

#include "core/measure/arithmetic.h"
#include "core/measure/chain.h"
#include "core/probes/probes.h"
#include "tests/backends/conformance.h"

namespace sonde {

namespace {

constexpr uint kLoads = 4;

bool has_path(const char* probe, const Path& path) {
    const auto& paths = find_probe(probe)->paths;
    return std::find(paths.begin(), paths.end(), path.name) != paths.end();
}

Words random_words(std::size_t count) {
    Words words(count);
    for (std::size_t word = 0; word < count; ++word) words[word] = fill_word(word, 1u << 20, kSeed);
    return words;
}

// --- kernels/pattern.h
// -------------------------------------------------------------------------------------------------------

/// The kernel's arguments but the last three, and where they put a lane of a window, said without them.
struct Arrangement {
    const char* name;
    kernel_args::Pattern args;
    std::function<uint(uint window, uint lane)> element;
    const char* windows = ""; // the define that says where they lie
    kernel_args::Pattern timed(uint items, uint count) const {
        kernel_args::Pattern all = args;
        all.step = kLoads * (items / args.lanes) % args.windows, all.count = count, all.seed = kSeed,
        all.loading = args.lanes;
        return all;
    }
};

/// A kernel with a second source, an ordinary buffer.
std::unique_ptr<Kernel> compiled_with_two(
    Device& device, const char* kernel, const Path& path, uint group_size, const Defines& defines) {
    return device.compile(kernel_source(kernel),
        Build{.a = &path, .b = find_path("global"), .group_size = group_size, .defines = defines});
}

std::vector<Arrangement> arrangements(uint lanes) {
    constexpr uint kAll = 0xFFFFFFFFu, kWindows = 13, kElements = 1024; // no number of subgroups is a multiple of 13
    const uint high = 2, wide = lanes / high, per_row = kRow / wide;
    const auto shift_of = [](uint power) {
        uint shift = 0;
        while (power >> shift != 1) ++shift;
        return shift;
    };
    return {
        {"strided", {lanes, lanes, 1, 0, 6, 0, 0, kAll, 31, lanes * 6, 0, kWindows},
            [=](uint window, uint lane) { return (window * lanes + lane) * 6; }},
        {"offset", {lanes, lanes, 1, 0, 1, 0, 5, kAll, 31, lanes, 0, kWindows},
            [=](uint window, uint lane) { return window * lanes + lane + 5; }},
        {"permuted", {lanes, lanes, 5, 3, 1, 0, 0, kAll, 31, lanes, 0, kWindows},
            [=](uint window, uint lane) { return window * lanes + (lane * 5 + 3) % lanes; }},
        {"reversed", {lanes, lanes, lanes - 1, lanes - 1, 1, 0, 0, kAll, 31, lanes, 0, kWindows},
            [=](uint window, uint lane) { return window * lanes + lanes - 1 - lane; }},
        {"broadcast", {lanes, lanes, 0, 0, 1, 0, 0, kAll, 31, lanes, 0, kWindows},
            [=](uint window, uint) { return window * lanes; }},
        {"rectangle", {lanes, wide, 1, 0, 1, kRow, 0, per_row - 1, shift_of(per_row), wide, kRow * high, per_row * 2},
            [=](uint window, uint lane) {
                return (window / per_row * high + lane / wide) * kRow + window % per_row * wide + lane % wide;
            },
            "ROWS"},
        {"scattered", {lanes, lanes, 1, 0, 1, 0, 0, kAll, 31, lanes, 0, kElements}, [](uint, uint) { return 0u; },
            "SCATTERED"},
    };
}

/// Which element a work-item's load touches, by its number.
uint touched(const Arrangement& arrangement, uint items, uint item, uint load) {
    const uint lanes = arrangement.args.lanes, windows = arrangement.args.windows;
    return arrangement.windows == std::string("SCATTERED")
               ? scrambled(item + load * items, kSeed) % windows
               : arrangement.element((item / lanes + load * (items / lanes)) % windows, item % lanes);
}

/// Per work-item the sum of the words of its `count` * kLoads elements.
Words pattern_answer(const Words& data, const Arrangement& arrangement, uint items, uint count, uint width) {
    Words answer;
    for (uint item = 0; item < items; ++item) {
        uint sum = 0;
        for (uint load = 0; load < count * kLoads; ++load)
            for (uint word = 0; word < width; ++word)
                sum += data.at(touched(arrangement, items, item, load) * width + word);
        answer.push_back(sum);
    }
    return answer;
}

void check_patterns(Device& device, const Path& path, uint group_size, uint width) {
    CAPTURE(group_size);
    CAPTURE(width);
    const uint groups = 16, items = groups * group_size, lanes = std::min(items, 32u);
    const Words data = random_words(std::size_t{kRow} * 4 * width); // the rectangles' rows
    const auto a = source_of(device, path, data);
    std::map<std::string, std::unique_ptr<Kernel>> kernels;
    for (const std::string windows : {"", "ROWS", "SCATTERED"}) {
        if (windows == "ROWS" && width > 1) continue; // nothing measures so
        Defines defines{{"WIDTH", std::to_string(width)}, {"LOADS", std::to_string(kLoads)}};
        if (!windows.empty()) defines.emplace_back(windows, "1");
        kernels[windows] = compiled(device, "pattern", path, group_size, defines);
    }
    for (const Arrangement& arrangement : arrangements(lanes)) {
        CAPTURE(std::string(arrangement.name));
        const auto kernel = kernels.find(arrangement.windows);
        if (kernel == kernels.end()) continue;
        for (const uint count : {0u, 1u, 7u}) {
            CAPTURE(count);
            const auto out = untouched(device, items + 1);
            launch(device, *kernel->second, arrangement.timed(items, count), *out, {.a = a.get(), .groups = groups});
            Words expected = pattern_answer(data, arrangement, items, count, width);
            expected.push_back(kUntouched);
            CHECK(downloaded(device, *out, items + 1) == expected);
        }
    }
}

/// What stands in the memory after stores of elements of so many bytes, and that nothing else was touched.
void check_stored_patterns(Device& device, const Path& path, uint group_size, uint bytes) {
    CAPTURE(group_size);
    CAPTURE(bytes);
    const uint groups = 16, items = groups * group_size, lanes = std::min(items, 32u), count = 7,
               width = std::max(bytes / 4, 1u);
    const Words data = random_words(std::size_t{kRow} * 4 * width);
    for (const Arrangement& arrangement : arrangements(lanes)) {
        CAPTURE(std::string(arrangement.name));
        if (*arrangement.windows && (bytes < 4 || (bytes > 4 && arrangement.windows == std::string("ROWS"))))
            continue; // nothing measures so
        Defines defines{{"WIDTH", std::to_string(width)}, {"LOADS", std::to_string(kLoads)}, {"STORES", "1"}};
        if (*arrangement.windows) defines.emplace_back(arrangement.windows, "1");
        if (bytes < 4) defines.emplace_back("BITS", std::to_string(bytes * 8));
        const auto kernel = compiled(device, "pattern", path, group_size, defines);
        const auto a = source_of(device, path, data), out = untouched(device, items);
        launch(device, *kernel, arrangement.timed(items, count), *out, {.a = a.get(), .groups = groups});
        Words expected = data;
        for (uint item = 0; item < items; ++item)
            for (uint load = 0; load < count * kLoads; ++load) {
                const uint element = touched(arrangement, items, item, load), stored = element + kSeed;
                for (uint byte = 0; byte < bytes; byte += 4)
                    std::memcpy(reinterpret_cast<char*>(expected.data()) + element * bytes + byte, &stored,
                        std::min(bytes, 4u));
            }
        CHECK(downloaded(device, *a, data.size()) == expected);
    }
}

/// Some lanes' loads and stores, and those of elements at any byte.
void check_odd_accesses(Device& device, const Path& path, uint group_size, uint bytes) {
    CAPTURE(group_size);
    CAPTURE(bytes);
    constexpr uint kAll = 0xFFFFFFFFu, kWindows = 13, kShift = 3;
    const uint groups = 16, items = groups * group_size, lanes = std::min(items, 32u), active = std::max(lanes / 2, 1u),
               count = 7, width = std::max(bytes / 4, 1u), part = std::min(bytes, 4u);
    const Words data = random_words(std::size_t{kRow} * width);
    const Arrangement shifted{"at any byte",
        {lanes, lanes, 1, 0, bytes, 0, kShift, kAll, 31, lanes * bytes, 0, kWindows},
        [=](uint window, uint lane) { return (window * lanes + lane) * bytes + kShift; }};
    const Arrangement halved{"some lanes", {lanes, lanes, 1, 1, 1, 0, 0, kAll, 31, lanes, 0, kWindows},
        [=](uint window, uint lane) { return window * lanes + (lane + 1) % lanes; }};
    for (const auto& [packed, stores] : {std::pair{false, false}, {true, false}, {false, true}, {true, true}}) {
        if (packed && bytes == 1) continue; // which is aligned anywhere
        CAPTURE(packed);
        CAPTURE(stores);
        const Arrangement& arrangement = packed ? shifted : halved;
        Defines defines{
            {"WIDTH", std::to_string(width)}, {"LOADS", std::to_string(kLoads)}, {packed ? "PACKED" : "ACTIVE", "1"}};
        if (stores) defines.emplace_back("STORES", "1");
        if (bytes < 4) defines.emplace_back("BITS", std::to_string(bytes * 8));
        const auto kernel = compiled(device, "pattern", path, group_size, defines);
        const auto a = source_of(device, path, data), out = untouched(device, items + 1);
        auto args = arrangement.timed(items, count);
        args.loading = active;
        launch(device, *kernel, args, *out, {.a = a.get(), .groups = groups});
        Words sums(items, 0), memory = data;
        sums.push_back(kUntouched);
        for (uint item = 0; item < items; ++item)
            for (uint load = 0; load < count * kLoads && (packed || (item + 1) % lanes < active); ++load) {
                const uint element = touched(arrangement, items, item, load), stored = element + kSeed;
                for (uint byte = 0; byte < bytes; byte += 4) {
                    char* at = reinterpret_cast<char*>(memory.data()) + element * (packed ? 1 : bytes) + byte;
                    uint word = 0;
                    std::memcpy(&word, at, part);
                    if (stores) std::memcpy(at, &stored, part);
                    else sums[item] += word;
                }
            }
        CHECK(downloaded(device, *out, items + 1) == sums);
        CHECK(downloaded(device, *a, data.size()) == memory);
    }
}

/// Elements of 8 and 16 bits; what a device cannot load so it refuses with its reason.
void check_narrow_patterns(Device& device, const Path& path, uint group_size, uint bits) {
    CAPTURE(group_size);
    CAPTURE(bits);
    const uint groups = 16, items = groups * group_size, lanes = std::min(items, 32u), count = 7;
    const Words data = random_words(kRow);
    const auto a = source_of(device, path, data);
    for (const Arrangement& arrangement : arrangements(lanes)) {
        CAPTURE(std::string(arrangement.name));
        if (arrangement.windows == std::string("ROWS")) continue; // nothing measures so
        Defines defines{{"WIDTH", "1"}, {"LOADS", std::to_string(kLoads)}, {"BITS", std::to_string(bits)}};
        if (*arrangement.windows) defines.emplace_back(arrangement.windows, "1");
        const auto kernel = compiled(device, "pattern", path, group_size, defines);
        const auto out = untouched(device, items + 1);
        launch(device, *kernel, arrangement.timed(items, count), *out, {.a = a.get(), .groups = groups});
        Words expected;
        for (uint item = 0; item < items; ++item) {
            uint sum = 0;
            for (uint load = 0; load < count * kLoads; ++load) {
                const uint bit = touched(arrangement, items, item, load) * bits;
                sum += data.at(bit / 32) >> bit % 32 & ((1u << bits) - 1);
            }
            expected.push_back(sum);
        }
        expected.push_back(kUntouched);
        CHECK(downloaded(device, *out, items + 1) == expected);
    }
}

// --- kernels/mix_paths.h
// -------------------------------------------------------------------------------------------------------

void check_mixtures(Device& device, const Path& path, const Path& other, uint group_size) {
    CAPTURE(group_size);
    constexpr uint kWidth = 4, kGroups = 3, kSpan = 16, kStep = 12;
    const uint elements = kSpan + kLoads * group_size;
    const bool staged = other.stage == Stage::scratchpad;
    const auto kernel = device.compile(kernel_source("mix_paths"),
        Build{.a = &path,
            .b = &other,
            .group_size = group_size,
            .defines = {{"WIDTH", std::to_string(kWidth)}, {"LOADS", std::to_string(kLoads)}, {"WIDE_B", "1"}}});
    Words sources[] = {random_words(std::size_t{elements} * kWidth), random_words(std::size_t{elements} * kWidth)};
    for (uint& word : sources[1]) word ^= 0x55555555u;
    const auto a = source_of(device, path, sources[0]), b = uploaded(device, other.space, sources[1]);
    for (const auto& [rows_a, rows_b] : {std::pair{5u, 0u}, {0u, 5u}, {3u, 2u}, {1u, 6u}})
        for (const uint rounds : {1u, 7u}) {
            CAPTURE(rows_a);
            CAPTURE(rounds);
            const auto out = untouched(device, kGroups * group_size + 1);
            const uint subgroup = std::min(device.info().subgroup, group_size);
            launch(device, *kernel,
                kernel_args::MixPaths{.rounds = rounds,
                    .rows_a = rows_a,
                    .rows_b = rows_b,
                    .span = kSpan,
                    .step = kStep,
                    .subgroup = subgroup,
                    .stage = staged ? elements : 0},
                *out,
                {.a = a.get(),
                    .b = b.get(),
                    .groups = kGroups,
                    .scratchpad_bytes = staged ? elements * kWidth * 4 : 0});
            Words expected(kGroups * group_size, 0);
            for (uint item = 0; item < expected.size(); ++item)
                for (const uint side : {0u, 1u})
                    for (uint row = 0; row < rounds * (side == 0 ? rows_a : rows_b); ++row)
                        for (uint word = 0; word < kLoads * kWidth; ++word)
                            expected[item] += sources[side].at(
                                (row * kStep % kSpan + item % group_size + word / kWidth * group_size) * kWidth +
                                word % kWidth);
            expected.push_back(kUntouched);
            CHECK(downloaded(device, *out, expected.size()) == expected);
        }
}

// --- kernels/two_buffers.h
// ----------------------------------------------------------------------------------------------------------

/// What one side's workgroups do to a buffer: `members` of them sweep side by side over `tiles`.
struct Side {
    uint tiles, count;
    bool write;
    uint salt;
};

/// Does it to `memory`; what member number `member` answers, per work-item.
Words side_answer(Words& memory, const Side& side, uint member, uint members, uint group_size) {
    Words answer(group_size, side.write ? side.count : 0);
    for (uint n = 0; n < side.count; ++n)
        for (uint load = 0; load < kLoads; ++load)
            for (uint item = 0; item < group_size; ++item) {
                const uint element = ((member + n * members) % side.tiles * kLoads + load) * group_size + item;
                if (side.write) memory.at(element) = element + side.salt;
                else answer[item] += memory.at(element);
            }
    return answer;
}

void check_pairs(Device& device, const Path& path, uint group_size) {
    CAPTURE(group_size);
    constexpr uint kGroups = 6, kTiles = 11;
    const auto kernel = compiled_with_two(
        device, "two_buffers", path, group_size, {{"WIDTH", "1"}, {"LOADS", std::to_string(kLoads)}, {"TURNS", "1"}});
    for (const auto& [of, on_b] : {std::pair{1u, 0u}, {2u, 1u}, {3u, 1u}})
        for (const bool write_a : {false, true})
            for (const bool write_b : {false, true}) {
                CAPTURE(on_b);
                CAPTURE(write_a);
                CAPTURE(write_b);
                const Side sides[] = {{kTiles, 5, write_a, 77},
                    {kTiles - 4, 3, write_b, 1234567}}; // A twice over with all workgroups, B not wholly
                Words memories[] = {
                    random_words(kTiles * kLoads * group_size), random_words((kTiles - 4) * kLoads * group_size)};
                const auto a = uploaded(device, path.space, memories[0]), b = uploaded(device, path.space, memories[1]);
                const auto out = untouched(device, kGroups * group_size + 1);
                launch(device, *kernel,
                    kernel_args::TwoBuffers{of, on_b, sides[0].tiles, sides[0].count, write_a, sides[0].salt,
                        sides[1].tiles, sides[1].count, write_b, sides[1].salt},
                    *out, {.a = a.get(), .b = on_b ? b.get() : nullptr, .groups = kGroups});
                Words expected;
                for (uint group = 0; group < kGroups; ++group) {
                    const uint side = group % of < of - on_b ? 0 : 1, each = side ? on_b : of - on_b;
                    const Words answer = side_answer(memories[side], sides[side],
                        group / of * each + group % of - (side ? of - on_b : 0), kGroups / of * each, group_size);
                    expected.insert(expected.end(), answer.begin(), answer.end());
                }
                expected.push_back(kUntouched);
                CHECK(downloaded(device, *out, expected.size()) == expected);
                CHECK(downloaded(device, *a, memories[0].size()) == memories[0]);
                CHECK(downloaded(device, *b, memories[1].size()) == memories[1]);
            }
}

// --- kernels/banks.h
// ---------------------------------------------------------------------------------------------------------

void check_strides(Device& device, const Path& path, uint group_size, uint width) {
    CAPTURE(group_size);
    CAPTURE(width);
    constexpr uint kElements = 256, kGroups = 2, kClockWords = 4;
    const Words data = random_words(std::size_t{kElements + kLoads} * width);
    const auto a = source_of(device, path, data);
    const auto kernel = compiled(
        device, "banks", path, group_size, {{"WIDTH", std::to_string(width)}, {"LOADS", std::to_string(kLoads)}});
    for (const uint stride : {1u, 3u, 32u, 33u})
        for (const uint count : {1u, 100u}) { // the latter round and round
            CAPTURE(stride);
            CAPTURE(count);
            const uint items = group_size * kGroups;
            const auto out = untouched(device, kClockWords + items);
            launch(device, *kernel,
                kernel_args::Banks{
                    .elements = kElements, .stride = stride, .count = count, .stage = kElements + kLoads},
                *out, {.a = a.get(), .groups = kGroups, .scratchpad_bytes = (kElements + kLoads) * width * 4});
            Words expected(items, 0);
            for (uint item = 0; item < items; ++item)
                for (uint load = 0; load < count * kLoads; ++load)
                    for (uint word = 0; word < width; ++word)
                        expected[item] +=
                            data[((item % group_size * stride + load / kLoads * kLoads) % kElements + load % kLoads) *
                                     width +
                                 word];
            const Words result = downloaded(device, *out, kClockWords + items);
            CHECK(Words(result.begin() + kClockWords, result.end()) == expected);
        }
}

// --- kernels/scratchpad_fill.h
// -----------------------------------------------------------------------------------------------

/// Copies in turn, of which each work-item reads one element; by loads, or what the device has besides. Of a tile every
/// `spread`th element is copied.
void check_fills(Device& device, const Path& path, const Build& build, uint flight, uint spread) {
    constexpr uint kTiles = 8, kStep = 5, kFirst = 3, kApart = 6, kGroups = 2, kWords = 4;
    const uint group_size = build.group_size, block = 4 + 2 * group_size;
    const auto kernel = device.compile(kernel_source("scratchpad_fill"), build);
    constexpr uint kDriversOwn = 1024; // bytes of scratchpad that some drivers report and refuse
    for (const uint elements : {1u, 4u, 64u, 512u}) {
        if (flight * (elements + 1) * 16 > device.info().scratchpad_bytes - kDriversOwn) continue;
        const Words data = random_words(std::size_t{kTiles} * elements * spread * kWords);
        const auto a = source_of(device, path, data);
        const auto sum_of = [&](uint group, uint n, uint element) {
            const auto begin =
                data.begin() + ((kFirst + group * kApart + n * kStep) % kTiles * elements + element) * spread * kWords;
            return std::accumulate(begin, begin + kWords, 0u);
        };
        for (const uint count : {0u, 1u, 21u}) {
            CAPTURE(elements);
            CAPTURE(count);
            const auto out = untouched(device, kGroups * block);
            launch(device, *kernel,
                kernel_args::ScratchpadFill{.elements = elements,
                    .tiles = kTiles,
                    .first = kFirst,
                    .step = kStep,
                    .count = count,
                    .apart = kApart},
                *out, {.a = a.get(), .groups = kGroups, .scratchpad_bytes = flight * (elements + 1) * 16});
            const Words result = downloaded(device, *out, kGroups * block);
            for (uint group = 0; group < kGroups; ++group) {
                CAPTURE(group);
                Words expected(2 * group_size, 0);
                for (uint lane = 0; lane < group_size; ++lane) {
                    for (uint n = 0; n < count; ++n) expected[2 * lane] += sum_of(group, n, (lane + n) % elements);
                    for (uint n = count; n < count + flight; ++n)
                        for (uint element = 0; element < elements; ++element)
                            if (((n % flight) * elements + element) % group_size == lane)
                                expected[2 * lane + 1] += sum_of(group, n, element);
                }
                CHECK(Words(result.begin() + group * block + 4, result.begin() + (group + 1) * block) == expected);
            }
        }
    }
}

} // namespace

CONFORMANCE(scratchpad_fill, "scratchpad") {
    constexpr OptionName kBy{"by"}, kInFlight{"in_flight"}, kOn{"on"};
    for (const Options& variant : find_probe("scratchpad-fill")->variants) {
        if (option::from_dram.in(variant) || kOn.asked(variant)) continue; // the same kernels
        KernelChoice choice = find_probe("scratchpad-fill")->kernel(device.info(), path, variant);
        CAPTURE(kBy.word(variant));
        CAPTURE(kInFlight.word(variant));
        for (const uint group_size : group_sizes(device.info())) {
            choice.group_size = group_size;
            CAPTURE(group_size);
            try {
                const auto spread =
                    std::ranges::find(choice.defines, "SPREAD", &std::pair<std::string, std::string>::first);
                check_fills(device, path, choice.build(path), static_cast<uint>(std::stoul(kInFlight.word(variant))),
                    spread == choice.defines.end() ? 1 : static_cast<uint>(std::stoul(spread->second)));
            } catch (const Unsupported& reason) {
                MESSAGE(device.info().id, " ", kBy.word(variant), ": ", std::string(reason.what()));
            }
        }
    }
}

CONFORMANCE(pattern, kEveryPath) {
    if (!has_path("coalescing", path)) return;
    for (const uint group_size : group_sizes(device.info()))
        for (const uint width : widths(device.info())) {
            if (width * 4 > path.widest_bytes) continue;
            try {
                check_patterns(device, path, group_size, width);
            } catch (const Unsupported& reason) { // texels of such a width, say
                MESSAGE(device.info().id, " ", path.name, " by ", width, " words: ", std::string(reason.what()));
            }
        }
}

CONFORMANCE(stored, "global", "global.pointer") {
    CasesOfTheDay cases(device.info().cpu ? 3 : 1);
    for (const uint group_size : group_sizes(device.info()))
        for (const uint width : widths(device.info())) {
            if (!cases.take()) continue;
            check_stored_patterns(device, path, group_size, width * 4);
            try {
                check_odd_accesses(device, path, group_size, width * 4);
                if (width < 4) check_stored_patterns(device, path, group_size, width);
                if (width < 4) check_odd_accesses(device, path, group_size, width);
            } catch (const Unsupported& reason) { // a feature of Vulkan's
                MESSAGE(device.info().id, " ", path.name, " by bytes: ", std::string(reason.what()));
            }
        }
}

CONFORMANCE(narrow, kEveryPath) {
    if (!has_path("coalescing", path)) return;
    for (const uint bits : {8u, 16u}) {
        if (path.name != "global" && path.name != "global.pointer") { // no form, and no other in its place
            CHECK_THROWS_AS(compiled(device, "pattern", path, 1,
                                {{"WIDTH", "1"}, {"LOADS", std::to_string(kLoads)}, {"BITS", std::to_string(bits)}}),
                Error);
            continue;
        }
        try {
            for (const uint group_size : group_sizes(device.info()))
                check_narrow_patterns(device, path, group_size, bits);
        } catch (const Unsupported& reason) { // a feature of Vulkan's
            MESSAGE(device.info().id, " ", path.name, " by ", bits, " bits: ", std::string(reason.what()));
        }
    }
}

CONFORMANCE(mix, kEveryPath) {
    if (!has_path("mix", path)) return;
    for (const auto& variant : find_probe("mix")->variants) {
        const Path& other = *find_path(option::other_path.word(variant));
        CAPTURE(other.name);
        if (device.why_not(other)) continue;
        for (const uint group_size : {1u, std::min({device.info().subgroup, 64u, device.info().largest_group}),
                 std::min(64u, device.info().largest_group)})
            check_mixtures(device, path, other, group_size);
    }
}

CONFORMANCE(pair, kEveryPath) {
    if (!has_path("segments", path)) return;
    for (const uint group_size : group_sizes(device.info())) check_pairs(device, path, group_size);
}

CONFORMANCE(banks, kEveryPath) {
    if (!has_path("banks", path)) return;
    for (const uint group_size : group_sizes(device.info()))
        for (const uint width : widths(device.info())) check_strides(device, path, group_size, width);
}

/// All lanes of a workgroup walk the chain in B, from a slot of the workgroup's own on.
CONFORMANCE(hold, kEveryPath) {
    if (!has_path("occupancy", path)) return;
    constexpr uint kWords = 128, kGroups = 5, kHops = 16, kSlots = 3, kShift = 2;
    const Words data = random_words(kWords);
    const auto a = source_of(device, path, data);
    const Chain chain(kSlots, kShift, kSeed);
    Words links(kSlots << kShift, kUntouched);
    for (uint slot = 0; slot < kSlots; ++slot) links[slot << kShift] = chain.next(slot << kShift);
    const auto b = uploaded(device, Space::global, links);
    for (const uint group_size : group_sizes(device.info())) {
        CAPTURE(group_size);
        const auto kernel = compiled_with_two(device, "occupancy", path, group_size, {});
        for (const uint rounds : {0u, 1u, 9u}) {
            CAPTURE(rounds);
            const auto out = untouched(device, 2 * group_size * kGroups);
            launch(device, *kernel,
                kernel_args::Occupancy{.rounds = rounds, .slots = kSlots, .shift = kShift, .stage = kWords}, *out,
                {.a = a.get(), .b = b.get(), .groups = kGroups, .scratchpad_bytes = kWords * 4});
            Words expected;
            for (uint item = 0; item < group_size * kGroups; ++item) {
                uint at = (item / group_size % kSlots) << kShift;
                for (uint n = 0; n < rounds * kHops; ++n) at = links[at];
                expected.insert(expected.end(), {at, data[item % group_size % kWords]});
            }
            CHECK(downloaded(device, *out, expected.size()) == expected);
        }
    }
}

/// The same chain while each work-item keeps values in registers.
CONFORMANCE(held_registers, "global") {
    constexpr uint kGroups = 3, kLoads = 64, kSlots = 5, kShift = 2;
    const Chain chain(kSlots, kShift, kSeed);
    Words links(kSlots << kShift, kUntouched);
    for (uint slot = 0; slot < kSlots; ++slot) links[slot << kShift] = chain.next(slot << kShift);
    const auto a = uploaded(device, Space::global, links);
    const Operation& operation = *find_operation("mad.u32");
    for (const uint group_size : group_sizes(device.info()))
        for (const uint values :
            thorough() ? std::vector<uint>{16, 32, 48, 64, 96, 128, 160, 192, 224} : std::vector<uint>{16, 224}) {
            CAPTURE(group_size);
            CAPTURE(values);
            const auto kernel = device.compile(kernel_source("held_registers"),
                Build{.a = &path, .group_size = group_size, .defines = {{"VALUES", std::to_string(values)}}});
            for (const uint rounds : {0u, 3u}) {
                const auto out = untouched(device, 2 * group_size * kGroups);
                launch(device, *kernel,
                    kernel_args::HeldRegisters{.rounds = rounds,
                        .slots = kSlots,
                        .shift = kShift,
                        .seed = first_seed(operation.number),
                        .spacing = seed_spacing(operation.number),
                        .c = static_cast<uint>(operation.c)},
                    *out, {.a = a.get(), .groups = kGroups});
                Words lanes(group_size), expected;
                std::iota(lanes.begin(), lanes.end(), 0);
                const Words words = ChainModel(operation, operation.model, lanes, values).words_after(rounds);
                for (uint item = 0; item < group_size * kGroups; ++item) {
                    uint at = (item / group_size % kSlots) << kShift;
                    for (uint n = 0; n < rounds * kLoads; ++n) at = links[at];
                    expected.insert(expected.end(), {at, words[item % group_size]});
                }
                CHECK(downloaded(device, *out, expected.size()) == expected);
            }
        }
}

} // namespace sonde
