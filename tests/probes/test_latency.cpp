// latency on modelled cards: levels, lanes and clusters.
#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "core/analysis/level_findings.h"
#include "core/data/finding.h"
#include "core/probes/probes.h"
#include "tests/model/measured.h"
#include "tests/probes/probe_series.h"
#include "tests/thorough.h"

using namespace sonde;

namespace {
struct Truth {
    double cycles, bytes; // bytes 0: memory
};

std::vector<Truth> truth_of(const CardModel& card, const PathModel& path) {
    std::vector<Truth> truth;
    for (const std::size_t index : path.caches)
        truth.push_back({card.caches[index].cycles + path.arithmetic, static_cast<double>(card.caches[index].bytes)});
    truth.push_back({card.memory_cycles + path.arithmetic, 0});
    return truth;
}

/// The knee of a cache that is not fully associative, or hashed, lies below its size: the curve must leave the plateau
/// between 0.55 of it and all of it.
std::string wrong_with(const std::vector<Finding>& found, const std::vector<Truth>& truth) {
    if (found.size() != truth.size()) return fmt::format("{} levels instead of {}", found.size(), truth.size());
    for (std::size_t i = 0; i < truth.size(); ++i) {
        // Where a footprint is not much larger than the cache before, some loads still hit that one: a level looks a
        // little faster.
        const double ratio = *found[i].cycles / truth[i].cycles;
        if (ratio > 1.02 || ratio < (truth[i].bytes == 0 ? 0.94 : 0.97))
            return fmt::format("level {}: {:.1f} cycles instead of {:.1f}", i + 1, *found[i].cycles, truth[i].cycles);
        if (truth[i].bytes == 0) continue;
        const auto& [on, off] = *found[i].capacity_bytes;
        if (!off || *off < 0.55 * truth[i].bytes || on > 1.05 * truth[i].bytes)
            return fmt::format(
                "level {}: {:.0f}-{:.0f} bytes instead of {:.0f}", i + 1, on, off.value_or(0), truth[i].bytes);
    }
    return "";
}
} // namespace

TEST_CASE("latency on modelled cards: every level of every path, from fewer than 60 points") {
    CasesOfTheDay day(16);
    for (const CardModel& card : model_cards())
        for (const PathModel& path : card.paths) {
            if (!day.take()) continue;
            CAPTURE(card.name);
            CAPTURE(path.name);
            CardModel noisy = card;
            noisy.noise = 0.005;
            noisy.drift = 0.002;
            const auto largest =
                std::max_element(card.caches.begin(), card.caches.end(), [](const CacheModel& a, const CacheModel& b) {
                    return a.bytes < b.bytes;
                })->bytes;
            if (!thorough())
                noisy.memory_bytes = std::min(card.memory_bytes,
                    16 * largest); // the sweep ends at half of it, and simulated memory takes the longest
            const auto device = model_device(noisy, 7);
            const Series series = measured(*device, "latency", path.name, "quick", 11);
            CAPTURE(series.reason);
            REQUIRE(series.status == Status::ok);
            CHECK(series.points.size() < 60);
            for (const OtherAllocation& other : series.evidence.other_allocations) CHECK(other.points.size() > 3);
            auto found = level_findings(series, device->info());
            std::string levels;
            for (const Finding& finding : found) levels += finding.text + "\n";
            CAPTURE(levels);
            std::string curve;
            for (const Point& point : series.points)
                curve += fmt::format("{}: {:.2f}, ", point.x, point.median.value_or(0));
            CAPTURE(curve);
            const auto truth = truth_of(card, path);
            if (found.size() > truth.size()) // a level more is no error where it is told as unsure
                std::erase_if(found, [](const Finding& level) { return !level.is_sure(); });
            CHECK(wrong_with(found, truth) == "");
        }
}

TEST_CASE(
    "a quick latency curve looks at the ends of levels in three more allocations, a standard one has its blocks") {
    const auto device = model_device(small_card("GTX 680", 64 << 20), 7);
    CHECK(measured(*device, "latency", "texel", "quick", 11).evidence.other_allocations.size() == 3);
    CHECK(measured(*device, "latency", "scratchpad", "quick", 11).evidence.other_allocations.empty());
    CHECK(measured(*device, "latency", "texel", "standard", 11).evidence.other_allocations.empty());
}

TEST_CASE(
    "latency beyond least-recently-used caches: nothing of a footprint is found in them, however long the walks are") {
    CardModel card = model_card("GTX 680");
    card.memory_bytes = 64 << 20;
    card.caches[0].bytes = 256 << 10; // dropped between dispatches
    card.caches[1].bytes = 12 << 20;
    for (CacheModel& cache : card.caches) cache.ways = 16, cache.replacement = Replacement::lru;
    const auto device = model_device(card, 5);
    const Series series = measured(*device, "latency", "texel", "standard", 3);
    REQUIRE(series.status == Status::ok);
    const auto bytes = [&](std::size_t cache) { return static_cast<double>(card.caches[cache].bytes); };
    int beyond_first = 0, beyond_last = 0;
    for (const Point& point : series.points) {
        const bool last = point.x > 1.1 * bytes(1);
        const bool first = !last && point.x > 1.1 * bytes(0) && point.x <= 0.9 * bytes(1);
        if (!first && !last) continue;
        ++(first ? beyond_first : beyond_last);
        CAPTURE(point.x);
        const double expected = first ? card.caches[1].cycles : card.memory_cycles;
        for (std::size_t i = 0; i + 1 < point.samples.size(); i += 2) {
            const double cycles = (*point.samples[i + 1].cycles - *point.samples[i].cycles) /
                                  (point.samples[i + 1].steps - point.samples[i].steps);
            CHECK(cycles / expected == doctest::Approx(1).epsilon(0.02));
        }
    }
    CHECK(beyond_first >= 3);
    CHECK(beyond_last >= 3);
}

