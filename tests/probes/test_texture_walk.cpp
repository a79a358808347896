// texture-walk: what it says of series.
#include <doctest/doctest.h>

#include "tests/probes/probe_series.h"

using namespace sonde;

TEST_CASE("texture-walk: what a texel takes in the smallest and the largest image") {
    const Finding columns = only_finding(
        made("texture-walk", "image2d", {{"order", "columns"}}, {{4096, 40}, {16384, 41}, {32u << 20, 90}}));
    CHECK(columns.name == "columns");
    CHECK(*columns.value == doctest::Approx(90 / 40.0));
    CHECK(columns.x == std::vector<double>{4096, 32u << 20});
    CHECK(says(columns.text, "40 ns per texel of 32 x 32,"));
    CHECK(columns.text.ends_with("2048 x 4096"));
    const Finding morton =
        only_finding(made("texture-walk", "image2d", {{"order", "morton"}}, {{4096, 40}, {16384, 50}}));
    CHECK(morton.name == "morton");
    CHECK(morton.text.ends_with("64 x 64"));
}
