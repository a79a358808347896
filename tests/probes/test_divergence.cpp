// divergence: what it says of series.
#include <doctest/doctest.h>

#include "tests/probes/probe_series.h"

using namespace sonde;

TEST_CASE("divergence: branches one after another cost as many times as there are") {
    const Finding found =
        only_finding(made("divergence", "global", {{"split", "balanced"}}, {{1, 1000}, {2, 2000}, {32, 32000}}));
    CAPTURE(found.text);
    CHECK(found.name == "balanced");
    CHECK(*found.value == doctest::Approx(1));
    CHECK(found.x == std::vector<double>{1, 2, 32});
    CHECK(says(found.text, ": 2 paths take 2 times"));
    CHECK(found.text.ends_with("32 paths 32 times"));
}
