// bandwidth: what it says of series.
#include <doctest/doctest.h>

#include "tests/probes/probe_series.h"

using namespace sonde;

TEST_CASE("bandwidth: clusters read each other's scratchpads") {
    Series series = made("bandwidth", "cluster", {{"width", "16"}, {"cluster", "8"}}, {{4096, 2000}, {65536, 2560}});
    series.evidence.shape = ShapeEvidence{.groups = 128};
    CHECK(said(series).ends_with("in clusters of 8, each workgroup reads the next one's scratchpad: 2.56 TB/s at most, 20 GB/s for each of 128 workgroups"));
}
