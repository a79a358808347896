// scratchpad-fill: what it says of series.
#include <doctest/doctest.h>

#include "tests/probes/probe_series.h"

using namespace sonde;

TEST_CASE(
    "scratchpad-fill: the rate of the largest copies, from where on it is nearly reached, and the latency of one") {
    const auto filled = [](const char* by, const char* in_flight) {
        return said(made("scratchpad-fill", "scratchpad", {{"by", by}, {"in_flight", in_flight}, {"level", "LLC"}},
            {{16, 320}, {4096, 64}, {8192, 120}, {16384, 256}}));
    };
    CHECK(filled("bulk", "8")
              .ends_with("from LLC, a core's scratchpad fills by cp.async.bulk at 68.3 GB/s with copies of 8 KiB, 8 "
                         "under way. From 4 KiB on it reaches 90 % of that. Copies of 16 KiB reach 64 GB/s"));
    CHECK(filled("loads", "1")
              .ends_with(
                  ". Copies of 16 KiB reach 64 GB/s. A copy of 16 B takes 320 ns, of 16 KiB 256 ns")); // a size that
                                                                                                       // scratchpads of
                                                                                                       // every API have
                                                                                                       // room for
    Series everywhere = made("scratchpad-fill", "scratchpad",
        {{"by", "bulk"}, {"in_flight", "8"}, {"level", "DRAM"}, {"on", "all-cores"}}, {{8192, 256}});
    everywhere.evidence.shape = ShapeEvidence{.group_size = 256, .groups = 100};
    everywhere.evidence.footprint_bytes = 1ull << 30;
    CHECK(said(everywhere)
              .ends_with("from DRAM (footprint 1 GiB), by a workgroup of 256 work-items on each core, a core's "
                         "scratchpad fills by cp.async.bulk at 32 GB/s while all 100 do so (3.2 TB/s together) with "
                         "copies of 8 KiB, 8 under way"));
    CHECK(filled("work-group-copy", "8")
              .find("fills by async_work_group_copy at 68.3 GB/s with copies of 8 KiB, asked for 8 at a time") !=
          std::string::npos);
    CHECK(
        filled("work-group-strided-copy", "8")
            .find("fills by async_work_group_strided_copy of every second 16 bytes at 68.3 GB/s") != std::string::npos);
}

TEST_CASE("scratchpad-fill: a time that no size changes is told, not a rate") {
    const auto filled = [](const char* in_flight) {
        return said(made("scratchpad-fill", "scratchpad", {{"by", "bulk"}, {"in_flight", in_flight}, {"level", "LLC"}},
            {{16, 121}, {4096, 124}, {16384, 124}}));
    };
    CHECK(filled("8").ends_with("from LLC, to a core's scratchpad by cp.async.bulk, 8 under way: copies of 16 B end "
                                "every 121 ns, of 16 KiB every 124 ns: 132 GB/s at that"));
    CHECK(filled("1").find("a copy of 16 B takes 121 ns, of 16 KiB 124 ns") != std::string::npos);
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
