// Levels of a card: their names, and ends that its curves bound together.
#include <cmath>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "core/analysis/card_view.h"
#include "core/analysis/level_findings.h"
#include "core/base/error.h"
#include "core/data/results.h"
#include "tests/diagnosis/made_up.h"
#include "tests/recorded.h"

using namespace sonde;
using namespace sonde::made_up;

namespace {
using Names = std::vector<std::string>;
Names names_of(const Curve& curve) {
    Names names;
    for (const LevelName& name : curve.level_names) names.push_back(name.text());
    return names;
}
} // namespace

TEST_CASE("a path whose lines leave caches early names no level of the card, whatever its plateaus") {
    const std::vector<Run> runs = read_runs(recorded::kMemory);
    const std::vector<Card> cards = cards_of(runs);
    REQUIRE(cards.size() == 1);
    const auto curve = [&](const std::string& device, const std::string& path) -> const Curve& {
        return *std::ranges::find_if(cards[0].curves, [&](const Curve& each) {
            const auto& id = each.series->id;
            return id.probe == "latency" && id.device == device && id.path == path;
        });
    };
    // lines of global.cs leave the caches early: its plateaus name no level, and move no other path's ends
    CHECK(names_of(curve("cuda:0", "global.cs")) == Names{"L1", "L2 near", "L2 near (2)", "L2 near (3)", "DRAM"});
    CHECK(capacity_text(curve("cuda:0", "global.cs").levels[1]) == "2.3-2.64 MiB");
    CHECK(names_of(curve("cuda:0", "global")) == Names{"L1", "L2 near", "L2 far", "DRAM"});
    CHECK(capacity_text(curve("cuda:0", "global").levels[1]) == "25.5-32 MiB");
    CHECK(names_of(curve("vulkan:0", "global.cs")) == Names{"L1", "L2 near", "L2 far", "DRAM"});
    CHECK(capacity_text(curve("vulkan:0", "global.cs").levels[1]) == "24.3-25.1 MiB");
}

TEST_CASE(
    "two caches beyond L1 are L2's parts by what a driver reports, and through Vulkan alone by a vendor without L3") {
    const auto names = [](const std::string& pci_id) {
        MadeUp made;
        made.device("vulkan:0").pci_id = pci_id;
        made.latency("vulkan:0", "global", {{40, 64 * kKiB}, {200, 4 * kMiB}, {400, 32 * kMiB}, {700, kEnd}}, kEnd);
        return names_of(cards_of({&made.run, 1})[0].curves[0]);
    };
    CHECK(names("10de:2335") == Names{"L1", "L2 near", "L2 far", "DRAM"});
    CHECK(names("1002:73bf") == Names{"L1", "L2", "L3", "DRAM"});
    CHECK(names("") == Names{"L1", "L2", "L3", "DRAM"});
}

TEST_CASE(
    "L2 that rises gradually from its plateau to the end that drivers report is its near part, where no L3 can be") {
    const auto second = [](const std::string& pci_id, double reported, double rise) {
        MadeUp made;
        DeviceRecord& device = made.device("cuda:0", reported);
        device.pci_id = pci_id;
        Series& loads = made.latency("cuda:0", "global", {{40, 64 * kKiB}, {200, 16 * kMiB}, {700, kEnd}}, kEnd);
        for (Point& point : loads.points)
            if (const double over = point.x / (16 * kMiB); over > 1 && over < rise)
                point.median = point.low = point.high = point.cycles =
                    200 + 500 * std::log(over) / std::log(rise) * 0.9;
        return names_of(cards_of({&made.run, 1})[0].curves[0]).at(1);
    };
    CHECK(second("10de:2335", 40 * kMiB, 2.6) == "L2 near");
    CHECK(second("10de:2335", 40 * kMiB, 1) == "L2");   // a step
    CHECK(second("10de:2335", 16 * kMiB, 2.6) == "L2"); // as large as reported
    CHECK(second("10de:2335", 0, 2.6) == "L2");
    CHECK(second("1002:73bf", 40 * kMiB, 2.6) == "L2");
}

