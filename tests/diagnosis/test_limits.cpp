// Rules of limits: what makes each speak, and what does not.
#include <algorithm>

#include <doctest/doctest.h>

#include "tests/diagnosis/made_up.h"

using namespace sonde;
using namespace sonde::made_up;

namespace {
const Cases kLimitsCases{
    {"core_scratchpad",
        {{"together", "a:0", 229400}, {"together", "b:0", 49150}, {"each of them", "a:0", 8192},
            {"each of them", "b:0", 2048}},
        [](MadeUp& card) { card.occupancy("a:0", 228 * kKiB), card.occupancy("b:0", 48 * kKiB); },
        [](MadeUp& card) { card.occupancy("a:0", 228 * kKiB), card.occupancy("b:0", 200 * kKiB); }},
    {"limit_unlike_reported", {{"at least", "a:0", 262100}, {"the driver reports", "a:0", 65540}},
        [](MadeUp& card) { card.room("a:0", "constant", 64 * kKiB, 256 * kKiB, std::nullopt); },
        [](MadeUp& card) { card.room("a:0", "constant", 64 * kKiB, 64 * kKiB, 65 * kKiB); }, Cause::in_buffer_memory},
    {"limit_unlike_reported", {{"runs", "a:0", 48640}, {"refused", "a:0", 49150}, {"the driver reports", "a:0", 49150}},
        [](MadeUp& card) { card.room("a:0", "scratchpad", 48 * kKiB, 47.5 * kKiB, 48 * kKiB); },
        [](MadeUp& card) { card.room("a:0", "scratchpad", 48 * kKiB, 48 * kKiB, 49 * kKiB); }},
};
} // namespace

TEST_CASE("rules of limits: each speaks where it must and is silent where it must") { kLimitsCases.check(); }

TEST_CASE("scratchpad limits: rows of what runs, what drivers report and static arrays; why a sweep tells less") {
    MadeUp card;
    card.room("a:0", "scratchpad", 227 * kKiB, 227 * kKiB, 228 * kKiB);
    card.room("b:0", "scratchpad", 48 * kKiB, 47 * kKiB, 48 * kKiB);
    card.run.series.back().evidence.static_bytes = 48 << 10;
    card.device("c:0").scratchpad_bytes = 48 << 10;
    card.latency("c:0", "scratchpad", {{30, kEnd}}, 47 * kKiB).ending =
        Ending{.by = EndedBy::device, .before = 48 * kKiB, .why = "no resources"};
    const Statements all = statements_of(card.run);
    const auto told = std::ranges::find(all, "scratchpad_limit", &Statement::rule);
    REQUIRE(told != all.end());
    const std::vector<GridRow>& rows = told->fact.grid.sections.at(0).rows;
    REQUIRE(rows.size() == 4); // runs, refused, reported, as a static array
    CHECK(rows[0].cells[1].quantity()->value == 47 * kKiB);
    CHECK(rows[1].cells[1].quantity()->value == 48 * kKiB);
    CHECK(rows[2].cells[0].quantity()->value == 227 * kKiB);
    CHECK(rows[3].cells[1].quantity()->value == 48 * kKiB);
    CHECK_FALSE(rows[3].cells[0].quantity());
    CHECK(says(told->fact.notes, "through c:0 ends before 48 KiB"));
    CHECK_FALSE(says(told->fact.notes, "at least")); // what was refused ends it
}

TEST_CASE("a scratchpad that is at least so large is not ranked against a measured end") {
    const auto is_told = [](std::optional<double> refused) {
        MadeUp card;
        card.room("a:0", "scratchpad", 48 * kKiB, 48 * kKiB, 49 * kKiB);
        card.room("b:0", "scratchpad", 48 * kKiB, 24 * kKiB, refused);
        const Statements all = statements_of(card.run);
        return std::ranges::find(all, "scratchpad_limit", &Statement::rule) != all.end();
    };
    CHECK(is_told(25 * kKiB));
    CHECK_FALSE(is_told(std::nullopt));
}

TEST_CASE("a limit that a sweep tells lies between the largest that ran and the one refused") {
    MadeUp card;
    card.device("b:0").scratchpad_bytes = 48 << 10;
    card.room("a:0", "scratchpad", 227 * kKiB, 227 * kKiB, 228 * kKiB);
    Series& sweep = card.latency("b:0", "scratchpad", {{30, kEnd}}, 47 * kKiB);
    sweep.ending = Ending{.by = EndedBy::device, .before = 48 * kKiB, .why = "no resources"};
    const Statements all = statements_of(card.run);
    const auto told = std::ranges::find(all, "scratchpad_limit", &Statement::rule);
    REQUIRE(told != all.end());
    const GridRow& runs = told->fact.grid.sections.at(0).rows.at(0);
    CHECK_FALSE(runs.cells[1].quantity()->range);
    CHECK(runs.cells[0].quantity()->range == std::pair(sweep.points.back().x, 48.0 * kKiB));
}

TEST_CASE("a sweep of the scratchpad tells its limit only where it lies, whatever of the refused step runs") {
    const auto told_beside = [](double other, std::optional<double> refused) {
        MadeUp card;
        card.device("b:0").scratchpad_bytes = 48 << 10;
        card.room("a:0", "scratchpad", other * kKiB, other * kKiB, (other + 1) * kKiB);
        Series& sweep = card.latency("b:0", "scratchpad", {{30, kEnd}}, 47 * kKiB); // to 45 KiB
        if (refused) sweep.ending = Ending{.by = EndedBy::device, .before = *refused, .why = "no resources"};
        const Statements all = statements_of(card.run);
        return std::ranges::find(all, "scratchpad_limit", &Statement::rule) != all.end();
    };
    CHECK(told_beside(227, 48 * kKiB));
    CHECK_FALSE(told_beside(48, 48 * kKiB)); // 45 KiB are no limit: 47.9 may run
    CHECK_FALSE(told_beside(227, std::nullopt));
}
