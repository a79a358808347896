// Conformance: one body, once per device of every backend. Every kernel's answer equals what the host computes; copies arrive;
// what cannot be done is refused.
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

/// The chain as memory holds it: the words between the slots' first ones are not the chain's.
Words words_of(const Chain& chain) {
    Words words(chain.slots() << chain.shift(), kUntouched);
    for (uint slot = 0; slot < chain.slots(); ++slot) words[slot << chain.shift()] = chain.next(slot << chain.shift());
    return words;
}

bool in_scratchpad(const Path& path) { return path.stage == Stage::scratchpad || path.stage == Stage::peer_scratchpad; }

/// A launch whose source stands where the path wants it: `elements` of `width` words are staged.
void stage(Sources& with, const Device& device, const Path& path, uint bytes) {
    if (path.stage == Stage::scratchpad) with.scratchpad_bytes = bytes;
    if (path.stage != Stage::peer_scratchpad) return;
    with.groups = with.cluster = 2;
    with.scratchpad_bytes = device.info().scratchpad_bytes;
}

/// The chain in a memory that there is.
void build(Device& device, const Path& path, const Chain& chain, Buffer& memory, uint group_size = 1) {
    const auto builder = compiled(device, "chain", *find_path("global"), group_size, chain_defines(path));
    launch(device, *builder, Bench::addressed(chain.kernel_args(), &memory), memory, {.groups = 2});
}

/// The same in the memory of a path, built by the device itself: it alone knows addresses.
std::unique_ptr<Buffer> chain_on(Device& device, const Path& path, const Chain& chain) {
    if (path.space == Space::push) return nullptr;
    const auto bytes = static_cast<std::size_t>(std::max<std::uint64_t>(chain.words(), 2) * sizeof(uint));
    auto memory = device.allocate(path.space, bytes);
    const auto linear = path.space == Space::image2d ? device.allocate(Space::global, bytes) : nullptr;
    build(device, path, chain, linear ? *linear : *memory, device.info().cpu ? 1 : device.info().subgroup);
    if (linear) {
        const Copy copy{.from = linear.get(), .to = memory.get(), .bytes = bytes};
        device.copy({&copy, 1});
    }
    return memory;
}

/// One of the kernel `chase`, the chain's links behind the arguments where the path has them there.
void launch_chase(Device& device, const Path& path, const Kernel& kernel, kernel_args::Chase args, const Chain& chain, const Buffer* a, Buffer& out) {
    const uint words = static_cast<uint>(chain.words());
    if (path.stage != Stage::nothing) args.stage = words;
    Sources with{.a = a};
    stage(with, device, path, words * 4);
    if (path.space != Space::push) return launch(device, kernel, args, out, with);
    const auto fields = Bench::words_of(args).first(offsetof(kernel_args::Chase, base_low) / 4);
    Words all(fields.begin(), fields.end());
    all.resize(all.size() + device.info().reach_of(Space::push).bytes / 4);
    for (uint slot = 0; slot < chain.slots(); ++slot) all[fields.size() + slot] = chain.next(slot);
    const Launch launch{.kernel = kernel, .out = out, .args = all};
    device.run({&launch, 1});
}

// --- what is checked, each on one device and one path --------------------------------------------------------------------

CONFORMANCE(chain, "global") {
    for (const uint group_size : group_sizes(device.info())) {
        const auto kernel = compiled(device, "chain", path, group_size, chain_defines(path));
        for (const auto& [slots, shift] : {std::pair{1u, 0u}, {2u, 4u}, {3u, 0u}, {1000u, 2u}, {4096u, 5u}, {4097u, 0u}}) {
            CAPTURE(group_size);
            CAPTURE(slots);
            const Chain chain(slots, shift, kSeed);
            const Words expected = words_of(chain);
            const auto out = untouched(device, expected.size());
            launch(device, *kernel, chain.kernel_args(), *out, {.groups = 3});
            const Words words = downloaded(device, *out, expected.size());
            CHECK(words == expected);
            uint loads = 0, at = 0; // one cycle over all slots: no return before the last
            do at = words[at] < words.size() ? words[at] : 0;
            while (++loads < slots && at != 0);
            CHECK(loads == slots);
            CHECK(at == 0);
        }
    }
}

CONFORMANCE(fill, "global") {
    constexpr uint kWords = 5000, kPeriod = 1024;
    for (const uint group_size : group_sizes(device.info())) {
        CAPTURE(group_size);
        const auto kernel = compiled(device, "fill", path, group_size);
        const auto out = untouched(device, kWords + 1);
        for (const FillPattern& pattern : {FillPattern{}, FillPattern{.rare = kPeriod - 1}, FillPattern{.keep = {0xFFFF0000u, 0x000FFFFFu}, .set = {1, 0x3FF00000u}}}) {
            launch(device, *kernel, fill_args(kWords, kPeriod, kSeed, pattern), *out, {.groups = 4});
            Words expected(kWords + 1, kUntouched);
            for (uint word = 0; word < kWords; ++word)
                expected[word] = ((pattern.rare ? word % kPeriod == 0 : true) ? scrambled(word % kPeriod, kSeed) & pattern.keep[word % 2] : 0) | pattern.set[word % 2];
            CHECK(downloaded(device, *out, kWords + 1) == expected);
            for (uint word = 0; word < kWords; ++word) expected[word] = fill_word(word, kPeriod, kSeed, pattern);
            CHECK(downloaded(device, *out, kWords + 1) == expected);
        }
    }
}

