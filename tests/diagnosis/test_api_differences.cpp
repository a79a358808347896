// Rules of api differences: what makes each speak, and what does not.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "tests/diagnosis/made_up.h"

using namespace sonde;
using namespace sonde::made_up;

namespace {
const Cases kApiDifferencesCases{
    {"scratchpad_limit", {{"largest that runs", "a:0", 220400}, {"largest that runs", "b:0", 46340}},
        [](MadeUp& card) {
            card.device("a:0").scratchpad_bytes = 215 << 10, card.device("b:0").scratchpad_bytes = 45 << 10;
            card.latency("a:0", "scratchpad", {{30, kEnd}}, 220 * kKiB),
                card.latency("b:0", "scratchpad", {{30, kEnd}}, 48 * kKiB);
        },
        [](MadeUp& card) { // a processor's is ordinary memory
            card.device("a:0").cpu = true, card.device("b:0").cpu = true;
            card.latency("a:0", "scratchpad", {{30, kEnd}}, 220 * kKiB),
                card.latency("b:0", "scratchpad", {{30, kEnd}}, 48 * kKiB);
        }},
    {"extra_cycles", {{"L1", "a:0", 40}, {"L1", "b:0", 60}, {"L2", "a:0", 200}, {"L2", "b:0", 220}},
        [](MadeUp& card) { two_apis(card, kThree, later(kThree, 20)); },
        [](MadeUp& card) {
            two_apis(card, kThree, {{60, 64 * kKiB}, {260, 4 * kMiB}, {680, kEnd}});
        }},          // a slower clock, not an offset
    {"extra_cycles", // measured with an option only

        {{"L1", "a:0", 40}, {"L1", "b:0", 60}, {"L2", "a:0", 200}, {"L2", "b:0", 220}},
        [](MadeUp& card) {
            card.device("a:0"), card.device("b:0");
            card.latency("a:0", "global", kThree, kEnd, {{"lanes", "1"}}),
                card.latency("b:0", "global", later(kThree, 20), kEnd, {{"lanes", "1"}});
        },
        [](MadeUp& card) {
            two_apis(card, kThree, kThree);
            card.latency("a:0", "global", kThree, kEnd, {{"lanes", "1"}}),
                card.latency("b:0", "global", later(kThree, 20), kEnd, {{"lanes", "1"}});
        }},
    {"extra_cycles", {{"L1", "a:0", 40}, {"L1", "b:0", 60}, {"L2", "a:0", 200}, {"L2", "b:0", 220}},
        [](MadeUp& card) { two_apis(card, kThree, later(kThree, 20)); },
        [](MadeUp& card) { two_apis(card, kThree, later(kThree, 1)); }},
    {"scratchpad_limit", {{"largest that runs", "a:0", 220400}, {"largest that runs", "b:0", 46340}},
        [](MadeUp& card) {
            card.device("a:0").scratchpad_bytes = 215 << 10, card.device("b:0").scratchpad_bytes = 45 << 10;
            card.latency("a:0", "scratchpad", {{30, kEnd}}, 220 * kKiB),
                card.latency("b:0", "scratchpad", {{30, kEnd}}, 48 * kKiB);
        },
        [](MadeUp& card) { // one sweep ended early, so it does not tell the limit
            card.device("a:0"), card.device("b:0").scratchpad_bytes = 220 << 10;
            card.latency("a:0", "scratchpad", {{30, kEnd}}, 220 * kKiB),
                card.latency("b:0", "scratchpad", {{30, kEnd}}, 48 * kKiB);
        }},
    {"host_memory",
        {{"beyond its caches", "a:0", 580}, {"beyond its caches", "b:0", 2000}, {"DRAM of the device", "a:0", 600},
            {"DRAM of the device", "b:0", 600}},
        [](MadeUp& card) {
            two_apis(card, kThree, kThree);
            card.latency("a:0", "host", {{40, 64 * kKiB}, {200, 4 * kMiB}, {580, kEnd}}, kEnd),
                card.latency("b:0", "host", {{40, 64 * kKiB}, {2000, kEnd}}, kEnd);
        },
        [](MadeUp& card) {
            two_apis(card, kThree, kThree), card.latency("a:0", "host", {{40, 64 * kKiB}, {750, kEnd}}, kEnd);
        },
        Cause::as_device_memory},
    {"host_memory", // a slope is no second level

        {{"beyond its caches", "a:0", 1636}, {"DRAM of the device", "a:0", 600}},
        [](MadeUp& card) {
            card.device("a:0"), card.latency("a:0", "global", kThree, kEnd);
            for (Point& point : card.latency("a:0", "host", {{40, kEnd}}, kEnd).points)
                if (point.x > 64 * kKiB)
                    point.median = point.low = point.high = point.cycles = 3000 * std::pow(point.x / kMiB, 0.35);
        },
        [](MadeUp& card) {
            card.device("a:0"), card.latency("a:0", "global", kThree, kEnd);
            for (Point& point : card.latency("a:0", "host", {{40, kEnd}}, kEnd).points)
                if (point.x > 64 * kKiB)
                    point.median = point.low = point.high = point.cycles = 300 * std::pow(point.x / kMiB, 0.35);
        }},
    {"bandwidth_apart", {{"53.8 KiB", "a:0", 9e11}, {"53.8 KiB", "b:0", 3e13}},
        [](MadeUp& card) {
            card.device("a:0"), card.device("b:0"), card.bandwidth("a:0", "constant", {{900, kEnd}}, 60 * kKiB),
                card.bandwidth("b:0", "constant", {{30000, kEnd}}, 60 * kKiB);
        },
        [](MadeUp& card) {
            card.device("a:0"), card.device("b:0"), card.bandwidth("a:0", "constant", {{900, kEnd}}, 60 * kKiB),
                card.bandwidth("b:0", "constant", {{1700, kEnd}}, 60 * kKiB);
        }},
    {"bandwidth_apart", // where all of them were measured, or between

        {{"22.6 KiB", "a:0", 9e11}, {"22.6 KiB", "b:0", 3e13}, {"22.6 KiB", "c:0", 9e11}},
        [](MadeUp& card) {
            card.device("a:0"), card.device("b:0"), card.device("c:0");
            card.bandwidth("a:0", "constant", {{900, kEnd}}, 60 * kKiB),
                card.bandwidth("b:0", "constant", {{30000, kEnd}}, 60 * kKiB);
            for (Point& point : card.bandwidth("c:0", "constant", {{900, kEnd}}, 24 * kKiB).points) point.x *= 1.05;
        },
        [](MadeUp& card) {
            card.device("a:0"), card.device("b:0"), card.bandwidth("a:0", "constant", {{900, kEnd}}, 60 * kKiB),
                card.bandwidth("b:0", "constant", {{1700, kEnd}}, 60 * kKiB);
        }},
    {"bandwidth_apart", // by how much depends on the footprint

        {{"22.6 KiB", "a:0", 5.6e10}, {"22.6 KiB", "b:0", 8.5e9}, {"512 B", "a:0", 1.6e11}, {"512 B", "b:0", 4.2e9}},
        [](MadeUp& card) {
            card.device("a:0"), card.device("b:0"),
                card.bandwidth("a:0", "global", {{160, 8 * kKiB}, {56, kEnd}}, 24 * kKiB),
                card.bandwidth("b:0", "global", {{4.2, 12 * kKiB}, {8.5, kEnd}}, 24 * kKiB);
        },
        [](MadeUp& card) {
            card.device("a:0"), card.device("b:0"),
                card.bandwidth("a:0", "global", {{8, 8 * kKiB}, {12, kEnd}}, 24 * kKiB),
                card.bandwidth("b:0", "global", {{4.2, 12 * kKiB}, {8.5, kEnd}}, 24 * kKiB);
        }},
    {"scratchpad_limit", // by latency's sweeps

        {{"largest that runs", "a:0", 131100}, {"largest that runs", "b:0", 46340},
            {"the driver reports", "a:0", 131100}, {"the driver reports", "b:0", 49150}},
        [](MadeUp& card) {
            card.device("a:0").scratchpad_bytes = 128 << 10, card.device("b:0").scratchpad_bytes = 48 << 10;
            card.latency("a:0", "scratchpad", {{30, kEnd}}, 129 * kKiB),
                card.latency("b:0", "scratchpad", {{30, kEnd}}, 47 * kKiB).ending =
                    Ending{.by = EndedBy::device, .before = 48 * kKiB, .why = "no resources"};
        },
        [](MadeUp& card) {
            card.device("a:0").scratchpad_bytes = 48 << 10, card.device("b:0").scratchpad_bytes = 48 << 10;
            card.latency("a:0", "scratchpad", {{30, kEnd}}, 47 * kKiB),
                card.latency("b:0", "scratchpad", {{30, kEnd}}, 47 * kKiB);
        }},
    {"scratchpad_limit", // a latency's sweep ends where its last step was too large

        {{"largest that runs", "a:0", 40960}, {"largest that runs", "b:0", 49150}, {"refused", "a:0", 41980},
            {"refused", "b:0", 50180}},
        [](MadeUp& card) {
            card.room("a:0", "scratchpad", 48 * kKiB, 40 * kKiB, 41 * kKiB),
                card.room("b:0", "scratchpad", 48 * kKiB, 48 * kKiB, 49 * kKiB);
            card.latency("a:0", "scratchpad", {{30, kEnd}}, 48 * kKiB);
        },
        [](MadeUp& card) {
            card.room("a:0", "scratchpad", 48 * kKiB, 47.9 * kKiB, 48 * kKiB),
                card.room("b:0", "scratchpad", 48 * kKiB, 48 * kKiB, 49 * kKiB);
            card.latency("a:0", "scratchpad", {{30, kEnd}}, 45 * kKiB);
        }},
};
} // namespace

