// What many work-items at once are launched in, how they share a footprint out, and what is concluded from their curves.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "backends/backends.h"
#include "core/analysis/traffic.h"
#include "core/measure/chain.h"
#include "core/measure/writer.h"

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

std::uint32_t step_of(const kernel_args::Read& order, std::uint32_t group) { return order.step_base + group * order.step_factor % order.step_range; }

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

} // namespace

TEST_CASE("the width of a load is what the option says, or none") {
    CHECK(width_of({{"width", "16"}, {"pattern", "stride"}}) == 16);
    CHECK(width_of({{"pattern", "stride"}}) == 0);
    CHECK(width_of({{"width", "16 bytes"}}) == 0); // of a file that is not ours
}

TEST_CASE("launch shapes are read from text, or refused") {
    CHECK(option::parse_shape("4x512x4") == LaunchShape{4, 512, 4});
    CHECK(option::parse_shape("2x1x256") == LaunchShape{2, 1, 256});
    CHECK(option::parse_shape("8x1024x1")->text() == "8x1024x1");
    for (const char* text : {"", "4", "4x512", "4x512x", "x512x4", "4x512x4x", "4x512x4 ", " 4x512x4", "4X512X4", "0x512x4", "4x0x4", "4x512x0", "3x512x4", "1x512x4", "16x64x4", "4x1025x1",
                             "4x512x257", "-4x512x4", "4x512x99999999999"}) {
        CAPTURE(std::string(text));
        CHECK(!option::parse_shape(text));
    }
}

