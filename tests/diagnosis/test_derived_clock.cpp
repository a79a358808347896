// Rules of derived clock: what makes each speak, and what does not.
#include <doctest/doctest.h>

#include "core/analysis/derived_clock.h"
#include "tests/diagnosis/made_up.h"

using namespace sonde;
using namespace sonde::made_up;

namespace {
const Cases kDerivedClockCases{
    {"derived_cycles", {{"L1", "b:0", 80}, {"L2", "b:0", 400}},
        [](MadeUp& card) { card.known_step("a:0", 4, 2.2), card.known_step("b:0", std::nullopt, 2); },
        [](MadeUp& card) { card.known_step("a:0", std::nullopt, 2.2), card.known_step("b:0", std::nullopt, 2); }},
};
} // namespace

TEST_CASE("rules of derived clock: each speaks where it must and is silent where it must") {
    kDerivedClockCases.check();
}

TEST_CASE("a step's latency is that of the usual length, and without it of the longest chain") {
    Series series;
    CHECK_FALSE(latency_point(series));
    for (const double steps : {4., 64., 16.}) series.points.push_back({.x = steps, .median = steps, .samples = {}});
    CHECK(latency_point(series)->x == 64);
    for (const double steps : {512., 1024.}) series.points.push_back({.x = steps, .median = steps, .samples = {}});
    CHECK(latency_point(series)->x == 512);
}