CONFORMANCE(spin, "global") {
    constexpr uint kRounds = 10, kGroups = 3;
    for (const uint group_size : group_sizes(device.info())) {
        CAPTURE(group_size);
        const auto kernel = compiled(device, "spin", path, group_size);
        const auto out = untouched(device, 4 + group_size * kGroups);
        launch(device, *kernel, kernel_args::Spin{.rounds = kRounds, .seed = kSeed}, *out, {.groups = kGroups});
        Words expected(group_size * kGroups);
        for (uint lane = 0; lane < expected.size(); ++lane) {
            uint x = kSeed + lane;
            for (uint n = 0; n < 64 * kRounds; ++n) x = (x * 1664525u) ^ (x >> 9);
            expected[lane] = x;
        }
        const Words result = downloaded(device, *out, 4 + expected.size());
        CHECK(Words(result.begin() + 4, result.end()) == expected); // behind the clocks
    }
}

struct Walk {
    uint start, pad, warm, steps, touch_begin, touch_end; // start and pad in slots
};

/// What kernels/chase.h leaves behind its clocks: per lane the link reached and the sum of the links it touched.
Words chase_answer(const Path& path, const Chain& chain, const Walk& walk, uint lanes) {
    Words slot_words{chain.start()}; // the word of each slot, in the order in which they lie
    for (uint n = 1; n < chain.slots(); ++n) slot_words.push_back(chain.walk(n));
    std::sort(slot_words.begin(), slot_words.end());
    Words answer;
    for (uint lane = 0; lane < lanes; ++lane) {
        const uint loads = (walk.warm + 7) / 8 * 8 + (walk.steps + 63) / 64 * 64; // both are unrolled
        uint seen = 0;
        for (uint slot = walk.touch_begin + lane; slot < walk.touch_end;)
            for (int n = 0; n < 64; ++n, slot += lanes) seen += link_number(path, chain.next(slot_words[std::min(slot, walk.touch_end - 1)]));
        uint word = slot_words[walk.start + lane * walk.pad];
        for (uint n = 0; n < loads; ++n) word = chain.next(word);
        answer.push_back(link_number(path, word));
        answer.push_back(seen);
    }
    return answer;
}

void check_walk(Device& device, const Path& path, const Kernel& chase, uint group_size, const Chain& chain, const Walk& walk) {
    CAPTURE(group_size);
    CAPTURE(chain.slots());
    CAPTURE(walk.start);
    CAPTURE(walk.pad);
    CAPTURE(walk.warm);
    CAPTURE(walk.steps);
    const auto a = chain_on(device, path, chain);
    const auto out = untouched(device, 4 + 2 * group_size);
    const bool lies_apart = path.space == Space::image2d; // slots do not lie at multiples: the first is the first texel's
    launch_chase(device, path, chase, {.steps = walk.steps, .pad = lies_apart ? 0 : walk.pad << chain.shift(), .start = lies_apart ? 0 : walk.start << chain.shift(), .warm = walk.warm,
                                       .touch_begin = walk.touch_begin, .touch_end = walk.touch_end, .shift = chain.shift()}, chain, a.get(), *out);
    const Words result = downloaded(device, *out, 4 + 2 * group_size);
    CHECK(Words(result.begin() + 4, result.end()) == chase_answer(path, chain, walk, group_size));
}

/// Chains that fit everywhere; a slot holds at least a link.
std::vector<Chain> chains_on(const Device& device, const Path& path) {
    if (path.space == Space::push) return {Chain(1, 0, kSeed), Chain(static_cast<uint>(device.info().reach_of(Space::push).bytes / 4), 0, kSeed)};
    if (path.space == Space::image2d) return {Chain(1, 5, kSeed, SlotOrder::blocks), Chain(70, 11, kSeed, SlotOrder::blocks), Chain(700, 5, kSeed, SlotOrder::blocks)};
    if (path.stage == Stage::each_lane) return {Chain(1, 0, kSeed), Chain(255, 2, kSeed)}; // inside the shortest array (compiled_chase)
    const uint shift = path.link_words == 4 ? 2 : path.link_words == 2 ? 1 : 0;
    return {Chain(1, shift, kSeed), Chain(257, 2, kSeed), Chain(1000, 2, kSeed)};
}

/// A driver may compile a shorter private array only (NVIDIA's Vulkan: 8 KiB a lane).
std::unique_ptr<Kernel> compiled_chase(Device& device, const Path& path, uint group_size) {
    uint words = kPrivateWords;
    while (path.stage == Stage::each_lane && words > 1024) {
        try {
            return compiled(device, "chase", path, group_size, chase_kernel(device.info(), path, words).defines);
        } catch (const Error&) {
            words /= 2;
        }
    }
    return compiled(device, "chase", path, group_size, chase_kernel(device.info(), path, words).defines);
}

CONFORMANCE(chase, kEveryPath) {
    for (const uint group_size : group_sizes(device.info())) {
        const auto chase = compiled_chase(device, path, group_size);
        for (const Chain& chain : chains_on(device, path)) {
            const uint slots = chain.slots(), last = slots - 1;
            const bool spread = last >= group_size && !path.uniform && path.space != Space::image2d;
            for (Walk walk : {Walk{0, 0, 0, 64, 0, 0}, Walk{last, 0, 8, 640, 0, 0}, Walk{0, 0, 0, 128, 0, slots},
                              Walk{last / 2, 0, slots, 0, last / 2, slots}, Walk{0, spread, 3, 1, 0, last}}) {
                if (path.space == Space::image2d) walk.start = 0;
                check_walk(device, path, *chase, group_size, chain, walk);
            }
        }
    }
}

