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
    const Finding found = findings_of(probe_named("rate"), series, device->info()).at(0);
    CHECK(says(found.name, "on one core"));
    CHECK(number_at(found, "a clock and core") == doctest::Approx(96).epsilon(0.001));
    CHECK(number_at(found, "a step alone") == doctest::Approx(6).epsilon(0.001));
}
