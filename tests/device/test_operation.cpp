// Rows of operations, and what their models compute, against known numbers.
#include <bit>
#include <cmath>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "core/device/operation.h"

using namespace sonde;

TEST_CASE("operations: names, defines and steps are there once each") {
    std::set<std::string> defines;
    for (const Operation& operation : all_operations()) {
        CHECK(defines.insert(operation_form(operation)).second);
        CHECK(!operation.step.empty());
        CHECK((operation.exactness == Exactness::rounded) >= (operation.model_otherwise != nullptr));
        CHECK(find_operation(operation.name) == &operation);
    }
    CHECK(operation_form(*find_operation("leading-zeros.u32")) == "OP_LEADING_ZEROS_U32");
    CHECK(find_operation("fma.f128") == nullptr);
}

TEST_CASE("a documented clock is that of the card of so many cores and its fastest clock, of matrix units their own") {
    const std::vector<Fact> facts{{"compute capability", "9.0", ""}, {"core clock", "1980000 kHz", ""}},
        slower{{"compute capability", "9.0", ""}, {"core clock", "1785000 kHz", ""}};
    CHECK(documented_clock(*find_operation("fma.f32"), facts, 132) == 1980);
    CHECK(documented_clock(*find_operation("wgmma.f16.f32.m64n256k16"), facts, 132) == 1830);
    CHECK(documented_clock(*find_operation("mma.f64.f64.m16n8k16"), facts, 132) == 1980);
    CHECK_FALSE(documented_clock(*find_operation("fma.f32"), facts, 114));
    CHECK_FALSE(documented_clock(*find_operation("fma.f32"), slower, 132));
}

TEST_CASE("divide.f64: an error that a sum in single precision would not show is found, in either word") {
    const Operation& divide = *find_operation("divide.f64");
    std::vector<ChainState> chains{{seeded(Number::f64, first_seed(Number::f64))}};
    divide.model(chains, divide.c, divide.d, 100);
    const std::uint32_t right = folded(divide, chains);
    for (const auto& [off, ulps] : {std::pair{std::uint64_t{1}, 1.0}, {100, 100}, {std::uint64_t{1} << 28, 1 << 28}}) {
        const ChainState wrong{chains[0].x + off};
        CHECK(ulps_apart(divide, folded(divide, {&wrong, 1}), right) == ulps);
    }
    const ChainState high{chains[0].x + (std::uint64_t{1} << 32)};
    CHECK(ulps_apart(divide, folded(divide, {&high, 1}), right) > near_ulps(divide, 8));
}

TEST_CASE("conversions: to nearest and toward zero differ, neither settles, and numbers stay normal") {
    for (const char* name : {"convert.f32-f64", "convert.i32-f64", "convert.f32-f16"}) {
        CAPTURE(std::string(name));
        const Operation& operation = *find_operation(name);
        const std::uint32_t first = first_seed(operation.number), apart = seed_spacing(operation.number);
        for (std::uint32_t chain = 0; chain < 256; chain += 17) {
            const ChainState seed{seeded(operation.number, first + chain * apart), operation.c};
            std::set<std::uint64_t> seen;
            std::vector<ChainState> lane{seed}, other{seed};
            for (int n = 0; n < 1000; ++n) {
                operation.model(lane, operation.c, operation.d, 1);
                seen.insert(lane[0].x);
                if (operation.number == Number::f32)
                    CHECK(std::abs(std::bit_cast<float>(static_cast<std::uint32_t>(lane[0].x))) >
                          0x1p-14F); // f16's smallest normal number
                if (operation.number == Number::f64)
                    CHECK(std::fpclassify(static_cast<float>(std::bit_cast<double>(lane[0].x))) == FP_NORMAL);
            }
            CHECK(seen.size() > 2); // converts other numbers again and again
            if (!operation.model_otherwise) continue;
            operation.model_otherwise(other, operation.c, operation.d, 1000);
            CHECK(other[0].x != lane[0].x);
        }
    }
    // 0.3 and a bit more of f64 goes to the next f32 or to the one below, then its mantissa changes.
    const Operation& doubles = *find_operation("convert.f32-f64");
    const std::uint64_t between = std::bit_cast<std::uint64_t>(0.25) + (std::uint64_t{3} << 27),
                        mask = doubles.c & 0xfffffffffffff; // three quarters of an ulp of f32
    std::vector<ChainState> lane{{between}};
    doubles.model(lane, doubles.c, 0, 1);
    CHECK(lane[0].x == ((std::bit_cast<std::uint64_t>(0.25) + (std::uint64_t{1} << 29)) ^ mask));
    lane = {{between}};
    doubles.model_otherwise(lane, doubles.c, 0, 1);
    CHECK(lane[0].x == (std::bit_cast<std::uint64_t>(0.25) ^ mask));
    // Half of 7 is 3; xor 0xa5a5a of the high word's mantissa makes of 1.5 x 2 the number 2 x (1 + 0x25a5a / 2^20 +
    // ...).
    const Operation& integers = *find_operation("convert.i32-f64");
    lane = {{7}};
    integers.model(lane, 0, 0, 1);
    CHECK(lane[0].x == 3);
    lane = {{static_cast<std::uint32_t>(-8)}};
    integers.model(lane, 0, 0, 1);
    CHECK(lane[0].x == static_cast<std::uint32_t>(-4));
}

