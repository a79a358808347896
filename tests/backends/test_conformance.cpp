// Conformance: one body, once per device of every backend. Every kernel's answer equals what the host computes; copies
// arrive; what cannot be done is refused.
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
    if (timings[1].device_ns)
        CHECK(*timings[1].device_ns > kSteps * 0.1); // no memory answers in a tenth of a nanosecond
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
CONFORMANCE(rows, "image2d") {
    Words data(3 * kRow);
    std::iota(data.begin(), data.end(), kSeed);
    const auto image = uploaded(device, path.space, Words(6 * kRow, kUntouched));
    const auto linear = uploaded(device, Space::global, data), back = untouched(device, 6 * kRow);
    const Copy into{.from = linear.get(),
        .to = image.get(),
        .bytes = 2 * kRow * 4,
        .from_offset = kRow * 4,
        .to_offset = 3 * kRow * 4};
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
    const std::uint64_t bytes =
        std::min(device.info().reach_of(path.space).bytes, device.info().memory_bytes / 2) / 4096 * 4096;
    try {
        const auto memory = device.allocate(path.space, bytes);
        const auto fill = compiled(device, "fill", *find_path("global"));
        CHECK_NOTHROW(launch(device, *fill, fill_args(16, 16, kSeed), *memory));
    } catch (const DoesNotFit&) { // another process has the memory
    }
}

/// Memory that the processor sees while a kernel runs is what it says; where an API has none, the reason says what the
/// device or the API lacks.
CONFORMANCE(shown_to_processor, "global") {
    std::unique_ptr<Buffer> memory;
    try {
        memory = device.allocate(Space::shared, 4096);
    } catch (const Unsupported& reason) {
        const std::string said = reason.what();
        CHECK(said.find(device.info().api == "opencl" ? "CL_DEVICE_SVM_FINE_GRAIN_BUFFER"
                                                      : "does not show the processor") != std::string::npos);
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
    if (device.info().api == "opencl" || device.info().api == "vulkan")
        CHECK(message.find("undeclared_thing") != message.npos);
    if (device.info().api != "opencl") return; // whose dialect says what a driver's compiler lacks
    const Source lacking{"lacking", "#error \"unsupported: no such word\"\nARGS(uint x;) KERNEL(lacking) {}"};
    CHECK_THROWS_WITH_AS(device.compile(lacking, Build{.a = &path, .b = nullptr, .group_size = 1, .defines = {}}),
        "no such word", Unsupported);
}

/// `why_not` and the dialect agree: what is refused does not compile either, so no path falls back to another in
/// silence.
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
    const auto fill = compiled(device, "fill", path);
    const auto out = untouched(device, 16);
    const kernel_args::Fill args = fill_args(16, 16, kSeed);
    const Launch plain{.kernel = *fill, .out = *out, .args = Bench::words_of(args)};
    const auto refused = [&](const auto& change) {
        Launch launch = plain;
        change(launch);
        CHECK_THROWS_AS(device.run({&launch, 1}), Error);
    };
    if (device.info().api != "cuda") { // some of whose cards have these
        refused([](Launch& launch) { launch.bank_bytes = 8; });
        refused([](Launch& launch) { launch.carveout = Carveout{Carveout::Unit::percent, 50}; });
    }
    for (const Fact& fact : device.info().facts)
        if (fact.name == "maxPushConstantsSize") { // bytes; Vulkan alone has a limit of its own for all kernels
            const Words too_many(std::stoul(fact.value) / 4 + 1);
            refused([&](Launch& launch) { launch.args = too_many; });
        }
}

/// A kernel holds no scratchpad that its path does not use: on some cards 16 bytes are enough for a smaller L1.
CONFORMANCE(scratchpad_held, kEveryPath) {
    if (path.stage == Stage::each_lane)
        return; // not every driver compiles the longest array, and no other is built for all
    const auto chase = compiled(device, "chase", path, 1, chase_kernel(device.info(), path).defines);
    CHECK(chase->scratchpad_bytes() == 0);     // what a launch adds comes on top
    if (device.info().api != "opencl") return; // elsewhere a launch may hold what its kernel does not use
    const auto out = untouched(device, 64);
    if (path.stage != Stage::scratchpad) {
        CHECK_THROWS_AS(launch(device, *chase, kernel_args::Chase{.steps = 0}, *out, {.scratchpad_bytes = 16}), Error);
        return;
    }
    auto defines = chase_kernel(device.info(), path).defines;
    defines.emplace_back("STATIC_WORDS", "1024");
    const auto declares = compiled(device, "chase", path, 1, defines);
    // As the driver counts: NVIDIA's, which reports one byte of a kernel without any, says 4,100, though its PTX has no
    // other variable there.
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
    CHECK(!(info.cpu && info.core_cycles)); // the rate of its counters is fixed
    for (const Fact& fact : info.facts) {
        CHECK((!fact.name.empty() && !fact.source.empty()));
        if (fact.name == "image from buffer") // OpenCL's: pixels, each a word
            CHECK(info.reach_of(Space::texel).bytes ==
                  std::min<std::uint64_t>(std::stoull(fact.value) * 4, info.largest_buffer));
    }
}

} // namespace
