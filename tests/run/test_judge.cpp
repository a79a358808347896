// Each doubt of a series, just within its limit and just beyond.
#include <doctest/doctest.h>

#include "core/run/judge.h"

using namespace sonde;

namespace {
constexpr double kStep = 10; // ns

/// Pairs of dispatches of 10,000 and 20,000 steps, whose slope is `kStep` times the factor, by both clocks.
void add_pairs(Point& point, int block, const std::vector<double>& factors, double launch_ns = 1000) {
    for (const double factor : factors)
        for (const double steps : {1e4, 2e4}) {
            const double ns = launch_ns + steps * kStep * factor;
            point.samples.push_back({.block = block, .steps = steps, .host_ns = ns, .device_ns = ns});
        }
}

/// A quiet series of three points, ten pairs each.
Series quiet() {
    Series series{.id = {"latency", "a:0", "global", {}}, .x = {"footprint", "bytes"}, .unit = "ns"};
    for (const double x : {1024., 2048., 4096.}) {
        Point& point = series.points.emplace_back(Point{.x = x, .clock_mhz = 1000, .samples = {}});
        add_pairs(point, 0, std::vector<double>(10, 1.0));
    }
    return series;
}

bool doubted(Series series, const BestSeen& best = {}, const DeviceInfo& device = {}, bool timed_by_host = false) {
    judge(series, device, best, timed_by_host);
    CHECK((series.status == Status::unstable) == !series.doubts.empty());
    return series.status == Status::unstable;
}

/// The quiet series with so many pairs of its 30 off by that factor, all at other points.
Series scattered(int pairs, double factor) {
    Series series = quiet();
    for (int i = 0; i < pairs; ++i) {
        Point& point = series.points[static_cast<std::size_t>(i % 3)];
        Sample& longer = point.samples[static_cast<std::size_t>(2 * (i / 3) + 1)];
        longer.host_ns = *longer.device_ns = 1000 + 1e4 * kStep * (1 + factor);
    }
    return series;
}
} // namespace

TEST_CASE("a quiet series stays ok, and one that is not ok is not judged") {
    CHECK_FALSE(doubted(quiet(), {.clock_mhz = 1000}));
    for (const Status status : {Status::failed, Status::unsupported}) {
        Series series = quiet();
        series.status = status, series.reason = "as it was";
        judge(series, {}, {.clock_mhz = 5000}, false);
        CHECK(series.status == status);
        CHECK(series.reason == "as it was");
    }
}

TEST_CASE("a clock below 90 % of the card's highest") {
    CHECK_FALSE(doubted(quiet(), {.clock_mhz = 1000 / 0.901}));
    CHECK(doubted(quiet(), {.clock_mhz = 1000 / 0.899}));
    Series by_clock = quiet(); // no point tells: what a core ran at before and after
    for (Point& point : by_clock.points) point.clock_mhz.reset();
    by_clock.evidence.clock = {.before_mhz = 800, .after_mhz = 800};
    CHECK(doubted(by_clock, {.clock_mhz = 1000}));
    Series under_load = quiet(); // the card's own doing: an idle core beside it is as fast as any
    under_load.evidence.clock = {.before_mhz = 1990, .after_mhz = 1990};
    CHECK_FALSE(doubted(under_load, {.clock_mhz = 2000}));
    under_load.evidence.clock = {.before_mhz = 1700, .after_mhz = 1700};
    CHECK(doubted(under_load, {.clock_mhz = 2000}));
}

TEST_CASE("a buffer on global that lies elsewhere") {
    Series series = quiet();
    series.evidence.placement = {.device_local = false, .text = "host memory"};
    CHECK(doubted(series));
    series.id.path = "global.pointer";
    CHECK(doubted(series));
    series.id.path = "host";
    CHECK_FALSE(doubted(series));
    series.id.path = "global";
    for (const auto& fine : {std::optional<bool>(true), std::optional<bool>()}) {
        series.evidence.placement->device_local = fine;
        CHECK_FALSE(doubted(series));
    }
}

TEST_CASE("timers that disagree by more than a tenth and their error") {
    struct Row {
        double ratio, error;
        bool doubt;
    };
    for (const auto& [ratio, error, doubt] : {Row{1.09, 0, false}, {1.11, 0, true}, {0.91, 0, false}, {0.89, 0, true},
             {1.2, 0.04, false}, {1.2, 0.03, true}}) {
        CAPTURE(ratio);
        CAPTURE(error);
        Series series = quiet();
        series.evidence.timers = {.host_over_device = ratio, .error = error};
        CHECK(doubted(series) == doubt);
    }
    for (const auto& [times, doubt] : {std::pair{1.09, false}, {1.11, true}}) { // a device slower than its host waits
        Series series = quiet();
        for (Point& point : series.points)
            for (Sample& sample : point.samples) sample.device_ns = times * sample.host_ns;
        CHECK(doubted(series) == doubt);
    }
}

TEST_CASE("another process that takes five percent of the card") {
    for (const auto& [busy, doubt] :
        {std::pair{std::optional(4.9), false}, {std::optional(5.0), true}, {std::optional<double>(), false}}) {
        Series series = quiet();
        series.evidence.telemetry.others = {{.pid = 7, .busy_percent = busy}};
        CHECK(doubted(series) == doubt);
        CHECK(others_text(series).empty() == !doubt);
    }
}

