// Rules of validity: what makes each speak, and what does not.
#include <doctest/doctest.h>

#include "tests/diagnosis/made_up.h"

using namespace sonde;
using namespace sonde::made_up;

namespace {
/// Three times a dispatch of 1000 steps in 110 us and one of 8000 in `longer_ns`.
std::vector<Sample> pairs_with(double longer_ns) {
    std::vector<Sample> samples;
    for (int pair = 0; pair < 3; ++pair)
        samples.insert(
            samples.end(), {Sample{.steps = 1000, .host_ns = 110e3}, Sample{.steps = 8000, .host_ns = longer_ns}});
    return samples;
}

/// Two dispatches of 8000 steps at 100 ns each, two at 150.
std::vector<Sample> pairs_of_two_speeds() {
    std::vector<Sample> samples;
    for (const double ns : {100, 100, 150, 150})
        samples.insert(
            samples.end(), {Sample{.steps = 1000, .host_ns = 1000 * ns}, Sample{.steps = 8000, .host_ns = 8000 * ns}});
    return samples;
}

const Cases kValidityCases{
    {"faster_than_l2",
        "global.cg through a:0 bypasses L1, yet reads 20 TB/s at 152 KiB; global reads 9.5 TB/s from L2 (1.19-4 MiB): "
        "consistent with hits in a nearer cache, or fewer bytes than counted.",
        [](MadeUp& card) {
            card.device("a:0"), card.latency("a:0", "global", kThree, kEnd);
            card.bandwidth("a:0", "global", {{32000, 64 * kKiB}, {9500, 4 * kMiB}, {4000, kEnd}}, kEnd),
                card.bandwidth("a:0", "global.cg",
                    {{9500, 128 * kKiB}, {20000, 256 * kKiB}, {9500, 4 * kMiB}, {4000, kEnd}}, kEnd);
        },
        [](MadeUp& card) {
            card.device("a:0"), card.latency("a:0", "global", kThree, kEnd);
            card.bandwidth("a:0", "global", {{32000, 64 * kKiB}, {9500, 4 * kMiB}, {4000, kEnd}}, kEnd),
                card.bandwidth("a:0", "global.cg", {{9800, 4 * kMiB}, {4000, kEnd}}, kEnd);
            card.bandwidth("a:0", "global.ca", {{32000, 64 * kKiB}, {9500, 4 * kMiB}, {4000, kEnd}},
                kEnd); // which reads L1 by design
        }},
    {"buffer_elsewhere", "The buffer of latency a:0 global landed in the system's memory: heap 1",
        [](MadeUp& card) {
            card.device("a:0"), card.latency("a:0", "global", kThree, kEnd).evidence.placement = {
                                    .device_local = false, .text = "heap 1"};
        },
        [](MadeUp& card) {
            card.device("a:0"), card.latency("a:0", "host", kThree, kEnd).evidence.placement = {
                                    .device_local = false, .text = "heap 1"};
        }},
    {"buffer_elsewhere", "latency a:0 global",
        [](MadeUp& card) {
            card.device("a:0"),
                card.latency("a:0", "global", kThree, kEnd).evidence.placement = {.device_local = false};
        },
        [](MadeUp& card) { // an API that cannot tell
            card.device("a:0"),
                card.latency("a:0", "global", kThree, kEnd).evidence.placement = {.device_local = std::nullopt};
        }},
    {"interrupted",
        "1 of 1 series scatter, and no sentence below uses them: at a tenth of their points quartiles of a step lie "
        "more than 1.3 times apart, or at a point the steps that long dispatches add take 1.6 times as long as those "
        "of short ones. Cause unknown, such as other work on the processor, or caches that serve short dispatches; it "
        "is latency a:0 global.",
        [](MadeUp& card) {
            card.device("a:0").cpu = true,
            card.latency("a:0", "global", kThree, kEnd).points[0].samples = pairs_with(3e6);
        },
        [](MadeUp& card) {
            card.device("a:0").cpu = true,
            card.latency("a:0", "global", kThree, kEnd).points[0].samples = pairs_with(1e6);
        }},
    {"interrupted", "1 of 2 series scatter", // at more than one of ten points
        [](MadeUp& card) {
            card.device("a:0").cpu = true, card.latency("a:0", "scratchpad", kTwo, kEnd);
            for (Point& point : card.latency("a:0", "global", kThree, kEnd).points)
                point.samples = pairs_of_two_speeds();
        },
        [](MadeUp& card) {
            card.device("a:0").cpu = true,
            card.latency("a:0", "global", kThree, kEnd).points[0].samples = pairs_of_two_speeds();
        }},
    {"interrupted", "1 of 1 series scatter", // of a card the run has judged it
        [](MadeUp& card) {
            card.device("a:0").cpu = true,
            card.latency("a:0", "global", kThree, kEnd).points[0].samples = pairs_with(3e6);
        },
        [](MadeUp& card) {
            card.device("a:0"), card.latency("a:0", "global", kThree, kEnd).points[0].samples = pairs_with(3e6);
        }},
    {"interrupted", "1 of 2 series scatter",
        [](MadeUp& card) {
            card.device("a:0").cpu = true,
            card.latency("a:0", "global", kThree, kEnd).points[0].samples = pairs_with(3e6);
            Series& doubted = card.latency("a:0", "scratchpad", kTwo, kEnd);
            doubted.points[0].samples = pairs_with(2e6), doubted.status = Status::unstable,
            doubted.reason = "interrupted";
        },
        [](MadeUp& card) { // it has a doubt of its own
            Series& doubted = (card.device("a:0").cpu = true, card.latency("a:0", "global", kThree, kEnd));
            doubted.points[0].samples = pairs_with(3e6), doubted.status = Status::unstable,
            doubted.reason = "interrupted";
        }},
    {"cut_short",
        "2 of 2 series end within their sweep, as their time was over: some of their points are missing. Among them is "
        "latency a:0 global.",
        [](MadeUp& card) {
            card.device("a:0"),
                card.latency("a:0", "global", kThree, kEnd).ending = Ending{.by = EndedBy::time, .before = 1 << 20};
            Series& doubted = card.latency("a:0", "scratchpad", kTwo, kEnd);
            doubted.status = Status::unstable, doubted.reason = "scatters",
            doubted.ending = Ending{.by = EndedBy::time, .before = 1 << 10};
        },
        [](MadeUp& card) {
            Series& doubted = (card.device("a:0"), card.latency("a:0", "scratchpad", kTwo, kEnd));
            doubted.status = Status::unstable, doubted.reason = "scatters",
            doubted.ending = Ending{.by = EndedBy::time, .before = 1 << 10};
        }},
    {"cut_short",
        "1 of 2 series ends within its sweep, as its time was over: some of their points are missing. It is latency "
        "a:0 global.",
        [](MadeUp& card) {
            card.device("a:0"),
                card.latency("a:0", "global", kThree, kEnd).ending = Ending{.by = EndedBy::time, .before = 1 << 20},
                                                      card.latency("a:0", "scratchpad", kTwo, kEnd);
        },
        [](MadeUp& card) {
            card.device("a:0"), card.latency("a:0", "global", kThree, kEnd).ending = Ending{
                                    .by = EndedBy::memory, .bytes = 4ull << 30, .why = "half of the device's memory"};
        }},
    {"cut_short",
        "1 of 2 series ends within its sweep, as its time was over: some of their points are missing. It is latency "
        "a:0 scratchpad.", // fewer repetitions leave no doubt
        [](MadeUp& card) {
            card.device("a:0"),
                card.latency("a:0", "global", kThree, kEnd).ending =
                    Ending{.by = EndedBy::time, .before = 1 << 20, .done = 2, .of = 3},
                                                      card.latency("a:0", "scratchpad", kTwo, kEnd).ending =
                                                          Ending{.by = EndedBy::time, .before = 1 << 10};
        },
        [](MadeUp& card) {
            card.device("a:0"), card.latency("a:0", "global", kThree, kEnd).ending =
                                    Ending{.by = EndedBy::time, .before = 1 << 20, .done = 1, .of = 3};
        }},
    {"cut_short",
        "6 of 6 series end within their sweep, as their time was over: some of their points are missing. Among them "
        "are latency a:0 global lanes=1, latency a:0 global lanes=2, latency a:0 global lanes=3, latency a:0 global "
        "lanes=4 and latency a:0 global lanes=5.",
        [](MadeUp& card) {
            card.device("a:0");
            for (const char* lanes : {"1", "2", "3", "4", "5", "6"})
                card.latency("a:0", "global", kThree, kEnd, {{"lanes", lanes}}).ending =
                    Ending{.by = EndedBy::time, .before = 1 << 20};
        },
        [](MadeUp& card) { card.device("a:0"), card.latency("a:0", "global", kThree, kEnd); }},
    {"reported_cache",
        "The driver of a:0 reports a cache of 1 MiB, but latency on global has no step there: 200 cycles from 76.1 KiB "
        "to 4 MiB.",
        [](MadeUp& card) { card.device("a:0", 1 * kMiB), card.latency("a:0", "global", kThree, kEnd); },
        [](MadeUp& card) { card.device("a:0", 4 * kMiB), card.latency("a:0", "global", kThree, kEnd); }},
    {"faster_than_peak", "global through a:0 reads 1.2 TB/s at 9.51 MiB, 120 % of the DRAM's peak",
        [](MadeUp& card) {
            card.device("a:0", 1 * kMiB, 1e12), card.bandwidth("a:0", "global", {{3000, 3 * kMiB}, {1200, kEnd}}, kEnd);
        },
        [](MadeUp& card) {
            card.device("a:0", 1 * kMiB, 1e12), card.bandwidth("a:0", "global", {{3000, 3 * kMiB}, {950, kEnd}}, kEnd);
        }},
    {"faster_than_peak",
        "bandwidth-latency a:0 host load=reads streams 3.9 TB/s, above the host link's 63 GB/s: not served by the "
        "host.",
        [](MadeUp& card) {
            card.device("a:0", 1 * kMiB, 1e12).host_link_bytes_per_second = 63e9;
            card.curve("bandwidth-latency", "a:0", "host", {{"load", "reads"}}, {{0, 345}, {100, 432}})
                .evidence.unthrottled_gb_per_s = 3900;
        },
        [](MadeUp& card) {
            card.device("a:0", 1 * kMiB, 1e12).host_link_bytes_per_second = 63e9;
            card.curve("bandwidth-latency", "a:0", "host", {{"load", "reads"}}, {{0, 1200}, {100, 2000}})
                .evidence.unthrottled_gb_per_s = 58;
        }},
    {"faster_than_peak",
        "not served by DRAM (cached or compressed); likewise texel through a:0 (1.3 TB/s at 5.66 MiB).", // one
                                                                                                         // statement,
                                                                                                         // however many
                                                                                                         // paths
        [](MadeUp& card) {
            card.device("a:0", 1 * kMiB, 1e12), card.bandwidth("a:0", "global", {{3000, 3 * kMiB}, {1200, kEnd}}, kEnd);
            card.bandwidth("a:0", "texel", {{3000, 3 * kMiB}, {1300, kEnd}}, kEnd);
        },
        [](MadeUp& card) { // an offset is no footprint
            card.device("a:0", 1 * kMiB, 1e12);
            card.curve("segments", "a:0", "global", {{"test", "read"}}, {{0, 1200}, {1 << 30, 1200}}).unit = "GB/s";
        }},
    {"faster_than_peak", "not served by the host",
        [](MadeUp& card) {
            card.device("a:0", 1 * kMiB, 1e12), card.bandwidth("a:0", "host", {{900, kEnd}}, kEnd);
        },
        [](MadeUp& card) {
            card.device("a:0", 1 * kMiB, 1e12), card.bandwidth("a:0", "host", {{50, kEnd}}, kEnd);
        }},
    {"timers_disagree", "by the host's clock a step takes 1.25 times",
        [](MadeUp& card) {
            card.device("a:0"),
                card.latency("a:0", "global", kThree, kEnd).evidence.timers = {.host_over_device = 1.25};
        },
        [](MadeUp& card) {
            card.device("a:0"),
                card.latency("a:0", "global", kThree, kEnd).evidence.timers = {.host_over_device = 1.03};
        }},
    {"timers_disagree",
        "Timers disagree on bandwidth b:0 global, and by less on 1 more series: by the host's clock a step takes 0.50 "
        "times",
        [](MadeUp& card) {
            for (const auto& [id, times] : {std::pair{"a:0", 1.25}, {"b:0", 0.5}})
                card.curve("bandwidth", id, "global", {}, {{1 << 20, 5}}).evidence.timers = {.host_over_device = times};
        },
        [](MadeUp& card) {
            card.curve("bandwidth", "a:0", "global", {}, {{1 << 20, 5}}).evidence.timers = {.host_over_device = 1.03};
        }},
    {"clock_moved",
        "The core's clock moved from series to series: 800 MHz in latency b:0 global, 1000 MHz in latency a:0 global",
        [](MadeUp& card) {
            two_apis(card, kThree, kThree);
            for (Point& point : card.run.series.back().points) point.clock_mhz = 800;
        },
        [](MadeUp& card) {
            two_apis(card, kThree, kThree);
            card.run.series.back().points[3].clock_mhz = 800; // one reading is no move
        }},
    {"clock_moved", "The core's clock moved during latency a:0 global: between 700 and 1000 MHz",
        [](MadeUp& card) {
            card.device("a:0");
            auto& points = card.latency("a:0", "global", kThree, kEnd).points;
            for (std::size_t i = points.size() / 2; i < points.size(); ++i) points[i].clock_mhz = 700;
        },
        [](MadeUp& card) { // readings of a coarse timer
            card.device("a:0");
            double reading = 1000;
            for (Point& point : card.latency("a:0", "global", kThree, kEnd).points)
                point.clock_mhz = reading = reading == 1000 ? 1060 : reading == 1060 ? 940 : 1000;
        }},
    {"cap_contradicted",
        "NVML names a power cap under wgmma.f16.f32.m64n256k16 at 447 W, of a limit of 700 W: cause unknown.",
        [](MadeUp& card) { card.sustained("a:0", "wgmma.f16.f32.m64n256k16", 447, true, 700); },
        [](MadeUp& card) {
            card.sustained("a:0", "wgmma.f16.f32.m64n256k16", 690, true, 700),
                card.sustained("a:0", "fma.f64", 640, false, 700);
        }},
    {"cap_contradicted",
        "NVML names a power cap under wgmma.f16.f32.m64n256k16 at 447 W, yet none under fma.f64 at 640 W: cause "
        "unknown.", // no limit is recorded
        [](MadeUp& card) {
            card.sustained("a:0", "wgmma.f16.f32.m64n256k16", 447, true), card.sustained("a:0", "fma.f64", 640, false);
        },
        [](MadeUp& card) {
            card.sustained("a:0", "wgmma.f16.f32.m64n256k16", 630, true), card.sustained("a:0", "fma.f64", 640, false);
        }},
    {"series_unstable",
        "latency b:0 global and 1 more: unstable, and used by no sentence below. Reason: another process.",
        [](MadeUp& card) {
            two_apis(card, kThree, kThree);
            Series again = card.run.series.back();
            again.id.path = "texel", card.run.series.push_back(again);
            for (std::size_t i = 1; i < 3; ++i)
                card.run.series[i].status = Status::unstable, card.run.series[i].reason = "another process";
        },
        [](MadeUp& card) { two_apis(card, kThree, kThree); }},
    {"series_failed", "latency a:0 texel failed: lost",
        [](MadeUp& card) {
            Series& failed = (card.device("a:0"), card.latency("a:0", "texel", kThree, 1));
            failed.status = Status::failed, failed.reason = "lost";
        },
        [](MadeUp& card) {
            Series& unsupported = (card.device("a:0"), card.latency("a:0", "texel", kThree, 1));
            unsupported.status = Status::unsupported, unsupported.reason = "no such path";
        }},
};
} // namespace

TEST_CASE("rules of validity: each speaks where it must and is silent where it must") { kValidityCases.check(); }
