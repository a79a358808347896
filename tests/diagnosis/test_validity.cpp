// Rules of validity: what makes each speak, and what does not.
#include <algorithm>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "core/diagnosis/card_grid.h"
#include "core/diagnosis/full_grid.h"
#include "core/diagnosis/overview.h"
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

/// Latency of three levels during which another process used the card, as `busy` of four series.
void add_used_series(MadeUp& card, int busy) {
    card.device("a:0");
    const char* const paths[] = {"global", "scratchpad", "constant", "texel"};
    for (int i = 0; i < 4; ++i) {
        Series& series = card.latency("a:0", paths[i], kThree, kEnd);
        if (i >= busy) continue;
        series.status = Status::unstable;
        series.doubts = {{.kind = DoubtKind::other_processes}};
        series.evidence.telemetry.others = {{.pid = 7, .busy_percent = 97}};
        series.evidence.telemetry.during.throttled_by = {"power cap"};
    }
}

const Cases kValidityCases{
    {"card_in_use",
        {{"series in doubt", "a:0", 0.75}, {"busy with others", "a:0", 0.97}, {"others", "a:0", "pid 7"},
            {"throttled by", "a:0", "power cap"}},
        [](MadeUp& card) { add_used_series(card, 3); }, [](MadeUp& card) { add_used_series(card, 1); }},
    {"faster_than_l2", {{"fastest", "a:0", 2e13}, {"global from L2", "a:0", 9.5e12}},
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
    {"buffer_elsewhere", {{"latency global", "a:0", "heap 1"}},
        [](MadeUp& card) {
            card.device("a:0"), card.latency("a:0", "global", kThree, kEnd).evidence.placement = {
                                    .device_local = false, .text = "heap 1"};
        },
        [](MadeUp& card) {
            card.device("a:0"), card.latency("a:0", "host", kThree, kEnd).evidence.placement = {
                                    .device_local = false, .text = "heap 1"};
        }},
    {"buffer_elsewhere", {{"latency global", "a:0", "not in the device's memory"}},
        [](MadeUp& card) {
            card.device("a:0"),
                card.latency("a:0", "global", kThree, kEnd).evidence.placement = {.device_local = false};
        },
        [](MadeUp& card) { // an API that cannot tell
            card.device("a:0"),
                card.latency("a:0", "global", kThree, kEnd).evidence.placement = {.device_local = std::nullopt};
        }},
    {"interrupted", {{"latency global", "a:0", Lack::scatters}},
        [](MadeUp& card) {
            card.device("a:0").cpu = true,
            card.latency("a:0", "global", kThree, kEnd).points[0].samples = pairs_with(3e6);
        },
        [](MadeUp& card) {
            card.device("a:0").cpu = true,
            card.latency("a:0", "global", kThree, kEnd).points[0].samples = pairs_with(1e6);
        }},
    {"interrupted", // at more than one of ten points
        {{"latency global", "a:0", Lack::scatters}},
        [](MadeUp& card) {
            card.device("a:0").cpu = true, card.latency("a:0", "scratchpad", kTwo, kEnd);
            for (Point& point : card.latency("a:0", "global", kThree, kEnd).points)
                point.samples = pairs_of_two_speeds();
        },
        [](MadeUp& card) {
            card.device("a:0").cpu = true,
            card.latency("a:0", "global", kThree, kEnd).points[0].samples = pairs_of_two_speeds();
        }},
    {"interrupted", // of a card the run has judged it
        {{"latency global", "a:0", Lack::scatters}},
        [](MadeUp& card) {
            card.device("a:0").cpu = true,
            card.latency("a:0", "global", kThree, kEnd).points[0].samples = pairs_with(3e6);
        },
        [](MadeUp& card) {
            card.device("a:0"), card.latency("a:0", "global", kThree, kEnd).points[0].samples = pairs_with(3e6);
        }},
    {"interrupted", {{"latency global", "a:0", Lack::scatters}},
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
    {"cut_short", {{"latency global", "a:0", 1.049e6}},
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
    {"cut_short", {{"latency global", "a:0", 1.049e6}},
        [](MadeUp& card) {
            card.device("a:0"),
                card.latency("a:0", "global", kThree, kEnd).ending = Ending{.by = EndedBy::time, .before = 1 << 20},
                                                      card.latency("a:0", "scratchpad", kTwo, kEnd);
        },
        [](MadeUp& card) {
            card.device("a:0"), card.latency("a:0", "global", kThree, kEnd).ending = Ending{
                                    .by = EndedBy::memory, .bytes = 4ull << 30, .why = "half of the device's memory"};
        }},
    {"cut_short", // fewer repetitions leave no doubt
        {{"latency scratchpad", "a:0", 1024}},
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
        {{"latency global lanes=1", "a:0", 1.049e6}, {"latency global lanes=2", "a:0", 1.049e6},
            {"latency global lanes=3", "a:0", 1.049e6}, {"latency global lanes=4", "a:0", 1.049e6}},
        [](MadeUp& card) {
            card.device("a:0");
            for (const char* lanes : {"1", "2", "3", "4", "5", "6"})
                card.latency("a:0", "global", kThree, kEnd, {{"lanes", lanes}}).ending =
                    Ending{.by = EndedBy::time, .before = 1 << 20};
        },
        [](MadeUp& card) { card.device("a:0"), card.latency("a:0", "global", kThree, kEnd); }},
    {"cores_disagree", {{"told", "a:0", 8}, {"told", "b:0", 1}, {"table of boards", "b:0", 8}},
        [](MadeUp& card) {
            two_apis(card, kThree, kThree);
            card.run.devices[0].cores = 8, card.run.devices[1].cores = 1, card.run.devices[1].pci_id = "10de:1180";
        },
        [](MadeUp& card) {
            two_apis(card, kThree, kThree);
            for (DeviceRecord& device : card.run.devices) device.cores = 8, device.pci_id = "10de:1180";
        }},
    {"cores_disagree", {{"told", "a:0", 2}, {"told", "b:0", 8}}, // of a processor, too
        [](MadeUp& card) {
            two_apis(card, kThree, kThree);
            for (DeviceRecord& device : card.run.devices) device.cpu = true, device.cores = 2;
            card.run.devices[1].cores = 8;
        },
        [](MadeUp& card) {
            two_apis(card, kThree, kThree);
            for (DeviceRecord& device : card.run.devices) device.cpu = true, device.cores = 2;
        }},
    {"cores_disagree", {{"told", "a:0", 8}, {"counted", "a:0", 4}},
        [](MadeUp& card) {
            card.device("a:0").cores = 8;
            card.curve("cores", "a:0", "global", {}, {{1, 10}, {2, 10}, {4, 10}, {5, 20}, {6, 20}, {8, 20}});
        },
        [](MadeUp& card) {
            card.device("a:0").cores = 4;
            card.curve("cores", "a:0", "global", {}, {{1, 10}, {2, 10}, {4, 10}, {5, 20}, {6, 20}, {8, 20}});
        }},
    {"reported_cache",
        {{"the driver reports", "a:0", 1.049e6}, {"no step within", "a:0", 4.194e6},
            {"a load there takes", "a:0", 200}},
        [](MadeUp& card) { card.device("a:0", 1 * kMiB), card.latency("a:0", "global", kThree, kEnd); },
        [](MadeUp& card) { card.device("a:0", 4 * kMiB), card.latency("a:0", "global", kThree, kEnd); }},
    {"faster_than_peak", {{"bandwidth global width=16", "a:0", 1.2e12}, {"peak of DRAM", "a:0", 1e12}},
        [](MadeUp& card) {
            card.device("a:0", 1 * kMiB, 1e12), card.bandwidth("a:0", "global", {{3000, 3 * kMiB}, {1200, kEnd}}, kEnd);
        },
        [](MadeUp& card) {
            card.device("a:0", 1 * kMiB, 1e12), card.bandwidth("a:0", "global", {{3000, 3 * kMiB}, {950, kEnd}}, kEnd);
        }},
    {"faster_than_peak", {{"bandwidth-latency host load=reads", "a:0", 3.9e12}, {"host link", "a:0", 6.3e10}},
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
    {"faster_than_peak", // one statement, however many paths

        {{"bandwidth global width=16", "a:0", 1.2e12}, {"bandwidth texel width=16", "a:0", 1.3e12},
            {"peak of DRAM", "a:0", 1e12}},
        [](MadeUp& card) {
            card.device("a:0", 1 * kMiB, 1e12), card.bandwidth("a:0", "global", {{3000, 3 * kMiB}, {1200, kEnd}}, kEnd);
            card.bandwidth("a:0", "texel", {{3000, 3 * kMiB}, {1300, kEnd}}, kEnd);
        },
        [](MadeUp& card) { // an offset is no footprint
            card.device("a:0", 1 * kMiB, 1e12);
            card.curve("segments", "a:0", "global", {{"test", "read"}}, {{0, 1200}, {1 << 30, 1200}}).unit = "GB/s";
        }},
    {"faster_than_peak", {{"bandwidth host width=16", "a:0", 9e11}, {"peak of DRAM", "a:0", 1e12}},
        [](MadeUp& card) {
            card.device("a:0", 1 * kMiB, 1e12), card.bandwidth("a:0", "host", {{900, kEnd}}, kEnd);
        },
        [](MadeUp& card) {
            card.device("a:0", 1 * kMiB, 1e12), card.bandwidth("a:0", "host", {{50, kEnd}}, kEnd);
        }},
    {"timers_disagree", {{"latency global", "a:0", 1.25}},
        [](MadeUp& card) {
            card.device("a:0"),
                card.latency("a:0", "global", kThree, kEnd).evidence.timers = {.host_over_device = 1.25};
        },
        [](MadeUp& card) {
            card.device("a:0"),
                card.latency("a:0", "global", kThree, kEnd).evidence.timers = {.host_over_device = 1.03};
        },
        Cause::steady_core_clock},
    {"timers_disagree", {{"bandwidth global", "a:0", 1.25}, {"bandwidth global", "b:0", 0.5}},
        [](MadeUp& card) {
            for (const auto& [id, times] : {std::pair{"a:0", 1.25}, {"b:0", 0.5}})
                card.curve("bandwidth", id, "global", {}, {{1 << 20, 5}}).evidence.timers = {.host_over_device = times};
        },
        [](MadeUp& card) {
            card.curve("bandwidth", "a:0", "global", {}, {{1 << 20, 5}}).evidence.timers = {.host_over_device = 1.03};
        }},
    {"clock_moved", {{"median of a series", "a:0", 1000}, {"median of a series", "b:0", 800}},
        [](MadeUp& card) {
            two_apis(card, kThree, kThree);
            for (Point& point : card.run.series.back().points) point.clock_mhz = 800;
        },
        [](MadeUp& card) {
            two_apis(card, kThree, kThree);
            card.run.series.back().points[3].clock_mhz = 800; // one reading is no move
        }},
    {"clock_moved", {{"latency global", "a:0", 850}},
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
    {"series_unstable", {{"reason", "b:0", "another process"}},
        [](MadeUp& card) {
            two_apis(card, kThree, kThree);
            Series again = card.run.series.back();
            again.id.path = "texel", card.run.series.push_back(again);
            for (std::size_t i = 1; i < 3; ++i)
                card.run.series[i].status = Status::unstable, card.run.series[i].reason = "another process";
        },
        [](MadeUp& card) { two_apis(card, kThree, kThree); }},
    {"series_failed", {{"reason", "a:0", "lost"}},
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

TEST_CASE("a series is told of though the file has lost the record of its device") {
    MadeUp made;
    made.device("a:0"), made.latency("a:0", "global", kThree, kEnd);
    Series& failed = made.series("latency", "b:0", "global", "ns");
    failed.status = Status::failed, failed.reason = "lost", failed.card = made.run.series[0].card;
    const Statements all = statements_of(made.run);
    const auto told = std::ranges::find(all, "series_failed", &Statement::rule);
    REQUIRE(told != all.end());
    CHECK(told->fact.grid.columns == std::vector<std::string>{"b:0"});
}

TEST_CASE("rules of validity: each speaks where it must and is silent where it must") { kValidityCases.check(); }

TEST_CASE(
    "of series during which others used the card nothing is concluded: no levels, no clock, no table, no ranking") {
    MadeUp made;
    add_used_series(made, 4);
    made.device("b:0");
    Series& other = made.latency("b:0", "global", {{80, 64 * kKiB}, {400, 4 * kMiB}, {900, kEnd}}, kEnd);
    other.status = Status::unstable;
    other.doubts = {{.kind = DoubtKind::other_processes}};
    for (Series& series : made.run.series)
        for (Point& point : series.points) point.clock_mhz = series.id.device == "a:0" ? 1500 : 1900;
    const Card card = cards_of({&made.run, 1})[0];
    CHECK(card.level_names.empty());
    for (const Curve& curve : card.curves) {
        CHECK(curve.levels.empty());
        CHECK(curve.findings.empty());
    }
    CHECK(clock_mhz(card) == 0);
    CHECK(levels_grid(card).empty());
    const Grid paths = paths_grid(matrix_of(card));
    for (const GridSection& section : paths.sections)
        for (const GridRow& row : section.rows)
            for (const Cell& cell : row.cells) CHECK_FALSE(cell.quantity());
    const Statements all = diagnose(card);
    REQUIRE(all.size() == 1);
    CHECK(is_void(all[0]));
}
