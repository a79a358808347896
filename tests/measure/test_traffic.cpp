// What many work-items at once are launched in, and how they share a footprint out.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "backends/backends.h"
#include "core/measure/chain.h"
#include "core/measure/traffic.h"
#include "core/measure/writer.h"
#include "tests/measure/workload_bench.h"

using namespace sonde;

namespace {
DeviceInfo graphics_card(std::uint32_t cores = 13, std::uint32_t largest_group = 1024) {
    DeviceInfo info;
    info.cores = cores;
    info.subgroup = 32;
    info.largest_group = largest_group;
    return info;
}

DeviceInfo processor(std::uint32_t cores, std::uint32_t subgroup) {
    DeviceInfo info;
    info.cpu = true;
    info.cores = cores;
    info.subgroup = info.largest_group = subgroup;
    return info;
}

const Path& path(const char* name) { return *find_path(name); }

std::uint32_t step_of(const kernel_args::Read& order, std::uint32_t group) {
    return order.step_base + group * order.step_factor % order.step_range;
}

/// The tiles that a workgroup comes by in as many steps as there are tiles, as kernels/read.h goes.
std::set<std::uint32_t> tiles_of(const kernel_args::Read& order, std::uint32_t group) {
    std::set<std::uint32_t> seen;
    std::uint32_t tile = group * order.start_factor % order.tiles;
    for (std::uint32_t n = 0; n < order.tiles; ++n) {
        seen.insert(tile);
        tile += step_of(order, group);
        tile = tile >= order.tiles ? tile - order.tiles : tile;
    }
    return seen;
}

bool is_prime(std::uint32_t n) {
    for (std::uint32_t d = 2; d < n; ++d)
        if (n % d == 0) return false;
    return n > 1;
}

/// Passes everything on, and keeps the sum of the words that came from the device last.
class Listening final : public Device {
public:
    explicit Listening(Device& device) : device_(device) {}
    const DeviceInfo& info() const override { return device_.info(); }
    std::optional<std::string> why_not(const Path& path) const override { return device_.why_not(path); }
    std::optional<std::string> why_lacking(Feature feature, bool in_scratchpad) const override {
        return device_.why_lacking(feature, in_scratchpad);
    }
    std::unique_ptr<Buffer> allocate(Space space, std::size_t bytes) override { return device_.allocate(space, bytes); }
    std::unique_ptr<Kernel> compile(const Source& source, const Build& build) override {
        return device_.compile(source, build);
    }
    std::vector<Timing> run(std::span<const Launch> launches, Timed timed) override {
        return device_.run(launches, timed);
    }
    std::vector<Timing> copy(std::span<const Copy> copies) override {
        const auto timings = device_.copy(copies);
        for (const Copy& copy : copies)
            if (const auto* words = static_cast<const std::uint32_t*>(copy.to_host))
                sum = std::accumulate(words, words + copy.bytes / 4, 0u);
        return timings;
    }
    std::uint32_t sum = 0;

private:
    Device& device_;
};

class Silent final : public Reporter {
    void step(const std::string&) override {}
    void samples(double, const std::vector<Sample>&) override {}
};
} // namespace

TEST_CASE("a device is asked for shapes that it can be launched in, each once") {
    for (const char* name : {"global", "scratchpad", "private", "cluster"})
        for (const std::uint32_t largest : {128u, 256u, 1024u}) {
            CAPTURE(std::string(name));
            CAPTURE(largest);
            for (const auto& shapes : {launch_shapes(graphics_card(13, largest), path(name), {}),
                     writing_shapes(graphics_card(13, largest), path(name), {})}) {
                REQUIRE(!shapes.empty());
                std::set<std::string> texts;
                for (const LaunchShape& shape : shapes) {
                    CHECK(shape.group_size <= largest);
                    if (path(name).stage != Stage::nothing) CHECK(shape.groups_per_core == 1);
                    texts.insert(shape.text());
                }
                CHECK(texts.size() == shapes.size());
            }
        }
    CHECK(launch_shapes(processor(2, 8), path("global"), {}) == std::vector<LaunchShape>{{4, 8, 1}});
    CHECK(launch_shapes(graphics_card(), path("global"), {{"shape", "8x256x2"}}) ==
          std::vector<LaunchShape>{{8, 256, 2}});
    CHECK(launch_shapes(graphics_card(), path("scratchpad"), {{"shape", "8x256x2"}}) ==
          std::vector<LaunchShape>{{8, 256, 1}}); // a scratchpad may be all of the core's
    CHECK_THROWS_AS(launch_shapes(graphics_card(13, 128), path("global"), {{"shape", "8x256x2"}}), Unsupported);
    CHECK_THROWS_AS(writing_shapes(graphics_card(), path("global"), {{"shape", "8x256x2"}}), Unsupported);
}

