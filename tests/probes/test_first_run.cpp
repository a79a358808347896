// first-run: what it says of series.
#include <doctest/doctest.h>

#include "tests/probes/probe_series.h"

using namespace sonde;

TEST_CASE("first-run: the first run beside the others; a run that could not be timed is left out") {
    const Finding found = only_finding(made("first-run", "global", {{"card", "awake"}}, {{1, 4}, {2, 0.5}, {8, 0.51}}));
    CHECK(*found.value == 4);
    CHECK(numbers_of(found) == std::vector<double>{4, 0.5, 0.51});
    for (std::size_t i = 0; i < 3; ++i) CHECK(found.rows.at(i).place.ends_with(fmt::format(" run {}", "128"[i])));
    Series untimed{.id = {"first-run", "a:0", "global", {{"card", "awake"}}}};
    untimed.points = {
        {.x = 1, .samples = {}}, {.x = 2, .median = 1, .samples = {}}, {.x = 3, .median = 1, .samples = {}}};
    CHECK(findings_of(probe_named("first-run"), untimed, {}).empty());
}
