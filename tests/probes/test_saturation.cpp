// saturation: its series on modelled cards, and what it says of series.
#include <string>

#include <doctest/doctest.h>

#include "tests/model/measured.h"
#include "tests/probes/probe_series.h"

using namespace sonde;

TEST_CASE("saturation: of a chosen shape, what a few workgroups read and on how many cores") {
    Series series =
        made("saturation", "global", {{"level", "LLC"}, {"shape", "8x1024x1"}}, {{1, 60}, {2, 118}, {1e6, 4000}});
    series.evidence = {.shape = ShapeEvidence{.group_size = 1024, .loads_in_flight = 8}};
    series.evidence.cores_of_groups =
        Json::parse(R"({"1": 1, "2": 2, "1000000": 132})").get<decltype(Evidence::cores_of_groups)>();
    const Finding found = only_finding(series);
    CHECK(found.name == "LLC 8x1024x1");
    CHECK(*found.value == 60);
    CHECK(number_at(found, "1 workgroup") == 60);
    CHECK(number_at(found, "2 workgroups") == 118);
    CHECK(number_at(found, "cores of 2 workgroups") == 2);
    CHECK(number_at(found, "1e+06 workgroups") == 4000);
    CHECK(number_at(found, "cores of 1e+06 workgroups") == 132);
    CHECK(number_at(found, "work-items of a workgroup") == 1024);
    CHECK(number_at(found, "independent loads of 16 bytes") == 8);
}

TEST_CASE("saturation: from how many workgroups on, on how many cores, and where more of them read less") {
    Series series =
        made("saturation", "global", {{"level", "DRAM"}}, {{1, 60}, {2, 120}, {4, 200}, {8, 202}, {16, 150}});
    series.evidence.footprint_bytes = 1ull << 30;
    series.evidence.cores_of_groups = Json::parse(R"({"4": 3})").get<decltype(Evidence::cores_of_groups)>();
    const Finding found = only_finding(series);
    CHECK(row_at(found, "workgroups for 95 % of the most").range == std::pair(2.0, 4.0));
    CHECK(number_at(found, "cores of those") == 3);
    CHECK(number_at(found, "at the most") == 202);
    CHECK(number_at(found, "1 workgroup") == 60);
    CHECK(number_at(found, "lowest beyond") == 150);
    CHECK(number_at(found, "workgroups of the lowest") == 16);
    CHECK(number_at(found, "footprint") == 1ull << 30);
    for (double rate = 60; Point & point : series.points) point.median = rate *= 2; // it rises to the end
    const Finding rises = only_finding(series);
    CHECK(rises.no_value == NoValue::not_seen);
    CHECK_FALSE(row_at(rises, "workgroups for 95 % of the most").value);
    CHECK(number_at(rises, "most workgroups tried") == 16);
    CHECK_FALSE(has_row(rises, "lowest beyond"));
    for (const Finding& each : {found, rises}) CHECK(each.text.empty());
}

TEST_CASE("workgroups on a modelled card: as many as it takes, from one on") {
    CardModel card = model_card("GTX 680");
    card.memory_bytes = 8 * kMiB;
    card.bandwidth = 5e9;
    card.group_bandwidth = 5e9 / 16;
    card.noise = 0.002;
    const auto device = model_device(card, 3);
    for (const char* from : {"LLC", "DRAM"}) {
        CAPTURE(std::string(from));
        const Series series = measured(*device, "saturation", "global", "quick", 5, {{"level", from}});
        CAPTURE(series.reason);
        REQUIRE(series.status == Status::ok);
        CHECK(series.points.front().x == 1);
        CHECK(*series.points.front().median == doctest::Approx(5.0 / 16).epsilon(0.02));
        const auto found = findings_of(series);
        REQUIRE(found.size() == 1);
        CHECK(*found[0].value == 16);
    }
    // Another API of the card may know of a larger LLC than this one's driver tells.
    const Series told = measured(*device, "saturation", "global", "quick", 5, {{"level", "LLC"}}, 3 * kMiB);
    CHECK(told.evidence.footprint_bytes == 3 * kMiB / 2);
    // What a cache holds is not read from DRAM.
    for (const auto& [probe, options] : {std::pair{"saturation", Options{{"level", "DRAM"}}},
             {"coalescing", {{"from", "DRAM"}, {"pattern", "order"}, {"width", "4"}}}}) {
        const Series held = measured(*device, probe, "global", "quick", 5, options, 8 * kMiB);
        CHECK(held.status == Status::unsupported);
        CHECK(says(reason_text(held), "cache of 8 MiB"));
    }
}
