// Rules of atomic operations: what makes each speak, and what does not.
#include <algorithm>
#include <tuple>

#include <doctest/doctest.h>

#include "tests/diagnosis/made_up.h"

using namespace sonde;
using namespace sonde::made_up;

namespace {
const Cases kAtomicsCases{
    {"atomics_apart", {{"132 workgroups", "a:0", 8e12}, {"132 workgroups", "b:0", 2e12}},
        [](MadeUp& card) {
            card.curve("atomics", "a:0", "scratchpad", {{"layout", "consecutive"}}, {{132, 8000}}),
                card.curve("atomics", "b:0", "scratchpad", {{"layout", "consecutive"}}, {{132, 2000}});
        },
        [](MadeUp& card) {
            card.curve("atomics", "a:0", "scratchpad", {{"layout", "consecutive"}}, {{132, 8000}}),
                card.curve("atomics", "b:0", "scratchpad", {{"layout", "consecutive"}}, {{132, 7000}});
        }},
    {"atomics_apart", // with as many workgroups

        {{"528 workgroups", "a:0", 8e12}, {"528 workgroups", "b:0", 2e12}, {"132 workgroups", "a:0", 4e12},
            {"132 workgroups", "b:0", 2e12}},
        [](MadeUp& card) {
            card.curve("atomics", "a:0", "global", {{"layout", "consecutive"}}, {{132, 4000}, {528, 8000}}),
                card.curve("atomics", "b:0", "global", {{"layout", "consecutive"}}, {{132, 2000}, {528, 2000}});
        },
        [](MadeUp& card) {
            card.curve("atomics", "a:0", "global", {{"layout", "consecutive"}}, {{132, 8000}, {528, 8000}}),
                card.curve("atomics", "b:0", "global", {{"layout", "consecutive"}}, {{264, 1000}});
        }},
    {"atomics_apart", {{"132 workgroups", "a:0", 4.5e11}, {"132 workgroups", "b:0", 3.42e11}},
        [](MadeUp& card) {
            for (const auto& [id, rate] : {std::pair{"a:0", 450.0}, {"b:0", 342.0}})
                card.curve("atomics", id, "global", {{"layout", "distinct-lines"}}, {{132, rate}});
        },
        [](MadeUp& card) {
            for (const auto& [id, rate] : {std::pair{"a:0", 450.0}, {"b:0", 342.0}})
                card.curve("atomics", id, "global", {{"layout", "consecutive"}}, {{132, rate}});
        }}, // two runs of one device lie so far apart
    {"atomics_apart", {{"132 workgroups", "a:0", 9e10}, {"132 workgroups", "b:0", 6e10}},
        [](MadeUp& card) {
            for (const auto& [id, plain, wide] : {std::tuple{"a:0", 90.0, 84.0}, {"b:0", 60.0, 60.0}})
                card.curve("atomics", id, "global", {{"layout", "distinct-lines"}}, {{132, plain}}),
                    card.curve("atomics", id, "global", {{"layout", "distinct-lines"}, {"type", "u64"}}, {{132, wide}});
        },
        [](MadeUp& card) {
            card.curve("atomics", "a:0", "global", {{"layout", "distinct-lines"}}, {{132, 90}}),
                card.curve("atomics", "b:0", "global", {{"layout", "distinct-lines"}}, {{132, 85}});
        }},
    {"atomics_apart", // one between two joins them

        {{"132 workgroups", "a:0", 6e10}, {"132 workgroups", "b:0", 5.2e10}, {"132 workgroups", "c:0", 3e10}},
        [](MadeUp& card) {
            for (const auto& [id, rate] : {std::pair{"a:0", 60.0}, {"b:0", 52.0}, {"c:0", 30.0}})
                card.curve("atomics", id, "global", {{"layout", "distinct-lines"}}, {{132, rate}});
        },
        [](MadeUp& card) {
            for (const auto& [id, rate] : {std::pair{"a:0", 60.0}, {"b:0", 52.5}, {"c:0", 45.5}})
                card.curve("atomics", id, "global", {{"layout", "distinct-lines"}}, {{132, rate}});
        }},
    {"atomics_apart", // one workgroup alone

        {{"1 workgroup", "a:0", 1.2e10}, {"1 workgroup", "b:0", 1.9e9}, {"528 workgroups", "a:0", 3.3e11},
            {"528 workgroups", "b:0", 3.1e11}},
        [](MadeUp& card) {
            for (const auto& [id, alone, all] : {std::tuple{"a:0", 12.0, 330.0}, {"b:0", 1.9, 310.0}})
                card.curve("atomics", id, "global", {{"layout", "consecutive"}, {"operation", "fetch-add"}},
                    {{1, alone}, {528, all}});
        },
        [](MadeUp& card) {
            for (const char* id : {"a:0", "b:0"})
                card.curve("atomics", id, "global", {{"layout", "consecutive"}, {"operation", "fetch-add"}},
                    {{1, 12}, {528, 330}});
        }},
    {"atomics_apart",
        {{"100 workgroups", "a:0", 1.37e9}, {"100 workgroups", "b:0", 4.4e10}, {"1 workgroup", "a:0", 1e9},
            {"1 workgroup", "b:0", 4e9}},
        [](MadeUp& card) {
            card.curve("atomics", "a:0", "global", {{"layout", "same-address"}}, {{1, 1}, {100, 1.37}}),
                card.curve("atomics", "b:0", "global", {{"layout", "same-address"}}, {{1, 4}, {100, 44}});
        },
        [](MadeUp& card) { // other operations on each side
            card.curve("atomics", "a:0", "global", {{"layout", "same-address"}}, {{1, 1}, {100, 1.37}}),
                card.curve("atomics", "b:0", "global", {{"layout", "same-address"}, {"operation", "fetch-add"}},
                    {{1, 1}, {100, 44}});
        }},
};
} // namespace

