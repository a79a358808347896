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
    {"tlb_reach", {{"TLB L1", "a:0", 2.684e8}, {"TLB L1", "b:0", 8.389e6}},
        [](MadeUp& card) { card.translation("a:0", 256 * kMiB), card.translation("b:0", 8 * kMiB); },
        [](MadeUp& card) { card.translation("a:0", 256 * kMiB), card.translation("b:0", 192 * kMiB); },
        Cause::smaller_pages},
    {"tlb_reach", // one statement for both

        {{"TLB L1", "a:0", 2.684e8}, {"TLB L1", "b:0", 8.389e6}, {"TLB L1", "c:0", 2.684e8}},
        [](MadeUp& card) {
            card.translation("a:0", 256 * kMiB), card.translation("b:0", 8 * kMiB), card.translation("c:0", 256 * kMiB);
        },
        [](MadeUp& card) {
            card.translation("a:0", 256 * kMiB), card.translation("b:0", 256 * kMiB),
                card.translation("c:0", 256 * kMiB);
        },
        Cause::smaller_pages},
    {"smallest_split", {{"L1 ends at", "b:0", 16 * kKiB}, {"smallest size", "b:0", 16 * kKiB}},
        [](MadeUp& card) {
            two_apis(card, kThree, {{40, 16 * kKiB}, {200, 4 * kMiB}, {600, kEnd}});
            card.run.devices[0].l1_splits = {{16 << 10, 48 << 10}, {48 << 10, 16 << 10}};
        },
        [](MadeUp& card) {
            two_apis(card, kThree, kThree);
            card.run.devices[0].l1_splits = {{16 << 10, 48 << 10}, {48 << 10, 16 << 10}};
        }},
    {"smallest_split", // a card of one size, and a file without the field
        {{"L1 ends at", "a:0", 64 * kKiB}, {"smallest size", "a:0", 64 * kKiB}, {"L1 ends at", "b:0", 64 * kKiB},
            {"smallest size", "b:0", 64 * kKiB}},
        [](MadeUp& card) {
            two_apis(card, kThree, kThree);
            card.run.devices[1].l1_splits = {{0, 128 << 10}, {64 << 10, 64 << 10}};
        },
        [](MadeUp& card) {
            two_apis(card, kThree, kThree);
            card.run.devices[0].l1_splits = {{0, 64 << 10}};
        }},
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

TEST_CASE("TLB reach: loads are told where they lie the farthest apart; reaches and costs of a miss stand below, by "
          "level") {
    MadeUp card;
    card.translation("a:0", 256 * kMiB), card.translation("b:0", 8 * kMiB);
    for (Point& point : card.run.series.back().points) point.median = point.x > 512 * kMiB ? 600 : *point.median;
    const Statements all = statements_of(card.run);
    const auto told = std::ranges::find(all, "tlb_reach", &Statement::rule);
    REQUIRE(told != all.end());
    CHECK(told->fact.cause == Cause::smaller_pages);
    const std::vector<GridSection>& sections = told->fact.grid.sections;
    REQUIRE(sections.size() == 3);
    REQUIRE(sections[0].rows.size() == 1);
    CHECK(*sections[0].rows[0].cells[1].quantity() == Quantity{600, Unit::ns});
    CHECK(told->fact.effect == doctest::Approx(600 / sections[0].rows[0].cells[0].quantity()->value));
    CHECK(told->fact.ranked == std::vector<std::vector<std::size_t>>{{1}, {0}});
    const std::vector<GridRow>&reaches = sections[1].rows, &costs = sections[2].rows;
    REQUIRE(reaches.size() == 2);
    REQUIRE(costs.size() == 2);
    CHECK(reaches[0].cells[0].quantity()->range->first == doctest::Approx(181 * kMiB).epsilon(0.01));
    CHECK_FALSE(reaches[1].cells[0].quantity()); // a step of b:0 alone
    CHECK(reaches[1].cells[1].quantity());
    CHECK(*costs[0].cells[0].quantity() == Quantity{30, Unit::ns});
    CHECK(costs[1].cells[1].quantity()->value > 300);
}
