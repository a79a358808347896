// divergence: what it says of series.
#include <doctest/doctest.h>

#include "tests/probes/probe_series.h"

using namespace sonde;

TEST_CASE("divergence: branches one after another cost as many times as there are") {
    double value = 0;
    const std::string text =
        said_of("divergence", {{"split", "balanced"}}, {{1, 1000}, {2, 2000}, {32, 32000}}, &value);
    CAPTURE(text);
    CHECK(value == doctest::Approx(1));
    CHECK(says(text, "lanes split evenly: 2 paths take 2 times as long as one, 32 paths 32 times"));
}
