// Rules of structure: what makes each speak, and what does not.
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
    {"tlb_reach",
        "TLB reach through b:0 is about 32 times smaller than through a:0: 5.66-11.3 MiB against 181-362 MiB (a miss "
        "costs about 30 ns). As misses cost much the same: consistent with pages 32 times smaller. All reaches: "
        "5.66-11.3 MiB through b:0; 181-362 MiB through a:0.",
        [](MadeUp& card) { card.translation("a:0", 256 * kMiB), card.translation("b:0", 8 * kMiB); },
        [](MadeUp& card) { card.translation("a:0", 256 * kMiB), card.translation("b:0", 192 * kMiB); }},
    {"tlb_reach", ". Likewise against c:0. As misses", // one statement for both
        [](MadeUp& card) {
            card.translation("a:0", 256 * kMiB), card.translation("b:0", 8 * kMiB), card.translation("c:0", 256 * kMiB);
        },
        [](MadeUp& card) {
            card.translation("a:0", 256 * kMiB), card.translation("b:0", 256 * kMiB),
                card.translation("c:0", 256 * kMiB);
        }},
    {"tlb_reach",
        "A further step at 256-512 MiB: a load takes 600 ns with 4096 lines spread over 2.83 GiB, against 167 ns "
        "through a:0.",
        [](MadeUp& card) {
            card.translation("a:0", 256 * kMiB), card.translation("b:0", 8 * kMiB);
            for (Point& point : card.run.series.back().points)
                point.median = point.x > 512 * kMiB ? 600 : *point.median;
        },
        [](MadeUp& card) { card.translation("a:0", 256 * kMiB); }},
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