TEST_CASE("a device is asked for shapes that it can be launched in, each once") {
    for (const char* name : {"global", "scratchpad", "private", "cluster"})
        for (const std::uint32_t largest : {128u, 256u, 1024u}) {
            CAPTURE(std::string(name));
            CAPTURE(largest);
            for (const auto& shapes : {launch_shapes(graphics_card(13, largest), path(name), {}), writing_shapes(graphics_card(13, largest), path(name), {})}) {
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
    CHECK(launch_shapes(graphics_card(), path("global"), {{"shape", "8x256x2"}}) == std::vector<LaunchShape>{{8, 256, 2}});
    CHECK(launch_shapes(graphics_card(), path("scratchpad"), {{"shape", "8x256x2"}}) == std::vector<LaunchShape>{{8, 256, 1}}); // a scratchpad may be all of the core's
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
    CHECK_THROWS_AS(geometry_of(graphics_card(17), path("scratchpad"), {4, 1024, 1}, 4, {{"cluster", "8"}}), Unsupported);
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
    for (const auto& [begin, end] : {std::pair<std::uint64_t, std::uint64_t>{0, 0}, {0, 1}, {5, 64}, {63, 65}, {10, 1000}, {64, 128}, {(1ull << 33) - 3, (1ull << 33) + 200}}) {
        CAPTURE(begin);
        std::uint32_t sum = 0;
        for (std::uint64_t word = begin; word < end; ++word) sum += fill_word(word, kPeriod, kSeed);
        CHECK(sums.range(begin, end) == sum);
    }
}

TEST_CASE("on a GPU every workgroup comes by every tile, for any number of workgroups and tiles") {
    for (const std::uint32_t groups : {1u, 2u, 3u, 4u, 5u, 6u, 7u, 8u, 12u, 16u, 64u, 528u})
        for (const std::uint32_t asked : {1u, 2u, 3u, 4u, 9u, 10u, 25u, 64u, 97u, 100u, 792u, 1056u, 3000u, 8191u, 8200u, 20000u}) {
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
            if (groups > 1 && order.tiles > 10) CHECK(step_of(order, 0) != step_of(order, 1)); // no two trail each other for long
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

TEST_CASE("from how many workgroups on more bring no more") {
    const std::vector<CurvePoint> flat{{1, 10}, {2, 20}, {4, 40}, {8, 80}, {16, 97}, {32, 100}, {64, 99}};
    const Conclusion found = levels_off(flat);
    CHECK(found.value == 16);
    CHECK(found.low == 8);
    CHECK(found.confidence == 1);
    const std::vector<CurvePoint> falls{{1, 10}, {2, 20}, {4, 40}, {8, 100}, {16, 60}, {32, 55}, {64, 50}};
    CHECK(levels_off(falls).value == 8);
    CHECK(levels_off(falls).confidence < 0.5);
    CHECK(!levels_off(std::vector<CurvePoint>{{1, 10}, {2, 20}, {4, 40}, {8, 80}, {16, 160}}).value); // still grows
    CHECK(!levels_off(std::vector<CurvePoint>{{1, 10}, {2, 20}, {4, 20}}).value);
    CHECK(!levels_off({}).value);
    CHECK(levels_off(std::vector<CurvePoint>{{1, 99}, {2, 100}, {4, 98}, {8, 99}}).value == 1);
}

namespace {

/// Turns that `lanes` take, so many of which are served together: how many different words the fullest bank is asked for.
double turns_of(std::uint32_t stride, std::uint32_t width, std::uint32_t lanes, std::uint32_t together, std::uint32_t banks, std::uint32_t bank_bytes) {
    double turns = 0;
    for (std::uint32_t begin = 0; begin < lanes; begin += together) {
        std::vector<std::set<std::uint32_t>> words(banks);
        for (std::uint32_t lane = begin; lane < begin + together; ++lane)
            for (std::uint32_t byte = lane * stride * width; byte < (lane * stride + 1) * width; byte += 4) words[byte / bank_bytes % banks].insert(byte / bank_bytes);
        std::size_t most = 0;
        for (const auto& each : words) most = std::max(most, each.size());
        turns += static_cast<double>(most);
    }
    return turns;
}

std::vector<CurvePoint> strides(std::uint32_t width, std::uint32_t lanes, std::uint32_t together, std::uint32_t banks, std::uint32_t bank_bytes, std::uint32_t last, double noise = 0) {
    std::vector<CurvePoint> curve;
    int sign = 1;
    for (const std::uint32_t stride : {1u, 2u, 3u, 4u, 5u, 6u, 7u, 8u, 12u, 15u, 16u, 17u, 24u, 31u, 32u, 33u, 63u, 64u, 65u, 128u})
        if (stride <= last) curve.push_back({static_cast<double>(stride), 1.7 * turns_of(stride, width, lanes, together, banks, bank_bytes) * (1 + noise * (sign = -sign))});
    return curve;
}

} // namespace

TEST_CASE("a scratchpad's banks from what strides cost") {
    struct Row {
        const char* what;
        std::vector<CurvePoint> curve;
        double width, lanes, banks, bank_bytes;
    };
    const Row rows[] = {
        {"32 banks of 4 bytes", strides(4, 32, 32, 32, 4, 64), 4, 32, 32, 4},
        {"the same with noise", strides(4, 32, 32, 32, 4, 64, 0.06), 4, 32, 32, 4},
        {"Kepler's 32 banks of 8 bytes by words", strides(4, 32, 32, 32, 8, 128), 4, 32, 32, 8},
        {"Kepler's 32 banks of 8 bytes by pairs of words", strides(8, 32, 32, 32, 8, 64), 8, 32, 32, 8},
        {"16 banks, half a subgroup at a time", strides(4, 32, 16, 16, 4, 64), 4, 32, 16, 4},
        {"32 banks under subgroups of 64", strides(4, 64, 32, 32, 4, 128), 4, 64, 32, 4},
        {"four words at a time, a quarter of a subgroup", strides(16, 32, 8, 32, 4, 64), 16, 32, 8, 16},
    };
    for (const Row& row : rows) {
        CAPTURE(std::string(row.what));
        const Banks found = scratchpad_banks(row.curve, row.width, row.lanes);
        CAPTURE(found.count.reason);
        REQUIRE(found.count.value);
        CHECK(*found.count.value == row.banks);
        CHECK(found.width_bytes == row.bank_bytes);
        CHECK(found.count.confidence >= 0.6);
    }
}

TEST_CASE("no banks where strides tell of none") {
    std::vector<CurvePoint> none = strides(4, 32, 32, 32, 4, 64);
    for (CurvePoint& point : none) point.y = 1.7;
    CHECK(scratchpad_banks(none, 4, 32).count.reason.find("no bank conflicts seen up to") != std::string::npos);
    CHECK(scratchpad_banks(strides(4, 32, 32, 32, 4, 16), 4, 32).count.reason.find("still grows") != std::string::npos);
    CHECK(scratchpad_banks(strides(4, 32, 32, 32, 8, 64), 4, 32).count.reason.find("still grows") != std::string::npos);
    CHECK(!scratchpad_banks({}, 4, 32).count.value);
    CHECK(!scratchpad_banks(std::vector<CurvePoint>{{2, 1}, {4, 2}, {8, 4}, {16, 4}}, 4, 32).count.value);
    std::vector<CurvePoint> odd = strides(4, 32, 32, 32, 4, 64); // where odd strides cost as much it is no bank that they meet in
    for (CurvePoint& point : odd)
        if (point.x > 1) point.y = 1.7 * 32;
    CHECK(scratchpad_banks(odd, 4, 32).count.confidence < 0.6);
}

TEST_CASE("how many workgroups a core takes at once, from the rounds that they come in") {
    constexpr double kOfCore = 240, kAlone = 1000;
    for (double resident = 1; resident <= 64; ++resident) {
        CAPTURE(resident);
        const double rounds = std::ceil(kOfCore / resident);
        for (const double noise : {0.99, 1.0, 1.01}) {
            if (rounds > 40 && noise != 1.0) continue;
            const double found = resident_workgroups(kOfCore, kAlone, rounds * kAlone / kOfCore * noise);
            CHECK(std::ceil(kOfCore / found) == rounds); // all that the rounds tell
            if (resident <= 16) CHECK(found == resident);
        }
    }
    CHECK(resident_workgroups(240, 1000, 1) == 240); // all at once, whatever they wait for
}

TEST_CASE("chunks of memory in classes of speed") {
    std::vector<CurvePoint> chunks;
    for (int i = 0; i < 30; ++i) chunks.push_back({i * 128.0, 196.0 * (i % 2 ? 1.02 : 0.98)});
    CHECK(speed_classes(chunks).size() == 1);
    CHECK(speed_classes(chunks)[0].chunks.size() == 30);
    chunks.insert(chunks.begin() + 4, {3.0, 28.0});
    chunks.push_back({4000, 27.5});
    const auto two = speed_classes(chunks);
    REQUIRE(two.size() == 2);
    CHECK(two[0].rate == doctest::Approx(196).epsilon(0.03));
    CHECK(two[1].rate == doctest::Approx(27.75));
    CHECK(two[1].chunks == std::vector<std::size_t>{4, 31});
    chunks.push_back({5000, 3});
    CHECK(speed_classes(chunks).size() == 3);
    CHECK(speed_classes({}).empty());
}

TEST_CASE("a stripe of memory channels where streams 2^k apart lose, none where they do not") {
    std::vector<CurvePoint> apart, beside;
    for (double distance = 256; distance <= 1 << 20; distance *= 2) {
        apart.push_back({distance, distance < 4096 ? 100.0 : 100.0 / std::min(8.0, distance / 2048)});
        beside.push_back({distance + 128, 97});
    }
    const Conclusion found = channel_stripe(apart, beside);
    CHECK(found.value == 4096);
    CHECK(found.low == 2048);
    CHECK(found.high == doctest::Approx(7.76));
    CHECK(found.confidence == 1);
    for (CurvePoint& point : apart) point.y = point.x == 512 ? 89 : 95;
    const Conclusion hashed = channel_stripe(apart, beside);
    CHECK(!hashed.value);
    CHECK(hashed.reason.find("streams a power of two apart read 2 to 8 % less than with one line added, at every distance from 256 B to 1 MiB: none collapses onto few channels") != std::string::npos);
    apart[3].y = 20; // a single distance is no stripe
    CHECK((!channel_stripe(apart, beside).value || channel_stripe(apart, beside).confidence < 0.5));
    CHECK(!channel_stripe(apart, std::span(beside).first(5)).value);
    CHECK(!channel_stripe(std::span(apart).first(3), std::span(beside).first(3)).value);
}

namespace {

/// Passes everything on, and keeps the sum of the words that came from the device last.
class Listening final : public Device {
public:
    explicit Listening(Device& device) : device_(device) {}
    const DeviceInfo& info() const override { return device_.info(); }
    std::optional<std::string> why_not(const Path& path) const override { return device_.why_not(path); }
    std::optional<std::string> why_lacking(Feature feature, bool in_scratchpad) const override { return device_.why_lacking(feature, in_scratchpad); }
    std::unique_ptr<Buffer> allocate(Space space, std::size_t bytes) override { return device_.allocate(space, bytes); }
    std::unique_ptr<Kernel> compile(const Source& source, const Build& build) override { return device_.compile(source, build); }
    std::vector<Timing> run(std::span<const Launch> launches, Timed timed) override { return device_.run(launches, timed); }
    std::vector<Timing> copy(std::span<const Copy> copies) override {
        const auto timings = device_.copy(copies);
        for (const Copy& copy : copies)
            if (const auto* words = static_cast<const std::uint32_t*>(copy.to_host)) sum = std::accumulate(words, words + copy.bytes / 4, 0u);
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

TEST_CASE("other data are faster than random ones where their rates differ by more than the blocks do") {
    const auto reads = [](std::uint64_t bytes, std::initializer_list<double> times) {
        std::vector<RandomReads> all;
        for (const double each : times) all.push_back({.bytes = bytes, .gb_per_s = 2000, .times = each});
        return all;
    };
    const auto one = [&](std::initializer_list<double> times, double noise = 0.001) { return effects_of_data(reads(1 << 20, times), noise).at(0); };
    CHECK(one({1.5, 1.51, 1.49}).seen == true);
    CHECK(one({1.5, 1.51, 1.49}).times == doctest::Approx(1.5).epsilon(0.001));
    CHECK(one({1.5, 1.51, 1.49}).random_gb_per_s == 2000);
    CHECK(one({0.7, 0.71, 0.69}).seen == true); // slower counts as well
    CHECK(one({1.5, 1.0, 0.6}).seen == false);
    CHECK(one({1.004, 1.004, 1.004}).seen == true);
    CHECK(one({1.004, 1.004, 1.004}, 0.01).seen == false); // noise that blocks do not show
    CHECK_FALSE(one({1.5}).seen.has_value());
    CHECK(effects_of_data({}, 0.001).empty());
    std::vector<RandomReads> two = reads(1 << 20, {1.5, 1.5, 1.5});
    for (const RandomReads& each : reads(1 << 10, {1, 1.001, 0.999})) two.push_back(each);
    const auto effects = effects_of_data(two, 0.001);
    REQUIRE(effects.size() == 2);
    CHECK(effects[0].bytes == 1 << 10);
    CHECK(effects[0].seen == false);
    CHECK(effects[1].seen == true);
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
            REQUIRE(word % 2 == 1); // so that its multiples tell their numbers
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
            CHECK(device.sum - before == static_cast<std::uint32_t>(sample.steps / 8)); // each grew by one, was read and written
        }
}
