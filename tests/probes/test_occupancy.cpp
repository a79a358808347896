// occupancy: what it says of series.
#include <doctest/doctest.h>

#include "tests/probes/probe_series.h"

using namespace sonde;

namespace {
/// How many workgroups are resident, by x.
std::vector<std::pair<double, double>> resident(const Series& series, const DeviceInfo& device = {}) {
    std::vector<std::pair<double, double>> ranges;
    for (const FindingRow& row : only_finding(series, device).rows) ranges.push_back(row.range.value());
    return ranges;
}
using Ranges = std::vector<std::pair<double, double>>;
} // namespace

TEST_CASE("occupancy: no range goes beyond what the driver or the device says") {
    Series series = made("occupancy", "scratchpad", {}, {{512, 74.7}, {116224, 2328}});
    series.evidence.group_size = 32, series.evidence.groups_per_core = 192, series.evidence.alone_ns = 2438;
    CHECK(resident(series) == Ranges{{32, 39}, {1, 1}});
    CHECK(resident(series, {.threads_per_core = 1024})[0] == std::pair(32.0, 32.0));
    series.evidence.resident_by_driver = {{512, 32}, {116224, 1}};
    CHECK(resident(series) == Ranges{{32, 32}, {1, 1}});
    CHECK(says(said(series), "agrees at all"));
    series.points[0].median = 2438.0 / 192; // all 192 at once
    series.evidence.resident_by_driver.clear();
    CHECK(resident(series)[0].second == 192);
    CHECK(says(said(series), "192 (the most tried)"));
}

TEST_CASE("occupancy: workgroups that hold more bound the number of those that hold less, and these theirs") {
    Series series = made("occupancy", "scratchpad", {}, {{512, 74.8}, {3584, 80}, {4608, 74.7}, {116224, 2328}});
    series.evidence.group_size = 32, series.evidence.groups_per_core = 192, series.evidence.alone_ns = 2438;
    CHECK(resident(series, {.threads_per_core = 1024}) == Ranges{{32, 32}, {32, 32}, {32, 32}, {1, 1}});
    CHECK(says(said(series, {.threads_per_core = 1024}), "32 at 512 B to 4.5 KiB, 1"));
}
