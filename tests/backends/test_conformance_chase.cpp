// What walks of chains must give on every device: the chain itself, its kernels in every form, and their clocks.
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
void launch_chase(Device& device, const Path& path, const Kernel& kernel, kernel_args::Chase args, const Chain& chain,
    const Buffer* a, Buffer& out) {
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

// --- what is checked, each on one device and one path
// --------------------------------------------------------------------

CONFORMANCE(chain, "global") {
    for (const uint group_size : group_sizes(device.info())) {
        const auto kernel = compiled(device, "chain", path, group_size, chain_defines(path));
        for (const auto& [slots, shift] :
            {std::pair{1u, 0u}, {2u, 4u}, {3u, 0u}, {1000u, 2u}, {4096u, 5u}, {4097u, 0u}}) {
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
            for (int n = 0; n < 64; ++n, slot += lanes)
                seen += link_number(path, chain.next(slot_words[std::min(slot, walk.touch_end - 1)]));
        uint word = slot_words[walk.start + lane * walk.pad];
        for (uint n = 0; n < loads; ++n) word = chain.next(word);
        answer.push_back(link_number(path, word));
        answer.push_back(seen);
    }
    return answer;
}

void check_walk(
    Device& device, const Path& path, const Kernel& chase, uint group_size, const Chain& chain, const Walk& walk) {
    CAPTURE(group_size);
    CAPTURE(chain.slots());
    CAPTURE(walk.start);
    CAPTURE(walk.pad);
    CAPTURE(walk.warm);
    CAPTURE(walk.steps);
    const auto a = chain_on(device, path, chain);
    const auto out = untouched(device, 4 + 2 * group_size);
    const bool lies_apart =
        path.space == Space::image2d; // slots do not lie at multiples: the first is the first texel's
    launch_chase(device, path, chase,
        {.steps = walk.steps,
            .pad = lies_apart ? 0 : walk.pad << chain.shift(),
            .start = lies_apart ? 0 : walk.start << chain.shift(),
            .warm = walk.warm,
            .touch_begin = walk.touch_begin,
            .touch_end = walk.touch_end,
            .shift = chain.shift()},
        chain, a.get(), *out);
    const Words result = downloaded(device, *out, 4 + 2 * group_size);
    CHECK(Words(result.begin() + 4, result.end()) == chase_answer(path, chain, walk, group_size));
}

/// Chains that fit everywhere; a slot holds at least a link.
std::vector<Chain> chains_on(const Device& device, const Path& path) {
    if (path.space == Space::push)
        return {Chain(1, 0, kSeed), Chain(static_cast<uint>(device.info().reach_of(Space::push).bytes / 4), 0, kSeed)};
    if (path.space == Space::image2d)
        return {Chain(1, 5, kSeed, SlotOrder::blocks), Chain(70, 11, kSeed, SlotOrder::blocks),
            Chain(700, 5, kSeed, SlotOrder::blocks)};
    if (path.stage == Stage::each_lane)
        return {Chain(1, 0, kSeed), Chain(255, 2, kSeed)}; // inside the shortest array (compiled_chase)
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
    if (path.stage == Stage::each_lane || path.stage == Stage::peer_scratchpad || path.space == Space::push ||
        path.name == "constant.uniform")
        return; // nothing walks so
    constexpr uint kSteps = 100, kWarm = 20, kGroups = 3, kRounds = 2,
                   kHops = (kWarm + 7) / 8 * 8 + (kSteps + 63) / 64 * 64;
    const auto& timed_paths = find_probe("loaded-latency")->paths;
    const bool timed = std::find(timed_paths.begin(), timed_paths.end(), path.name) != timed_paths.end();
    for (const uint group_size : group_sizes(device.info())) {
        CAPTURE(group_size);
        const auto kernel = compiled(device, "chase", path, group_size,
            (timed ? own_clocks_kernel : own_starts_kernel)(device.info(), path, {}).defines);
        const Chain chain = chains_on(device, path).back();
        const auto a = chain_on(device, path, chain);
        const uint block = 4 + 2 * group_size,
                   staged = path.stage == Stage::scratchpad ? static_cast<uint>(chain.words()) : 0;
        Words before(kGroups * kRounds * block + 1, kUntouched);
        const auto start = [&](uint item) -> uint& {
            return before[item / group_size * block + 4 + 2 * (item % group_size)];
        };
        for (uint item = 0; item < group_size * kGroups * kRounds; ++item) start(item) = chain.walk(item * 7);
        const auto out = uploaded(device, Space::global, before);
        launch(device, *kernel, kernel_args::Chase{.steps = kSteps, .warm = kWarm, .stage = staged, .rounds = kRounds},
            *out, {.a = a.get(), .groups = kGroups, .scratchpad_bytes = staged * 4});
        Words after = downloaded(device, *out, before.size());
        CHECK(after.back() == kUntouched);
        for (uint item = 0; item < group_size * kGroups * kRounds; ++item)
            start(item) = link_number(path, chain.walk(item * 7 + kHops));
        for (uint item = 0; timed && item < group_size * kGroups * kRounds;
             ++item) { // the time of a lane of the first subgroup is a part of its workgroup's
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
    const uint group_size = choice.group_size, link = path.link_words,
               shift = static_cast<uint>(std::bit_width(group_size * link - 1));
    const auto kernel = compiled(device, "chase", path, group_size, choice.defines);
    for (const auto& [lanes, pad] :
        {std::pair{1u, 0u}, {group_size, 0u}, {(group_size + 1) / 2, link}, {group_size, link}}) {
        CAPTURE(lanes);
        CAPTURE(pad);
        const Chain chain(kSlots, shift, kSeed);
        auto memory = device.allocate(path.space, chain.words() * sizeof(uint) + 8);
        for (uint lane = 0; lane < (pad ? lanes : 1); ++lane)
            build(
                device, path, Chain(ChainShape{.slots = kSlots, .shift = shift, .first = lane * pad}, kSeed), *memory);
        const auto out = untouched(device, 4 + 2 * group_size + 1);
        const uint staged = path.stage == Stage::scratchpad ? static_cast<uint>(chain.words()) : 0;
        launch(device, *kernel,
            kernel_args::Chase{
                .steps = kSteps, .pad = pad, .start = chain.start(), .warm = kWarm, .stage = staged, .lanes = lanes},
            *out, {.a = memory.get(), .scratchpad_bytes = staged * 4});
        const Words words = downloaded(device, *out, 4 + 2 * group_size + 1);
        CHECK(words.back() == kUntouched);
        for (uint lane = 0; lane < group_size; ++lane) {
            CHECK(words[4 + 2 * lane] ==
                  (lane < lanes ? link_number(path, chain.walk(kWarm + kSteps) + lane * pad) : kNotWalked));
            CHECK(words[5 + 2 * lane] == 0);
        }
    }
}

/// Every pair of sources that `sharing` may ask for: the walk on the one, the sum of the words touched on the other.
/// What no kernel of the API can read as a second source is refused.
CONFORMANCE(second_source, kEveryPath) {
    const Probe& sharing = *find_probe("sharing");
    if (std::find(sharing.paths.begin(), sharing.paths.end(), path.name) == sharing.paths.end()) return;
    constexpr uint kLines = 20, kRounds = 2;
    for (const Path& other : all_paths()) {
        CAPTURE(other.name);
        const bool asked = std::any_of(sharing.variants.begin(), sharing.variants.end(),
            [&](const auto& variant) { return option::other_path.word(variant) == other.name; });
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
            CHECK((path.space == other.space ||
                   device.info().api == "host")); // one symbol of CUDA's; plain C++ has one form
            continue;
        }
        const Chain chain = chains_on(device, path).back();
        const auto a = chain_on(device, path, chain);
        Words data(kLines * 32);
        for (uint word = 0; word < data.size(); ++word) data[word] = word * 77u + 5u;
        const auto b = uploaded(device, other.space, data);
        const uint lanes = choice.group_size;
        const auto out = untouched(device, 4 + 2 * lanes);
        launch(device, *kernel,
            kernel_args::Chase{.steps = 64, .start = chain.start(), .touch_end = kLines, .rounds = kRounds}, *out,
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

/// A walk beside workgroups that read, write or add until it ends: how much each of them did is theirs to tell, and
/// that is what the memory shows.
CONFORMANCE(bandwidth_latency, "global", "host") {
    constexpr uint kSlots = 10, kShift = 5, kSteps = 640, kMembers = 2, kTiles = 7, kLoads = 8, kMost = 5, kSalt = 1000;
    for (const uint group_size : group_sizes(device.info()))
        for (const uint operation : {1u, 2u, 3u}) {
            CAPTURE(group_size);
            CAPTURE(operation);
            const auto kernel_with = [&](uint number) {
                return compiled(device, "bandwidth_latency", path, group_size,
                    {{"FLAGS", "1"}, {"LOADS", "8"}, {"OPERATION", std::to_string(number)}, {"TURNS", "1"}});
            };
            const uint tile = group_size * kLoads, streamed = kTiles * tile, first = (streamed + 31) / 32 * 32,
                       flag = first + (kSlots << kShift), words = flag + (kMembers + 1) * 32;
            const auto memory = uploaded(device, path.space, Words(words, 0)),
                       out = untouched(device, 5 + 2 * group_size * (kMembers + 1));
            const Chain chain(ChainShape{.slots = kSlots, .shift = kShift, .first = first}, kSeed);
            build(device, path, chain, *memory);
            kernel_args::BandwidthLatency args{.steps = kSteps,
                .start = chain.start(),
                .warm = 8,
                .lanes = 0,
                .flag = flag,
                .raised = 0,
                .tiles = kTiles,
                .start_factor = 1,
                .step_base = kMembers,
                .step_factor = 0,
                .step_range = 1,
                .most = kTiles,
                .wait = 0,
                .salt = 0};
            const Sources with{.a = memory.get(), .groups = kMembers + 1};
            launch(device, *kernel_with(2), args, *out, with); // nobody walks: all tiles are done
            Words expected = downloaded(device, *memory, words);
            for (uint word = 0; word < streamed; ++word) CHECK(expected[word] == word);
            args.lanes = device.info().cpu ? 1 : std::min(group_size, device.info().subgroup), args.most = kMost,
            args.salt = kSalt, args.wait = 3, args.start_factor = 3;
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
                        const uint word =
                            (member * 3 + n * kMembers) % kTiles * tile + load * group_size + item % group_size;
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

/// A chase through two allocations: a cycle of four links that changes from one to the other each time, each of them
/// made by the host.
CONFORMANCE(allocations, kEveryPath) {
    if (path.space != Space::address) return;
    constexpr uint kWords = 4096, kAt[] = {64, 1024};
    const std::unique_ptr<Buffer> both[] = {
        uploaded(device, path.space, Words(kWords, 0)), uploaded(device, path.space, Words(kWords, 0))};
    const std::uint64_t bases[] = {address_of(device, *both[0]), address_of(device, *both[1])};
    REQUIRE(bases[0] != bases[1]);
    const auto linker = compiled(device, "store_links", *find_path("global"), group_sizes(device.info()).back());
    Words links; // of the first, then of the second
    const auto add = [&](uint at, std::uint64_t to) {
        links.insert(links.end(), {at, static_cast<uint>(to), static_cast<uint>(to >> 32)});
    };
    add(kAt[0], bases[1] + 4 * kAt[0]), add(kAt[1], bases[1] + 4 * kAt[1]);
    add(kAt[0], bases[0] + 4 * kAt[1]), add(kAt[1], bases[0] + 4 * kAt[0]);
    const auto source = uploaded(device, Space::global, links);
    for (uint n = 0; n < 2; ++n)
        launch(device, *linker, kernel_args::StoreLinks{.first = 2 * n, .count = 2}, *both[n],
            {.a = source.get(), .groups = 2});
    const KernelChoice choice = chase_kernel(device.info(), path);
    const auto chase = compiled(device, "chase", path, choice.group_size, choice.defines);
    const auto out = untouched(device, 4 + 2 * choice.group_size);
    for (const uint warm : {0u, 8u}) { // 64 loads come round, and so do 8
        launch(
            device, *chase, kernel_args::Chase{.steps = 64, .start = kAt[0], .warm = warm}, *out, {.a = both[0].get()});
        CHECK(downloaded(device, *out, 5)[4] == kAt[0]);
    }
    const Words back{kAt[1], static_cast<uint>(bases[1] + 4 * kAt[1]),
        static_cast<uint>((bases[1] + 4 * kAt[1]) >> 32)}; // now the walk stays there
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
    for (uint item = 0; item < kGroups * choice.group_size; ++item)
        CHECK(all[item / choice.group_size * block + 4 + 2 * (item % choice.group_size)] ==
              ends[item / choice.group_size]);
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

/// A kernel's clock moves on between two readings, and is zero where the device says that it has none.
CONFORMANCE(clock, kEveryPath) {
    const std::string likely = device.info().clock;
    const auto chase = compiled_chase(device, path, 1);
    const bool clock = !device.info().clock.empty(); // asked after a compile, which may have corrected it
    const auto is_of = [&](const char* driver) { return device.info().driver.find(driver) != std::string::npos; };
#ifdef __x86_64__
    if (is_of("Portable Computing Language"))
        CHECK(device.info().clock == likely); // theirs is known to work; Oclgrind's compiler has none
#endif
    if (is_of("NVIDIA")) CHECK(device.info().clock == likely);
    const Chain chain = chains_on(device, path).back();
    const auto a = chain_on(device, path, chain);
    const auto out = untouched(device, 6);
    launch_chase(device, path, *chase, {.steps = 6400, .start = chain.start()}, chain, a.get(), *out);
    const Words result = downloaded(device, *out, 4);
    const auto at = [&](std::size_t word) { return result[word] | std::uint64_t{result[word + 1]} << 32; };
    WARN_MESSAGE(clock, device.info().id, " has no clock that kernels can read");
    if (clock) CHECK(at(0) != at(2));
    else CHECK(result == Words(4, 0));
}

} // namespace
