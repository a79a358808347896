// mix: what it says of series.
#include <doctest/doctest.h>

#include "tests/probes/probe_series.h"

using namespace sonde;

TEST_CASE("mix: a path that reads faster beside another than alone was measured badly alone") {
    const auto mix = [](double a, double both, double b) { return said(made("mix", "texel", {{"other_path", "scratchpad"}}, {{0, a}, {50, both}, {100, b}})); };
    CHECK(mix(20, 28, 20).ends_with("the two paths overlap in part"));
    CHECK(mix(20, 39, 20).ends_with("the rates add up"));
    CHECK(mix(20, 44, 20).ends_with("doubtful, as one path reads faster in the mix than alone"));
    CHECK(mix(10, 28, 30).ends_with("doubtful, as one path reads faster in the mix than alone")); // 14 of the first
}