TEST_CASE("latency in clusters: one that the driver has no room for is refused, and not launched") {
    CardModel card = model_card(model_cards()[0].name);
    card.paths.push_back({.name = "cluster", .caches = {0}});
    card.clusters = 0;
    const Series series = measured(*model_device(card, 3), "latency", "cluster", "quick", 4, {{"cluster", "16"}});
    CHECK(series.status == Status::unsupported);
    CHECK(says(series.reason, "no cluster of 16"));
}

TEST_CASE("latency by lanes: what a further lane costs, at a few footprints; lanes that a subgroup or a path has not "
          "are refused") {
    CardModel card = small_card("GTX 680");
    card.noise = card.drift = 0;
    card.subgroup_load_cycles = 6;
    const auto device = model_device(card, 9);
    const double first = card.caches[0].cycles;
    for (const auto& [lanes, apart, lines] : {std::tuple{"1", "0", 1}, {"all", "0", 1}, {"all", "4", 1},
             {"2", "128", 2}, {"8", "128", 8}, {"8", "256", 8}}) {
        CAPTURE(lanes);
        CAPTURE(apart);
        const Series series = measured(*device, "latency", "texel", "quick", 4, {{"lanes", lanes}, {"apart", apart}});
        CAPTURE(series.reason);
        REQUIRE(series.status == Status::ok);
        CHECK(series.points.size() == 2);
        CHECK(series.evidence.one_lane_ns.size() == 2);
        const auto findings = find_probe("latency")->findings(series, device->info());
        REQUIRE(findings.size() == 2);
        CAPTURE(findings[0].text);
        CHECK(findings[0].kind == "lanes");
        CHECK(*series.points[0].cycles == doctest::Approx(first + (lines - 1) * 6).epsilon(0.02));
        CHECK(*findings[0].cycles == doctest::Approx(lines > 1 ? 6 : first).epsilon(0.05).scale(first));
        // What all lanes take; where that is more than one's, also what one and each further lane take.
        CHECK(findings[0].rows.size() == (lines > 1 ? 3 : 1));
        CHECK(says(findings[0].text, "of one lane's") == (lines == 1 && *lanes == 'a'));
        if (lines > 1) {
            CHECK(findings[0].rows[2].value == *findings[0].value);
            CHECK(*findings[0].rows[1].cycles == doctest::Approx(first).epsilon(0.02));
            CHECK(findings[1].rows.size() == 1); // one of 8 lanes alone reads an eighth: no base of a line from L2
            CHECK(findings[1].name == format_bytes(series.points[1].x));
        }
    }
    Series step = measured(*device, "latency", "texel", "quick", 4, {{"lanes", "all"}, {"apart", "4"}});
    REQUIRE(step.status == Status::ok);
    step.evidence.one_lane_ns[step.points[0].x] = *step.points[0].median / 1.06; // 16 lanes may have cost nothing
    const Finding one_step = find_probe("latency")->findings(step, device->info())[0];
    REQUIRE(one_step.rows.size() == 2);
    CHECK(*one_step.rows[1].cycles == doctest::Approx(*step.points[0].cycles / 1.06));
    const Series sweep = measured(*device, "latency", "texel", "quick", 4, {{"lanes", "1"}});
    REQUIRE(sweep.status == Status::ok);
    CHECK(sweep.points.size() > 10);
    CHECK(find_probe("latency")->findings(sweep, device->info())[0].kind == "level");
    card.scratchpad_taken = 47 << 10; // of 48 that it reports
    const Series scratchpad =
        measured(*model_device(card, 9), "latency", "scratchpad", "quick", 4, {{"lanes", "2"}, {"apart", "4"}});
    CAPTURE(scratchpad.reason);
    CHECK(scratchpad.status == Status::ok);
    CHECK(measured(*device, "latency", "texel", "quick", 4, {{"lanes", "64"}}).reason == "a subgroup has 32 lanes");
    CHECK(measured(*device, "latency", "texel", "quick", 4, {{"apart", "6"}}).reason.ends_with("has 4 bytes"));
}

TEST_CASE("how far memory is behind the last cache follows from a latency curve") {
    const auto device = model_device(small_card("GTX 680", 256 << 20), 9);
    const Series series = measured(*device, "latency", "global", "quick", 4);
    const auto findings = find_probe("latency")->findings(series, {.cache_bytes = 512 << 10});
    REQUIRE(findings.size() == 3);
    CHECK(findings[2].kind == "derived");
    CHECK(*findings[2].cycles == doctest::Approx(420 - 240).epsilon(0.05));
    CHECK(findings[2].text.find("behind L1") != std::string::npos);
}
