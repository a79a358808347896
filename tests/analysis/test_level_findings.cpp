// What a curve of latency says of its levels.
#include <doctest/doctest.h>

#include "core/analysis/level_findings.h"
#include "tests/diagnosis/made_up.h"

using namespace sonde;
using namespace sonde::made_up;

TEST_CASE(
    "a processor's fourth level is DRAM, however large a cache its system reports and however early the sweep ends") {
    for (const bool cpu : {true, false}) {
        MadeUp card;
        card.device("a:0", 300 * kMiB).cpu = cpu;
        card.latency("a:0", "global", {{2, 32 * kKiB}, {5, 1 * kMiB}, {20, 8 * kMiB}, {100, kEnd}}, 100 * kMiB);
        const std::vector<Finding> findings = level_findings(card.run.series[0], card.run.devices[0]);
        REQUIRE(findings.size() == 4);
        CHECK(findings[3].name == (cpu ? "DRAM" : "L4"));
    }
}

TEST_CASE("a level that is not sure takes no number from those behind it, unless it is the first, nor one that may "
          "have another before it") {
    struct Row {
        std::vector<double> ends, confidences;
        std::string names;
    };
    for (const Row& row : {Row{{1, 8, 64, 512}, {1, 1, 1, 1}, "L1 L2 L3 L4"},
             {{1, 2, 16, 128}, {1, 0.3, 1, 1}, "L1 L2? L2 L3"}, {{1, 8, 64, 512}, {0.3, 1, 1, 1}, "L1 L2 L3 L4"},
             {{1, 30, 300}, {1, 0.3, 1}, "L1 L2? L2?"}, {{1, 8, 4096, 9000}, {1, 1, 1, 1}, "L1 L2 L3? L4?"}}) {
        std::vector<Finding> levels;
        for (std::size_t i = 0; i < row.ends.size(); ++i)
            levels.push_back({.capacity_bytes = std::pair{row.ends[i], std::optional(row.ends[i] * 1.1)},
                .confidence = row.confidences[i],
                .x = {row.ends[i] / 2, row.ends[i]}});
        levels.emplace_back().set_level(LevelName::dram());
        number_levels(levels);
        std::string names;
        for (const Finding& level : levels) names += level.name + " ";
        CHECK(names == row.names + " DRAM ");
    }
}

TEST_CASE("a level that one allocation does not show is found in the least of several") {
    constexpr double kMiB = 1 << 20;
    Series series{.id = {"latency", "a:0", "global", {}}, .unit = "ns"};
    OtherAllocation other;
    for (double mebibytes = 1.0 / 16; mebibytes <= 1024; mebibytes *= std::pow(2, 0.125)) {
        const double bytes = mebibytes * kMiB, nearest = mebibytes < 0.2 ? 34.0 : 140.0,
                     slope = 140 * std::pow(336.0 / 140, std::log2(mebibytes / 20) / std::log2(60.0 / 20));
        const auto latency = [&](double from, double behind) {
            return mebibytes < from ? nearest : mebibytes > 60 ? 336.0 : behind;
        };
        series.points.push_back({.x = bytes, .median = latency(20, slope), .samples = {}});
        if (mebibytes > 8 && mebibytes < 100) other.points.push_back({bytes, latency(26, 260)});
    }
    DeviceInfo device;
    device.cache_bytes = 60 << 20;
    CHECK(level_findings(series, device).size() == 3);
    series.evidence.other_allocations.push_back(other);
    const std::vector<Finding> found = level_findings(series, device);
    REQUIRE(found.size() == 4);
    CHECK(*found[2].value == doctest::Approx(260).epsilon(0.02));
    CHECK(found[2].is_sure());
    CHECK(found[3].level == LevelName::dram());
}