TEST_CASE("rules of api differences: each speaks where it must and is silent where it must") {
    kApiDifferencesCases.check();
}

namespace {
CardFact extra_of(const MadeUp& card) {
    for (const Statement& each : statements_of(card.run))
        if (each.rule == "extra_cycles") return each.fact;
    FAIL("no fact");
    return {};
}
} // namespace

TEST_CASE("more cycles per load: each level on each path, and on the path whose addresses come from memory") {
    MadeUp card;
    two_apis(card, kThree, later(kThree, 20));
    card.latency("a:0", "global.pointer", later(kThree, -5), kEnd),
        card.latency("b:0", "global.pointer", later(kThree, -5), kEnd);
    const CardFact fact = extra_of(card);
    CHECK(fact.cause == Cause::none); // no listing shows one
    REQUIRE(fact.grid.sections.size() == 2);
    CHECK(fact.grid.sections[0].title == "global");
    CHECK(fact.grid.sections[1].title == "global.pointer");
    const std::vector<GridRow>& rows = fact.grid.sections[0].rows;
    REQUIRE(rows.size() == 3);
    const std::pair<const char*, double> levels[] = {{"L1", 40}, {"L2", 200}, {"DRAM", 600}};
    for (std::size_t i = 0; i < rows.size(); ++i) {
        CHECK(rows[i].place == levels[i].first);
        CHECK(rows[i].cells[0].quantity()->value == doctest::Approx(levels[i].second));
        CHECK(rows[i].cells[1].quantity()->value == doctest::Approx(levels[i].second + 20));
    }
}

