// workload.gemm on a modelled card: its own kernel, and by a matrix form.
#include <doctest/doctest.h>

#include "core/probes/probes.h"
#include "tests/measure/workload_bench.h"
#include "tests/model/measured.h"
#include "tests/says.h"

using namespace sonde;

TEST_CASE("workload.gemm: sizes up to what memory and cores allow, what an operation demands, and all of C checked") {
    CardModel card = workload_card();
    card.memory_bytes = 4 << 20; // 256 rows are 768 KiB, 512 more than half of it
    card.operation.per_cycle = 1;
    const auto device = model_device(card, 1);
    const Series series = measured(*device, "workload.gemm", "scratchpad", "quick", 1);
    CAPTURE(series.reason);
    REQUIRE(series.status == Status::ok);
    REQUIRE(series.points.size() == 1);
    CHECK(series.points[0].x == 256);
    CHECK(1 / *series.points[0].median == doctest::Approx(1e3 / (card.cores * card.clock_mhz)).epsilon(0.01));
    const Demand& demand = series.evidence.demand.at(0);
    CHECK(demand.footprint_bytes == 3 * 256 * 256 * 4);
    CHECK(demand.tile_bytes * 2 * 256 * 256 * 256 ==
          4 * 2 * 128 * 256 * 4); // four tiles, each of 128 rows of A and 128 columns of B
    CHECK(series.evidence.output_checked.find("random vector") != std::string::npos);
    const auto found = findings_of(probe_named("workload.gemm"), series, device->info());
    REQUIRE(found.size() == 1);
    CHECK(demand.operations == 1);
    CHECK(1 / demand.read_bytes == doctest::Approx(64));
    CHECK(1 / demand.written_bytes == doctest::Approx(128));
    CHECK(1 / demand.tile_bytes == doctest::Approx(32));
    CHECK(1 / demand.scratchpad_bytes == doctest::Approx(8));
    CHECK(row_at(found[0], "the largest").unit == "GFLOP/s");
    CHECK(number_at(found[0], "operations for a byte read") == doctest::Approx(64));
    CHECK(number_at(found[0], "operations for a byte of the scratchpad") == doctest::Approx(8));
}

TEST_CASE("workload.gemm by a matrix form: rate, what an operation demands, and all of C checked") {
    CardModel card = workload_card();
    card.memory_bytes = 4 << 20; // 256 rows are 512 KiB, 512 half of it
    const Options options{{"operation", "mma.f16.f32.m16n8k16"}};
    const auto device = model_device(card, 1);
    const Series series = measured(*device, "workload.gemm", "scratchpad", "quick", 1, options);
    CAPTURE(series.reason);
    REQUIRE(series.status == Status::ok);
    CHECK(series.points.back().x == 512);
    CHECK(
        1 / *series.points.back().median ==
        doctest::Approx(card.matrix_interval / (2 * 16 * 8 * 16) * 1e3 / (card.cores * card.clock_mhz)).epsilon(0.05));
    CHECK(series.evidence.operation == "mma.f16.f32.m16n8k16");
    const Demand& demand = series.evidence.demand.back();
    CHECK(demand.operation == series.evidence.operation);
    CHECK(demand.footprint_bytes == 512 * 512 * (2 + 2 + 4));
    CHECK(demand.tile_bytes * 2 * 512 * 512 * 512 ==
          16 * (128 + 128) * 512 * 2); // sixteen tiles, each of 128 rows of A and 128 columns of B
    CHECK(series.evidence.output_checked.find("random vector") != std::string::npos);
    card.wrong_matrices = true;
    const Series wrong = measured(*model_device(card, 1), "workload.gemm", "scratchpad", "quick", 1, options);
    CHECK(wrong.status == Status::failed);
    CHECK(says(wrong.reason, "is off by"));
    card.scratchpad_bytes = 8 << 10;
    const Series small = measured(*model_device(card, 1), "workload.gemm", "scratchpad", "quick", 1, options);
    CHECK(small.status == Status::unsupported);
    CHECK(says(small.reason, "30720 are needed")); // of two subgroups
}