TEST_CASE("what one launch moves follows from the shape and the path") {
    const Geometry ordinary = geometry_of(graphics_card(13), path("global"), {4, 512, 4}, 4);
    CHECK(ordinary.shape.groups == 64); // at least 16 cores' worth
    CHECK(ordinary.tile_bytes() == 512 * 4 * 16);
    CHECK(ordinary.bytes_of_all() == 64 * ordinary.tile_bytes());
    CHECK(geometry_of(graphics_card(132), path("global"), {4, 512, 4}, 4).shape.groups == 528);
    CHECK(geometry_of(graphics_card(17), path("cluster"), {4, 1024, 1}, 4).shape.groups == 16); // in pairs
    const Geometry eights = geometry_of(graphics_card(133), path("cluster"), {4, 1024, 1}, 4, {{"cluster", "8"}});
    CHECK(eights.shape.groups == 128);
    CHECK(eights.cluster == 8);
    CHECK_THROWS_AS(
        geometry_of(graphics_card(17), path("scratchpad"), {4, 1024, 1}, 4, {{"cluster", "8"}}), Unsupported);
    const Geometry own = geometry_of(graphics_card(20), path("private"), {4, 512, 1}, 1);
    CHECK(own.each_lane);
    CHECK(own.tile_bytes() == 16); // one lane's
    CHECK(own.bytes_of_all() == 20 * 512 * 16);
    CHECK(geometry_of(processor(2, 1), path("global"), {4, 1, 1}, 4).turns == 16);
    CHECK(geometry_of(processor(2, 8), path("global"), {4, 8, 1}, 4).turns == 1);
    CHECK(geometry_of(processor(2, 1), path("global"), {4, 1, 1}, 4).shape.groups == 2);
}

TEST_CASE("the sum of a fill over any range, without adding it up") {
    constexpr std::uint32_t kPeriod = 64, kSeed = 9;
    const FillSum sums(kPeriod, kSeed);
    for (const auto& [begin, end] : {std::pair<std::uint64_t, std::uint64_t>{0, 0}, {0, 1}, {5, 64}, {63, 65},
             {10, 1000}, {64, 128}, {(1ull << 33) - 3, (1ull << 33) + 200}}) {
        CAPTURE(begin);
        std::uint32_t sum = 0;
        for (std::uint64_t word = begin; word < end; ++word) sum += fill_word(word, kPeriod, kSeed);
        CHECK(sums.range(begin, end) == sum);
    }
}

TEST_CASE("on a GPU every workgroup comes by every tile, for any number of workgroups and tiles") {
    for (const std::uint32_t groups : {1u, 2u, 3u, 4u, 5u, 6u, 7u, 8u, 12u, 16u, 64u, 528u})
        for (const std::uint32_t asked :
            {1u, 2u, 3u, 4u, 9u, 10u, 25u, 64u, 97u, 100u, 792u, 1056u, 3000u, 8191u, 8200u, 20000u}) {
            CAPTURE(groups);
            CAPTURE(asked);
            const Geometry geometry{.shape = {256, groups}, .loads = 4, .turns = 1, .width = 4};
            const kernel_args::Read order = order_of(graphics_card(), geometry, asked * geometry.tile_bytes() + 100);
            REQUIRE(order.tiles >= 1);
            CHECK(order.tiles <= asked);
            CHECK(order.tiles + 40 >= asked); // what is not read is little
            for (const std::uint32_t group : {0u, 1u, groups / 2, groups - 1}) {
                CHECK(step_of(order, group) <= order.tiles); // the kernel wraps once
                CHECK(tiles_of(order, group).size() == order.tiles);
            }
            CHECK((order.tiles == 1 || is_prime(order.tiles)));
            if (groups > 1 && order.tiles > 10)
                CHECK(step_of(order, 0) != step_of(order, 1)); // no two trail each other for long
        }
}

