// sustained: its series on a modelled card, and what it says of series.
#include <string>

#include <doctest/doctest.h>

#include "tests/model/measured.h"
#include "tests/probes/probe_series.h"

using namespace sonde;

TEST_CASE("sustained: the rate over time, and what the instruments told") {
    Series series = made("sustained", "global", {{"operation", "fma.f32"}}, {{1, 60e3}, {2, 55e3}, {3, 50e3}});
    CHECK(said(series).ends_with(
        "fma.f32 under load for 3 s: falls from 60 TFLOP/s to 50 TFLOP/s (one fma.f32 is 2 operations)"));
    CHECK(said(made("sustained", "global", {{"operation", "fma.f32"}}, {{1, 60e3}, {2, 61e3}, {3, 60.4e3}}))
              .ends_with("fma.f32 under load for 3 s: 60 TFLOP/s to 61 TFLOP/s (one fma.f32 is 2 operations)"));
    series.points[0].clock_mhz = 1980, series.points[2].clock_mhz = 1650;
    series.evidence.telemetry.during.power_watts = {.median = 500};
    series.evidence.telemetry.before.energy_joules = 100, series.evidence.telemetry.after.energy_joules = 1900;
    CHECK(said(series).ends_with(
        ", core clock falls from 1980 MHz to 1650 MHz. After the first second the card draws 500 W"));
    for (Point& point : series.points)
        point.samples = {
            {.steps = 20e12, .host_ns = 5e8}, {.steps = 30e12, .host_ns = 4e8}}; // pauses between dispatches count
    CHECK(said(series).ends_with(". After the first second the card draws 500 W, 10 pJ an operation with idle power "
                                 "and pauses; kernels ran 90 % of the time"));
    for (const auto& [x, watts] : {std::pair{1.0, 600.0}, {3.0, 450.0}}) { // each second's own
        CardAtPoint& second = series.evidence.telemetry.by_x.emplace_back();
        second.x = x, second.power_watts = watts;
    }
    CHECK(said(series).find(" the card draws 450 W to 500 W, 9.5 pJ an operation") !=
          std::string::npos);                             // the first second's holds idle time
    series.evidence.telemetry.by_x[1].energy_watts = 660; // by the counter, which moves in steps
    CHECK(said(series).find(" 450 W to 500 W, 9.5 pJ an operation") != std::string::npos);
    series.evidence.telemetry.by_x[1].power_watts.reset();
    CHECK(said(series).find(" 500 W to 660 W, 11.6 pJ an operation") != std::string::npos);
    const Finding found = findings_of(probe_named("sustained"), series, {}).at(0);
    CHECK(row_at(found, "rate").range == std::pair(50e3, 60e3));
    CHECK(row_at(found, "rate").unit == "GFLOP/s");
    CHECK(row_at(found, "core clock").range == std::pair(1650.0, 1980.0));
    CHECK(row_at(found, "power").range == std::pair(500.0, 660.0));
    CHECK(row_at(found, "fJ of an operation, with pauses").value == doctest::Approx(11600));
    CHECK(row_at(found, "time in kernels").value == doctest::Approx(0.9));
    series.id.options.set(option::operation, "read");
    series.evidence.footprint_bytes = 2ull << 30;
    CHECK(said(series).find("reads of 2 GiB under load for 3 s: falls from 60 TB/s to 50 TB/s") != std::string::npos);
    CHECK(
        said(series).find(" 500 W to 660 W, 11.6 pJ a byte with idle power and pauses; kernels ran 90 % of the time") !=
        std::string::npos);
    TelemetryEvidence& told = series.evidence.telemetry;
    told.source = "NVML", told.during.throttled_by = {"power cap"}, told.during.power_watts->high = 540;
    CHECK(said(series).ends_with(". NVML names a power cap; the card's limit was not recorded"));
    told.state.power_limit_watts = 700;
    CHECK(said(series).find("the card draws 500 W to 660 W by NVML (limit 700 W)") != std::string::npos);
    CHECK(said(series).ends_with(". NVML names a power cap, though the card stays below its limit: cause unknown"));
    told.state.power_limit_watts = 550;
    CHECK(said(series).ends_with(". NVML names a power cap"));
}

TEST_CASE("sustained reads of memory count bytes") {
    CardModel card = model_cards().front();
    card.noise = 0;
    card.bandwidth /= 1000; // seconds of it are simulated
    const auto device = model_device(card, 1);
    const Series series = measured(*device, "sustained", "global", "quick", 1, {{"operation", "read"}});
    CAPTURE(series.reason);
    REQUIRE(series.status == Status::ok);
    CHECK(series.unit == "GB/s");
    CHECK(series.evidence.output_checked.find("sum of every word") != std::string::npos);
    CHECK(*last_point(series).median == doctest::Approx(card.bandwidth / 1e9).epsilon(0.1));
    const std::string text = findings_of(probe_named("sustained"), series, device->info()).at(0).text;
    CHECK(text.find("reads of ") != std::string::npos);
    CHECK(text.find("B/s") != std::string::npos);
    CHECK(text.find("op/s") == std::string::npos);
}
