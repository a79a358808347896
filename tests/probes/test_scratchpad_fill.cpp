// scratchpad-fill: what it says of series.
#include <doctest/doctest.h>

#include "tests/probes/probe_series.h"

using namespace sonde;

TEST_CASE(
    "scratchpad-fill: the rate of the largest copies, from where on it is nearly reached, and the latency of one") {
    const auto filled = [](const char* by, const char* in_flight) {
        return only_finding(
            made("scratchpad-fill", "scratchpad", {{"by", by}, {"in_flight", in_flight}, {"level", "LLC"}},
                {{16, 320}, {4096, 64}, {8192, 120}, {16384, 256}}));
    };
    const Finding bulk = filled("bulk", "8"), loads = filled("loads", "1");
    CHECK(bulk.name == "LLC bulk");
    CHECK(*bulk.value == doctest::Approx(8192 / 120.0));
    CHECK(number_at(bulk, "rate of a core") == *bulk.value);
    CHECK(number_at(bulk, "with copies of") == 8192);
    CHECK(number_at(bulk, "90 % of it from") == 4096);
    CHECK(number_at(bulk, "with copies of 16 KiB") == 64); // a size that scratchpads of every API have room for
    CHECK(number_at(loads, "a copy of 16 B") == 320);
    CHECK(number_at(loads, "a copy of 16 KiB") == 256);
    Series everywhere = made("scratchpad-fill", "scratchpad",
        {{"by", "bulk"}, {"in_flight", "8"}, {"level", "DRAM"}, {"on", "all-cores"}}, {{8192, 256}});
    everywhere.evidence.shape = ShapeEvidence{.group_size = 256, .groups = 100};
    everywhere.evidence.footprint_bytes = 1ull << 30;
    CHECK(number_at(only_finding(everywhere), "rate of a core") == 32);
    CHECK(number_at(only_finding(everywhere), "all cores together") == 3200);
    CHECK(number_at(only_finding(everywhere), "cores") == 100);
    CHECK(number_at(only_finding(everywhere), "work-items of a workgroup") == 256);
    CHECK(number_at(only_finding(everywhere), "footprint") == 1 << 30);
}

TEST_CASE("scratchpad-fill: of a time that no size changes the smallest and the largest copy are told") {
    const Finding found = only_finding(made("scratchpad-fill", "scratchpad",
        {{"by", "bulk"}, {"in_flight", "8"}, {"level", "LLC"}}, {{16, 121}, {4096, 124}, {16384, 124}}));
    CHECK(number_at(found, "a copy of 16 B") == 121);
    CHECK(number_at(found, "a copy of 16 KiB") == 124);
}

TEST_CASE("scratchpad-fill: where the largest copies are the fastest, the rate of those before them is told") {
    const auto filled = [](double before) {
        Series series = made("scratchpad-fill", "scratchpad", {{"by", "bulk"}, {"in_flight", "8"}, {"level", "LLC"}},
            {{16, 320}, {8192, before}, {16384, 250}});
        series.points.back().cycles = 512;
        return only_finding(series);
    };
    CHECK(number_at(filled(256), "rate with the next smaller") == 32);
    CHECK(number_at(filled(256), "by clock") == 32);
    CHECK_FALSE(has_row(filled(64), "rate with the next smaller"));
}
