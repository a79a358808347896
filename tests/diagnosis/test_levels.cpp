// Rules of levels: what makes each speak, and what does not.
#include <doctest/doctest.h>

#include "tests/diagnosis/made_up.h"

using namespace sonde;
using namespace sonde::made_up;

namespace {
const Cases kLevelsCases{
    {"l1_not_reached", "global does not reach L1 through b:0. Its nearest level is L2 (200 cycles",
        [](MadeUp& card) { two_apis(card, kThree, kTwo); },
        [](MadeUp& card) { two_apis(card, kThree, later(kThree, 30)); }},
    {"l1_not_reached", "global does not reach L1 through b:0.", [](MadeUp& card) { two_apis(card, kThree, kTwo); },
        [](MadeUp& card) { // a processor's loads begin at L1
            two_apis(card, kThree, kTwo);
            for (DeviceRecord& device : card.run.devices) device.cpu = true;
        }},
    {"l1_not_reached", "global.cg does not reach L1 through a:0.",
        [](MadeUp& card) {
            card.device("a:0"), card.latency("a:0", "global", kThree, kEnd),
                card.latency("a:0", "global.cg", kTwo, kEnd);
        },
        [](MadeUp& card) {
            card.device("a:0"), card.latency("a:0", "global.cg", kTwo, kEnd);
        }}, // nothing tells of an L1
    {"smaller_l1",
        "L1 of the latency kernel ends earlier through b:0 than through a:0: 16-19 KiB against 64-76.1 KiB on global.",
        [](MadeUp& card) {
            two_apis(card, kThree, {{40, 16 * kKiB}, {200, 4 * kMiB}, {600, kEnd}});
        },
        [](MadeUp& card) {
            two_apis(card, kThree, {{40, 55 * kKiB}, {200, 4 * kMiB}, {600, kEnd}});
        }}, // a step of the sweep
    {"l1_not_reached", "global does not reach L1", [](MadeUp& card) { two_apis(card, kThree, kTwo); },
        [](MadeUp& card) { // slow, and measured to L1's end only: that tells nothing
            card.device("a:0"), card.device("b:0");
            card.latency("a:0", "global", kThree, kEnd), card.latency("b:0", "global", kTwo, 60 * kKiB);
        }},
    {"smaller_l1", "on global.",
        [](MadeUp& card) {
            two_apis(card, kThree, {{40, 16 * kKiB}, {200, 4 * kMiB}, {600, kEnd}});
        },
        [](MadeUp& card) { // a processor's caches are the same through all drivers
            two_apis(card, kThree, {{40, 16 * kKiB}, {200, 4 * kMiB}, {600, kEnd}});
            for (DeviceRecord& device : card.run.devices) device.cpu = true;
        }},
    {"smaller_l1", "L1 of the latency kernel ends earlier through b:0",
        [](MadeUp& card) {
            two_apis(card, kThree, {{40, 16 * kKiB}, {200, 4 * kMiB}, {600, kEnd}});
        },
        [](MadeUp& card) { // one point that an interrupt raised, where the curve ends
            two_apis(card, kThree, kThree);
            auto& points = card.run.series.back().points;
            points.resize(20);
            points.back().median = 60;
        }},
    {"smaller_l1", "L1 of the latency kernel ends earlier through b:0",
        [](MadeUp& card) {
            two_apis(card, kThree, {{40, 16 * kKiB}, {200, 4 * kMiB}, {600, kEnd}});
        },
        [](MadeUp& card) { // another kernel is another question
            two_apis(card, kThree, {{40, 16 * kKiB}, {200, 4 * kMiB}, {600, kEnd}});
            card.run.series.back().evidence.kernel = {.defines = {{"WIDTH", "2"}}};
        }},
    {"smaller_l1",
        "16-19 KiB against 64-76.1 KiB on global and global.ca. 4-4.76 KiB against 53.8-64 KiB on image2d.", // paths of
                                                                                                             // other
                                                                                                             // ends
                                                                                                             // apart
        [](MadeUp& card) {
            const std::vector<Step> early{{40, 16 * kKiB}, {200, 4 * kMiB}, {600, kEnd}};
            two_apis(card, kThree, early);
            card.latency("a:0", "global.ca", kThree, kEnd), card.latency("b:0", "global.ca", early, kEnd);
            card.latency("a:0", "image2d", {{60, 55 * kKiB}, {220, 4 * kMiB}, {620, kEnd}}, kEnd),
                card.latency("b:0", "image2d", {{60, 4 * kKiB}, {220, 4 * kMiB}, {620, kEnd}}, kEnd);
        },
        [](MadeUp& card) { two_apis(card, kThree, kThree); }},
    {"option_moves_l1", "64-76.1 KiB with carveout=0 and 16-19 KiB with carveout=100",
        [](MadeUp& card) {
            card.device("a:0"), card.latency("a:0", "global", kThree, kEnd, {{"carveout", "0"}});
            card.latency("a:0", "global", {{40, 16 * kKiB}, {200, 4 * kMiB}, {600, kEnd}}, kEnd, {{"carveout", "100"}});
        },
        [](MadeUp& card) {
            card.device("a:0"), card.latency("a:0", "global", kThree, kEnd, {{"carveout", "0"}}),
                card.latency("a:0", "global", kThree, kEnd, {{"carveout", "100"}});
        }},
    {"cache_in_parts",
        "A walk by one core through a:0 finds L2 near to 4-4.76 MiB and L2 far to 8-9.51 MiB; the driver reports one "
        "cache of 9 MiB. Cause unknown: partitions of one cache, or lines that it holds twice.",
        [](MadeUp& card) {
            card.device("a:0", 9 * kMiB),
                card.latency("a:0", "global", {{40, 64 * kKiB}, {200, 4 * kMiB}, {400, 8 * kMiB}, {700, kEnd}}, kEnd);
        },
        [](MadeUp& card) {
            card.device("a:0", 9 * kMiB),
                card.latency("a:0", "global", {{40, 64 * kKiB}, {200, 1 * kMiB}, {400, 8 * kMiB}, {700, kEnd}}, kEnd);
        }}, // a third level
    {"cache_in_parts",
        "Cause unknown: partitions of one cache, or lines that it holds twice. The latency of L2 near is a mean: by "
        "load-times about half of the loads at 2 MiB take about 196, the others 228. That of L2 far may include loads "
        "from DRAM.",
        [](MadeUp& card) {
            in_two_parts(card), card.single_loads("a:0", 6 * kMiB, 50),
                card.run.series.back().evidence.load_times[0] = {.footprint_bytes = 2 << 20,
                    .nothing = 10,
                    .bin = 8,
                    .from = {192, 200, 208, 216, 224},
                    .loads = {495, 5, 0, 5, 495}};
        },
        [](MadeUp& card) { card.single_loads("a:0", 6 * kMiB, 50); }},
    {"constant_is_global",
        "constant through a:0 has the latency of global, not of a constant cache: 40.0 cycles to 53.8 KiB.",
        [](MadeUp& card) {
            card.device("a:0"), card.latency("a:0", "global", kThree, kEnd),
                card.latency("a:0", "constant", kThree, 60 * kKiB);
        },
        [](MadeUp& card) {
            card.device("a:0"), card.latency("a:0", "global", kThree, kEnd),
                card.latency("a:0", "constant", {{30, 2 * kKiB}, {100, kEnd}}, 60 * kKiB);
        }},
    {"one_cache_two_paths",
        "texel and global end their levels at the same footprints (L1 at 64-76.1 KiB through a:0): consistent with one "
        "cache. A hit takes 90.0 cycles by the texture units, 40.0 cycles by a load.",
        [](MadeUp& card) {
            card.device("a:0"), card.latency("a:0", "global", kThree, kEnd),
                card.latency("a:0", "texel", later(kThree, 50), kEnd);
        },
        [](MadeUp& card) {
            card.device("a:0"), card.latency("a:0", "global", kThree, kEnd),
                card.latency("a:0", "texel", {{90, 12 * kKiB}, {250, 4 * kMiB}, {650, kEnd}}, kEnd);
        }},
    {"uniform_apart",
        "Through a:0 loads of one address for all lanes differ from others: global.uniform has 25.0 cycles",
        [](MadeUp& card) {
            card.device("a:0"), card.latency("a:0", "global", kThree, kEnd),
                card.latency("a:0", "global.uniform", {{25, 16 * kKiB}, {200, 4 * kMiB}, {600, kEnd}}, kEnd);
        },
        [](MadeUp& card) {
            card.device("a:0"), card.latency("a:0", "global", kThree, kEnd),
                card.latency("a:0", "global.uniform", later(kThree, 0.5), kEnd);
        }},
    {"lanes_apart",
        "On scratchpad at 16 KiB, 32 lanes 128 bytes apart take 91 cycles (one lane 29, each further one 2 on average) "
        "through a:0 and b:0. At 0 and 4 bytes apart they take as long as one.",
        [](MadeUp& card) {
            for (const char* id : {"a:0", "b:0"})
                card.lanes_apart(id, 2, "128", 31), card.lanes_apart(id, 32, "128", 91),
                    card.lanes_apart(id, 32, "0", 29), card.lanes_apart(id, 32, "4", 29.2);
        },
        [](MadeUp& card) { card.lanes_apart("a:0", 32, "128", 29.1); }},
    {"lanes_differ", "takes 34.0 cycles at 16 KiB through a:0, of one lane 32.0 cycles. Published",
        [](MadeUp& card) { card.lanes("a:0", 34, 32); }, [](MadeUp& card) { card.lanes("a:0", 34, 33.9); }},
};
} // namespace

TEST_CASE("rules of levels: each speaks where it must and is silent where it must") { kLevelsCases.check(); }
