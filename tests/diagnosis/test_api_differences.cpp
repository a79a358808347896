// Rules of api differences: what makes each speak, and what does not.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "tests/diagnosis/made_up.h"

using namespace sonde;
using namespace sonde::made_up;

namespace {
const Cases kApiDifferencesCases{
    {"scratchpad_limit", "Largest scratchpad of a workgroup: 215 KiB through a:0",
        [](MadeUp& card) {
            card.device("a:0"), card.device("b:0");
            card.latency("a:0", "scratchpad", {{30, kEnd}}, 220 * kKiB),
                card.latency("b:0", "scratchpad", {{30, kEnd}}, 48 * kKiB);
        },
        [](MadeUp& card) { // a processor's is ordinary memory
            card.device("a:0").cpu = true, card.device("b:0").cpu = true;
            card.latency("a:0", "scratchpad", {{30, kEnd}}, 220 * kKiB),
                card.latency("b:0", "scratchpad", {{30, kEnd}}, 48 * kKiB);
        }},
    {"extra_cycles", "A load on global, L1: 60.0 cycles through b:0, 40.0 cycles through a:0, 1.5 times apart.",
        [](MadeUp& card) { two_apis(card, kThree, later(kThree, 20)); },
        [](MadeUp& card) {
            two_apis(card, kThree, {{60, 64 * kKiB}, {260, 4 * kMiB}, {680, kEnd}});
        }},                                                                   // a slower clock, not an offset
    {"extra_cycles", "A load on global lanes=1, L1: 60.0 cycles through b:0", // measured with an option only
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
    {"extra_cycles", "A load on global, L1: ", [](MadeUp& card) { two_apis(card, kThree, later(kThree, 20)); },
        [](MadeUp& card) { two_apis(card, kThree, later(kThree, 1)); }},
    {"scratchpad_limit",
        "Largest scratchpad of a workgroup: 215 KiB through a:0, 45.3 KiB through b:0, 4.8 times apart.",
        [](MadeUp& card) {
            card.device("a:0"), card.device("b:0");
            card.latency("a:0", "scratchpad", {{30, kEnd}}, 220 * kKiB),
                card.latency("b:0", "scratchpad", {{30, kEnd}}, 48 * kKiB);
        },
        [](MadeUp& card) { // one sweep ended early, so it does not tell the limit
            card.device("a:0"), card.device("b:0").scratchpad_bytes = 220 << 10;
            card.latency("a:0", "scratchpad", {{30, kEnd}}, 220 * kKiB),
                card.latency("b:0", "scratchpad", {{30, kEnd}}, 48 * kKiB);
        }},
    {"host_memory",
        "through a:0 it has the latency of device memory (580 cycles against 600 cycles): consistent with a copy "
        "there. Through b:0 only L1 caches it, and every load beyond 64-76.1 KiB takes 2000",
        [](MadeUp& card) {
            two_apis(card, kThree, kThree);
            card.latency("a:0", "host", {{40, 64 * kKiB}, {200, 4 * kMiB}, {580, kEnd}}, kEnd),
                card.latency("b:0", "host", {{40, 64 * kKiB}, {2000, kEnd}}, kEnd);
        },
        [](MadeUp& card) {
            two_apis(card, kThree, kThree), card.latency("a:0", "host", {{40, 64 * kKiB}, {750, kEnd}}, kEnd);
        }},
    {"host_memory", "only L1 caches it, to 64-76.1 KiB, and loads far beyond take", // a slope is no second level
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
    {"bandwidth_apart",
        "Reads on constant (width=16) at 53.8 KiB: 30.0 TB/s through b:0, 900 GB/s through a:0, 33 times apart.",
        [](MadeUp& card) {
            card.device("a:0"), card.device("b:0"), card.bandwidth("a:0", "constant", {{900, kEnd}}, 60 * kKiB),
                card.bandwidth("b:0", "constant", {{30000, kEnd}}, 60 * kKiB);
        },
        [](MadeUp& card) {
            card.device("a:0"), card.device("b:0"), card.bandwidth("a:0", "constant", {{900, kEnd}}, 60 * kKiB),
                card.bandwidth("b:0", "constant", {{1700, kEnd}}, 60 * kKiB);
        }},
    {"bandwidth_apart",
        "at 22.6 KiB: 30.0 TB/s through b:0, 900 GB/s through a:0 and c:0", // where all of them were measured, or
                                                                            // between
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
    {"bandwidth_apart",
        "Reads on global (width=16) at 22.6 KiB: 56.0 GB/s through a:0, 8.50 GB/s through b:0", // by how much depends
                                                                                                // on the footprint
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
    {"scratchpad_limit",
        "Largest scratchpad of a workgroup: 128 KiB through a:0, 45.3 KiB through b:0", // by latency's sweeps
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
    {"scratchpad_limit",
        "Largest scratchpad of a workgroup: 48 KiB through b:0, 40 KiB through a:0", // a latency's sweep ends where
                                                                                     // its last step was too large
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
        if (each.rule == "extra_cycles") return each.fact.value();
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
