// Noise that is learned from recorded runs, and what two quick runs can tell with it.
#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "core/analysis/learned_noise.h"
#include "core/cli/side_table.h"
#include "core/compare/compare.h"
#include "core/data/results.h"
#include "tests/recorded.h"

using namespace sonde;

namespace {
/// Latency and bandwidth of a recorded quick run.
Run quick_run(int number) {
    Run run = read_run(recorded::quick(number));
    std::erase_if(run.series,
        [](const Series& series) { return series.id.probe != "latency" && series.id.probe != "bandwidth"; });
    return run;
}

std::vector<Comparison> compared(const Run& a, const Run& b, const std::string& device) {
    const auto side = [&](const Run& run) {
        for (const DeviceRun& recording : recordings_of(run))
            if (recording.device->id == device) return Side{device, {recording}};
        throw Error("no device " + device);
    };
    std::vector<std::string> notes;
    std::vector<Comparison> comparisons = compare(side(a), side(b), View::ns, notes);
    judge(comparisons);
    return comparisons;
}

/// The run with all that its series of the item takes `times` as long at the footprints of about the item's value.
Run slowed(Run run, const Comparison& item, const std::string& device, double times) {
    constexpr double kAbout = 0.1; // ln
    for (Series& series : run.series) {
        if (series.id.device != device || series.id.probe != item.question.probe ||
            series.id.path != item.question.path || series.id.options != item.question.options)
            continue;
        const auto is_about = [&](double ns) { return std::abs(std::log(ns / *item.a.value)) <= kAbout; };
        for (OtherAllocation& other : series.evidence.other_allocations)
            for (FootprintLatency& point : other.points)
                if (is_about(point.ns)) point.ns *= times;
        for (Point& point : series.points) {
            if (!point.median || !is_about(*point.median)) continue;
            for (Sample& sample : point.samples) {
                sample.host_ns *= times;
                if (sample.device_ns) *sample.device_ns *= times;
            }
        }
    }
    return run;
}

/// The run as of another card, without L2's farther partition: behind 28 MiB loads take ever longer, up to DRAM's at
/// 57 MiB.
Run without_far_level(Run run) {
    constexpr double kEnd = 28 << 20, kMemory = 57 << 20, kCache = 143, kDram = 350;
    for (DeviceRecord& device : run.devices) device.card = "another card";
    for (Series& series : run.series) {
        series.card = "another card";
        const bool of_memory = series.id.path.starts_with("global") || series.id.path == "texel";
        if (series.id.probe != "latency" || !of_memory) continue;
        series.evidence.other_allocations.clear();
        for (Point& point : series.points) {
            if (!point.median || point.x < kEnd / 4 || point.x >= kMemory) continue;
            const double rise = std::log(std::max(1.0, point.x / kEnd)) / std::log(kMemory / kEnd),
                         times = kCache * std::pow(kDram / kCache, rise) / *point.median;
            for (Sample& sample : point.samples) {
                sample.host_ns *= times;
                if (sample.device_ns) *sample.device_ns *= times;
                if (sample.cycles) *sample.cycles *= times;
            }
            for (std::optional<double>* each : {&point.median, &point.low, &point.high, &point.cycles})
                if (*each) **each *= times;
        }
    }
    return run;
}

const Comparison* item_of(const std::vector<Comparison>& all, const std::string& path, const std::string& item) {
    const auto found = std::ranges::find_if(all, [&](const Comparison& each) {
        return each.question.probe == "latency" && each.question.path == path && each.item == item;
    });
    return found == all.end() ? nullptr : &*found;
}

const GridRow* row_of(const Grid& grid, const std::string& place) {
    for (const GridSection& section : grid.sections)
        for (const GridRow& row : section.rows)
            if (row.place == place) return &row;
    return nullptr;
}

bool is_wanted(const Comparison& each) {
    const bool latency = each.question.probe == "latency" && each.question.path == "global.pointer",
               bandwidth = each.question.probe == "bandwidth" && each.question.path == "global";
    return each.kind == Kind::level && (latency || bandwidth) &&
           (each.item == "L1" || each.item == "L2" || each.item == "L2 near" || each.item == "DRAM");
}
} // namespace

