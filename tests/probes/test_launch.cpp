// launch: its series on modelled cards, and what it says of them.
#include <doctest/doctest.h>

#include "tests/model/measured.h"
#include "tests/probes/probe_series.h"

using namespace sonde;

TEST_CASE("launch: what a launch costs in a queue and by itself") {
    const CardModel card = card_with("GTX 980 Ti");
    const auto device = model_device(card, 3);
    for (const auto& [test, ns] : {std::pair{"queued", card.launch_ns}, {"waited", card.round_trip_ns}}) {
        const Series series = measured(*device, "launch", "global", "quick", 5, {{"test", test}});
        CAPTURE(series.reason);
        REQUIRE(series.status == Status::ok);
        CHECK(series.points.size() == 3);
        for (const Point& point : series.points) CHECK(*point.median == doctest::Approx(ns).epsilon(0.02));
        CHECK(number_at(only_finding(series), "one workgroup") == *series.points[0].median);
    }
}
