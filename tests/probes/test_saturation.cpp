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
    CHECK(says(found.text, ". 1 workgroup on 1 core 60 GB/s, 2"));
    CHECK(found.text.ends_with("on 132 cores 4 TB/s"));
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