TEST_CASE("the noise of an item: nine of ten pairs give its deviation, the largest one how far two have to lie apart, "
          "with the more room the fewer pairs there are") {
    const LearnedNoise few = noise_of({16, 0.0164500, 0.02}), many = noise_of({1600, 0.0164500, 0.02});
    CHECK(few.deviation == doctest::Approx(0.01 / std::sqrt(2)));
    CHECK(many.deviation == few.deviation);
    CHECK(few.beyond == doctest::Approx(0.05));
    CHECK(many.beyond == doctest::Approx(0.023));
    CHECK(noise_of({9, 0, 0}).deviation > 0); // no counter is exact
}

TEST_CASE(
    "what was recorded: a level's latency within half a percent, launches far more; of an unknown probe nothing") {
    const auto dram = learned_noise("latency", "level", "DRAM"), unseen = learned_noise("latency", "level", "L9"),
               launch = learned_noise("launch", "point", "workgroups 1");
    REQUIRE(dram);
    REQUIRE(unseen); // as all levels
    REQUIRE(launch);
    CHECK(dram->deviation < 0.005);
    CHECK(launch->deviation > 10 * dram->deviation);
    CHECK_FALSE(learned_noise("no such probe", "level", "DRAM"));
    CHECK_FALSE(learned_noise("latency", "no such kind", ""));
}

TEST_CASE("two quick runs of one card differ in nothing; three percent in a level's latency or rate are found") {
    const Run a = quick_run(1), b = quick_run(2);
    std::size_t injected = 0, found = 0, others = 0;
    for (const std::string device : {"cuda:0", "opencl:1.0", "vulkan:0"}) {
        CAPTURE(device);
        const std::vector<Comparison> alike = compared(a, b, device);
        for (const Comparison& each : alike) {
            CAPTURE(each.what());
            CHECK_FALSE(each.differs);
        }
        for (const Comparison& item : alike) {
            if (!is_wanted(item)) continue;
            ++injected;
            for (const Comparison& each : compared(a, slowed(b, item, device, 1.03), device))
                (each.question == item.question && each.item == item.item ? found : others) += each.differs;
        }
    }
    CHECK(injected >= 16);
    CHECK(found + injected / 18 >= injected); // 17 of 18
    CHECK(others <= injected);                // points beside the level, which were slowed with it
}

TEST_CASE("what was recorded of an edge, which moves, is more than of a level; two cards whose levels are not the same "
          "ones differ at common footprints") {
    const auto edge = learned_noise("latency", "edge", "at 32 MiB"),
               level = learned_noise("latency", "level", "L2 near");
    REQUIRE(edge);
    REQUIRE(level);
    CHECK(edge->beyond > 10 * level->beyond);

    const Run a = quick_run(1), b = without_far_level(quick_run(2));
    for (const std::string path : {"global", "global.pointer"}) {
        CAPTURE(path);
        const std::vector<Comparison> all = compared(a, b, "cuda:0");
        const Comparison *cache = item_of(all, path, "at 32 MiB"), *memory = item_of(all, path, "at 55.7 MiB");
        REQUIRE(cache);
        REQUIRE(memory);
        CHECK(cache->kind == Kind::edge);
        CHECK(cache->differs);
        CHECK(*cache->ratio < 0.85);
        CHECK(memory->differs);
        CHECK(*memory->ratio > 1.2);
    }
}

