// Transforms: passes, and checks of the result.
#include <bit>
#include <cmath>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "core/measure/fft.h"
#include "tests/measure/lying_device.h"
#include "tests/measure/workload_bench.h"

using namespace sonde;

TEST_CASE("transforms: right steps pass in either direction, a point that is off, or a copy, does not") {
    ByHand by_hand;
    Bench bench(*by_hand.device, by_hand.history, *find_path("scratchpad"), by_hand.request, *find_profile("quick"),
        by_hand.unheard);
    for (const std::uint32_t n_bits : {8u, 12u}) {
        Fft fft(bench, fft_kernel(fft_passes(bench.info)), 1 << 13, n_bits);
        CHECK_NOTHROW(fft.check(0));
        by_hand.steps(fft, 3);
        CHECK_NOTHROW(fft.check(3));
        CHECK_NOTHROW(fft.check(3));
        std::vector<Launch> launches;
        fft.append(launches, 3);
        bench.launch_all(launches, 1);
        CHECK_NOTHROW(fft.check(4));
        Buffer& points = *const_cast<Buffer*>(launches.back().b);
        auto words = bench.read_words(points, 1 << 14);
        auto wrong = words;
        wrong[333] ^= 1u << 22;
        bench.write_words(points, wrong);
        CHECK_THROWS_WITH_AS(fft.check(4), doctest::Contains(n_bits == 8 ? "is off by" : ""),
            Error); // of two transforms one's frequencies may tell first
        for (std::uint32_t& word : wrong) word = 0;
        bench.write_words(points, wrong);
        CHECK_THROWS_WITH_AS(fft.check(4), doctest::Contains("frequency "), Error);
        bench.write_words(points, words);
        CHECK_THROWS_WITH_AS(fft.check(5), doctest::Contains("frequency "), Error); // points that were not transformed
    }
}

TEST_CASE("passes of a transform: by the scratchpad's size") {
    DeviceInfo info;
    info.scratchpad_bytes = 48 << 10;
    const FftPasses passes = fft_passes(info);
    CHECK(passes.points == 2048);
    for (const auto& [n_bits, count] : {std::pair{11u, 1u}, {12u, 2u}, {16u, 2u}, {17u, 3u}, {24u, 3u}}) {
        CHECK(passes.count(n_bits) == count);
        std::uint32_t bits = 0;
        for (const auto& args : passes.args(n_bits, true)) {
            CHECK(args.stride_bits == bits);
            bits += args.length_bits;
        }
        CHECK(bits == n_bits);
        CHECK(std::bit_cast<float>(passes.args(n_bits, true).back().factor) ==
              std::ldexp(1.0f, -static_cast<int>(n_bits)));
    }
    CHECK(passes.scratchpad_bytes_of_point(8) == 16 * 5);
    info.scratchpad_bytes = 16 << 10;
    CHECK(fft_passes(info).points == 512);
}

TEST_CASE("transforms: distances from the start that are no numbers do not pass") {
    ByHand by_hand;
    LyingDevice device(model_device(workload_card(), 1), {.kernel = "distances"}, Lie::no_number);
    DeviceHistory history;
    Bench bench(device, history, *find_path("scratchpad"), by_hand.request, *find_profile("quick"), by_hand.unheard);
    Fft fft(bench, fft_kernel(fft_passes(bench.info)), 1 << 13, 8);
    CHECK_THROWS_AS(fft.check(0), Error);
    CHECK(device.lies() == 1); // before it no other check failed
}
