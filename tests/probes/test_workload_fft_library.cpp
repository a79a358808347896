// workload.fft-library on a modelled card.
#include <cmath>

#include <doctest/doctest.h>

#include "core/probes/probes.h"
#include "tests/measure/workload_bench.h"
#include "tests/model/measured.h"
#include "tests/required.h"
#include "tests/says.h"
#include "tests/thorough.h"

using namespace sonde;

TEST_CASE(
    "workload.fft-library: sizes of workload.fft, rate, check and evidence of a modelled library; none without one") {
    if (!thorough()) return skip("in full only: the host transforms half a minute");
    CardModel card = workload_card();
    card.memory_bytes = 4 << 20; // half of it takes 2^16 points three times
    CHECK(says(measured(*model_device(card, 1), "workload.fft-library", "global", "quick", 1).reason, "not installed"));
    card.library_operations_per_cycle = 64;
    const auto device = model_device(card, 1);
    const Series series = measured(*device, "workload.fft-library", "global", "quick", 1),
                 ours = measured(*device, "workload.fft", "scratchpad", "quick", 1);
    CAPTURE(series.reason);
    REQUIRE(series.status == Status::ok);
    REQUIRE(series.points.size() == 3);
    for (std::size_t i = 0; i < series.points.size(); ++i) {
        CHECK(series.points[i].x == ours.points.at(i).x);
        const double operations = 5 * std::log2(series.points[i].x) * (1 << 16);
        CHECK(operations / *series.points[i].median ==
              doctest::Approx(operations / (64 * card.cores) / card.clock_mhz * 1e3 + card.launch_ns).epsilon(0.01));
    }
    REQUIRE(series.evidence.library);
    CHECK(series.evidence.library->name == "modelled library");
    CHECK(series.evidence.library->version == "1.2.3");
    CHECK(series.evidence.library->file == "libmodelled.so");
    CHECK(series.evidence.library->algorithms.size() == 3);
    CHECK(series.evidence.demand.empty());
    CHECK(series.evidence.dispatches_checked == 3);
    CHECK(series.evidence.output_checked == ours.evidence.output_checked);
    const auto found = findings_of(probe_named("workload.fft-library"), series, device->info());
    REQUIRE(found.size() == 1);
    CHECK(text_at(found[0], "library") == "modelled library 1.2.3");
    card.wrong_matrices = true;
    const Series wrong = measured(*model_device(card, 1), "workload.fft-library", "global", "quick", 1);
    CHECK(wrong.status == Status::failed);
    CHECK(says(wrong.reason, "is off by"));
}
