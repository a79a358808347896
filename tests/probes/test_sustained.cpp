// sustained: what it says of series.
#include <doctest/doctest.h>

#include "tests/probes/probe_series.h"

using namespace sonde;

TEST_CASE("sustained: the rate over time, and what the instruments told") {
    Series series = made("sustained", "global", {{"operation", "fma.f32"}}, {{1, 60e3}, {2, 55e3}, {3, 50e3}});
    CHECK(said(series).ends_with("fma.f32 under load for 3 s: falls from 60 Top/s to 50 Top/s"));
    CHECK(said(made("sustained", "global", {{"operation", "fma.f32"}}, {{1, 60e3}, {2, 61e3}, {3, 60.4e3}})).ends_with("fma.f32 under load for 3 s: 60 Top/s to 61 Top/s"));
    series.points[0].clock_mhz = 1980, series.points[2].clock_mhz = 1650;
    series.evidence.telemetry.during.power_watts = {.median = 500};
    series.evidence.telemetry.before.energy_joules = 100, series.evidence.telemetry.after.energy_joules = 1900;
    CHECK(said(series).ends_with(", core clock falls from 1980 MHz to 1650 MHz. The card draws 500 W on average"));
    for (Point& point : series.points) point.samples = {{.steps = 20e12, .host_ns = 5e8}, {.steps = 30e12, .host_ns = 4e8}}; // pauses between dispatches count
    CHECK(said(series).ends_with(". The card draws 500 W on average, 10 pJ an operation (of the whole card, with idle power and pauses); kernels ran 90 % of the time"));
    for (const auto& [x, watts] : {std::pair{1.0, 600.0}, {3.0, 450.0}}) { // each second's own
        CardAtPoint& second = series.evidence.telemetry.by_x.emplace_back();
        second.x = x, second.power_watts = watts;
    }
    CHECK(said(series).find(" 517 W on average") != std::string::npos);
    series.evidence.telemetry.by_x[0].energy_watts = 660; // by the counter, which no average delays
    CHECK(said(series).find(" 537 W on average, 10.7 pJ an operation") != std::string::npos);
    series.id.options.set(option::operation, "read");
    series.evidence.footprint_bytes = 2ull << 30;
    CHECK(said(series).find("reads of 2 GiB under load for 3 s: falls from 60 TB/s to 50 TB/s") != std::string::npos);
    CHECK(said(series).find(" 537 W on average, 10.7 pJ a byte (of the whole card, with idle power and pauses); kernels ran 90 % of the time") != std::string::npos);
    TelemetryEvidence& told = series.evidence.telemetry;
    told.source = "NVML", told.during.throttled_by = {"power cap"}, told.during.power_watts->high = 540;
    CHECK(said(series).ends_with(". NVML names a power cap; the card's limit was not recorded"));
    told.state.power_limit_watts = 700;
    CHECK(said(series).find("537 W on average (limit 700 W)") != std::string::npos);
    CHECK(said(series).ends_with(". NVML names a power cap, though the card stays below its limit: cause unknown"));
    told.state.power_limit_watts = 550;
    CHECK(said(series).ends_with(". NVML names a power cap"));
}
