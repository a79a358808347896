// Noise that is learned from recorded runs, and what two quick runs can tell with it.
#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "core/analysis/learned_noise.h"
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
        for (Point& point : series.points) {
            if (!point.median || std::abs(std::log(*point.median / *item.a.value)) > kAbout) continue;
            for (Sample& sample : point.samples) {
                sample.host_ns *= times;
                if (sample.device_ns) *sample.device_ns *= times;
            }
        }
    }
    return run;
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
