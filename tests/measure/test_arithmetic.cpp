// Chains of operations as the host computes them, and how far a device may be off.
#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "core/base/error.h"
#include "core/measure/arithmetic.h"
#include "tests/measure/lying_device.h"
#include "tests/measure/workload_bench.h"

using namespace sonde;

namespace {
std::vector<std::uint32_t> after(
    const char* name, std::uint64_t steps, std::uint32_t chains = 1, std::vector<std::uint32_t> lanes = {0}) {
    const Operation& operation = *find_operation(name);
    return ChainModel(operation, operation.model, std::move(lanes), chains).words_after(steps);
}
float float_of(std::uint32_t bits) { return std::bit_cast<float>(bits); }
} // namespace

TEST_CASE("chains: the host's values after some steps") {
    // Of x = x + y, y = y + x the words are every second of Fibonacci's numbers: x0 = 0x12345679, y0 = c.
    std::uint32_t x = first_seed(Number::u32), y = static_cast<std::uint32_t>(find_operation("add.u32")->c);
    for (int n = 0; n < 3; ++n) x += y, y += x;
    CHECK(after("add.u32", 3)[0] == (x * 5 + y)); // 0 * 5 + x, then * 5 + y

    const float seed = float_of(first_seed(Number::f32)), c = -1.9F;
    const std::uint32_t fused = std::bit_cast<std::uint32_t>(std::fma(seed, seed, c));
    CHECK(after("fma.f32", 1)[0] == fused * 5 + std::bit_cast<std::uint32_t>(c));

    const Operation& fma = *find_operation("fma.f32");
    CHECK(ChainModel(fma, fma.model, {0}, 1).words_after(1000) !=
          ChainModel(fma, fma.model_otherwise, {0}, 1).words_after(1000));
    CHECK(float_of(after("rcp.f32", 100)[0]) == doctest::Approx((1 + std::sqrt(5.0)) / 2)); // x = 1 / x + 1
    CHECK(float_of(after("rcp.f32", 100, 4)[0]) == doctest::Approx(4 * (1 + std::sqrt(5.0)) / 2));
    // A neighbour's value goes to and fro.
    CHECK(after("shuffle.u32", 2, 1, {0, 1})[0] == (first_seed(Number::u32) + 2 * 0x9e3779b1u) * 5 + 0x9e3779b1u);
}

TEST_CASE("approximate operations: held to their error in ulp over one less the slope at the fixed point") {
    const auto allowed = [](const char* name, std::uint32_t chains) {
        return near_ulps(*find_operation(name), chains);
    };
    const double golden = (1 + std::sqrt(5.0)) / 2;
    // x = 1 / x + 1: 2.5 ulp of 0.618 for the device and one for the host, half one of 1.618 (twice as large) for each
    // sum; the slope is 1 / golden^2.
    CHECK(allowed("rcp.f32", 1) == doctest::Approx((3.5 / 2 + 1) / (1 - 1 / (golden * golden))).epsilon(1e-3));
    CHECK(allowed("rcp.f32", 8) < 3 * allowed("rcp.f32", 1)); // seven sums more on both sides, whose ulp is larger
    CHECK(allowed("divide.f64", 1) == doctest::Approx(allowed("divide.f32", 1)));
    CHECK(allowed("divide.f64", 8) == doctest::Approx(8 * allowed("divide.f32", 1))); // a chain's ulp, not the sum's
    for (const Operation& operation : all_operations()) {
        CHECK((operation.exactness == Exactness::near) == (operation.ulps > 0));
        if (operation.exactness != Exactness::near) continue;
        CAPTURE(std::string(operation.name));
        const double most = near_ulps(operation, 1);
        CHECK(most < (operation.name == "sine.f32" ? 10000 : 32)); // what Vulkan allows of a sine is coarse
        const std::uint32_t right =
            after(operation.name.data(), 100)[0]; // the next word is an ulp away, whether of a float or of words
        const auto word = [&](double ulps) {
            return std::vector{static_cast<std::uint32_t>(right + std::llround(ulps))};
        };
        FollowedChains followed(operation, 1, 1, 1);
        CHECK(followed.farthest_ulps() == 0);
        CHECK_NOTHROW(followed.check(word(std::floor(most)), 100));
        CHECK(followed.farthest_ulps() == doctest::Approx(std::floor(most)));
        CHECK_THROWS_AS(followed.check(word(1.5 * most), 100), Error);
        CHECK_THROWS_AS(followed.check(word(-1.5 * most), 100), Error);
    }
}

TEST_CASE("chains: a later number of steps goes on from an earlier one") {
    const Operation& operation = *find_operation("mad.u32");
    ChainModel model(operation, operation.model, {0, 31}, 2);
    const auto at_once = model.words_after(1000);
    ChainModel again(operation, operation.model, {0, 31}, 2);
    again.words_after(10), again.words_after(700);
    CHECK(again.words_after(1000) == at_once);
    CHECK(again.words_after(10) == model.words_after(10));
}

TEST_CASE("any lane of a later workgroup that differs from the first workgroup's is noticed") {
    ByHand by_hand;
    LyingDevice lying(model_device(workload_card(), 1), {.kernel = "arithmetic"}, Lie::one_lane);
    const auto timed = [&](Device& device) {
        DeviceHistory history;
        Bench bench(device, history, *find_path("global"), by_hand.request, *find_profile("quick"), by_hand.unheard);
        const KernelChoice choice = arithmetic_kernel(bench.info, *find_operation("reduce.u32"), 1, 8);
        Arithmetic(bench, choice, 4).timed(4, 2, 1);
    };
    CHECK_NOTHROW(timed(*by_hand.device));
    CHECK_THROWS_AS(timed(lying), Error); // none of its lies is of a workgroup's first lane
    CHECK(lying.lies() == 1);
}
