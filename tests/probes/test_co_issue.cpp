// co-issue: what it says of series.
#include <doctest/doctest.h>

#include "tests/probes/probe_series.h"

using namespace sonde;

TEST_CASE("co-issue: two units at once reach the sum of both rates, one unit what one after the other does") {
    const std::string apart = said_of("co-issue", {{"pair", "f32+i32"}}, {{0, 100}, {25, 133.333}, {50, 200}, {75, 133.333}, {100, 100}});
    CAPTURE(apart);
    CHECK(says(apart, "fma.f32 100 Gstep/s, mad.u32 100 Gstep/s"));
    CHECK(says(apart, "with 50 % mad.u32 2.00 times the rate of one after the other, where 2.00 is possible"));
    const std::string shared = said_of("co-issue", {{"pair", "f32+f64"}}, {{0, 100}, {50, 66.6667}, {100, 50}});
    CAPTURE(shared);
    CHECK(says(shared, "fma.f32 100 Gstep/s, fma.f64 50 Gstep/s"));
    CHECK(says(shared, "1.00 times the rate of one after the other, where 1.50 is possible; no share gains more: consistent with a pipe that both use"));
    CHECK_FALSE(says(apart, "a pipe"));
    const std::string low_alone = said_of("co-issue", {{"pair", "f32+f64"}}, {{0, 100}, {50, 66.6667}, {100, 20}});
    CAPTURE(low_alone);
    CHECK(says(low_alone, "fma.f64 33.3 Gstep/s (20 Gstep/s alone); with 50 % fma.f64 1.33 times the rate of one after the other, where 1.33 is possible"));
}
