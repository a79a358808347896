// operation and rate on modelled cards: latency, throughput and length of the loop.
#include <string>
#include <tuple>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "core/probes/probes.h"
#include "tests/model/measured.h"
#include "tests/probes/probe_series.h"

using namespace sonde;

TEST_CASE("operation and rate: latency and throughput of a modelled card") {
    const CardModel card = computing_card();
    const auto device = model_device(card, 1);
    const Series latency = measured(*device, "operation", "global", "quick", 1, {{"operation", "fma.f32"}});
    REQUIRE(latency.status == Status::ok);
    CHECK(*last_point(latency).cycles == doctest::Approx(6).epsilon(0.01));
    CHECK(latency.evidence.rounding == "once");
    CHECK(latency.evidence.output_checked.find("host") != std::string::npos);
    const Series pairs = measured(*device, "operation", "global", "quick", 1, {{"operation", "add.u32"}});
    CHECK(*last_point(pairs).cycles == doctest::Approx(12).epsilon(0.01)); // two additions in a step
    CHECK(findings_of(probe_named("operation"), pairs, device->info()).at(0).value ==
          doctest::Approx(*last_point(pairs).median / 2));

    const Series rate = measured(*device, "rate", "global", "quick", 1, {{"operation", "fma.f32"}, {"chains", "8"}});
    REQUIRE(rate.status == Status::ok);
    const auto finding = findings_of(probe_named("rate"), rate, device->info()).at(0);
    CHECK(number_at(finding, "a clock and core") == doctest::Approx(96).epsilon(0.001)); // 48 fused multiply-adds
    const Series by_subgroups =
        measured(*device, "rate", "global", "standard", 1, {{"operation", "fma.f32"}, {"chains", "8"}});
    CHECK(by_subgroups.points.front().x == 1);
    CHECK(number_at(findings_of(probe_named("rate"), by_subgroups, device->info()).at(0), "a step alone") ==
          doctest::Approx(0.75).epsilon(0.001)); // six cycles, eight chains
    const Series roots = measured(*device, "operation", "global", "quick", 1, {{"operation", "rsqrt.f32"}});
    CHECK(says(roots.evidence.output_checked, "(rsqrt.f32 within 2 ulp"));
    CHECK(says(roots.evidence.output_checked, "was 0 ulp away"));
    const Series conversions = measured(*device, "operation", "global", "quick", 1, {{"operation", "convert.f32-f16"}});
    CHECK(conversions.evidence.rounding == "to nearest");
    const Series sums = measured(*device, "rate", "global", "quick", 1, {{"operation", "reduce.u32"}, {"chains", "8"}});
    CHECK(sums.status == Status::ok);
}

TEST_CASE(
    "operations of a modelled card whose units differ: each its own latency and rate, and the gain of two at once") {
    CardModel card = model_cards().front();
    card.noise = 0;
    card.operations = {{"exp2.f32", {.cycles = 18, .per_cycle = 16, .unit = "special"}},
        {"fma.f64", {.cycles = 8, .per_cycle = 64, .unit = "double"}}};
    const auto device = model_device(card, 1);
    const auto found_by = [&](const char* probe, const Options& options, const char* profile = "quick") {
        const Series series = measured(*device, probe, "global", profile, 1, options);
        CAPTURE(series.reason);
        REQUIRE(series.status == Status::ok);
        return findings_of(probe_named(probe), series, device->info()).at(0);
    };
    for (const auto& [operation, cycles, rate] :
        {std::tuple("fma.f32", 4, 256), std::tuple("exp2.f32", 18, 16), std::tuple("fma.f64", 8, 128)}) {
        CAPTURE(std::string(operation));
        CHECK(*last_point(measured(*device, "operation", "global", "quick", 1, {{"operation", operation}})).cycles ==
              doctest::Approx(cycles).epsilon(0.01));
        CHECK(number_at(found_by("rate", {{"operation", operation}, {"chains", "8"}}), "a clock and core") ==
              doctest::Approx(rate).epsilon(0.001));
    }
    const Finding both = found_by("co-issue", {{"pair", "f32+f64"}}, "standard");
    for (const char* which : {"in turn", "possible"})
        CHECK(number_at(both, fmt::format("with {}, times {}", "50 % fma.f64", which)) ==
              doctest::Approx(1.5).epsilon(0.003));
}

TEST_CASE("operation: the compiler's stall counts stand beside the latency, where no step waits for a barrier") {
    const auto device = model_device(computing_card(), 1);
    Series series = measured(*device, "operation", "global", "quick", 1, {{"operation", "add.u32"}});
    REQUIRE(series.evidence.kernel);
    const auto found = [&](const LoopIssueEvidence& issue) {
        series.evidence.kernel->loop_issue = issue;
        return findings_of(probe_named("operation"), series, device->info()).at(0);
    };
    const std::string row = "by the compiler's stall counts";
    const Finding told = found({.instructions = 1026, .stall_cycles = 6144, .steps = 512});
    CHECK(number_at(told, row) == doctest::Approx(6)); // of each of two additions
    CHECK(says(told.text, "stall counts: 6 cycles"));
    CHECK(says(found({.instructions = 1026, .stall_cycles = 6144, .waiting = 1, .steps = 512}).text, "stall counts"));
    CHECK_FALSE(
        says(found({.instructions = 1026, .stall_cycles = 6144, .waiting = 512, .steps = 512}).text, "stall counts"));
    CHECK_FALSE(says(found({.instructions = 1026, .stall_cycles = 6144}).text, "stall counts"));
}

TEST_CASE("operation: loops of up to 1024 steps, and the latency of 512; on a processor 64 at most") {
    CardModel card = model_cards().front();
    card.noise = 0;
    const auto device = model_device(card, 1);
    const auto lengths = [](const Series& series) {
        std::vector<double> xs;
        for (const Point& point : series.points) xs.push_back(point.x);
        return xs;
    };
    Series series = measured(*device, "operation", "global", "standard", 1, {{"operation", "mad.u32"}});
    CHECK(lengths(series) == std::vector<double>{1, 4, 16, 64, 256, 512, 1024});
    CHECK(lengths(measured(*device, "operation", "global", "quick", 1, {{"operation", "mad.u32"}})) ==
          std::vector<double>{512});
    const double latency = *series.points[5].median;
    series.points[6].median = 1.5 * latency; // code that no instruction cache holds
    const Finding found = findings_of(probe_named("operation"), series, device->info()).at(0);
    CHECK(found.value == doctest::Approx(latency));
    CHECK(number_at(found, "in a loop of 1024") == doctest::Approx(1.5 * latency));
    CHECK(says(found.text, "1.5 times as long"));
    CHECK(lengths(measured(*device, "operation", "global", "standard", 1, {{"operation", "divide.u32"}})) ==
          std::vector<double>{1, 4, 16, 32}); // a sequence: more would not fit the first instruction cache
    DeviceInfo processor = device->info();
    processor.cpu = true;
    CHECK(probe_named("operation").kernel(processor, *find_path("global"), {{"operation", "exp2.f32"}}).repeat == 64);
}
