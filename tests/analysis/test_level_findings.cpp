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