/// Every work-item walks from where it was told, a few times over, in as many workgroups as one likes.
CONFORMANCE(own_starts, kEveryPath) {
    if (path.stage == Stage::each_lane || path.stage == Stage::peer_scratchpad || path.space == Space::push || path.name == "constant.uniform") return; // nothing walks so
    constexpr uint kSteps = 100, kWarm = 20, kGroups = 3, kRounds = 2, kHops = (kWarm + 7) / 8 * 8 + (kSteps + 63) / 64 * 64;
    const auto& timed_paths = find_probe("loaded-latency")->paths;
    const bool timed = std::find(timed_paths.begin(), timed_paths.end(), path.name) != timed_paths.end();
    for (const uint group_size : group_sizes(device.info())) {
        CAPTURE(group_size);
        const auto kernel = compiled(device, "chase", path, group_size, (timed ? own_clocks_kernel : own_starts_kernel)(device.info(), path, {}).defines);
        const Chain chain = chains_on(device, path).back();
        const auto a = chain_on(device, path, chain);
        const uint block = 4 + 2 * group_size, staged = path.stage == Stage::scratchpad ? static_cast<uint>(chain.words()) : 0;
        Words before(kGroups * kRounds * block + 1, kUntouched);
        const auto start = [&](uint item) -> uint& { return before[item / group_size * block + 4 + 2 * (item % group_size)]; };
        for (uint item = 0; item < group_size * kGroups * kRounds; ++item) start(item) = chain.walk(item * 7);
        const auto out = uploaded(device, Space::global, before);
        launch(device, *kernel, kernel_args::Chase{.steps = kSteps, .warm = kWarm, .stage = staged, .rounds = kRounds}, *out, {.a = a.get(), .groups = kGroups, .scratchpad_bytes = staged * 4});
        Words after = downloaded(device, *out, before.size());
        CHECK(after.back() == kUntouched);
        for (uint item = 0; item < group_size * kGroups * kRounds; ++item) start(item) = link_number(path, chain.walk(item * 7 + kHops));
        for (uint item = 0; timed && item < group_size * kGroups * kRounds; ++item) { // the time of a lane of the first subgroup is a part of its workgroup's
            if (item % group_size >= std::max(1u, device.info().subgroup)) continue; // whose first lane reads both
            const std::size_t group = item / group_size * block;
            const auto whole = clock_difference(device.info(), std::span(after).subspan(group, 4));
            CHECK(after[group + 5 + 2 * (item % group_size)] <= whole.value_or(0));
        }
        for (uint word = 0; word < before.size() - 1; ++word)
            if (word % block < 4 || word % 2 == 1) after[word] = before[word]; // a clock, and what nobody touched
        CHECK(after == before);
    }
}

/// Some lanes walk, on one chain or each on its own beside its neighbour's; the others load nothing.
CONFORMANCE(some_lanes, kEveryPath) {
    const bool some = path.stage == Stage::nothing || path.stage == Stage::scratchpad;
    if (!some || path.uniform || path.space == Space::image2d || path.space == Space::push) return; // nothing walks so
    constexpr uint kSlots = 10, kWarm = 8, kSteps = 128, kNotWalked = 0xFFFFFFFFu;
    const KernelChoice choice = some_lanes_kernel(device.info(), path);
    const uint group_size = choice.group_size, link = path.link_words, shift = static_cast<uint>(std::bit_width(group_size * link - 1));
    const auto kernel = compiled(device, "chase", path, group_size, choice.defines);
    for (const auto& [lanes, pad] : {std::pair{1u, 0u}, {group_size, 0u}, {(group_size + 1) / 2, link}, {group_size, link}}) {
        CAPTURE(lanes);
        CAPTURE(pad);
        const Chain chain(kSlots, shift, kSeed);
        auto memory = device.allocate(path.space, chain.words() * sizeof(uint) + 8);
        for (uint lane = 0; lane < (pad ? lanes : 1); ++lane) build(device, path, Chain(ChainShape{.slots = kSlots, .shift = shift, .first = lane * pad}, kSeed), *memory);
        const auto out = untouched(device, 4 + 2 * group_size + 1);
        const uint staged = path.stage == Stage::scratchpad ? static_cast<uint>(chain.words()) : 0;
        launch(device, *kernel, kernel_args::Chase{.steps = kSteps, .pad = pad, .start = chain.start(), .warm = kWarm, .stage = staged, .lanes = lanes}, *out, {.a = memory.get(), .scratchpad_bytes = staged * 4});
        const Words words = downloaded(device, *out, 4 + 2 * group_size + 1);
        CHECK(words.back() == kUntouched);
        for (uint lane = 0; lane < group_size; ++lane) {
            CHECK(words[4 + 2 * lane] == (lane < lanes ? link_number(path, chain.walk(kWarm + kSteps) + lane * pad) : kNotWalked));
            CHECK(words[5 + 2 * lane] == 0);
        }
    }
}

