// divergence: what it says of series.
#include <doctest/doctest.h>

#include "tests/probes/probe_series.h"

using namespace sonde;

TEST_CASE("divergence: branches one after another cost as many times as there are") {
    const Finding found =
        only_finding(made("divergence", "global", {{"split", "balanced"}}, {{1, 1000}, {2, 2000}, {32, 32000}}));
    CHECK(found.name == "balanced");
    CHECK(*found.value == doctest::Approx(1));
    CHECK(found.x == std::vector<double>{1, 2, 32});
    CHECK(number_at(found, "one path") == 1000);
    CHECK(number_at(found, "2 paths, times one") == 2);
    CHECK(number_at(found, "32 paths, times one") == 32);
    CHECK(number_at(found, "for each path, times one") == *found.value);
    const Finding two = only_finding(made("divergence", "global", {{"split", "balanced"}}, {{1, 1000}, {2, 2000}}));
    CHECK(two.x == std::vector<double>{1, 2});
    CHECK(number_at(two, "2 paths, times one") == 2);
    const Finding one = only_finding(made("divergence", "global", {{"split", "balanced"}}, {{1, 1000}}));
    CHECK(one.no_value == NoValue::inconclusive);
    CHECK(numbers_of(one) == std::vector<double>{1000});
}
