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
    CHECK(number_at(bulk, "nearly reached from") == 4096);
    CHECK(bulk.text.ends_with("16 KiB reach 64 GB/s")); // a size that scratchpads of every API have room for
    CHECK(number_at(loads, "a copy of 16 B") == 320);
    CHECK(number_at(loads, "a copy of 16 KiB") == 256);
    CHECK(loads.text.ends_with("16 B takes 320 ns, of 16 KiB 256 ns"));
    Series everywhere = made("scratchpad-fill", "scratchpad",
        {{"by", "bulk"}, {"in_flight", "8"}, {"level", "DRAM"}, {"on", "all-cores"}}, {{8192, 256}});
    everywhere.evidence.shape = ShapeEvidence{.group_size = 256, .groups = 100};
    everywhere.evidence.footprint_bytes = 1ull << 30;
    CHECK(number_at(only_finding(everywhere), "rate of a core") == 32);
    CHECK(number_at(only_finding(everywhere), "all cores together") == 3200);
    CHECK(says(said(everywhere), "(footprint 1 GiB)"));
    CHECK(filled("work-group-copy", "8").text.find("for 8 at a time") != std::string::npos);
    CHECK(says(filled("work-group-strided-copy", "8").text, "async_work_group_strided_copy"));
}

TEST_CASE("scratchpad-fill: a time that no size changes is told, not a rate") {
    const auto filled = [](const char* in_flight) {
        const Finding found = only_finding(made("scratchpad-fill", "scratchpad",
            {{"by", "bulk"}, {"in_flight", in_flight}, {"level", "LLC"}}, {{16, 121}, {4096, 124}, {16384, 124}}));
        CHECK(number_at(found, "a copy of 16 B") == 121);
        CHECK(number_at(found, "a copy of 16 KiB") == 124);
        return found.text;
    };
    CHECK(says(filled("8"), "16 B end every 121 ns, of"));
    CHECK(says(filled("1"), "16 B takes 121 ns, of"));
}

TEST_CASE("scratchpad-fill: the rate still rises where the largest copies are a tenth faster than those before them") {
    const auto rises = [](double before) {
        return said(made("scratchpad-fill", "scratchpad", {{"by", "bulk"}, {"in_flight", "8"}, {"level", "LLC"}},
                        {{16, 320}, {8192, before}, {16384, 250}}))
                   .find("still rising") != std::string::npos;
    };
    CHECK(rises(256));
    CHECK(rises(140));
    CHECK_FALSE(rises(135));
    CHECK_FALSE(rises(126));
}
