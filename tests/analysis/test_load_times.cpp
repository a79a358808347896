// Distributions of single loads whose shares are known.
#include <doctest/doctest.h>

#include "core/analysis/load_times.h"

using namespace sonde;

TEST_CASE("counts fall into bins that are not empty, without the time of reading the clock") {
    const LoadTimes times = binned(4096, std::vector<std::uint32_t>{5, 108, 109, 116, 500}, 8, 8);
    CHECK(times.footprint_bytes == 4096);
    CHECK(times.from == std::vector<double>{0, 96, 104, 488});
    CHECK(times.loads == std::vector<std::uint32_t>{1, 2, 1, 1});
    CHECK(time_of(times, 0.5) == doctest::Approx(102)); // three quarters into the second bin
    CHECK(share_from(times, 96) == doctest::Approx(0.8));
    CHECK(share_from(times, 100) == doctest::Approx(0.6));
    CHECK(share_from(times, 1000) == 0);
    CHECK(time_of(LoadTimes{}, 0.5) == 0);
}

TEST_CASE("of loads that are a mean of two kinds the share as slow as those beyond the last cache is told, and what "
          "the others take") {
    const auto spread = [](std::vector<std::uint32_t>& counts, std::uint32_t loads, std::uint32_t least,
                            std::uint32_t most) {
        for (std::uint32_t n = 0; n < loads; ++n) counts.push_back(least + n * (most - least) / loads);
    };
    std::vector<std::uint32_t> memory;
    spread(memory, 10000, 540, 1040);
    memory.insert(memory.end(), 50, 290); // a few hits
    const LoadTimes last = binned(256 << 20, memory, 0, 8);
    for (const std::uint32_t slow : {0u, 1000u, 5000u, 9000u, 10000u}) {
        CAPTURE(slow);
        std::vector<std::uint32_t> counts;
        spread(counts, 10000 - slow, 440, 500);
        spread(counts, slow, 560, 600);
        const auto kinds = two_kinds(binned(40 << 20, counts, 0, 8));
        CHECK(kinds.has_value() == (slow == 5000)); // else one of them is too few
        CHECK(kinds.value_or(TwoKinds{0.5, 470, 580}).share == doctest::Approx(0.5).epsilon(0.01));
        CHECK(kinds.value_or(TwoKinds{0.5, 470, 580}).faster == doctest::Approx(470).epsilon(0.01));
        CHECK(kinds.value_or(TwoKinds{0.5, 470, 580}).slower == doctest::Approx(580).epsilon(0.01));
        const LoadTimes at = binned(40 << 20, counts, 0, 8);
        CHECK(as_slow_as_median(at, last) == 0); // slower than the fastest there, and faster than most
        CHECK(as_slow_as_median(last, at).value_or(0) == doctest::Approx(1).epsilon(0.1));
    }
    CHECK(as_slow_as_median(last, last).value_or(0) == doctest::Approx(0.5).epsilon(0.01));
    CHECK_FALSE(as_slow_as_median(LoadTimes{}, last));
    CHECK_FALSE(two_kinds(last));
    CHECK_FALSE(two_kinds(LoadTimes{}));
}

TEST_CASE("loads as slow as the faster kind of another footprint's are counted, where those are of two kinds") {
    struct Kind {
        std::uint32_t loads, least, most;
    };
    const auto times = [](Kind faster, Kind slower) {
        std::vector<std::uint32_t> counts;
        for (const Kind& kind : {faster, slower})
            for (std::uint32_t n = 0; n < kind.loads; ++n)
                counts.push_back(kind.least + n * (kind.most - kind.least) / kind.loads);
        return binned(40 << 20, counts, 0, 8);
    };
    const LoadTimes last = times({5000, 500, 540}, {5000, 700, 740});
    CHECK(as_slow_as_faster_kind(times({5000, 440, 480}, {5000, 512, 540}), last).value_or(0) ==
          doctest::Approx(0.5).epsilon(0.05));
    CHECK(as_slow_as_faster_kind(times({5000, 300, 340}, {5000, 440, 480}), last).value_or(1) == 0);
    CHECK_FALSE(as_slow_as_faster_kind(last, times({10000, 500, 540}, {0, 700, 740}))); // of one kind
}
