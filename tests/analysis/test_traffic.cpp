// What is concluded from curves of many work-items at once.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "core/analysis/traffic.h"

using namespace sonde;

namespace {
/// Turns that `lanes` take, so many of which are served together: how many different words the fullest bank is asked
/// for.
double turns_of(std::uint32_t stride, std::uint32_t width, std::uint32_t lanes, std::uint32_t together,
    std::uint32_t banks, std::uint32_t bank_bytes) {
    double turns = 0;
    for (std::uint32_t begin = 0; begin < lanes; begin += together) {
        std::vector<std::set<std::uint32_t>> words(banks);
        for (std::uint32_t lane = begin; lane < begin + together; ++lane)
            for (std::uint32_t byte = lane * stride * width; byte < (lane * stride + 1) * width; byte += 4)
                words[byte / bank_bytes % banks].insert(byte / bank_bytes);
        std::size_t most = 0;
        for (const auto& each : words) most = std::max(most, each.size());
        turns += static_cast<double>(most);
    }
    return turns;
}

std::vector<CurvePoint> strides(std::uint32_t width, std::uint32_t lanes, std::uint32_t together, std::uint32_t banks,
    std::uint32_t bank_bytes, std::uint32_t last, double noise = 0) {
    std::vector<CurvePoint> curve;
    int sign = 1;
    for (const std::uint32_t stride :
        {1u, 2u, 3u, 4u, 5u, 6u, 7u, 8u, 12u, 15u, 16u, 17u, 24u, 31u, 32u, 33u, 63u, 64u, 65u, 128u})
        if (stride <= last)
            curve.push_back({static_cast<double>(stride),
                1.7 * turns_of(stride, width, lanes, together, banks, bank_bytes) * (1 + noise * (sign = -sign))});
    return curve;
}
} // namespace

TEST_CASE("the width of a load is what the option says, or none") {
    CHECK(width_of({{"width", "16"}, {"pattern", "stride"}}) == 16);
    CHECK(width_of({{"pattern", "stride"}}) == 0);
    CHECK(width_of({{"width", "16 bytes"}}) == 0); // of a file that is not ours
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
    CHECK_FALSE(scratchpad_banks(none, 4, 32).count.value);
    CHECK(scratchpad_banks(none, 4, 32).count.no_value == NoValue::not_seen);
    CHECK(scratchpad_banks(strides(4, 32, 32, 32, 4, 16), 4, 32).count.reason.find("still grows") != std::string::npos);
    CHECK(scratchpad_banks(strides(4, 32, 32, 32, 8, 64), 4, 32).count.reason.find("still grows") != std::string::npos);
    CHECK(!scratchpad_banks({}, 4, 32).count.value);
    CHECK(!scratchpad_banks(std::vector<CurvePoint>{{2, 1}, {4, 2}, {8, 4}, {16, 4}}, 4, 32).count.value);
    std::vector<CurvePoint> odd =
        strides(4, 32, 32, 32, 4, 64); // where odd strides cost as much it is no bank that they meet in
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
    chunks[7].y = 120; // interrupted, once
    REQUIRE(speed_classes(chunks).size() == 1);
    CHECK(speed_classes(chunks)[0].chunks.size() == 30);
    chunks[7].y = 196, chunks[29].y = 120; // a slow end
    CHECK(speed_classes(chunks).size() == 2);
    chunks[29].y = 196;
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
    CHECK(hashed.no_value == NoValue::not_seen);
    CHECK(hashed.reason.find("2 to 8 % less") != std::string::npos);
    CHECK(hashed.reason.find("256 B to 1 MiB") != std::string::npos);
    apart[3].y = 20; // a single distance is no stripe
    CHECK((!channel_stripe(apart, beside).value || channel_stripe(apart, beside).confidence < 0.5));
    CHECK(!channel_stripe(apart, std::span(beside).first(5)).value);
    CHECK(!channel_stripe(std::span(apart).first(3), std::span(beside).first(3)).value);
}

TEST_CASE("other data are faster than random ones where their rates differ by more than the blocks do") {
    const auto reads = [](std::uint64_t bytes, std::initializer_list<double> times) {
        std::vector<RandomReads> all;
        for (const double each : times) all.push_back({.bytes = bytes, .gb_per_s = 2000, .times = each});
        return all;
    };
    const auto one = [&](std::initializer_list<double> times, double noise = 0.001) {
        return effects_of_data(reads(1 << 20, times), noise).at(0);
    };
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
