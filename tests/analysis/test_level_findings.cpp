// What a curve of latency says of its levels.
#include <doctest/doctest.h>

#include "core/analysis/level_findings.h"
#include "tests/diagnosis/made_up.h"

using namespace sonde;
using namespace sonde::made_up;

TEST_CASE("a processor's fourth level is DRAM, however large a cache its system reports and however early the sweep ends") {
    for (const bool cpu : {true, false}) {
        MadeUp card;
        card.device("a:0", 300 * kMiB).cpu = cpu;
        card.latency("a:0", "global", {{2, 32 * kKiB}, {5, 1 * kMiB}, {20, 8 * kMiB}, {100, kEnd}}, 100 * kMiB);
        const std::vector<Finding> findings = level_findings(card.run.series[0], card.run.devices[0]);
        REQUIRE(findings.size() == 4);
        CHECK(findings[3].name == (cpu ? "DRAM" : "L4"));
    }
}

TEST_CASE("a level that is not sure takes no number from those behind it, unless it is the first") {
    std::vector<Level> levels(4);
    for (Level& level : levels) level.capacity_off = 1, level.confidence = 1;
    levels[1].confidence = 0.3;
    CHECK(level_name(levels, 0, false) == "L1");
    CHECK(level_name(levels, 1, false) == "L2?");
    CHECK(level_name(levels, 2, false) == "L2");
    CHECK(level_name(levels, 3, false) == "L3");
    levels[0].confidence = 0.3;
    CHECK(level_name(levels, 0, false) == "L1");
    CHECK(level_name(levels, 2, false) == "L2");
}