/// Every pair of sources that `sharing` may ask for: the walk on the one, the sum of the words touched on the other. What no kernel of the
/// API can read as a second source is refused.
CONFORMANCE(second_source, kEveryPath) {
    const Probe& sharing = *find_probe("sharing");
    if (std::find(sharing.paths.begin(), sharing.paths.end(), path.name) == sharing.paths.end()) return;
    constexpr uint kLines = 20, kRounds = 2;
    for (const Path& other : all_paths()) {
        CAPTURE(other.name);
        const bool asked = std::any_of(sharing.variants.begin(), sharing.variants.end(), [&](const auto& variant) { return option::other_path.word(variant) == other.name; });
        KernelChoice choice = chase_kernel(device.info(), path);
        const Build build{.a = &path, .b = &other, .group_size = choice.group_size, .defines = choice.defines};
        if (!asked || device.why_not(other)) {
            CHECK_THROWS_AS(device.compile(kernel_source("chase"), build), Error);
            continue;
        }
        std::unique_ptr<Kernel> kernel;
        try {
            kernel = device.compile(kernel_source("chase"), build);
        } catch (const Unsupported& why) {
            CAPTURE(why.what());
            CHECK((path.space == other.space || device.info().api == "host")); // one symbol of CUDA's; plain C++ has one form
            continue;
        }
        const Chain chain = chains_on(device, path).back();
        const auto a = chain_on(device, path, chain);
        Words data(kLines * 32);
        for (uint word = 0; word < data.size(); ++word) data[word] = word * 77u + 5u;
        const auto b = uploaded(device, other.space, data);
        const uint lanes = choice.group_size;
        const auto out = untouched(device, 4 + 2 * lanes);
        launch(device, *kernel, kernel_args::Chase{.steps = 64, .start = chain.start(), .touch_end = kLines, .rounds = kRounds}, *out,
               {.a = a.get(), .b = b.get(), .scratchpad_bytes = other.stage == Stage::scratchpad ? kLines * 128 : 0});
        const Words words = downloaded(device, *out, 4 + 2 * lanes);
        for (uint lane = 0; lane < lanes; ++lane) {
            uint sum = 0;
            for (uint line = lane; line < kLines;)
                for (uint n = 0; n < 16; ++n, line += lanes) sum += data[std::min(line, kLines - 1) * 32];
            CHECK(words[4 + 2 * lane] == link_number(path, chain.walk(kRounds * 64)));
            CHECK(words[5 + 2 * lane] == kRounds * sum);
        }
    }
}

/// A walk beside workgroups that read, write or add until it ends: how much each of them did is theirs to tell, and that is what the memory shows.
CONFORMANCE(bandwidth_latency, "global", "host") {
    constexpr uint kSlots = 10, kShift = 5, kSteps = 640, kMembers = 2, kTiles = 7, kLoads = 8, kMost = 5, kSalt = 1000;
    for (const uint group_size : group_sizes(device.info()))
        for (const uint operation : {1u, 2u, 3u}) {
            CAPTURE(group_size);
            CAPTURE(operation);
            const auto kernel_with = [&](uint number) { return compiled(device, "bandwidth_latency", path, group_size, {{"FLAGS", "1"}, {"LOADS", "8"}, {"OPERATION", std::to_string(number)}, {"TURNS", "1"}}); };
            const uint tile = group_size * kLoads, streamed = kTiles * tile, first = (streamed + 31) / 32 * 32, flag = first + (kSlots << kShift), words = flag + (kMembers + 1) * 32;
            const auto memory = uploaded(device, path.space, Words(words, 0)), out = untouched(device, 5 + 2 * group_size * (kMembers + 1));
            const Chain chain(ChainShape{.slots = kSlots, .shift = kShift, .first = first}, kSeed);
            build(device, path, chain, *memory);
            kernel_args::BandwidthLatency args{.steps = kSteps, .start = chain.start(), .warm = 8, .lanes = 0, .flag = flag, .raised = 0, .tiles = kTiles, .start_factor = 1, .step_base = kMembers, .step_factor = 0,
                                               .step_range = 1, .most = kTiles, .wait = 0, .salt = 0};
            const Sources with{.a = memory.get(), .groups = kMembers + 1};
            launch(device, *kernel_with(2), args, *out, with); // nobody walks: all tiles are done
            Words expected = downloaded(device, *memory, words);
            for (uint word = 0; word < streamed; ++word) CHECK(expected[word] == word);
            args.lanes = device.info().cpu ? 1 : std::min(group_size, device.info().subgroup), args.most = kMost, args.salt = kSalt, args.wait = 3, args.start_factor = 3;
            launch(device, *kernel_with(operation), args, *out, with);
            const Words found = downloaded(device, *out, 5 + 2 * group_size * (kMembers + 1));
            CHECK(found.back() == kUntouched);
            for (uint lane = 0; lane < args.lanes; ++lane) CHECK(found[4 + 2 * lane] == chain.walk(8 + kSteps));
            for (uint group = 0; group <= kMembers; ++group) ++expected[flag + 32 * group];
            for (uint item = group_size; item < group_size * (kMembers + 1); ++item) {
                const uint done = found[4 + 2 * item], member = item / group_size - 1;
                uint sum = 0;
                CHECK(done <= kMost);
                for (uint n = 0; n < std::min(done, kMost); ++n)
                    for (uint load = 0; load < kLoads; ++load) {
                        const uint word = (member * 3 + n * kMembers) % kTiles * tile + load * group_size + item % group_size;
                        sum += operation == 1 ? word : 0;
                        expected[word] = operation == 2 ? word + kSalt : expected[word] + (operation == 3);
                    }
                CHECK(found[5 + 2 * item] == sum);
            }
            CHECK(downloaded(device, *memory, words) == expected);
        }
}

std::uint64_t address_of(Device& device, Buffer& buffer) {
    if (const auto address = buffer.address()) return *address;
    const auto kernel = compiled(device, "buffer_address", *find_path("global"));
    launch(device, *kernel, kernel_args::BufferAddress{}, buffer);
    const Words words = downloaded(device, buffer, 2);
    return words[0] | std::uint64_t{words[1]} << 32;
}

