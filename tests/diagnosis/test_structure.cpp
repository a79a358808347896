// Rules of structure: what makes each speak, and what does not.
#include <algorithm>

#include <doctest/doctest.h>

#include "tests/diagnosis/made_up.h"

using namespace sonde;
using namespace sonde::made_up;

namespace {
const Cases kStructureCases{
    {"evicts_as_own",
        "Loads on global over 128 KiB evict as many lines of a walk on texel as its own loads do: consistent with a "
        "cache that both use. Through a:0 its loads then take 98 ns on average, 100 after loads of its own, 50 "
        "undisturbed.",
        [](MadeUp& card) { card.evicting("a:0", "texel", 0.5), card.evicting("a:0", "global", 0.48); },
        [](MadeUp& card) {
            card.evicting("a:0", "texel", 0.05), card.evicting("a:0", "global", 0.48),
                card.evicting("b:0", "global", 0.48);
        }}, // no control, or none that evicts
    {"evicts_as_own",
        "consistent with a part of one cache; the rest is unexplained. Through a:0 its loads then take 70 ns on "
        "average, 100 after loads of its own, 50 undisturbed.",
        [](MadeUp& card) { card.evicting("a:0", "texel", 0.5), card.evicting("a:0", "global", 0.2); },
        [](MadeUp& card) { card.evicting("a:0", "texel", 0.5), card.evicting("a:0", "global", 0.02); }},
    {"evicts_as_own",
        "evict fewer lines of a walk on texel than its own loads do: consistent with a part of one cache; the rest is "
        "unexplained. Through a:0 its loads then take 70 ns on average, 100 after loads of its own, 50 undisturbed.",
        [](MadeUp& card) {
            card.evicting("a:0", "texel", 0.5), card.evicting("a:0", "global", 0.2), card.evicting("b:0", "texel", 0.5),
                card.evicting("b:0", "global", 0.6);
        },                 // b:0's are in another sentence
        [](MadeUp& card) { // a processor's paths all have one L1
            card.evicting("a:0", "texel", 0.5), card.evicting("a:0", "global", 0.2);
            for (DeviceRecord& device : card.run.devices) device.cpu = true;
        }},
    {"tlb_reach", "TLB reach: 181-362 MiB through a:0, 5.66-11.3 MiB through b:0, 32 times apart",
        [](MadeUp& card) { card.translation("a:0", 256 * kMiB), card.translation("b:0", 8 * kMiB); },
        [](MadeUp& card) { card.translation("a:0", 256 * kMiB), card.translation("b:0", 192 * kMiB); }},
    {"tlb_reach", "181-362 MiB through a:0 and c:0, 5.66-11.3 MiB through b:0", // one statement for both
        [](MadeUp& card) {
            card.translation("a:0", 256 * kMiB), card.translation("b:0", 8 * kMiB), card.translation("c:0", 256 * kMiB);
        },
        [](MadeUp& card) {
            card.translation("a:0", 256 * kMiB), card.translation("b:0", 256 * kMiB),
                card.translation("c:0", 256 * kMiB);
        }},
    {"l1_by_scratchpad",
        "Through a:0, not b:0, the capacity of L1 depends on the scratchpad that a workgroup holds. By API: through "
        "a:0 it is 64-76.1 KiB with none and 16-19 KiB with 12 KiB. Through b:0 it stays at 64-76.1 KiB",
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
    CHECK(told->fact->cause == Cause::smaller_pages);
    CHECK(told->fact->effect == 32);
    const std::vector<GridRow>& rows = told->fact->grid.sections.at(0).rows;
    REQUIRE(rows.size() == 3);
    CHECK(rows[0].cells[0].quantity()->range->first == doctest::Approx(181 * kMiB).epsilon(0.01));
    CHECK_FALSE(rows[1].cells[0].quantity()); // a step of b:0 alone
    CHECK(rows[1].cells[1].quantity());
    CHECK(rows[2].place == "a load of 4096 lines over 2.83 GiB");
    CHECK(*rows[2].cells[1].quantity() == Quantity{600, Unit::ns});
}
