// workload.fft on a modelled card.
#include <cmath>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "core/probes/probes.h"
#include "tests/measure/workload_bench.h"
#include "tests/model/measured.h"

using namespace sonde;

TEST_CASE("workload.fft: bytes of each pass, and all points checked") {
    CardModel card = workload_card();
    card.memory_bytes = 4 << 20; // half of it takes 2^16 points three times
    card.bandwidth = 1e9;
    const auto device = model_device(card, 1);
    const Series series = measured(*device, "workload.fft", "scratchpad", "quick", 1);
    CAPTURE(series.reason);
    REQUIRE(series.status == Status::ok);
    REQUIRE(series.points.size() == 3);
    const std::vector<std::pair<double, double>> passes{{1 << 10, 1}, {1 << 13, 2}, {1 << 16, 2}};
    for (std::size_t i = 0; i < passes.size(); ++i) {
        const Demand& demand = series.evidence.demand.at(i);
        const double operations = 5 * std::log2(passes[i].first),
                     nanoseconds = passes[i].second * ((1 << 16) * 16 / card.bandwidth * 1e9 + card.launch_ns);
        CHECK(series.points[i].x == passes[i].first);
        CHECK(demand.read_bytes * operations == doctest::Approx(8 * passes[i].second));
        CHECK(demand.written_bytes == demand.read_bytes);
        CHECK(demand.footprint_bytes == 16 << 16);
        CHECK((1 << 16) * operations / *series.points[i].median == doctest::Approx(nanoseconds).epsilon(0.01));
    }
    CHECK(series.evidence.dispatches_checked == 3);
    CHECK(series.evidence.output_checked.find("transformed back") != std::string::npos);
}