/// A chase through two allocations: a cycle of four links that changes from one to the other each time, each of them made by the host.
CONFORMANCE(allocations, kEveryPath) {
    if (path.space != Space::address) return;
    constexpr uint kWords = 4096, kAt[] = {64, 1024};
    const std::unique_ptr<Buffer> both[] = {uploaded(device, path.space, Words(kWords, 0)), uploaded(device, path.space, Words(kWords, 0))};
    const std::uint64_t bases[] = {address_of(device, *both[0]), address_of(device, *both[1])};
    REQUIRE(bases[0] != bases[1]);
    const auto linker = compiled(device, "store_links", *find_path("global"), group_sizes(device.info()).back());
    Words links; // of the first, then of the second
    const auto add = [&](uint at, std::uint64_t to) { links.insert(links.end(), {at, static_cast<uint>(to), static_cast<uint>(to >> 32)}); };
    add(kAt[0], bases[1] + 4 * kAt[0]), add(kAt[1], bases[1] + 4 * kAt[1]);
    add(kAt[0], bases[0] + 4 * kAt[1]), add(kAt[1], bases[0] + 4 * kAt[0]);
    const auto source = uploaded(device, Space::global, links);
    for (uint n = 0; n < 2; ++n) launch(device, *linker, kernel_args::StoreLinks{.first = 2 * n, .count = 2}, *both[n], {.a = source.get(), .groups = 2});
    const KernelChoice choice = chase_kernel(device.info(), path);
    const auto chase = compiled(device, "chase", path, choice.group_size, choice.defines);
    const auto out = untouched(device, 4 + 2 * choice.group_size);
    for (const uint warm : {0u, 8u}) { // 64 loads come round, and so do 8
        launch(device, *chase, kernel_args::Chase{.steps = 64, .start = kAt[0], .warm = warm}, *out, {.a = both[0].get()});
        CHECK(downloaded(device, *out, 5)[4] == kAt[0]);
    }
    const Words back{kAt[1], static_cast<uint>(bases[1] + 4 * kAt[1]), static_cast<uint>((bases[1] + 4 * kAt[1]) >> 32)}; // now the walk stays there
    const auto stay = uploaded(device, Space::global, back);
    launch(device, *linker, kernel_args::StoreLinks{.first = 0, .count = 1}, *both[1], {.a = stay.get()});
    launch(device, *chase, kernel_args::Chase{.steps = 64, .start = kAt[0]}, *out, {.a = both[0].get()});
    CHECK(downloaded(device, *out, 5)[4] == static_cast<uint>((bases[1] + 4 * kAt[1] - bases[0]) >> 2));
}

