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
    CHECK(number_at(columns, "a texel of 32 x 32") == 40);
    CHECK(number_at(columns, "a texel of 2048 x 4096") == 90);
    CHECK(number_at(columns, "times as long") == *columns.value);
    const Finding morton =
        only_finding(made("texture-walk", "image2d", {{"order", "morton"}}, {{4096, 40}, {16384, 50}}));
    CHECK(morton.name == "morton");
    CHECK(number_at(morton, "a texel of 64 x 64") == 50);
    const Finding one = only_finding(made("texture-walk", "image2d", {{"order", "morton"}}, {{4096, 40}}));
    CHECK(one.no_value == NoValue::inconclusive);
    CHECK(numbers_of(one) == std::vector<double>{40});
}
