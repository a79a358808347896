// Groups of cores in made-up tables of pairs.
#include <random>

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
            pairs.push_back({a, b, (far_a && far_b ? within_far : far_a || far_b ? across : within_near) * spread(random)});
        }
    return pairs;
}
} // namespace

TEST_CASE("two groups are found, however near one of them is to what lies across, and each pair counts once") {
    for (const auto& [near, far, across] : {std::tuple{87.0, 138.0, 132.0}, {100.0, 102.0, 150.0}, {100.0, 100.0, 140.0}}) {
        CAPTURE(near);
        CAPTURE(far);
        auto pairs = pairs_of(60, near, far, across, 0.05);
        for (std::size_t i = 0; i < 200; ++i) pairs.push_back({pairs[i].second, pairs[i].first, pairs[i].time}); // the other way round
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
