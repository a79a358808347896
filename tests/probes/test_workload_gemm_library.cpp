// workload.gemm-library on a modelled card.
#include <cmath>
#include <string>

#include <doctest/doctest.h>

#include "core/probes/probes.h"
#include "tests/measure/workload_bench.h"
#include "tests/model/measured.h"
#include "tests/says.h"

using namespace sonde;

TEST_CASE("workload.gemm-library: rate, check and evidence of a modelled library; none without one") {
    CardModel card = workload_card();
    card.memory_bytes = 24 << 20; // half of it takes 1,024 rows of any format
    CHECK(says(
        measured(*model_device(card, 1), "workload.gemm-library", "global", "quick", 1, {{"numbers", "f16"}}).reason,
        "not installed"));
    card.library_operations_per_cycle = 1024;
    for (const char* numbers : {"f16", "e4m3"}) {
        CAPTURE(std::string(numbers));
        const auto device = model_device(card, 1);
        const Series series = measured(*device, "workload.gemm-library", "global", "quick", 1, {{"numbers", numbers}});
        CAPTURE(series.reason);
        REQUIRE(series.status == Status::ok);
        REQUIRE(series.points.size() == 1);
        CHECK(series.points[0].x == 1024);
        const double operations = 2 * std::pow(series.points[0].x, 3);
        CHECK(operations / *series.points[0].median ==
              doctest::Approx(operations / (1024 * card.cores) / card.clock_mhz * 1e3 + card.launch_ns).epsilon(0.01));
        REQUIRE(series.evidence.library);
        CHECK(series.evidence.library->version == "1.2.3");
        CHECK(series.evidence.library->algorithms.size() == 1);
        CHECK(series.evidence.demand.empty());
        CHECK(series.evidence.output_checked.find("random vector") != std::string::npos);
        const auto found = findings_of(probe_named("workload.gemm-library"), series, device->info());
        REQUIRE(found.size() == 1);
        CHECK(text_at(found[0], "library") == "modelled library 1.2.3");
    }
    card.wrong_matrices = true;
    const Series wrong =
        measured(*model_device(card, 1), "workload.gemm-library", "global", "quick", 1, {{"numbers", "f16"}});
    CHECK(wrong.status == Status::failed);
    CHECK(says(wrong.reason, "is off by"));
}
