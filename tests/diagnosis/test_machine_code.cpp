// Rules of machine code: what makes each speak, and what does not.
#include <algorithm>

#include <doctest/doctest.h>

#include "tests/diagnosis/made_up.h"

using namespace sonde;
using namespace sonde::made_up;

namespace {
const Cases kMachineCodeCases{
    {"atomic_cache_control",
        {{"instruction", "a:0", "ATOM.E.ADD"}, {"instruction", "b:0", "ATOMG.E.ADD"},
            {"directly behind it", "a:0", "CCTL.IVALL"}, {"directly behind it", "b:0", "nothing"}},
        [](MadeUp& card) {
            card.compiled("atomics", "a:0", "global", "ATOM.E.ADD", "CCTL.IVALL", "sass"),
                card.compiled("atomics", "b:0", "global", "ATOMG.E.ADD", "", "sass");
        },
        [](MadeUp& card) {
            card.compiled("atomics", "a:0", "global", "atom.global.add.u32", "fence", "ptx"),
                card.compiled("atomics", "b:0", "scratchpad", "ATOMS.ADD", "MEMBAR", "sass");
        }},
    {"load_moved",
        {{"global.uniform", "a:0", "s_load_dword (scalar path)"},
            {"global.uniform", "b:0", "LDG.E (path of other loads)"}},
        [](MadeUp& card) {
            card.compiled("latency", "a:0", "global.uniform", "s_load_dword"),
                card.compiled("latency", "b:0", "global.uniform", "LDG.E", std::nullopt, "sass");
        },
        [](MadeUp& card) {
            card.compiled("latency", "a:0", "global", "buffer_load_dword"),
                card.compiled("latency", "b:0", "constant", "LDC", std::nullopt, "sass"),
                card.compiled("latency", "c:0", "global.uniform", "OpLoad", std::nullopt, "spirv");
        }},
    {"load_moved", {{"global.uniform", "a:0", "LDG.E (path of other loads)"}},
        [](MadeUp& card) { card.compiled("latency", "a:0", "global.uniform", "LDG.E", std::nullopt, "sass"); },
        [](MadeUp& card) {
            card.compiled("latency", "a:0", "global.readonly", "LDG.E.CONSTANT", std::nullopt, "sass");
        }},
    {"load_moved", {{"global.readonly", "a:0", "LDC.64 (constant path)"}},
        [](MadeUp& card) { card.compiled("latency", "a:0", "global.readonly", "LDC.64", std::nullopt, "sass"); },
        [](MadeUp& card) {
            card.compiled("latency", "a:0", "global.readonly", "LDG.E.CONSTANT", std::nullopt, "sass");
        }},
};
} // namespace

TEST_CASE("rules of machine code: each speaks where it must and is silent where it must") { kMachineCodeCases.check(); }

TEST_CASE("loads by their machine code: instructions of all devices; where none was moved that is told last") {
    for (const bool moved : {true, false}) {
        CAPTURE(moved);
        MadeUp card;
        card.compiled(
            "latency", "a:0", "global.uniform", moved ? "s_load_dword" : "LDG.E", std::nullopt, moved ? "gcn" : "sass"),
            card.compiled("latency", "b:0", "global.uniform", "LDG.E", std::nullopt, "sass");
        const Statements all = statements_of(card.run);
        const auto told = std::ranges::find(all, "load_moved", &Statement::rule);
        REQUIRE(told != all.end());
        CHECK(told->effect == (moved ? 1 : 0));
        CHECK(told->tells_all == moved);
        const GridRow& row = told->fact.grid.sections.at(0).rows.at(0);
        CHECK(row.place == "global.uniform");
        CHECK(std::get<Instructions>(row.cells.at(1).is).text.starts_with("LDG.E"));
        CHECK(told->fact.ranked.at(0).size() == (moved ? 1 : 2));
    }
}

TEST_CASE("cache control: instructions of devices without any stand beside it") {
    MadeUp card;
    card.compiled("atomics", "a:0", "global", "ATOM.E.ADD", "CCTL.IVALL", "sass"),
        card.compiled("atomics", "b:0", "global", "ATOMG.E.ADD", "", "sass");
    const Statements all = statements_of(card.run);
    const auto told = std::ranges::find(all, "atomic_cache_control", &Statement::rule);
    REQUIRE(told != all.end());
    const std::vector<GridRow>& rows = told->fact.grid.sections.at(0).rows;
    CHECK(std::get<Instructions>(rows.at(0).cells.at(1).is).text == "ATOMG.E.ADD");
    CHECK(std::get<Instructions>(rows.at(1).cells.at(0).is).text == "CCTL.IVALL");
    CHECK(std::get<Instructions>(rows.at(1).cells.at(1).is).text == "nothing");
}
