// Products of matrices: tiles, and checks of the result.
#include <utility>

#include <doctest/doctest.h>

#include "core/measure/gemm.h"
#include "tests/measure/workload_bench.h"
#include "tests/model/measured.h"

using namespace sonde;

TEST_CASE("products of matrices: right ones pass, one number that is off, or all of another product, do not") {
    ByHand by_hand;
    Bench bench(*by_hand.device, by_hand.history, *find_path("scratchpad"), by_hand.request, *find_profile("quick"),
        by_hand.unheard);
    Gemm gemm(bench, gemm_kernel(gemm_tiles(bench.info)), 256), other(bench, gemm_kernel(gemm_tiles(bench.info)), 256);
    const Launch last = by_hand.steps(gemm, 2), others = by_hand.steps(other, 1);
    CHECK_NOTHROW(gemm.check(2));
    auto words = bench.read_words(last.out, 256 * 256);
    words[777] ^= 1u << 22;
    bench.write_words(last.out, words);
    CHECK_THROWS_WITH_AS(gemm.check(2), doctest::Contains("is off by"), Error);
    words[777] ^= 1u << 22;
    std::swap(words[777], words[778]);
    bench.write_words(last.out, words);
    CHECK_THROWS_WITH_AS(gemm.check(2), doctest::Contains("is off by"), Error);
    bench.write_words(last.out, bench.read_words(others.out, 256 * 256));
    CHECK_THROWS_AS(gemm.check(2), Error);
    CHECK_NOTHROW(other.check(1));
}

TEST_CASE("tiles of a product: of a GPU, of processors, and of devices that take less") {
    DeviceInfo info;
    info.largest_group = 1024, info.subgroup = 32;
    CHECK(gemm_tiles(info).side == 128);
    CHECK(gemm_tiles(info).scratchpad_bytes_of_operation(32) ==
          12 * 8 * 4 / (32 * 64 * 2.0)); // 8 blocks beside and 4 below each other
    CHECK(gemm_tiles(info).scratchpad_bytes_of_operation(64) == 20 * 8 * 4 / (64 * 64 * 2.0));
    info.largest_group = 128;
    CHECK(gemm_tiles(info).side == 64);
    info.cpu = true, info.subgroup = 1, info.largest_group = 1;
    CHECK(gemm_tiles(info).side == 8);
    CHECK(gemm_tiles(info).scratchpad_bytes_of_operation(1) == 0.5);
    info.subgroup = 8, info.largest_group = 1024;
    CHECK(gemm_tiles(info).side == 32);
    CHECK(gemm_tiles(info).scratchpad_bytes() == 4096);
    CardModel card = workload_card();
    card.scratchpad_bytes = 8 << 10;
    const Series series = measured(*model_device(card, 1), "workload.gemm", "scratchpad", "quick", 1);
    CHECK(series.status == Status::unsupported);
    CHECK(series.reason.ends_with("16384 are needed"));
}
