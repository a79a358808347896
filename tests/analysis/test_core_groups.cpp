// Groups of cores in made-up tables of pairs.
#include <initializer_list>
#include <random>
#include <tuple>
#include <vector>

#include <doctest/doctest.h>

#include "core/analysis/core_groups.h"

using namespace sonde;

namespace {
/// Core i is of the group `far` where i % 3 == 0. ns; noise: standard deviation as a share.
std::vector<PairTime> pairs_of(std::size_t cores, double within_near, double within_far, double across, double noise) {
    std::mt19937 random(7);
    std::normal_distribution<double> spread(1, noise);
    std::vector<PairTime> pairs;
    for (std::size_t a = 0; a < cores; ++a)
        for (std::size_t b = a + 1; b < cores; ++b) {
            const bool far_a = a % 3 == 0, far_b = b % 3 == 0;
            pairs.push_back({a, b,
                (far_a && far_b      ? within_far
                    : far_a || far_b ? across
                                     : within_near) *
                    spread(random)});
        }
    return pairs;
}
} // namespace

TEST_CASE("two groups are found, however near one of them is to what lies across, and each pair counts once") {
    for (const auto& [near, far, across] :
        {std::tuple{87.0, 138.0, 132.0}, {100.0, 102.0, 150.0}, {100.0, 100.0, 140.0}}) {
        CAPTURE(near);
        CAPTURE(far);
        auto pairs = pairs_of(60, near, far, across, 0.05);
        for (std::size_t i = 0; i < 200; ++i)
            pairs.push_back({pairs[i].second, pairs[i].first, pairs[i].time}); // the other way round
        const auto groups = core_groups(pairs);
        REQUIRE(groups);
        CHECK(std::min(groups->near.size(), groups->far.size()) == 20);
        CHECK(groups->near.size() + groups->far.size() == 60);
        const auto& thirds = groups->near.size() == 20 ? groups->near : groups->far;
        for (const std::size_t core : thirds) CHECK(core % 3 == 0);
        CHECK(groups->across == doctest::Approx(across).epsilon(0.03));
        CHECK(groups->within_near <= groups->within_far);
    }
}

TEST_CASE("no groups where all pairs are alike, however noisy, or where one pair alone is slow") {
    CHECK(!core_groups(pairs_of(60, 100, 100, 100, 0.3)));
    CHECK(!core_groups(pairs_of(8, 100, 100, 100, 0.1)));
    auto one_slow = pairs_of(60, 100, 100, 100, 0.01);
    one_slow[5].time = 2000;
    CHECK(!core_groups(one_slow));
    CHECK(!core_groups(pairs_of(3, 100, 100, 100, 0)));
}

TEST_CASE("the two parts of a cache: which cores are near to which lines, whatever each line's slice and each core's "
          "place add") {
    constexpr std::size_t kCores = 40, kLines = 24;
    std::mt19937 random(7);
    std::normal_distribution<double> noise(0, 2);
    const auto table = [&](double far) {
        std::vector<std::vector<double>> times(kCores, std::vector<double>(kLines));
        for (std::size_t core = 0; core < kCores; ++core)
            for (std::size_t line = 0; line < kLines; ++line)
                times[core][line] = 200 + static_cast<double>(line * 11 % 7) * 4 + static_cast<double>(core % 5) * 2 +
                                    noise(random) + ((core % 4 == 0) != (line % 3 == 0) ? far : 0);
        return times;
    };
    const auto parts = cache_parts(table(150));
    REQUIRE(parts);
    const std::size_t quarter = parts->cores[0].size() == 10 ? 0 : 1;
    CHECK(parts->cores[quarter].size() == 10);
    CHECK(parts->lines[quarter].size() == 8);
    for (const std::size_t core : parts->cores[quarter]) CHECK(core % 4 == 0);
    for (const std::size_t line : parts->lines[quarter]) CHECK(line % 3 == 0);
    CHECK(parts->near == doctest::Approx(216).epsilon(0.05));
    CHECK(parts->far == doctest::Approx(366).epsilon(0.05));
    CHECK(!cache_parts(table(0)));
    CHECK(!cache_parts({}));
    CHECK(!cache_parts({{1, 2}, {3}}));
    CHECK(!cache_parts({{1, 0}, {3, 1}}));
}
