// Pairs of dispatches: what their slope leaves out, and a point in which the clock sank, which is taken again.
#include <set>

#include <doctest/doctest.h>

#include "tests/model/measured.h"
#include "tests/probes/probe_series.h"
#include "tests/thorough.h"

using namespace sonde;

TEST_CASE("a point in which the clock sank, since the host had left the card idle, is taken again awake") {
    CardModel card = model_card("GTX 680");
    card.memory_bytes = (thorough() ? 4 : 1) * kMiB;
    card.bandwidth = 500e9;
    card.host_ns = 1e6;
    for (const std::uint64_t sinks_after : {60u, 0u, 150u}) {
        if (!thorough() && sinks_after != 60) continue;
        CAPTURE(sinks_after);
        card.sinks_after = sinks_after;
        const auto device = model_device(card, 3);
        const Series series =
            measured(*device, "bandwidth", "global", "quick", 5, {{"width", "16"}, {"shape", "4x128x1"}});
        REQUIRE(series.status == Status::ok);
        CHECK(series.evidence.clock->points_repeated.value_or(0) == (sinks_after ? 1 : 0));
        for (const Point& point : series.points) CHECK(*point.median == doctest::Approx(500).epsilon(0.02));
    }
}

TEST_CASE("a standard measurement goes through its points three times, a quick one once, and each sample says when") {
    const auto blocks_of = [](const char* profile) {
        std::set<std::set<int>> of_points;
        const auto device = model_device(small_card("GTX 680"), 3);
        const Series series = measured(*device, "latency", "scratchpad", profile, 5);
        REQUIRE(series.status == Status::ok);
        for (const Point& point : series.points) {
            std::set<int> blocks;
            for (const Sample& sample : point.samples) blocks.insert(sample.block);
            of_points.insert(blocks);
        }
        return of_points;
    };
    CHECK(blocks_of("quick") == std::set<std::set<int>>{{0}});
    CHECK(blocks_of("standard") == std::set<std::set<int>>{{0, 1, 2}});
}

TEST_CASE("a slope leaves out what a dispatch takes besides its work") {
    const auto device = model_device(model_card("H100"), 3);
    const Request request{.id = {"latency", "model:0", "global", {}}, .profile = "quick"};
    Series series{.id = request.id};
    Collector collector(series);
    DeviceHistory history;
    Bench bench(*device, history, *find_path("global"), request, *find_profile("quick"), collector);
    const auto dispatch = [](std::uint32_t work) {
        return Sample{.steps = static_cast<double>(work), .host_ns = 1e6 + 2.0 * work};
    };
    CHECK(bench.take_pairs(4096, 0, {.granule = 64, .most = 1u << 20}, dispatch) == doctest::Approx(2));
}
