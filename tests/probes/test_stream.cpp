// stream: its series on modelled cards, and what it says of series.
#include <doctest/doctest.h>

#include "tests/model/measured.h"
#include "tests/probes/probe_series.h"

using namespace sonde;

TEST_CASE("stream: the largest footprint and the best one") {
    Series series =
        made("stream", "global", {{"operation", "triad"}, {"type", "f64"}}, {{1 << 20, 12000}, {1 << 30, 4300}});
    series.x = {"footprint", "bytes"}, series.unit = "GB/s", series.evidence.unit_of_work = "bytes";
    series.evidence.demand = {{.read_bytes = 2 / 3.0, .written_bytes = 1 / 3.0, .operations = 1 / 12.0}};
    const auto check = [&](double from, double to) {
        const Finding found = only_finding(series);
        CHECK(*found.value == 4300);
        CHECK(number_at(found, "the largest") == 4300);
        CHECK(number_at(found, "at best") == 12000);
        CHECK(number_at(found, "footprint of the largest") == 1 << 30);
        CHECK(row_at(found, "footprint of the best").range == std::pair(from, to));
        CHECK_FALSE(has_row(found, "read for it")); // its unit is a byte
    };
    check(1 << 20, 1 << 20);
    series.points.insert(series.points.begin() + 1,
        {{.x = 4 << 20, .median = 11800, .samples = {}}, {.x = 8 << 20, .median = 9000, .samples = {}}});
    check(1 << 20, 4 << 20);
    series.evidence.demand.clear(); // a copy
    check(1 << 20, 4 << 20);
}

TEST_CASE("no more workgroups go round tiles of their own than run at a time, by the driver's account") {
    CardModel card = model_card("GTX 680");
    card.memory_bytes = 16 * kMiB;
    card.bandwidth = 4e9; // of a slow card little is simulated
    for (const std::uint32_t resident : {1u, 2u}) {
        card.resident_groups = resident;
        for (const Options& options :
            {Options{{"operation", "dot"}, {"type", "f64"}}, {{"operation", "modify"}, {"width", "16"}}}) {
            const Series series = measured(*model_device(card, 3), "stream", "global", "quick", 5, options);
            CAPTURE(series.reason);
            REQUIRE(series.status == Status::ok);
            CHECK(series.evidence.shape->groups.value() <= resident * card.cores);
        }
    }
}