TEST_CASE("that other instructions lie between two loads is a cause where listings of both show it") {
    for (const bool both : {true, false}) {
        CAPTURE(both);
        MadeUp card;
        two_apis(card, kThree, later(kThree, 20));
        const auto shows = [&](std::size_t series, std::vector<std::string> between) {
            card.run.series[series].evidence.kernel = {.listing = {.kind = "sass"},
                .load = {.instruction = "LDG.E R0, [R2]", .address_instructions = std::move(between)}};
        };
        if (both) shows(0, {"IMAD.WIDE.U32 R12, R13, 0x4, R6"});
        shows(1, {"IMAD.SHL.U32 R2, R0, 0x4, RZ", "ISETP.LE.U32.AND P1, PT, R0, c[0x0][0x48], !P0", "@!P1 BRA 0x1e0"});
        const CardFact fact = extra_of(card);
        CHECK(fact.cause == (both ? Cause::other_instructions : Cause::none));
        CHECK(std::get<Instructions>(fact.grid.sections[0].rows.back().cells[1].is).text == "IMAD.SHL, ISETP.LE, BRA");
    }
}

TEST_CASE("misses of the TLB among a level's cycles are a row of their own") {
    MadeUp card;
    two_apis(card, kThree, {{60, 64 * kKiB}, {220, 4 * kMiB}, {646, kEnd}});
    card.translation("b:0", 8 * kMiB), card.translation("a:0", 256 * kMiB);
    const std::vector<GridRow> rows = extra_of(card).grid.sections[0].rows;
    const auto misses = std::ranges::find(rows, "DRAM, of it misses of the TLB", &GridRow::place);
    REQUIRE(misses != rows.end());
    CHECK(misses->cells[1].quantity()->value > 20);
}

TEST_CASE("host memory: what it takes beyond its caches, beside DRAM of the device, and its levels") {
    MadeUp card;
    two_apis(card, kThree, kThree);
    card.latency("a:0", "host", {{40, 64 * kKiB}, {200, 4 * kMiB}, {580, kEnd}}, kEnd),
        card.latency("b:0", "host", {{40, 64 * kKiB}, {2000, kEnd}}, kEnd);
    const Statements all = statements_of(card.run);
    const auto told = std::ranges::find(all, "host_memory", &Statement::rule);
    REQUIRE(told != all.end());
    CHECK(told->fact.cause == Cause::as_device_memory);
    CHECK(told->fact.ranked == std::vector<std::vector<std::size_t>>{{1}, {0}});
    CHECK(told->effect == 1);
    REQUIRE(told->fact.grid.sections.size() == 2);
    const std::vector<GridRow>& rows = told->fact.grid.sections[0].rows;
    CHECK(rows.at(0).cells.at(0).quantity()->value == doctest::Approx(580));
    CHECK(rows.at(1).cells.at(0).quantity()->value == doctest::Approx(600));
    const std::vector<GridRow>& levels = told->fact.grid.sections[1].rows;
    CHECK(levels.at(0).place == "L1");
    CHECK(levels.at(0).cells.at(1).quantity()->value == doctest::Approx(40));
}
