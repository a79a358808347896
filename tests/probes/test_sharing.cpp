// sharing: what it says of series.
#include <doctest/doctest.h>

#include "tests/probes/probe_series.h"

using namespace sonde;

TEST_CASE("sharing: no more than all lines are evicted") {
    Series series =
        made("sharing", "constant", {{"other_path", "constant"}}, {{1024, 50}, {2048, 154}, {4096, 154}, {8192, 154}});
    series.evidence.levels = {{.ns = 50, .on_bytes = 2048}, {.ns = 150}};
    series.evidence.filling_bytes = 4096;
    const Finding found = only_finding(series);
    CHECK(numbers_of(found) == std::vector<double>{1});
    CHECK(found.unit == "share");
    CHECK(says(found.text, "evict 100 % of"));
}

TEST_CASE("sharing: a chain that misses L1 from the start tells nothing") {
    const auto found = [](double least) {
        Series series = made("sharing", "constant", {{"other_path", "constant"}},
            {{1024, least}, {2048, least + 100}, {4096, least + 100}, {8192, least + 100}});
        series.evidence.levels = {{.ns = 50, .on_bytes = 2048}, {.ns = 150}};
        series.evidence.filling_bytes = 4096;
        return findings_of(series).at(0).value;
    };
    CHECK(found(70).value() == doctest::Approx(1));
    CHECK_FALSE(found(80));
    CHECK_FALSE(found(140));
}