TEST_CASE("a control measurement 1.2 times the run's usual, once four are known") {
    const auto with_control = [](double small_ns, double large_ns) {
        Series series = quiet();
        series.evidence.control = {.before = {}, .after = ControlPoint{small_ns, large_ns, 1 << 30}};
        return series;
    };
    const auto best = [](std::size_t controls) {
        return BestSeen{.controls = std::vector<ControlPoint>(controls, ControlPoint{20, 300, 1 << 30})};
    };
    CHECK_FALSE(doubted(with_control(20, 300), best(4)));
    CHECK_FALSE(doubted(with_control(23.9, 359), best(4)));
    CHECK(doubted(with_control(24.1, 300), best(4)));
    CHECK(doubted(with_control(20, 361), best(4)));
    CHECK_FALSE(doubted(with_control(24.1, 361), best(3)));
    CHECK_FALSE(doubted(with_control(10, 150), best(4))); // faster is no doubt
    CHECK_FALSE(doubted(quiet(), best(4)));
}

TEST_CASE("control measurements of all series are noted once each") {
    std::vector<ControlPoint> controls;
    Series series = quiet();
    note_controls(controls, series);
    CHECK(controls.empty());
    const ControlPoint first{20, 300, 1 << 30}, second{21, 310, 1 << 30}, third{22, 320, 1 << 30};
    series.evidence.control = {.before = first, .after = second};
    note_controls(controls, series);
    series.evidence.control = {.before = second, .after = third};
    note_controls(controls, series);
    CHECK(controls == std::vector{first, second, third});
}

TEST_CASE("samples that scatter: more than a tenth of the pairs, 1.3 times off, two at the least") {
    CHECK_FALSE(doubted(scattered(3, 1.5)));
    CHECK(doubted(scattered(4, 1.5)));
    CHECK_FALSE(doubted(scattered(4, 1.29)));
    CHECK(doubted(scattered(4, 1.31)));
    CHECK(doubted(scattered(4, 1 / 1.31)));
    CHECK_FALSE(doubted(scattered(4, 1 / 1.29)));
    CHECK_FALSE(doubted(scattered(4, 1.5), {}, {}, true)); // the host's scheduling is part of what is measured
    CHECK_FALSE(doubted(scattered(4, 1.5), {}, {.cpu = true}));
    CHECK_FALSE(doubted(scattered(4, 1.5), {}, {.software = true}));
    Series one_of_nine = quiet();
    one_of_nine.points.resize(1);
    one_of_nine.points[0].samples.clear();
    add_pairs(one_of_nine.points[0], 0, {1, 1, 1, 1, 1, 1, 1, 1, 2});
    CHECK_FALSE(doubted(one_of_nine)); // moves no median
    const auto scatter = scatter_of(scattered(4, 1.5));
    REQUIRE(scatter);
    CHECK(scatter->off == 4);
    CHECK(scatter->share == doctest::Approx(4. / 30));
}

TEST_CASE("scatter within blocks is told from blocks that differ") {
    Series blocks = quiet();
    for (Point& point : blocks.points) {
        point.samples.clear();
        add_pairs(point, 0, {1, 1, 1, 1}), add_pairs(point, 1, {1, 1, 1, 1}), add_pairs(point, 2, {2, 2, 2});
    }
    const auto scatter = scatter_of(blocks);
    REQUIRE(scatter);
    CHECK(scatter->share == doctest::Approx(3. / 11));
    CHECK(scatter->share_in_block == 0);
    CHECK(scatter->blocks_apart == doctest::Approx(2));
    Series few = quiet();
    few.points.resize(1);
    few.points[0].samples.resize(16); // eight pairs
    CHECK_FALSE(scatter_of(few));
}

TEST_CASE("steps that a longer dispatch adds take 1.6 times those of a shorter one") {
    for (const auto& [times, doubt] : {std::pair{1.55, false}, {1.65, true}}) {
        Series series = quiet();
        for (Point& point : series.points)
            for (std::size_t i = 1; i < point.samples.size(); i += 2)
                point.samples[i].host_ns = *point.samples[i].device_ns = 1e4 * kStep * (1 + times);
        for (Point& point : series.points)
            for (std::size_t i = 0; i < point.samples.size(); i += 2)
                point.samples[i].host_ns = *point.samples[i].device_ns = 1e4 * kStep;
        CHECK(doubted(series) == doubt);
        CHECK_FALSE(doubted(series, {}, {.cpu = true}));
    }
}

TEST_CASE("the ratio of timers is the host's over the device's, and its error covers what launches scatter by") {
    Series series = quiet();
    for (Point& point : series.points)
        for (Sample& sample : point.samples) sample.host_ns = 2 * *sample.device_ns;
    const TimersEvidence timers = timers_of(series, Timer::device);
    CHECK(timers.value_from == Timer::device);
    REQUIRE(timers.host_over_device);
    CHECK(*timers.host_over_device == doctest::Approx(2));
    for (Point& point : series.points)
        for (Sample& sample : point.samples) sample.device_ns.reset();
    CHECK_FALSE(timers_of(series, Timer::host).host_over_device);
}
