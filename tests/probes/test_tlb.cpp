#include <doctest/doctest.h>

#include "tests/probes/probe_series.h"

using namespace sonde;

TEST_CASE("a clock that dips for some spans is no reach of the TLB; a step in cycles is") {
    Series series{.id = {"tlb", "a:0", "global", {}}, .unit = "ns"};
    for (double x = 2 << 20; x <= 256 << 20; x *= 2) {
        const double mhz = x >= 32 << 20 ? 1950 : 1990;
        series.points.push_back({.x = x, .median = 290 / mhz * 1000, .cycles = 290, .clock_mhz = mhz, .samples = {}});
    }
    CHECK(said(series) == "a:0 global: no TLB miss seen up to 256 MiB");
    for (Point& point : series.points)
        if (point.x > 16 << 20) *point.median += 20 * (1 - (16 << 20) / point.x);
    CHECK(says(said(series), "TLB reach "));
}