TEST_CASE("no two levels of a curve have one name: a second one within a name of the card says that it is") {
    MadeUp made;
    made.device("cuda:0");
    made.latency("cuda:0", "global", kThree, kEnd);
    made.latency("cuda:0", "global.cg", {{200, 1 * kMiB}, {260, 4 * kMiB}, {600, kEnd}}, kEnd);
    const auto cards = cards_of({&made.run, 1});
    REQUIRE(cards.size() == 1);
    CHECK(names_of(cards[0].curves[0]) == Names{"L1", "L2", "DRAM"});
    CHECK(names_of(cards[0].curves[1]) == Names{"L2", "L2 (2)", "DRAM"});
}

TEST_CASE("a level that ends before the card's last one begins is not that one, however near its latency is") {
    MadeUp made;
    made.device("a:0");
    auto& points = made.latency("a:0", "global", {{40, 64 * kKiB}, {200, 4 * kMiB}, {366, kEnd}}, kEnd).points;
    for (Point& point : points) // no plateau between L2 and DRAM
        if (point.x > 4 * kMiB && point.x < 16 * kMiB)
            point.median = 200 * std::pow(point.x / (4 * kMiB), std::log(366.0 / 200) / std::log(4));
    made.latency("a:0", "global.cg", {{200, 4 * kMiB}, {290, 12 * kMiB}, {366, kEnd}}, kEnd);
    const auto cards = cards_of({&made.run, 1});
    CHECK(names_of(cards[0].curves[0]) == Names{"L1", "L2", "DRAM"});
    CHECK(names_of(cards[0].curves[1]) == Names{"L2", "L2 (2)", "DRAM"});
}

TEST_CASE("a processor's constants have a level behind the only one that its sweep of memory reached") {
    MadeUp made;
    made.device("a:0").cpu = true;
    made.latency("a:0", "global", {{40, kEnd}}, 8 * kKiB),
        made.latency("a:0", "constant", {{40, 32 * kKiB}, {120, kEnd}}, 128 * kKiB);
    const auto cards = cards_of({&made.run, 1});
    CHECK(names_of(cards[0].curves[0]) == Names{"L1"});
    CHECK(names_of(cards[0].curves[1]) == Names{"L1", "L2"});
}

TEST_CASE("a processor's levels are named by the caches that the system reports, whatever each driver's loads cost and "
          "show") {
    MadeUp made;
    made.device("a:0"), made.device("b:0");
    for (DeviceRecord& device : made.run.devices)
        device.cpu = true, device.cache_levels = {32 << 10, 1 << 20, 32 << 20};
    made.latency(
        "a:0", "global", {{1.4, 8 * kKiB}, {4, 300 * kKiB}, {14, 6 * kMiB}, {150, 60 * kMiB}, {190, kEnd}}, 256 * kMiB);
    made.latency("b:0", "global", {{10, 776 * kKiB}, {200, kEnd}}, 256 * kMiB);
    made.latency("b:0", "constant", {{7, 32 * kKiB}, {9, kEnd}}, 64 * kKiB);
    const auto cards = cards_of({&made.run, 1});
    const char* expected[] = {"L1, L2, L3, DRAM, DRAM (2)", "L2, DRAM", "L1, L2"};
    for (std::size_t i = 0; i < std::size(expected); ++i)
        CHECK(fmt::format("{}", fmt::join(names_of(cards[0].curves.at(i)), ", ")) == expected[i]);
}

TEST_CASE("levels are found anew, whichever version wrote the file; those of a file without the points are taken as "
          "they are, and lines that are none are not") {
    MadeUp card;
    card.device("a:0"), card.latency("a:0", "global", kThree, kEnd);
    std::vector<Finding> findings = level_findings(card.run.series[0], card.run.devices[0]);
    REQUIRE(findings.size() == 3);
    findings[0].name = "first of all";
    for (const Finding& finding : findings) card.run.findings.emplace_back(finding);
    card.run.findings.push_back(Json::parse(R"({"type":"finding","kind":"level","name":7,"from":"nothing"})"));
    CHECK(cards_of({&card.run, 1})[0].curves[0].levels[0].name == "L1");
    card.run.series[0].points.clear();
    const Card seen = cards_of({&card.run, 1})[0];
    CHECK(seen.curves[0].levels.size() == 3);
    CHECK(seen.curves[0].levels[0].name == "first of all");
    CHECK(seen.curves[0].levels[2].x == findings[2].x);
}

