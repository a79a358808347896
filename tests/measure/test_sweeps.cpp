// Where a sweep ends, and what is said to have ended it.
#include <utility>

#include <doctest/doctest.h>

#include "tests/model/measured.h"
#include "tests/probes/probe_series.h"

using namespace sonde;

TEST_CASE("where a size is refused the sweep finds out how much is taken, to the width of an edge") {
    CardModel card = small_card("GTX 680");
    card.scratchpad_taken = 45 << 10; // it says 48
    const Series series = measured(*model_device(card, 9), "latency", "scratchpad", "quick", 4);
    CAPTURE(series.reason);
    REQUIRE(series.status == Status::ok);
    CHECK(series.points.back().x <= 45 << 10);
    CHECK(series.points.back().x >= (45 << 10) / 1.1);
    REQUIRE(series.ending);
    CHECK(series.ending->by == EndedBy::device);
    CHECK(series.ending->why.find("takes less than it says") != std::string::npos);
}

TEST_CASE("a refinement that the time cut short does not say that the curve ended it") {
    CardModel card = small_card("GTX 680");
    card.host_ns = 2e9; // of each call of the device, of which there is one at the most
    const Request request{.id = {"latency", "model:0", "global", {}}, .profile = "quick", .seconds = 1};
    for (const bool in_time : {true, false}) {
        CAPTURE(in_time);
        const auto device = model_device(card, 3);
        Series series{.id = request.id};
        Collector collector(series);
        DeviceHistory history;
        Bench bench(*device, history, *find_path("global"), request, *find_profile("quick"), collector);
        constexpr std::uint64_t kLargest = 1 << 20;
        bool late = in_time;
        const Experiment experiment{.begin = [](int) {},
            .prepare = [](std::uint64_t, const std::string&) { return Work{.granule = 64, .most = 1u << 20}; },
            .dispatch =
                [&](std::uint64_t x, std::uint32_t work) {
                    if (x == kLargest && !std::exchange(late, true)) device->copy({});
                    return Sample{.steps = static_cast<double>(work), .host_ns = work * (x <= 64 << 10 ? 1.0 : 4.0)};
                }};
        bench.measure_refined(experiment, 4096, 64, [] { return kLargest; });
        REQUIRE(bench.evidence.refinement);
        CHECK(bench.evidence.refinement->ended_by == (in_time ? RefinementEnd::curve : RefinementEnd::time));
    }
}