/// Workgroups that walk a chain each: all of them, or those that find themselves on the cores asked for.
CONFORMANCE(slices, kEveryPath) {
    const auto& paths = find_probe("core-sharing")->paths;
    if (std::find(paths.begin(), paths.end(), path.name) == paths.end()) return;
    constexpr uint kSlots = 16, kShift = 4, kGroups = 3, kSlice = kSlots << kShift, kNotWalked = 0xFFFFFFFFu;
    const auto memory = device.allocate(path.space, std::size_t{kGroups} * kSlice * 4);
    Words ends;
    for (uint slice = 0; slice < kGroups; ++slice) {
        const Chain chain(ChainShape{.slots = kSlots, .shift = kShift, .first = slice * kSlice}, kSeed + slice);
        build(device, path, chain, *memory);
        uint at = slice * kSlice;
        for (uint load = 0; load < 8 + 64; ++load) at = chain.next(at);
        ends.push_back(link_number(path, at));
    }
    KernelChoice choice = chase_kernel(device.info(), path);
    const uint block = 4 + 2 * choice.group_size;
    kernel_args::Chase args{.steps = 64, .slice = kSlice, .warm = 8};
    const auto walked = [&] {
        const auto kernel = compiled(device, "chase", path, choice.group_size, choice.defines);
        const auto out = untouched(device, kGroups * block);
        launch(device, *kernel, args, *out, {.a = memory.get(), .groups = kGroups});
        return downloaded(device, *out, kGroups * block);
    };
    const Words all = walked();
    for (uint item = 0; item < kGroups * choice.group_size; ++item) CHECK(all[item / choice.group_size * block + 4 + 2 * (item % choice.group_size)] == ends[item / choice.group_size]);
    if (device.info().core_name.empty() && device.info().api != "host") return; // no kernel knows its core
    choice.defines.emplace_back("BY_CORE", "1");
    args.core = args.other = kNotWalked;
    const Words none = walked();
    args.core = none[5];
    args.other = none[2 * block + 5];
    const Words some = walked();
    for (uint group = 0; group < kGroups; ++group) {
        const uint core = some[group * block + 5];
        CHECK(none[group * block + 4] == kNotWalked);
        CHECK(some[group * block + 4] == (core == args.core ? ends[0] : core == args.other ? ends[1] : kNotWalked));
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
    Defines defines() const { return {{"WIDTH", std::to_string(width)}, {"LOADS", std::to_string(loads)}, {"TURNS", std::to_string(turns)}}; }
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
                    const uint element = tile * tiling.tile() + turn * tiling.loads * tiling.lanes() + (lane + load * tiling.lanes()) % reading.elements;
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
    std::vector<Reading> readings{{tile, 1, 1, 0, 0, 1, 3, 3}, {3 * tile, 3, 1, 1, 0, 1, 4, 5}, {3 * tile, 3, 2, 1, 1, 2, 4, 3}, {3 * tile, 3, 1, 2, 0, 1, 5, 2}};
    if (tiling.turns == 1) // a footprint smaller than a tile: only one row of loads wraps round inside it
        for (const uint elements : {1u, std::max(1u, tile / 2 - 1), std::max(1u, tile - 1)}) readings.push_back({elements, 1, 1, 0, 0, 1, 3, 2});
    Defines defines = tiling.defines();
    if (tiling.each_lane) defines.emplace_back("PRIVATE_WORDS", std::to_string(1024 / tiling.width));
    if (besides.define) defines.emplace_back(besides.define, "1");
    const bool shows_core = besides.define && std::string_view(besides.define) == "SHOWS_CORE";
    const auto kernel = compiled(device, "read", path, tiling.group_size, defines);
    if (peer && kernel->resident_clusters(besides.cluster, device.info().scratchpad_bytes) == 0u) return; // no part of the card has so many cores
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
        const uint items = tiling.group_size * reading.groups, staged = path.stage == Stage::nothing ? 0 : reading.elements;
        const auto out = untouched(device, items + reading.groups);
        Sources with{.a = a.get()};
        stage(with, device, path, bytes);
        with.groups = reading.groups;
        if (peer) with.cluster = besides.cluster;
        launch(device, *kernel, kernel_args::Read{reading.elements, reading.tiles, reading.start_factor, reading.step_base, reading.step_factor, reading.step_range, reading.count, staged}, *out, with);
        CHECK(downloaded(device, *out, items) == read_answer(data, reading, tiling));
        const Words behind = downloaded(device, *out, items + reading.groups);
        CHECK(std::ranges::all_of(behind.begin() + items, behind.end(), [&](uint word) { return (word == kUntouched) != shows_core; }));
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
                launch(device, *kernel, kernel_args::Read{.elements = tiling.tile(), .tiles = kTiles, .start_factor = 1, .step_base = 1, .step_factor = 0, .step_range = 1, .count = 1, .stage = 0, .shown = shown}, *out, {.a = a.get(), .groups = kGroups});
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
            if (width * 4 > path.widest_bytes || (path.space == Space::constant && device.info().api == "vulkan" && width != 4)) continue; // std140
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
    for (const uint group_size : group_sizes(device.info())) check_readings(device, path, {4, 4, 1, group_size, false}, {.define = "SHOWS_CORE"});
}

/// Larger clusters, each workgroup reading the next one's scratchpad, or each other one's in turn.
CONFORMANCE(read_cluster, "cluster") {
    for (const uint cluster : {4u, 8u, 16u})
        for (const char* define : {static_cast<const char*>(nullptr), "ALL_TO_ALL"})
            for (const uint group_size : group_sizes(device.info())) check_readings(device, path, {4, 4, 1, group_size, false}, {define, cluster});
}

/// What kernels/write.h does to `memory`, its own words or those of each workgroup's scratchpad.
void write_answer(Words& memory, uint operation, const Tiling& tiling, uint group, uint own, uint first, uint step, uint count, uint half, uint salt) {
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
    launch(device, *kernel, kernel_args::Write{.own = kOwn, .first = first, .step = step, .count = kCount, .array_elements = half, .salt = kSalt, .stage = local ? all : 0}, *out,
           {.a = a.get(), .groups = kGroups, .scratchpad_bytes = local ? bytes : 0});
    for (uint group = 0; group < (local ? 1 : kGroups); ++group) write_answer(memory, operation, tiling, group, kOwn, first, step, kCount, half, kSalt);
    const uint sum = std::accumulate(memory.begin(), memory.end(), 0u);
    if (local) {
        const Words sums = downloaded(device, *out, tiling.group_size * kGroups);
        for (uint group = 0; group < kGroups; ++group)
            CHECK(std::accumulate(sums.begin() + group * tiling.group_size, sums.begin() + (group + 1) * tiling.group_size, 0u) == sum);
        return;
    }
    CHECK(downloaded(device, *a, memory.size()) == memory);
    const auto summing = compiled(device, "sum", path, tiling.group_size, {{"WIDTH", "4"}});
    const uint elements = bytes / 16;
    launch(device, *summing, kernel_args::Sum{.elements = elements}, *out, {.a = a.get(), .groups = kGroups});
    const Words sums = downloaded(device, *out, tiling.group_size * kGroups);
    CHECK(std::accumulate(sums.begin(), sums.end(), 0u) == std::accumulate(memory.begin(), memory.begin() + elements * 4, 0u));
}

CONFORMANCE(write, kEveryPath) {
    const auto& paths = find_probe("stream")->paths;
    if (std::find(paths.begin(), paths.end(), path.name) == paths.end()) return;
    for (const uint group_size : group_sizes(device.info()))
        for (const uint operation : {1u, 2u, 3u})
            for (const uint width : widths(device.info()))
                for (const auto& [loads, turns] : {std::pair{4u, 1u}, {1u, 1u}, {8u, 1u}, {4u, 16u}})
                    if (loads == 8 ? path.stage == Stage::scratchpad && group_size == 256 : turns == 1 || path.space != Space::host) check_writings(device, path, operation, {width, loads, turns, group_size, false});
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
                launch(device, *kernel, kernel_args::Write{.own = kTiles, .first = 1, .step = kTiles, .count = 2, .array_elements = half, .salt = kSalt}, *out, {.a = a.get(), .groups = kGroups});
                for (uint tile = 0; tile < kTiles; ++tile) write_answer(memory, operation, tiling, tile, 1, 1, 1, 1, half, kSalt);
                CHECK(downloaded(device, *a, memory.size()) == memory);
                Words marks{kSalt, kSalt + 1, kSalt + 2, kSalt + 3, kSalt + 4, kUntouched};
                CHECK(downloaded(device, *out, kGroups + 1) == marks);
            }
}

