// saturation: what it says of series.
#include <doctest/doctest.h>

#include "tests/probes/probe_series.h"

using namespace sonde;

TEST_CASE("saturation: of a chosen shape, what a few workgroups read and on how many cores") {
    Series series = made("saturation", "global", {{"level", "LLC"}, {"shape", "8x1024x1"}}, {{1, 60}, {2, 118}, {1e6, 4000}});
    series.evidence = {.shape = ShapeEvidence{.group_size = 1024, .loads_in_flight = 8}};
    series.evidence.cores_of_groups = Json::parse(R"({"1": 1, "2": 2, "1000000": 132})").get<decltype(Evidence::cores_of_groups)>();
    CHECK(said(series).ends_with("workgroups of 1024 work-items, with 8 independent loads of 16 bytes each in the source. 1 workgroup on 1 core 60 GB/s, 2 workgroups on 2 cores 118 GB/s, 1e+06 workgroups on 132 cores 4 TB/s"));
}