TEST_CASE("levels of other memories are named by what they are") {
    MadeUp made;
    two_apis(made, kThree, kThree);
    made.latency("a:0", "host", {{40, 64 * kKiB}, {260, 4 * kMiB}, {2000, kEnd}}, kEnd),
        made.latency("b:0", "host", {{40, 64 * kKiB}, {201, 4 * kMiB}, {600, kEnd}}, kEnd);
    made.latency("a:0", "constant", {{30, 2 * kKiB}, {100, kEnd}}, 60 * kKiB),
        made.latency("b:0", "constant", {{40, kEnd}}, 60 * kKiB);
    made.latency("a:0", "push", {{30, kEnd}}, 4 * kKiB), made.latency("a:0", "scratchpad", {{29, kEnd}}, 48 * kKiB);
    const Card card = cards_of({&made.run, 1})[0];
    const Names expected[] = {{"L1", "L2", "DRAM"}, {"L1", "L2", "DRAM"}, {"L1", "host, cached", "host memory"},
        {"L1", "L2", "DRAM"}, {"constant L1", "constant L2"}, {"L1"}, {"push"}, {"scratchpad"}};
    for (std::size_t i = 0; i < std::size(expected); ++i) CHECK(names_of(card.curves.at(i)) == expected[i]);
}

TEST_CASE(
    "ends of one level that exclude each other through one API are told as one range; the level is as sure as before") {
    MadeUp made;
    made.device("a:0"), made.device("b:0");
    const auto ends_at = [](double l2) { return std::vector<Step>{{40, 64 * kKiB}, {200, l2}, {600, kEnd}}; };
    for (const char* id : {"a:0", "b:0"})
        for (const auto& [path, l2] :
            {std::pair{"global", 4 * kMiB}, {"global.ca", 4 * kMiB}, {"global.cg", (id[0] == 'a' ? 4.8 : 4.0) * kMiB}})
            made.latency(id, path, ends_at(l2), kEnd);
    const Card card = cards_of({&made.run, 1})[0];
    for (const Curve& curve : card.curves) {
        CAPTURE(curve.series->id.text());
        const Finding* l2 = curve.reached(LevelName::cache(2));
        REQUIRE(l2);
        CHECK(capacity_text(*l2) == (curve.series->id.device == "a:0" ? "4-5.66 MiB" : "4-4.76 MiB"));
        CHECK(*l2->confidence == 1);
        CHECK(l2->is_sure());
        CHECK_FALSE(curve.reached(LevelName::cache(1))->edge_bytes);
    }
}

TEST_CASE("what one API of three shows besides names no level of the card; of two it does") {
    const std::vector<Step> stair{{40, 64 * kKiB}, {200, 1 * kMiB}, {260, 4 * kMiB}, {600, kEnd}};
    const auto second = [&](std::size_t apis) {
        MadeUp made;
        for (const char* id : {"a:0", "b:0", "c:0"})
            if (made.run.devices.size() < apis) {
                const bool first = made.run.devices.empty();
                made.device(id);
                made.latency(id, "global", first ? stair : kThree, kEnd);
            }
        const Card card = cards_of({&made.run, 1})[0];
        return names_of(card.curves.back());
    };
    CHECK(second(3) == Names{"L1", "L2", "DRAM"});
    CHECK(second(2) == Names{"L1", "L3", "DRAM"});
}

TEST_CASE("a level whose end moves with the allocation is told with the range of them") {
    MadeUp made;
    made.device("a:0");
    Series& series = made.latency("a:0", "global", {{40, 64 * kKiB}, {200, 4 * kMiB}, {600, kEnd}}, kEnd);
    for (const double end : {4.0, 3.2, 5.0}) {
        OtherAllocation& other = series.evidence.other_allocations.emplace_back();
        for (double bytes = 2.2 * kMiB; bytes < 7 * kMiB; bytes *= 1.08)
            other.points.push_back({bytes, bytes <= end * kMiB ? 200.0 : 600.0});
    }
    const Card card = cards_of({&made.run, 1})[0];
    const Finding* l2 = card.curves[0].reached(LevelName::cache(2));
    REQUIRE(l2);
    REQUIRE(l2->edge_bytes);
    CHECK(l2->edge_bytes->first / kMiB == doctest::Approx(3.2).epsilon(0.1));
    CHECK(l2->edge_bytes->second / kMiB == doctest::Approx(5.0).epsilon(0.1));
    CHECK(l2->edge_bytes->first <= 3.2 * kMiB); // the bracket of each allocation lies within
    CHECK(l2->edge_bytes->second >= 5.0 * kMiB);
    CHECK(*l2->confidence == 1);
    CHECK_FALSE(card.curves[0].reached(LevelName::cache(1))->edge_bytes);
}