/// The launches of one batch see what those before them wrote, and each has its own time.
CONFORMANCE(batch, "global") {
    constexpr uint kSteps = 64000;
    const Chain chain(300, 1, kSeed);
    const auto build = compiled(device, "chain", path, 1, chain_defines(path));
    const auto chase = compiled(device, "chase", path);
    const auto words = device.allocate(path.space, (chain.slots() << chain.shift()) * sizeof(uint));
    const auto out = untouched(device, 6);
    const kernel_args::Chain chain_args = chain.kernel_args();
    const kernel_args::Chase chase_args{.steps = kSteps, .start = chain.start()};
    const Launch launches[] = {{.kernel = *build, .out = *words, .args = Bench::words_of(chain_args), .groups = 2},
                               {.kernel = *chase, .a = words.get(), .out = *out, .args = Bench::words_of(chase_args)}};
    const auto timings = device.run(launches);
    CHECK(downloaded(device, *out, 6)[4] == chain.walk(kSteps));
    REQUIRE(timings.size() == 2);
    CHECK(timings[0].host_ns > 0);
    CHECK(timings[1].host_ns > 0);
    if (timings[1].device_ns) CHECK(*timings[1].device_ns > kSteps * 0.1); // no memory answers in a tenth of a nanosecond
}

/// A kernel's clock moves on between two readings, and is zero where the device says that it has none.
CONFORMANCE(clock, kEveryPath) {
    const std::string likely = device.info().clock;
    const auto chase = compiled_chase(device, path, 1);
    const bool clock = !device.info().clock.empty(); // asked after a compile, which may have corrected it
    const auto is_of = [&](const char* driver) { return device.info().driver.find(driver) != std::string::npos; };
#ifdef __x86_64__
    if (is_of("Portable Computing Language")) CHECK(device.info().clock == likely); // theirs is known to work; Oclgrind's compiler has none
#endif
    if (is_of("NVIDIA")) CHECK(device.info().clock == likely);
    const Chain chain = chains_on(device, path).back();
    const auto a = chain_on(device, path, chain);
    const auto out = untouched(device, 6);
    launch_chase(device, path, *chase, {.steps = 6400, .start = chain.start()}, chain, a.get(), *out);
    const Words result = downloaded(device, *out, 4);
    const auto at = [&](std::size_t word) { return result[word] | std::uint64_t{result[word + 1]} << 32; };
    WARN_MESSAGE(clock, device.info().id, " has no clock that kernels can read");
    if (clock)
        CHECK(at(0) != at(2));
    else
        CHECK(result == Words(4, 0));
}

CONFORMANCE(copy, "global") {
    Words data(1000);
    std::iota(data.begin(), data.end(), kSeed);
    const auto first = untouched(device, 2000), second = untouched(device, 2000);
    const Copy up{.from_host = data.data(), .to = first.get(), .bytes = 4000, .to_offset = 12};
    const Copy across{.from = first.get(), .to = second.get(), .bytes = 3600, .from_offset = 212, .to_offset = 400};
    Words back(2000), whole(2000);
    const Copy down[] = {{.from = second.get(), .to_host = back.data() + 7, .bytes = 3600, .from_offset = 400},
                         {.from = second.get(), .to_host = whole.data(), .bytes = 8000}};
    CHECK(device.copy({&up, 1}).size() == 1);
    CHECK(device.copy({&across, 1}).size() == 1);
    const auto timings = device.copy(down);
    REQUIRE(timings.size() == 2);
    CHECK(timings[0].host_ns > 0);
    CHECK(std::equal(back.begin() + 7, back.begin() + 907, data.begin() + 50));
    CHECK(back[6] == 0);
    CHECK(back[907] == 0);
    Words expected(2000, kUntouched);
    std::copy_n(data.begin() + 50, 900, expected.begin() + 100);
    CHECK(whole == expected);
}

/// Rows of an image arrive where they were sent, and come back.
CONFORMANCE(rows, kEveryPath) {
    if (path.space != Space::image2d) return;
    Words data(3 * kRow);
    std::iota(data.begin(), data.end(), kSeed);
    const auto image = uploaded(device, path.space, Words(6 * kRow, kUntouched));
    const auto linear = uploaded(device, Space::global, data), back = untouched(device, 6 * kRow);
    const Copy into{.from = linear.get(), .to = image.get(), .bytes = 2 * kRow * 4, .from_offset = kRow * 4, .to_offset = 3 * kRow * 4};
    const Copy across{.from = image.get(), .to = back.get(), .bytes = 6 * kRow * 4};
    device.copy({&into, 1});
    device.copy({&across, 1});
    Words expected(6 * kRow, kUntouched);
    std::copy_n(data.begin() + kRow, 2 * kRow, expected.begin() + 3 * kRow);
    CHECK(downloaded(device, *image, 6 * kRow) == expected);
    CHECK(downloaded(device, *back, 6 * kRow) == expected);
}

/// A kernel can write the path's memory to where it is said to end: what is measured there is built there first.
CONFORMANCE(reach, kEveryPath) {
    if (path.space == Space::push || path.space == Space::image2d || path.space == Space::constant) return;
    const std::uint64_t bytes = std::min(device.info().reach_of(path.space).bytes, device.info().memory_bytes / 2) / 4096 * 4096;
    try {
        const auto memory = device.allocate(path.space, bytes);
        const auto fill = compiled(device, "fill", *find_path("global"));
        CHECK_NOTHROW(launch(device, *fill, fill_args(16, 16, kSeed), *memory));
    } catch (const DoesNotFit&) { // another process has the memory
    }
}