TEST_CASE("a footprint below a tile is one, and a processor's threads take shares in a row") {
    const Geometry geometry{.shape = {256, 64}, .loads = 4, .turns = 1, .width = 4};
    const kernel_args::Read less = order_of(graphics_card(), geometry, 100);
    CHECK(less.tiles == 1);
    CHECK(step_of(less, 5) == 0);
    const Geometry threads{.shape = {1, 4}, .loads = 4, .turns = 16, .width = 4};
    const kernel_args::Read order = order_of(processor(4, 1), threads, 103 * threads.tile_bytes());
    CHECK(order.tiles == 103);
    CHECK(3 * order.start_factor % order.tiles == 75);
    CHECK(step_of(order, 3) == 1);
    CHECK(tiles_of(order, 3).size() == 103);
    const Geometry lanes{.shape = {256, 64}, .loads = 4, .turns = 1, .width = 1, .each_lane = true};
    const kernel_args::Read own = order_of(graphics_card(), lanes, 5 * lanes.tile_bytes());
    CHECK(own.tiles == 5);
    CHECK(9 * own.start_factor % own.tiles == 0);
    CHECK(tiles_of(own, 9).size() == 5);
}

TEST_CASE("on the host as many words are read and written as the steps say") {
    const Opened opened = open_host();
    REQUIRE(!opened.devices.empty());
    Listening device(*opened.devices[0]);
    const Request request{.id = {"bandwidth", "host:0", "global", {}}};
    Silent silent;
    DeviceHistory history;
    Bench bench(device, history, path("global"), request, *find_profile("quick"), silent);
    const LaunchShape shape = launch_shapes(bench.info, bench.path, {})[0];
    for (const std::uint32_t width : {1u, 2u, 4u})
        for (const std::uint64_t bytes : {4096ull, 100000ull, 1ull << 20}) {
            CAPTURE(width);
            CAPTURE(bytes);
            const Geometry geometry = geometry_of(bench.info, bench.path, shape, width);
            const auto memory = bench.allocate(bytes, bytes);
            constexpr std::uint32_t kSeed = 8;
            const std::uint32_t word = fill_word(0, 1, kSeed); // of a fill with a period of one word
            REQUIRE(word % 2 == 1);                            // so that its multiples tell their numbers
            const std::vector<std::uint32_t> same(bytes / 4, word);
            const Copy copy{.from_host = same.data(), .to = memory.get(), .bytes = bytes / 4 * 4};
            device.copy({&copy, 1});
            const FillSum sums(1, kSeed);
            const auto reading = bench.compile(read_kernel(bench.info, bench.path, shape, width));
            Reader reader(bench, *reading, geometry);
            REQUIRE(reader.aim(*memory, sums, bytes / 512 * 512));
            for (const std::uint32_t count : {1u, 7u}) {
                const Sample sample = reader.timed(count);
                CHECK(device.sum == word * static_cast<std::uint32_t>(sample.steps / 4));
            }
            const StreamOperation* modify = std::ranges::find(kStreamOperations, "modify", &StreamOperation::name);
            const auto modifying = bench.compile(write_kernel(bench.info, bench.path, shape, width, {modify}));
            Writer writer(bench, *modifying, geometry, {modify});
            REQUIRE(writer.aim(*memory, bytes));
            bench.read_words(*memory, bytes / 4);
            const std::uint32_t before = device.sum;
            const Sample sample = writer.timed(2 * writer.granule());
            bench.read_words(*memory, bytes / 4);
            CHECK(device.sum - before ==
                  static_cast<std::uint32_t>(sample.steps / 8)); // each grew by one, was read and written
        }
}

TEST_CASE("words that add up to more than the host's, or to less, are not taken for what was read") {
    ByHand by_hand;
    Bench& bench = by_hand.bench;
    const LaunchShape shape{4, 128, 1};
    const auto kernel = bench.compile(read_kernel(bench.info, bench.path, shape, 1));
    constexpr std::uint64_t kBytes = 1 << 16;
    const auto memory = bench.allocate(kBytes, kBytes);
    bench.write_words(*memory, std::vector<std::uint32_t>(kBytes / 4, 2));
    Reader reader(bench, *kernel, geometry_of(bench.info, bench.path, shape, 1));
    const auto read_beside = [&](std::uint32_t word) {
        const FillSum sums(1, 1, {.keep = {0, 0}, .set = {word, word}}); // of words that are all alike
        REQUIRE(reader.aim(*memory, sums, kBytes));
        reader.timed(3);
    };
    CHECK_NOTHROW(read_beside(2));
    CHECK_THROWS_AS(read_beside(1), Error);
    CHECK_THROWS_AS(read_beside(3), Error);
}
