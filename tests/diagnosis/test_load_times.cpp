// Rules of load times: what makes each speak, and what does not.
#include <algorithm>

#include <doctest/doctest.h>

#include "tests/diagnosis/made_up.h"

using namespace sonde;
using namespace sonde::made_up;

namespace {
const Cases kLoadTimesCases{
    {"mean_of_two_kinds", {{"L2 far", "a:0", 308}},
        [](MadeUp& card) { in_two_parts(card), card.single_loads("a:0", 6 * kMiB, 50); },
        [](MadeUp& card) { in_two_parts(card), card.single_loads("a:0", 6 * kMiB, 10); }},
    {"mean_of_two_kinds", {{"L2 far", "a:0", 308}},
        [](MadeUp& card) { in_two_parts(card), card.single_loads("a:0", 6 * kMiB, 70); },
        [](MadeUp& card) { in_two_parts(card), card.single_loads("a:0", 12 * kMiB, 70); }}, // beyond its end
};
} // namespace

TEST_CASE("rules of load times: each speaks where it must and is silent where it must") { kLoadTimesCases.check(); }

TEST_CASE("levels whose loads are of two kinds: what either takes, their share, how many are as slow as DRAM, and the "
          "footprint") {
    MadeUp card;
    in_two_parts(card), card.single_loads("a:0", 6 * kMiB, 50);
    const Statements all = statements_of(card.run);
    const auto told = std::ranges::find(all, "mean_of_two_kinds", &Statement::rule);
    REQUIRE(told != all.end());
    const std::vector<GridSection>& sections = told->fact.grid.sections;
    REQUIRE(sections.size() == 5);
    CHECK(sections[3].rows.empty()); // DRAM's loads are of one kind here
    const std::pair<std::size_t, Quantity> numbers[] = {
        {0, {308, Unit::cycles}}, {1, {0.5, Unit::share}}, {2, {0, Unit::share}}, {4, {6 * kMiB, Unit::bytes}}};
    for (const auto& [i, number] : numbers) {
        CAPTURE(sections[i].title);
        REQUIRE_FALSE(sections[i].rows.empty());
        CHECK(sections[i].rows[0].place == "L2 far");
        CHECK(sections[i].rows[0].cells[0].quantity()->unit == number.unit);
        CHECK(sections[i].rows[0].cells[0].quantity()->value == doctest::Approx(number.value).epsilon(0.01));
    }
    CHECK(sections[0].rows[0].cells[0].beside->value == doctest::Approx(604).epsilon(0.01));
    CHECK(told->effect > 1.5);
    CHECK(told->from.back().x == std::vector<double>{6 * kMiB});
}