/// Memory that the processor sees while a kernel runs is what it says; where an API has none, the reason says what the device or the API lacks.
CONFORMANCE(shown_to_processor, "global") {
    std::unique_ptr<Buffer> memory;
    try {
        memory = device.allocate(Space::shared, 4096);
    } catch (const Unsupported& reason) {
        const std::string said = reason.what();
        CHECK(said.find(device.info().api == "opencl" ? "CL_DEVICE_SVM_FINE_GRAIN_BUFFER" : "does not show the processor") != std::string::npos);
        return;
    }
    REQUIRE(memory->shared_with_host());
    const auto fill = compiled(device, "fill", path);
    launch(device, *fill, fill_args(16, 16, kSeed), *memory);
    Words seen(16);
    std::memcpy(seen.data(), memory->shared_with_host(), 64);
    CHECK(seen == downloaded(device, *memory, 16));
    static_cast<uint*>(memory->shared_with_host())[3] = 7;
    CHECK(downloaded(device, *memory, 16)[3] == 7);
}

CONFORMANCE(too_large, "global") {
    if (device.info().name == "Oclgrind Simulator") return; // its std::bad_alloc comes through OpenCL's C interface
    CHECK_THROWS_AS(device.allocate(Space::global, std::size_t{1} << 46), DoesNotFit);
    CHECK(downloaded(device, *untouched(device, 16), 16) == Words(16, kUntouched)); // and it goes on
}

/// Backends whose kernels are compiled at build time know no such kernel; the others show what their compiler said.
CONFORMANCE(garbage, "global") {
    const Source garbage{"garbage", "ARGS(uint x;) KERNEL(garbage) { undeclared_thing(args.x) }"};
    std::string message;
    try {
        device.compile(garbage, Build{.a = &path, .b = nullptr, .group_size = 1, .defines = {}});
    } catch (const Error& error) {
        message = error.what();
    }
    CHECK(!message.empty());
    if (device.info().api == "opencl" || device.info().api == "vulkan") CHECK(message.find("undeclared_thing") != message.npos);
    if (device.info().api != "opencl") return; // whose dialect says what a driver's compiler lacks
    const Source lacking{"lacking", "#error \"unsupported: no such word\"\nARGS(uint x;) KERNEL(lacking) {}"};
    CHECK_THROWS_WITH_AS(device.compile(lacking, Build{.a = &path, .b = nullptr, .group_size = 1, .defines = {}}), "no such word", Unsupported);
}

/// `why_not` and the dialect agree: what is refused does not compile either, so no path falls back to another in silence.
CONFORMANCE(refusals, "global") {
    static const Path kNowhere{.name = "nowhere", .intent = "a path that nobody has", .space = Space::global};
    REQUIRE(device.why_not(kNowhere).has_value());
    CHECK_THROWS_AS(compiled(device, "chase", kNowhere), Error);
    for (const Path& each : all_paths())
        if (const auto reason = device.why_not(each)) {
            CAPTURE(each.name);
            CHECK(!reason->empty());
            CHECK_THROWS_AS(compiled(device, "chase", each, 1, chase_kernel(device.info(), each).defines), Error);
        }
}

/// A kernel holds no scratchpad that its path does not use: on some cards 16 bytes are enough for a smaller L1.
CONFORMANCE(scratchpad_held, kEveryPath) {
    if (path.stage == Stage::each_lane) return; // not every driver compiles the longest array, and no other is built for all
    const auto chase = compiled(device, "chase", path, 1, chase_kernel(device.info(), path).defines);
    CHECK(chase->scratchpad_bytes() == 0); // what a launch adds comes on top
    if (device.info().api != "opencl") return; // elsewhere a launch may hold what its kernel does not use
    const auto out = untouched(device, 64);
    if (path.stage != Stage::scratchpad) {
        CHECK_THROWS_AS(launch(device, *chase, kernel_args::Chase{.steps = 0}, *out, {.scratchpad_bytes = 16}), Error);
        return;
    }
    auto defines = chase_kernel(device.info(), path).defines;
    defines.emplace_back("STATIC_WORDS", "1024");
    const auto declares = compiled(device, "chase", path, 1, defines);
    // As the driver counts: NVIDIA's, which reports one byte of a kernel without any, says 4,100, though its PTX has no other variable there.
    CHECK(declares->scratchpad_bytes() >= 4096);
    CHECK(declares->scratchpad_bytes() < 4096 + 64);
    launch(device, *declares, kernel_args::Chase{.steps = 0}, *out, {}); // and asks for none
}

CONFORMANCE(info, "global") {
    const DeviceInfo& info = device.info();
    CHECK(info.id.starts_with(info.api + ":"));
    CHECK(!info.name.empty());
    CHECK(!info.driver.empty());
    CHECK((info.uuid.empty() || info.uuid.size() == 32));
    CHECK(info.uuid.find_first_not_of("0123456789abcdef") == info.uuid.npos);
    CHECK((info.pci.empty() || info.pci.size() == 12));
    CHECK(info.memory_bytes > 0);
    CHECK(info.largest_buffer > 0);
    CHECK(!info.largest_buffer_limit.empty());
    CHECK(info.subgroup > 0);
    CHECK(info.largest_group >= info.subgroup);
    for (const Fact& fact : info.facts) CHECK((!fact.name.empty() && !fact.source.empty()));
}

} // namespace
