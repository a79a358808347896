// first-run: what it says of series.
#include <doctest/doctest.h>

#include "tests/probes/probe_series.h"

using namespace sonde;

TEST_CASE("first-run: the first run beside the others; a run that could not be timed is left out") {
    const std::string text = said_of("first-run", {{"card", "awake"}}, {{1, 4}, {2, 0.5}, {8, 0.51}});
    CAPTURE(text);
    CHECK(says(text, "an instruction takes 4 ns in the first run of its code, 0.5 ns in run 2, 0.51 ns in run 8"));
    Series untimed{.id = {"first-run", "a:0", "global", {{"card", "awake"}}}};
    untimed.points = {
        {.x = 1, .samples = {}}, {.x = 2, .median = 1, .samples = {}}, {.x = 3, .median = 1, .samples = {}}};
    CHECK(findings_of(probe_named("first-run"), untimed, {}).empty());
}
