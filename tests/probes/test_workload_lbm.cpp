// workload.lbm on a modelled card.
#include <doctest/doctest.h>

#include "core/probes/probes.h"
#include "tests/measure/workload_bench.h"
#include "tests/model/measured.h"

using namespace sonde;

TEST_CASE("workload.lbm: 153 bytes of a cell, checked, by cells up to what the memory holds") {
    const auto device = model_device(workload_card(), 1);
    const Series series = measured(*device, "workload.lbm", "global", "quick", 1);
    CAPTURE(series.reason);
    REQUIRE(series.status == Status::ok);
    REQUIRE(series.points.size() == 2);
    CHECK(series.points[0].x == 1 << 13);
    CHECK(series.points[1].x == 1 << 16); // twice as many are more than half of the memory
    REQUIRE(series.evidence.demand.size() == 2);
    for (const Demand& demand : series.evidence.demand) CHECK(demand.read_bytes + demand.written_bytes == 153);
    CHECK(series.evidence.demand[1].from_x == 1 << 16);
    CHECK(series.evidence.demand[1].footprint_bytes == doctest::Approx(153 << 16).epsilon(0.02));
    CHECK(series.evidence.output_checked.find("conserved") != std::string::npos);
    CHECK(series.points[1].samples.at(1).steps / series.points[1].samples.at(0).steps >= 2);
    const auto found = findings_of(probe_named("workload.lbm"), series, device->info());
    REQUIRE(found.size() == 1);
    CHECK(row_at(found[0], "the largest").unit == "GLUP/s");
    CHECK(number_at(found[0], "cells of the largest") == 65536);
    const Demand& demand = series.evidence.demand.back();
    CHECK(demand.read_bytes == 77);
    CHECK(demand.written_bytes == 76);
    CHECK(demand.operations == 184);
    CHECK(text_at(found[0], "unit of work") == "update of a cell");
    CHECK(number_at(found[0], "read for it") == 77);
    CHECK(number_at(found[0], "written for it") == 76);
    CHECK(number_at(found[0], "operations for it") == 184);
}
