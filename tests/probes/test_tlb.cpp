// tlb: its series on modelled cards, and what it says of series.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "core/probes/probes.h"
#include "tests/model/measured.h"
#include "tests/probes/probe_series.h"
#include "tests/thorough.h"

using namespace sonde;

TEST_CASE("a clock that dips for some spans is no reach of the TLB; a step in cycles is") {
    Series series{.id = {"tlb", "a:0", "global", {}}, .unit = "ns"};
    for (double x = 2 << 20; x <= 256 << 20; x *= 2) {
        const double mhz = x >= 32 << 20 ? 1950 : 1990;
        series.points.push_back({.x = x, .median = 290 / mhz * 1000, .cycles = 290, .clock_mhz = mhz, .samples = {}});
    }
    CHECK(only_finding(series).no_value == NoValue::not_seen);
    CHECK(said(series).ends_with("up to 256 MiB"));
    for (Point& point : series.points)
        if (point.x > 16 << 20) *point.median += 20 * (1 - (16 << 20) / point.x);
    CHECK(only_finding(series).capacity_bytes);
}

TEST_CASE("a rise that no cost of one miss explains is told as the times measured") {
    const double gib = 1 << 30;
    Series series = made("tlb", "global.pointer", {}, {});
    for (double x = gib / 64; x <= 8 * gib; x *= 2) series.points.push_back({.x = x, .median = 190, .samples = {}});
    for (const auto& [span, value] : {std::pair{12.0, 460.0}, {16.0, 500.0}, {24.0, 510.0}, {32.0, 540.0}})
        series.points.push_back({.x = span * gib, .median = value, .samples = {}});
    const Finding found = only_finding(series);
    CHECK(*found.capacity_bytes == std::pair(4 * gib, std::optional(12 * gib)));
    REQUIRE(found.rows.size() == 2);
    CHECK(found.rows[1].range == std::pair(270.0, 350.0)); // more for a load beyond
    CHECK(found.text.ends_with("more at 12-32 GiB"));
}

TEST_CASE("translation on modelled cards: reach and cost of each level, told apart from the caches; none where there "
          "is none") {
    CardModel card = small_card("GTX 980 Ti", thorough() ? 512 << 20 : 256 << 20);
    for (const bool has_tlbs : {true, false}) {
        CAPTURE(has_tlbs);
        card.tlbs =
            has_tlbs ? std::vector<TlbModel>{{32, 128 << 10, 40}, {384, 128 << 10, 200}} : std::vector<TlbModel>{};
        const auto device = model_device(card, 5);
        const Series series = measured(*device, "tlb", "global.pointer", "quick", 3);
        REQUIRE(series.status == Status::ok);
        std::string curve;
        for (const Point& point : series.points)
            curve += fmt::format("{}: {:.2f}, ", point.x, point.median.value_or(0));
        CAPTURE(curve);
        const auto findings = find_probe("tlb")->findings(series, {});
        REQUIRE(findings.size() == (has_tlbs ? 2 : 1));
        if (!has_tlbs) {
            CHECK_FALSE(findings[0].value);
            CHECK(findings[0].no_value == NoValue::not_seen);
            continue;
        }
        CHECK(*findings[0].value == doctest::Approx(4 << 20).epsilon(0.3));
        for (const Finding& finding : findings) {
            REQUIRE(finding.capacity_bytes);
            CHECK(finding.capacity_bytes->first <= *finding.value);
            CHECK(row_at(finding, "reach of " + finding.name).value == *finding.value);
            CHECK(row_at(finding, "a miss of " + finding.name).value > 0);
            CHECK(*finding.value <= finding.capacity_bytes->second.value());
        }
        CHECK(*findings[1].value == doctest::Approx(48 << 20).epsilon(0.3));
        CHECK(findings[1].text.find("costs") != std::string::npos);
    }
}

TEST_CASE("translation on a modelled card whose allocations are small: links lead from one to the next, and the reach "
          "is found all the same") {
    CardModel card = small_card("GTX 980 Ti", 512 << 20);
    card.largest_buffer = 40 << 20; // 32 MiB each, and a reach of 48
    card.tlbs = {{32, 128 << 10, 40}, {384, 128 << 10, 200}};
    const auto device = model_device(card, 5);
    const Series series = measured(*device, "tlb", "global.pointer", "quick", 3);
    CAPTURE(series.reason);
    REQUIRE(series.status == Status::ok);
    CHECK(series.evidence.allocations.value().count == 12);
    CHECK(series.points.back().x >= 350 << 20);
    const auto findings = find_probe("tlb")->findings(series, {});
    REQUIRE(findings.size() == 2);
    CHECK(*findings[0].value == doctest::Approx(4 << 20).epsilon(0.3));
    CHECK(*findings[1].value == doctest::Approx(48 << 20).epsilon(0.3));
}
