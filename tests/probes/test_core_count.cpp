// cores: what it counts on modelled cards.
#include <doctest/doctest.h>

#include "tests/model/measured.h"
#include "tests/probes/probe_series.h"

using namespace sonde;

TEST_CASE("cores: a modelled card's cores are counted, whatever it tells") {
    for (const std::uint32_t cores : {1u, 8u, 13u, 44u})
        for (const bool told : {true, false}) {
            CardModel card = computing_card();
            card.cores = cores, card.tells_cores = told;
            const auto device = model_device(card, 5);
            const Series series = measured(*device, "cores", "global", "quick", 3);
            CAPTURE(series.reason);
            REQUIRE(series.status == Status::ok);
            const auto found = findings_of(kCoreCount, series, device->info());
            REQUIRE(found.size() == 1);
            CHECK(found[0].value == cores);
            CHECK(found[0].rows.size() == (told ? 2 : 1));
        }
}

TEST_CASE("all cores of a card compute where another API of it tells how many, and one where nobody does") {
    const auto rate = [](bool tells, std::uint32_t cores) {
        CardModel card = computing_card();
        card.cores = 8, card.tells_cores = tells;
        const auto device = model_device(card, 5);
        Series series{.id = {"rate", device->info().id, "global", {{"chains", "8"}, {"operation", "fma.f32"}}}};
        Collector collector(series);
        DeviceHistory history;
        const Request request{.id = series.id, .profile = "quick", .seconds = 1e6, .seed = 3, .cores = cores};
        REQUIRE(measure_series(*device, history, request, collector).status == Status::ok);
        const Point& point = series.points.front();
        return point.samples.back().steps / *point.samples.back().device_ns;
    };
    CHECK(rate(false, 8) == rate(true, 0));
    CHECK(rate(false, 0) < 0.5 * rate(true, 0));
}