TEST_CASE("rules of atomic operations: each speaks where it must and is silent where it must") {
    kAtomicsCases.check();
}

namespace {
/// The fact that a card's rule of atomics states first.
CardFact first_fact(const Run& run) {
    for (const Statement& each : statements_of(run))
        if (each.rule == "atomics_apart") return each.fact;
    FAIL("no fact");
    return {};
}
} // namespace

TEST_CASE("operations of one layout are one table: the farthest apart first, others behind, and what differs at none "
          "left out") {
    MadeUp card;
    for (const auto& [id, plain, wide, alike] : {std::tuple{"a:0", 84.0, 90.0, 50.0}, {"b:0", 60.0, 60.0, 50.0}})
        for (const auto& [type, rate] : {std::pair{"u32", plain}, {"u64", wide}, {"f32", alike}})
            card.curve("atomics", id, "global", {{"layout", "distinct-lines"}, {"type", type}},
                {{1, 1}, {132, rate}, {528, rate}});
    const CardFact fact = first_fact(card.run);
    REQUIRE(fact.grid.sections.size() == 2);
    CHECK(fact.grid.columns == std::vector<std::string>{"a:0", "b:0"});
    CHECK(fact.grid.sections[0].title == "u64 add");
    CHECK(fact.grid.sections[1].title == "u32 add");
    const std::vector<GridRow>& rows = fact.grid.sections[0].rows;
    REQUIRE(rows.size() == 3); // no listing shows an instruction
    CHECK(rows[0].place == "528 workgroups");
    CHECK(rows[1].place == "132 workgroups");
    CHECK(rows[2].place == "1 workgroup");
    CHECK(*rows[0].cells[1].quantity() == Quantity{60e9, Unit::op_per_s});
    CHECK(fact.effect == doctest::Approx(1.5));
    CHECK(fact.cause == Cause::none);
}

TEST_CASE("that a compiler adds up a subgroup's lanes is a cause where a listing shows it on one side alone") {
    for (const auto& [layout, both, cause] :
        {std::tuple{"same-address", false, Cause::joined_by_compiler}, {"same-address", true, Cause::none},
            {"consecutive", false, Cause::none}}) { // lanes at words of their own cannot be joined
        CAPTURE(layout);
        CAPTURE(both);
        MadeUp card;
        for (const auto& [id, rate, joined] : {std::tuple{"a:0", 1.37, both}, {"b:0", 44.0, true}}) {
            Series& made = card.curve("atomics", id, "global", {{"layout", layout}}, {{100, rate}});
            made.evidence.kernel.emplace().atomics.emplace().push_back(
                {.kind = "REDG.E.ADD", .combined_by = joined ? "REDUX.SUM" : ""});
        }
        const CardFact fact = first_fact(card.run);
        CHECK(fact.cause == cause);
        CHECK(std::get<Instructions>(fact.grid.sections[0].rows[1].cells[0].is).text.starts_with("REDG.E.ADD"));
    }
}

TEST_CASE(
    "additions whose instructions return a result and those whose return none are not ranked: each is told among its "
    "own, and the others stand beside") {
    const auto card_with = [](std::initializer_list<std::tuple<const char*, double, bool>> devices) {
        MadeUp card;
        for (const auto& [id, rate, returns] : devices) {
            Series& made = card.curve("atomics", id, "global", {{"layout", "same-address"}}, {{1, rate}});
            made.evidence.kernel.emplace(KernelEvidence{.listing = {.kind = "sass"}})
                .atomics.emplace()
                .push_back({.instruction = returns ? "ATOMG.E.ADD PT, RZ, [R4.64], R9" : "REDG.E.ADD [R4.64], R9",
                    .kind = returns ? "ATOMG.E.ADD" : "REDG.E.ADD"});
        }
        return card;
    };
    CHECK(statements_of(card_with({{"a:0", 1, true}, {"b:0", 1.4, false}}).run).empty());
    const CardFact fact = first_fact(card_with({{"a:0", 1, true}, {"b:0", 1.4, false}, {"c:0", 44, false}}).run);
    CHECK(fact.grid.columns == std::vector<std::string>{"a:0", "b:0", "c:0"});
    CHECK(fact.ranked == std::vector<std::vector<std::size_t>>{{2}, {1}});
}

TEST_CASE("what joining lanes makes faster at one address and slower elsewhere is one fact") {
    MadeUp card;
    const auto add = [&](const char* id, const char* path, const char* layout, double rate, bool joined) {
        Series& made = card.curve("atomics", id, path, {{"layout", layout}}, {{100, rate}});
        made.evidence.kernel.emplace().atomics.emplace().push_back(
            {.kind = "ATOMS.ADD", .combined_by = joined ? "REDUX.SUM" : ""});
    };
    add("a:0", "global", "same-address", 1.37, false), add("b:0", "global", "same-address", 44, true);
    add("a:0", "scratchpad", "consecutive", 8300, false), add("b:0", "scratchpad", "consecutive", 2800, true);
    add("a:0", "global", "consecutive", 400, false), add("b:0", "global", "consecutive", 600, true);
    const Statements all = statements_of(card.run);
    CHECK(std::ranges::count(all, "atomics_apart", &Statement::rule) == 2); // the last for a reason of its own
    const CardFact fact = first_fact(card.run);
    CHECK(fact.cause == Cause::joined_by_compiler);
    REQUIRE(fact.grid.sections.size() == 2);
    CHECK(fact.grid.sections[0].rows[0].cells[1].quantity()->value == 44e9);
    CHECK(fact.grid.sections[1].rows[0].cells[1].quantity()->value == 2800e9);
}