TEST_CASE("ends of one level that exclude each other by block are told as one range, too") {
    MadeUp made;
    made.device("a:0");
    for (Point& point : made.latency("a:0", "global", kThree, kEnd).points)
        for (int block = 0; block < 2; ++block) {
            const double ns = block == 1 && point.x > 4 * kMiB && point.x < 6 * kMiB ? 200 : *point.median;
            for (const double steps : {100.0, 200.0})
                point.samples.push_back({.block = block, .steps = steps, .host_ns = steps * ns});
        }
    CHECK(capacity_text(*cards_of({&made.run, 1})[0].curves[0].reached(LevelName::cache(2))) == "4-5.66 MiB");
}

TEST_CASE("DRAM ends at the step of translation that tlb shows within its footprints; beyond are TLB misses") {
    MadeUp made;
    made.translation("a:0", 128 * kMiB); // 30 ns, more than a twentieth of DRAM's
    made.latency("a:0", "global", {{40, 64 * kKiB}, {200, 4 * kMiB}, {560, kEnd}}, kEnd);
    const Card card = cards_of({&made.run, 1})[0];
    const Finding& dram = card.curves[1].levels.back();
    REQUIRE(dram.tlb_beyond_bytes);
    CHECK(*dram.tlb_beyond_bytes == doctest::Approx(128 * kMiB).epsilon(0.5));
    CHECK(dram.x.back() <= *dram.tlb_beyond_bytes);
    CHECK(capacity_text(dram).find(", slower beyond (TLB)") != std::string::npos);
    MadeUp rises; // no plateau of it, but a later rise of the curve itself
    rises.device("a:0"),
        rises.latency("a:0", "global", {{40, 64 * kKiB}, {200, 4 * kMiB}, {600, 700 * kMiB}, {900, 1e12}}, 8192 * kMiB);
    const Finding risen = level_findings(rises.run.series[0], rises.run.devices[0]).back();
    REQUIRE(risen.tlb_beyond_bytes);
    CHECK(risen.text.find("slower beyond (TLB)") != std::string::npos);
}

TEST_CASE("a gradual rise behind the last plateau is no capacity; an edge is, and a plateau behind it") {
    MadeUp made;
    made.device("a:0"), made.latency("a:0", "global", kThree, kEnd);
    for (Point& point : made.latency("a:0", "private", {{40, kEnd}}, 512 * kKiB).points)
        if (point.x > 64 * kKiB)
            point.median = point.low = point.high = point.cycles = 40 * std::pow(point.x / (64 * kKiB), 1.2);
    for (Point& point : made.latency("a:0", "global.cg", {{40, kEnd}}, 512 * kKiB).points)
        if (point.x > 64 * kKiB)
            point.median = point.low = point.high = point.cycles = 200 * std::pow(point.x / (64 * kKiB), 0.2);
    const Card card = cards_of({&made.run, 1})[0];
    CHECK(capacity_text(card.curves[0].levels[0]) == "64-76.1 KiB");
    const Finding rise = level_findings(made.run.series[1], made.run.devices[0]).back();
    for (const Finding* risen : {&rise, &card.curves[1].levels.back()}) {
        CHECK(risen->capacity_bytes->first == 64 * kKiB);
        CHECK(risen->rises_to_bytes == 512 * kKiB);
    }
    CHECK(capacity_text(card.curves[1].levels.back()).ends_with("plateau to 512 KiB"));
    CHECK(capacity_text(card.curves[2].levels.back()) == "64-76.1 KiB");
}

TEST_CASE("how many series a run may have says nothing of how many runs there may be") {
    Series nothing{.id = {"launch", "a:0", "global", {}}, .api = "a", .card = "c", .status = Status::unsupported};
    std::vector<Run> runs(3);
    for (Run& run : runs) run.series.assign(4000, nothing);
    CHECK(cards_of(runs).size() == 1);
    runs[0].series.assign(12000, nothing);
    CHECK_THROWS_AS(cards_of(runs), UsageError);
}
