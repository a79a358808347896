// rate on a modelled card: one core alone.
#include <string>

#include <doctest/doctest.h>

#include "core/probes/probes.h"
#include "tests/model/measured.h"
#include "tests/probes/probe_series.h"

using namespace sonde;

TEST_CASE("rate of one core alone is of one workgroup, and says nothing of the card") {
    const CardModel card = computing_card();
    const auto device = model_device(card, 1);
    const Series series = measured(
        *device, "rate", "global", "standard", 1, {{"operation", "fma.f32"}, {"chains", "1"}, {"cores", "one"}});
    REQUIRE(series.status == Status::ok);
    CHECK(series.points.front().x == 1);
    CHECK(*series.points.front().median ==
          doctest::Approx(2 * 32 * card.clock_mhz / 1e3 / 6).epsilon(0.01)); // 32 lanes, a step in six cycles
    const std::string text = findings_of(probe_named("rate"), series, device->info()).at(0).text;
    CHECK(text.find(" on one core, the others idle, 96 operations a clock and core") != std::string::npos);
    CHECK(text.find("; one subgroup alone on the card takes 6 cycles a step") != std::string::npos);
}
