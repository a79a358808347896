// sustained: its series on a modelled card, and what it says of series.
#include <string>

#include <doctest/doctest.h>

#include "tests/model/measured.h"
#include "tests/probes/probe_series.h"

using namespace sonde;

namespace {
/// The first of its numbers whose place begins so.
FindingRow row_named(const Finding& finding, std::string_view begin) {
    const auto row =
        std::ranges::find_if(finding.rows, [&](const FindingRow& each) { return each.place.starts_with(begin); });
    REQUIRE(row != finding.rows.end());
    return *row;
}
} // namespace

TEST_CASE("sustained: the rate over time, and what the instruments told") {
    Series series = made("sustained", "global", {{"operation", "fma.f32"}}, {{1, 60e3}, {2, 55e3}, {3, 50e3}});
    CHECK(says(said(series), "falls from 60 TFLOP/s to 50 TFLOP/s ("));
    const Finding steady =
        only_finding(made("sustained", "global", {{"operation", "fma.f32"}}, {{1, 60e3}, {2, 61e3}, {3, 60.4e3}}));
    CHECK_FALSE(says(steady.text, "falls"));
    CHECK(says(steady.text, ": 60 TFLOP/s to 61 TFLOP/s ("));
    CHECK(row_at(steady, "rate").range == std::pair(60e3, 61e3));
    CHECK(number_at(steady, "seconds under load") == 3);
    series.points[0].clock_mhz = 1980, series.points[2].clock_mhz = 1650;
    series.evidence.telemetry.during.power_watts = {.median = 500};
    series.evidence.telemetry.before.energy_joules = 100, series.evidence.telemetry.after.energy_joules = 1900;
    CHECK(says(said(series), "falls from 1980 MHz to"));
    const auto power = [&] { return row_at(only_finding(series), "power").range.value(); };
    CHECK(power() == std::pair(500.0, 500.0));
    const auto picojoules = [&] { return row_named(only_finding(series), "energy").value.value(); };
    for (Point& point : series.points)
        point.samples = {
            {.steps = 20e12, .host_ns = 5e8}, {.steps = 30e12, .host_ns = 4e8}}; // pauses between dispatches count
    CHECK(picojoules() == doctest::Approx(10));
    CHECK(number_at(only_finding(series), "time in kernels") == doctest::Approx(0.9));
    for (const auto& [x, watts] : {std::pair{1.0, 600.0}, {3.0, 450.0}}) { // each second's own
        CardAtPoint& second = series.evidence.telemetry.by_x.emplace_back();
        second.x = x, second.power_watts = watts;
    }
    CHECK(power() == std::pair(450.0, 500.0)); // the first second's holds idle time
    CHECK(picojoules() == doctest::Approx(9.5));
    series.evidence.telemetry.by_x[1].energy_watts = 660; // by the counter, which moves in steps
    CHECK(power() == std::pair(450.0, 500.0));
    CHECK(picojoules() == doctest::Approx(9.5));
    series.evidence.telemetry.by_x[1].power_watts.reset();
    CHECK(power() == std::pair(500.0, 660.0));
    CHECK(says(said(series), " 500 W to 660 W, 11.6 pJ an"));
    const Finding found = findings_of(probe_named("sustained"), series, {}).at(0);
    CHECK(row_at(found, "rate").range == std::pair(50e3, 60e3));
    CHECK(row_at(found, "rate").unit == "GFLOP/s");
    CHECK(row_at(found, "core clock").range == std::pair(1650.0, 1980.0));
    CHECK(row_at(found, "power").range == std::pair(500.0, 660.0));
    CHECK(picojoules() == doctest::Approx(11.6));
    CHECK(row_named(found, "energy").unit == "pJ/FLOP");
    CHECK(row_at(found, "time in kernels").value == doctest::Approx(0.9));
    series.id.options.set(option::operation, "read");
    series.evidence.footprint_bytes = 2ull << 30;
    const Finding reads = only_finding(series);
    CHECK(reads.name == "read");
    CHECK(says(reads.text, "reads of 2 GiB"));
    CHECK(says(reads.text, "falls from 60 TB/s to 50 TB/s"));
    CHECK(row_at(reads, "rate").unit == series.unit);
    CHECK(row_named(reads, "energy").unit == "pJ/B");
    CHECK(picojoules() == doctest::Approx(11.6));
    TelemetryEvidence& told = series.evidence.telemetry;
    told.source = "NVML", told.during.throttled_by = {"power cap"}, told.during.power_watts->high = 540;
    CHECK(said(series).ends_with("a power cap"));
    CHECK_FALSE(has_row(only_finding(series), "its limit"));
    told.state.power_limit_watts = 700;
    CHECK(number_at(only_finding(series), "its limit") == 700);
    told.during.throttled_samples = {{"power cap", 60}}, told.during.samples = 97;
    CHECK(said(series).ends_with("60 of 97 samples"));
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
    CHECK(series.evidence.output_checked.find("every word") != std::string::npos);
    CHECK(*last_point(series).median == doctest::Approx(card.bandwidth / 1e9).epsilon(0.1));
    const std::string text = findings_of(probe_named("sustained"), series, device->info()).at(0).text;
    CHECK(text.find("reads of ") != std::string::npos);
    CHECK(text.find("B/s") != std::string::npos);
    CHECK(text.find("op/s") == std::string::npos);
}

TEST_CASE("sustained lasts as many seconds as are asked for, from 1 to 600") {
    CardModel card = model_cards().front();
    card.noise = 0;
    card.bandwidth /= 1000; // seconds of it are simulated
    const auto device = model_device(card, 1);
    const auto last_second = [&](const Options& options) {
        return last_point(measured(*device, "sustained", "global", "quick", 1, options)).x;
    };
    CHECK(last_second({{"operation", "read"}, {"seconds", "4"}}) == 4);
    CHECK(last_second({{"operation", "read"}}) < 4);
    const auto& accepted = probe_named("sustained").accepts;
    REQUIRE(accepted.size() == 1);
    for (const char* seconds : {"1", "600"}) CHECK(accepted[0].valid(seconds));
    for (const char* seconds : {"0", "601", "-1", "2.5", "", "s"}) CHECK_FALSE(accepted[0].valid(seconds));
}