TEST_CASE("narrow numbers: rounded to even, as pairs") {
    // x + y of halves: 0.25 + 0.7 rounds to 0.9502 (0x3b9a); y - x = 0.7 - 0.9502 = -0.25.
    const Operation& add = *find_operation("add.f16x2");
    std::vector<ChainState> lane{{0x34003400, add.c}};
    add.model(lane, add.c, add.d, 1);
    CHECK(lane[0].x == 0x3b9a3b9a);
    // x * x - 1.9 of bfloat16, which has 1.8984 for 1.9: 0.25 -> 0.0625 - 1.8984 = -1.8359 (0xbfeb).
    const Operation& bfloat = *find_operation("fma.bf16x2");
    lane = {{0x3e803e80, bfloat.c}};
    bfloat.model(lane, bfloat.c, bfloat.d, 1);
    CHECK(lane[0].x == 0xbfebbfeb);
}

TEST_CASE("loads of a table: rows follow one another, and come again after all of them") {
    const Operation& load = *find_operation("load-global.u32");
    std::vector<ChainState> lanes(kTableLanes);
    const std::uint32_t first = first_seed(Number::u32);
    for (std::uint32_t lane = 0; lane < kTableLanes; ++lane)
        lanes[lane].x = first + lane * 8 * seed_spacing(Number::u32);
    std::set<std::uint64_t> rows;
    for (const ChainState& lane : lanes) rows.insert(lane.x % kTableRows);
    CHECK(rows.size() == 1); // all lanes load from one row
    load.model(lanes, 0, 0, 1);
    auto one = lanes;
    for (std::uint32_t n = 0; n < kTableRows; ++n) {
        rows.insert(one[5].x % kTableRows);
        load.model(one, 0, 0, 1);
    }
    CHECK(rows.size() == kTableRows);
    CHECK(one[5].x == lanes[5].x);
    load.model(lanes, 0, 0, 1000000007);
    for (std::uint32_t n = 0; n < 1000000007 % kTableRows; ++n) load.model(one, 0, 0, 1);
    CHECK(one[31].x == lanes[31].x);
    CHECK(one[30].x != lanes[31].x);
}

TEST_CASE("what is no number is near nothing") {
    const Operation& near = *find_operation("rsqrt.f32");
    const auto bits = [](float value) { return std::bit_cast<std::uint32_t>(value); };
    CHECK(ulps_apart(near, bits(1.5f), bits(1.5f)) == 0);
    CHECK(ulps_apart(near, bits(std::nextafter(1.5f, 2.0f)), bits(1.5f)) == 1);
    for (const float found : {std::nanf(""), -std::nanf(""), HUGE_VALF, -HUGE_VALF})
        CHECK(std::isinf(ulps_apart(near, bits(found), bits(1.5f))));
}
