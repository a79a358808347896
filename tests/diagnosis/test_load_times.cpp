// Rules of load times: what makes each speak, and what does not.
#include <algorithm>

#include <doctest/doctest.h>

#include "tests/diagnosis/made_up.h"

using namespace sonde;
using namespace sonde::made_up;

namespace {
const Cases kLoadTimesCases{
    {"mean_of_two_kinds",
        {{"as slow as DRAM's fastest 2 %", "a:0", 0.5}, {"as slow as DRAM's median", "a:0", 0},
            {"footprint", "a:0", 6.291e6}, {"DRAM's fastest 2 % take, at the most", "a:0", 600}},
        [](MadeUp& card) { in_two_parts(card), card.single_loads("a:0", 6 * kMiB, 50); },
        [](MadeUp& card) { in_two_parts(card), card.single_loads("a:0", 6 * kMiB, 10); }},
    {"mean_of_two_kinds",
        {{"as slow as DRAM's fastest 2 %", "a:0", 0.7}, {"as slow as DRAM's median", "a:0", 0},
            {"footprint", "a:0", 6.291e6}, {"DRAM's fastest 2 % take, at the most", "a:0", 600}},
        [](MadeUp& card) { in_two_parts(card), card.single_loads("a:0", 6 * kMiB, 70); },
        [](MadeUp& card) { in_two_parts(card), card.single_loads("a:0", 12 * kMiB, 70); }}, // beyond its end
    // it begins between 4 and 4.76 MiB, and ends between 8 and 9.51
    {"mean_of_two_kinds",
        {{"as slow as DRAM's fastest 2 %", "a:0", 0.7}, {"as slow as DRAM's median", "a:0", 0},
            {"footprint", "a:0", 5.243e6}, {"DRAM's fastest 2 % take, at the most", "a:0", 600}},
        [](MadeUp& card) { in_two_parts(card), card.single_loads("a:0", 5 * kMiB, 70); },
        [](MadeUp& card) { in_two_parts(card), card.single_loads("a:0", 4.5 * kMiB, 70); }},
    {"mean_of_two_kinds",
        {{"as slow as DRAM's fastest 2 %", "a:0", 0.7}, {"as slow as DRAM's median", "a:0", 0},
            {"footprint", "a:0", 8.389e6}, {"DRAM's fastest 2 % take, at the most", "a:0", 600}},
        [](MadeUp& card) { in_two_parts(card), card.single_loads("a:0", 8 * kMiB, 70); },
        [](MadeUp& card) { in_two_parts(card), card.single_loads("a:0", 9 * kMiB, 70); }},
};
} // namespace

TEST_CASE("rules of load times: each speaks where it must and is silent where it must") { kLoadTimesCases.check(); }

TEST_CASE("a mean of two kinds of loads: shares, times and the footprint") {
    MadeUp card;
    in_two_parts(card), card.single_loads("a:0", 6 * kMiB, 50);
    const Statements all = statements_of(card.run);
    const auto told = std::ranges::find(all, "mean_of_two_kinds", &Statement::rule);
    REQUIRE(told != all.end());
    const std::vector<GridRow>& rows = told->fact.grid.sections.at(0).rows;
    const Quantity numbers[] = {{0.5, Unit::share}, {0, Unit::share}, {6 * kMiB, Unit::bytes}, {600, Unit::cycles}};
    for (std::size_t i = 0; i < std::size(numbers); ++i) {
        CAPTURE(rows.at(i).place);
        CHECK(rows.at(i).cells[0].quantity()->unit == numbers[i].unit);
        CHECK(rows.at(i).cells[0].quantity()->value == doctest::Approx(numbers[i].value));
    }
    CHECK(told->effect > 1.5);
    CHECK(told->from.back().x == std::vector<double>{6 * kMiB});
}
