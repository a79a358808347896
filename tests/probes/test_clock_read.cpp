// clock-read: what it says of series.
#include <doctest/doctest.h>

#include "tests/probes/probe_series.h"

using namespace sonde;

TEST_CASE("clock-read: which counter was read, and what stands between two reads") {
    const auto said = [](const Options& options) {
        Series series{.id = {"clock-read", "a:0", "global", options}, .unit = "ns"};
        series.points.push_back({.x = 64, .median = 20, .samples = {}});
        DeviceInfo device;
        device.clock = "clock64";
        return findings_of(probe_named("clock-read"), series, device).at(0);
    };
    CHECK(said({}).text == "a:0 global: a read of clock64, each behind the one before: 20 ns");
    CHECK(said({{"clock", "globaltimer"}}).text ==
          "a:0 global: a read of globaltimer, each behind the one before: 20 ns");
    CHECK(said({{"between", "4"}}).text ==
          "a:0 global: a read of clock64, with 4 operations of a chain between two reads: 20 ns");
    CHECK(said({{"between", "4"}}).name != said({{"between", "0"}}).name);
}
