// Rules of structure: what makes each speak, and what does not.
#include <algorithm>

#include <doctest/doctest.h>

#include "tests/diagnosis/made_up.h"

using namespace sonde;
using namespace sonde::made_up;

namespace {
const Cases kStructureCases{
    {"evicts_as_own",
        {{"evicted, of what its own loads evict", "a:0", 0.96}, {"a load after these", "a:0", 98},
            {"a load after its own", "a:0", 100}, {"a load undisturbed", "a:0", 50}},
        [](MadeUp& card) { card.evicting("a:0", "texel", 0.5), card.evicting("a:0", "global", 0.48); },
        [](MadeUp& card) {
            card.evicting("a:0", "texel", 0.05), card.evicting("a:0", "global", 0.48),
                card.evicting("b:0", "global", 0.48);
        },
        Cause::one_cache}, // no control, or none that evicts
    {"evicts_as_own",
        {{"evicted, of what its own loads evict", "a:0", 0.4}, {"a load after these", "a:0", 70},
            {"a load after its own", "a:0", 100}, {"a load undisturbed", "a:0", 50}},
        [](MadeUp& card) { card.evicting("a:0", "texel", 0.5), card.evicting("a:0", "global", 0.2); },
        [](MadeUp& card) { card.evicting("a:0", "texel", 0.5), card.evicting("a:0", "global", 0.02); },
        Cause::part_of_cache},
    {"evicts_as_own",
        {{"evicted, of what its own loads evict", "a:0", 0.4}, {"a load after these", "a:0", 70},
            {"a load after its own", "a:0", 100}, {"a load undisturbed", "a:0", 50}},
        [](MadeUp& card) {
            card.evicting("a:0", "texel", 0.5), card.evicting("a:0", "global", 0.2), card.evicting("b:0", "texel", 0.5),
                card.evicting("b:0", "global", 0.6);
        },                 // b:0's are in another sentence
        [](MadeUp& card) { // a processor's paths all have one L1
            card.evicting("a:0", "texel", 0.5), card.evicting("a:0", "global", 0.2);
            for (DeviceRecord& device : card.run.devices) device.cpu = true;
        },
        Cause::part_of_cache},
    {"tlb_reach", {{"reach (30 ns a miss)", "a:0", 2.684e8}, {"reach (30 ns a miss)", "b:0", 8.389e6}},
        [](MadeUp& card) { card.translation("a:0", 256 * kMiB), card.translation("b:0", 8 * kMiB); },
        [](MadeUp& card) { card.translation("a:0", 256 * kMiB), card.translation("b:0", 192 * kMiB); },
        Cause::smaller_pages},
    {"tlb_reach", // one statement for both

        {{"reach (30 ns a miss)", "a:0", 2.684e8}, {"reach (30 ns a miss)", "b:0", 8.389e6},
            {"reach (30 ns a miss)", "c:0", 2.684e8}},
        [](MadeUp& card) {
            card.translation("a:0", 256 * kMiB), card.translation("b:0", 8 * kMiB), card.translation("c:0", 256 * kMiB);
        },
        [](MadeUp& card) {
            card.translation("a:0", 256 * kMiB), card.translation("b:0", 256 * kMiB),
                card.translation("c:0", 256 * kMiB);
        },
        Cause::smaller_pages},
    {"l1_by_scratchpad",
        {{"nothing held", "a:0", 65540}, {"nothing held", "b:0", 65540}, {"12 KiB held", "a:0", 16380},
            {"12 KiB held", "b:0", 65540}},
        [](MadeUp& card) {
            card.held("a:0", 0, 64), card.held("a:0", 12, 16), card.held("b:0", 0, 64), card.held("b:0", 12, 64);
        },
        [](MadeUp& card) {
            card.held("a:0", 0, 64), card.held("a:0", 12, 64), card.held("a:0", 0, 16, {{"carveout", "100"}});
        }},
};
} // namespace

TEST_CASE("rules of structure: each speaks where it must and is silent where it must") { kStructureCases.check(); }

TEST_CASE("TLB reach: a row for each level by what a miss costs, and what loads take beyond a level of one device") {
    MadeUp card;
    card.translation("a:0", 256 * kMiB), card.translation("b:0", 8 * kMiB);
    for (Point& point : card.run.series.back().points) point.median = point.x > 512 * kMiB ? 600 : *point.median;
    const Statements all = statements_of(card.run);
    const auto told = std::ranges::find(all, "tlb_reach", &Statement::rule);
    REQUIRE(told != all.end());
    CHECK(told->fact.cause == Cause::smaller_pages);
    CHECK(told->fact.effect == 32);
    const std::vector<GridRow>& rows = told->fact.grid.sections.at(0).rows;
    REQUIRE(rows.size() == 3);
    CHECK(rows[0].cells[0].quantity()->range->first == doctest::Approx(181 * kMiB).epsilon(0.01));
    CHECK_FALSE(rows[1].cells[0].quantity()); // a step of b:0 alone
    CHECK(rows[1].cells[1].quantity());
    CHECK(rows[2].place == "a load of 4096 lines over 2.83 GiB");
    CHECK(*rows[2].cells[1].quantity() == Quantity{600, Unit::ns});
}
