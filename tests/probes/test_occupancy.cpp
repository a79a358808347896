// occupancy: what it says of series.
#include <doctest/doctest.h>

#include "tests/probes/probe_series.h"

using namespace sonde;

TEST_CASE("occupancy: no range goes beyond what the driver or the device says") {
    Series series = made("occupancy", "scratchpad", {}, {{512, 74.7}, {116224, 2328}});
    series.evidence.group_size = 32, series.evidence.groups_per_core = 192, series.evidence.alone_ns = 2438;
    CHECK(said(series).find(": 32-39 at 512 B, 1 at 114 KiB") != std::string::npos);
    CHECK(said(series, {.threads_per_core = 1024}).find(": 32 at 512 B") != std::string::npos);
    series.evidence.resident_by_driver = {{512, 32}, {116224, 1}};
    CHECK(said(series).find(": 32 at 512 B, 1 at 114 KiB. The driver's occupancy query agrees at all 2 points") !=
          std::string::npos);
    series.points[0].median = 2438.0 / 192; // all 192 at once
    series.evidence.resident_by_driver.clear();
    CHECK(said(series).find("192 (the most tried) at 512 B") != std::string::npos);
}

TEST_CASE("occupancy: workgroups that hold more bound the number of those that hold less, and these theirs") {
    Series series = made("occupancy", "scratchpad", {}, {{512, 74.8}, {3584, 80}, {4608, 74.7}, {116224, 2328}});
    series.evidence.group_size = 32, series.evidence.groups_per_core = 192, series.evidence.alone_ns = 2438;
    CHECK(said(series, {.threads_per_core = 1024}).ends_with(": 32 at 512 B to 4.5 KiB, 1 at 114 KiB"));
}