TEST_CASE(
    "beside a card without L2's farther partition the rows stand side by side: its L2 by the near one, of the far "
    "one none") {
    const Run a = quick_run(1);
    Run b = without_far_level(quick_run(2));
    for (DeviceRecord& device : b.devices) device.cache_bytes = 0; // which would tell that its L2 is the near part
    const Side first{"a", {recordings_of(a)[0]}}, second{"b", {recordings_of(b)[0]}};
    for (const bool swapped : {false, true}) {
        CAPTURE(swapped);
        const Grid table = swapped ? side_table(second, first) : side_table(first, second);
        const GridRow *near = row_of(table, "L2 (near)"), *far = row_of(table, "L2 far");
        REQUIRE(near);
        REQUIRE(far);
        REQUIRE(near->cells.at(2).quantity());
        CHECK(near->cells[2].quantity()->value == doctest::Approx(1).epsilon(0.03));
        CHECK(far->cells.at(swapped ? 1 : 0).quantity());
        CHECK(std::get<Lack>(far->cells[swapped ? 0 : 1].is) == Lack::not_reached);
        CHECK_FALSE(row_of(table, "L2"));
        CHECK_FALSE(row_of(table, "L2 near"));
    }
}

TEST_CASE("first executions of code are compared by the cycles that both sides count, or not at all") {
    Run run = read_run(recorded::quick(1));
    std::erase_if(run.series, [](const Series& series) { return series.id.probe != "first-run"; });
    const auto of_apis = [](const Run& both) {
        const std::vector<DeviceRun> recordings = recordings_of(both);
        const auto side = [&](const std::string& id) {
            return Side{
                id, {*std::ranges::find_if(recordings, [&](const DeviceRun& each) { return each.device->id == id; })}};
        };
        std::vector<std::string> notes;
        return compare(side("cuda:0"), side("vulkan:0"), View::ns, notes);
    };
    std::vector<Comparison> all = of_apis(run);
    judge(all);
    REQUIRE(all.size() >= 4);
    for (const Comparison& each : all) {
        CAPTURE(each.item);
        CHECK(each.unit == "cycles");
        CHECK((each.differs || each.item == "run 1")); // its blocks scatter
        CHECK(*each.ratio > 2);
        CHECK(*each.ratio < 6);
    }
    for (DeviceRecord& device : run.devices)
        if (device.id == "vulkan:0") device.core_cycles = false;
    CHECK(of_apis(run).empty());
}

TEST_CASE(
    "what two APIs of one card differ in as the diagnosis tells: reaches of translation that cost the same, random "
    "loads") {
    Run run = read_run(recorded::quick(1));
    std::erase_if(
        run.series, [](const Series& series) { return series.id.probe != "tlb" && series.id.probe != "coalescing"; });
    std::vector<DeviceRun> recordings = recordings_of(run);
    const auto side = [&](const std::string& id) {
        return Side{
            id, {*std::ranges::find_if(recordings, [&](const DeviceRun& each) { return each.device->id == id; })}};
    };
    std::vector<std::string> notes;
    std::vector<Comparison> all = compare(side("cuda:0"), side("vulkan:0"), View::ns, notes);
    judge(all);
    const auto differs = [&](const std::string& probe, const std::string& item) {
        return std::ranges::any_of(all, [&](const Comparison& each) {
            return each.question.probe == probe && each.item == item && each.differs && *each.ratio < 0.7;
        });
    };
    CHECK(differs("tlb", "reach of TLB1"));
    CHECK(differs("tlb", "reach of TLB2"));
    CHECK(differs("coalescing", "random elements"));
}

TEST_CASE("single blocks of a processor are not judged, whatever lies between them") {
    Run a = quick_run(1);
    for (DeviceRecord& device : a.devices) device.cpu = true;
    Run b = a;
    for (Series& series : b.series)
        for (Point& point : series.points)
            for (Sample& sample : point.samples) {
                sample.host_ns *= 3;
                if (sample.device_ns) *sample.device_ns *= 3;
            }
    const std::vector<Comparison> comparisons = compared(a, b, "cuda:0");
    CHECK(comparisons.size() > 3);
    for (const Comparison& each : comparisons) {
        CHECK(each.noise_unknown());
        CHECK_FALSE(each.chance);
        CHECK_FALSE(each.differs);
    }
}
