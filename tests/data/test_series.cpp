// Statistics of samples, and the JSON form of series.
#include <array>
#include <cmath>

#include <doctest/doctest.h>

#include "core/base/error.h"
#include "core/base/statistics.h"
#include "core/data/series.h"
#include "core/run/judge.h"
#include "core/run/run.h"
#include "tests/says.h"

using namespace sonde;
using doctest::Approx;

namespace {
Sample sample(double steps, double host, std::optional<double> device_ns = {}, std::optional<double> cycles = {}) {
    return {0, steps, host, device_ns, cycles};
}

Series series_at_clock(double mhz) {
    Series series{.id = {"latency", "cuda:0", "global", {}}, .api = "cuda", .card = "aa"};
    series.points.push_back({.x = 512, .median = 10, .clock_mhz = mhz});
    return series;
}
} // namespace

TEST_CASE("quantiles of even, odd, single and no values") {
    CHECK(median(std::vector<double>{3, 1, 2}) == 2);
    CHECK(median(std::vector<double>{4, 1, 2, 3}) == 2.5);
    CHECK(quantile(std::vector<double>{1, 2, 3, 4, 5}, 0.25) == 2);
    CHECK(median(std::vector<double>{7}) == 7);
    CHECK(std::isnan(median(std::vector<double>{})));
}

TEST_CASE("the slope of two lengths takes the launch's cost out") {
    // 500 ns of launch, 10 ns and 20 cycles per load
    Point point{.x = 1024, .samples = {sample(100, 9e9, 1500, 2100), sample(8100, 9e9 + 80000, 81500, 162100)}};
    summarize(point, Measure::time_per_step, Timer::device, true);
    CHECK(*point.median == Approx(10));
    CHECK(*point.cycles == Approx(20));
    CHECK(*point.clock_mhz == Approx(2000));
    summarize(point, Measure::steps_per_time, Timer::device, false);
    CHECK(*point.median == Approx(0.1));
    CHECK_FALSE(point.cycles.has_value());
}

TEST_CASE("quartiles of spread samples stand on their side of the median, for a time as for a rate") {
    Point point; // pairs of 1000 steps' difference, which take 2, 4, 5, 8 and 10 ns a step
    for (const double ns : {5, 10, 2, 8, 4})
        point.samples.push_back(sample(0, 1, 0, 0)), point.samples.push_back(sample(1000, 1 + 1000 * ns, 1000 * ns, 0));
    summarize(point, Measure::time_per_step, Timer::device, false);
    CHECK(std::array{*point.low, *point.median, *point.high} == std::array{4.0, 5.0, 8.0});
    summarize(point, Measure::steps_per_time, Timer::device, false);
    CHECK(std::array{*point.low, *point.median, *point.high} == std::array{1 / 8.0, 1 / 5.0, 1 / 4.0});
}

TEST_CASE("times that scatter make no clock") {
    Point point;
    for (const double ns : {6000, 7000, 8000, 9000})
        point.samples.push_back(sample(100, 9e9, 1500, 2100)),
            point.samples.push_back(sample(800, 9e9, 1500 + ns, 16100));
    summarize(point, Measure::time_per_step, Timer::device, true);
    CHECK(*point.cycles == Approx(20));
    CHECK_FALSE(point.clock_mhz.has_value());
}

TEST_CASE("a pair too short for the launch's beginning makes no clock") {
    Point point{.x = 1024, .samples = {sample(100, 9e9, 1500, 2100), sample(800, 9e9 + 7000, 8500, 23100)}};
    summarize(point, Measure::time_per_step, Timer::device, true);
    CHECK(*point.cycles == Approx(30));
    CHECK_FALSE(point.clock_mhz.has_value()); // 3000 MHz by 7 microseconds
}

TEST_CASE("the clock beside a series is that of the dispatches before and after") {
    Series odd = series_at_clock(2403);
    CHECK(clock_beside(odd) == Approx(2403)); // nothing else is known
    odd.evidence.clock = {.before_mhz = 1980, .after_mhz = 1975};
    CHECK(clock_beside(odd) == Approx(1980));
}

TEST_CASE("a load lowers the clock: higher before and after, or before it where a reason is named, which may outlast "
          "the load") {
    Series loaded = series_at_clock(1600);
    for (Point& point : loaded.points) point.clock_mhz = 1600;
    loaded.evidence.clock = {.before_mhz = 1980, .after_mhz = 1590};
    CHECK_FALSE(lowered_clock(loaded).has_value());
    loaded.evidence.telemetry.during.throttled_by = {"power cap"};
    REQUIRE(lowered_clock(loaded).has_value());
    CHECK(lowered_clock(loaded)->beside == 1980);
    loaded.evidence.clock->before_mhz = 1600;
    CHECK_FALSE(lowered_clock(loaded).has_value());
}

TEST_CASE("a power cap that was named before a series and no more after it is that of the load before") {
    Series series = series_at_clock(1980);
    TelemetryEvidence& told = series.evidence.telemetry;
    told.during.throttled_by = {"power cap"};
    CHECK(names_power_cap(series));
    told.before.throttled_by = {"power cap"};
    CHECK(names_power_cap(series)); // nobody asked after it
    told.after.throttled_by = {"power cap"};
    CHECK(names_power_cap(series));
    told.after.throttled_by->clear();
    CHECK_FALSE(names_power_cap(series));
    told.before.throttled_by->clear();
    CHECK(names_power_cap(series));
}

TEST_CASE("a slope that is not positive is no measurement") {
    CHECK(slopes_ns({sample(100, 50), sample(200, 50)}, Timer::host).empty());
    CHECK(slopes_ns({sample(100, 50), sample(200, 40)}, Timer::host).empty());
    CHECK(slopes_ns({sample(100, 50), sample(200, 60)}, Timer::device).empty());
    CHECK(slopes_ns({sample(100, 50), sample(200, 60), sample(100, 1)}, Timer::host).size() == 1);
    Point point{.x = 1, .samples = {sample(100, 50), sample(200, 40)}};
    summarize(point, Measure::time_per_step, Timer::host, false);
    CHECK_FALSE(point.median.has_value());
}

TEST_CASE("a series survives its JSON form") {
    Series series = series_at_clock(1980);
    series.id.options = {{"width", "16"}};
    series.status = Status::unstable;
    series.doubts = {{.kind = DoubtKind::low_clock, .measured = 1500, .usual = 1980},
        {.kind = DoubtKind::scatter, .measured = 0.2, .at = {1024, 4096}, .blocks_apart = 1.5}};
    series.ending = Ending{
        .by = EndedBy::device, .bytes = 1 << 20, .before = 4096, .done = 1, .of = 3, .why = "a \"word\"\nand more"};
    series.x = {"footprint", "bytes"};
    series.unit = "ns";
    series.points[0].samples = {sample(64, 1.5, 2.5, 3.5), sample(128, 1.5)};
    const Series back = Json::parse(Json(series).dump()).get<Series>();
    CHECK(back.id == series.id);
    CHECK(back.reason == "");
    CHECK(reason_text(back) == reason_text(series));
    CHECK(back.points[0].samples[0].cycles == 3.5);
    CHECK_FALSE(back.points[0].samples[1].device_ns.has_value());
    CHECK(Json(back) == Json(series));
}

TEST_CASE("a series without its fields is an error that names them") {
    Json json = series_at_clock(1);
    json["status"] = "fine";
    CHECK_THROWS_WITH_AS(json.get<Series>(), doctest::Contains("'status' is none of"), Error);
    json.erase("probe");
    CHECK_THROWS_WITH_AS(json.get<Series>(), "'probe' is missing", Error);
}

TEST_CASE("few launches whose host time scatters cast no doubt on the device's timer; the same in long ones do") {
    const auto status_with = [](double steps_ns, double late) {
        Series series = series_at_clock(1980);
        series.points.resize(1);
        series.points[0].samples.clear();
        for (int pair = 0; pair < 3; ++pair)
            series.points[0].samples.insert(series.points[0].samples.end(),
                {sample(1000, 114e3 + steps_ns / 7, 57e3 + steps_ns / 7),
                    sample(8000, 114e3 + steps_ns * 8 / 7 + late, 57e3 + steps_ns * 8 / 7)});
        series.evidence.timers = timers_of(series, Timer::device);
        judge(series, {}, {.clock_mhz = 1980}, false);
        return series.status;
    };
    CHECK(status_with(373e3, 300e3) == Status::ok); // as on an H200
    CHECK(status_with(20e6, 300e3) == Status::ok);
    CHECK(status_with(20e6, 16e6) == Status::unstable);
}

TEST_CASE("longer dispatches that take longer a step than shorter ones with their launch were interrupted") {
    const auto judged = [](double longer_ns, bool by_host) {
        Series series = series_at_clock(1980);
        series.points.resize(1);
        series.points[0].samples.clear();
        for (int pair = 0; pair < 3; ++pair)
            series.points[0].samples.insert(
                series.points[0].samples.end(), {sample(1000, 110e3, 110e3), sample(8000, longer_ns, longer_ns)});
        series.evidence.timers = timers_of(series, Timer::device);
        judge(series, {}, {.clock_mhz = 1980}, by_host);
        return series;
    };
    CHECK(judged(800e3, false).status == Status::ok);
    CHECK(judged(1200e3, false).status == Status::ok); // contiguous reads of DRAM: 1.4 times on an H200
    CHECK(judged(3e6, true).status == Status::ok);
    const Series interrupted = judged(3e6, false);
    CHECK(interrupted.status == Status::unstable);
    REQUIRE(interrupted.doubts.size() == 1);
    CHECK(interrupted.doubts[0].kind == DoubtKind::interrupted);
    CHECK(interrupted.doubts[0].measured == Approx((3e6 - 110e3) / 7 / 110e3));
    CHECK(says(reason_text(interrupted), "3.8 times those"));
}

TEST_CASE("judging: clock, placement, timers") {
    Series slow = series_at_clock(1500);
    judge(slow, {}, {.clock_mhz = 1980}, false);
    CHECK(slow.status == Status::unstable);
    REQUIRE(slow.doubts.size() == 1);
    CHECK(slow.doubts[0].kind == DoubtKind::low_clock);
    CHECK(slow.doubts[0].measured == 1500);
    CHECK(slow.doubts[0].usual == 1980);

    Series loaded = series_at_clock(1500);
    loaded.evidence.clock = {.before_mhz = 1980, .after_mhz = 1975};
    judge(loaded, {}, {.clock_mhz = 1980}, false);
    CHECK(loaded.status == Status::ok); // its own load lowers it
    loaded.evidence.clock->after_mhz = 1500;
    judge(loaded, {}, {.clock_mhz = 1980}, false);
    CHECK(loaded.status == Status::unstable);

    Series fine = series_at_clock(1900);
    fine.evidence.timers = {.host_over_device = 1.02};
    fine.evidence.placement = {.text = "not told"};
    judge(fine, {}, {.clock_mhz = 1980}, false);
    CHECK(fine.status == Status::ok);

    Series misplaced = series_at_clock(1980);
    misplaced.evidence.placement = {.device_local = false, .text = "heap 1 (system memory)"};
    misplaced.evidence.timers = {.host_over_device = 1000};
    judge(misplaced, {}, {.clock_mhz = 1980}, false);
    CHECK(misplaced.status == Status::unstable);
    REQUIRE(misplaced.doubts.size() == 2);
    CHECK(misplaced.doubts[0].kind == DoubtKind::placement);
    CHECK(misplaced.doubts[1].kind == DoubtKind::host_timer);
    CHECK(says(reason_text(misplaced), "heap 1 (system memory)"));
    CHECK(says(reason_text(misplaced), "timers disagree"));

    // The ratio of slopes may be lost in the host's noise where walks are far shorter than the device's clock says.
    Series beyond = series_at_clock(1980);
    beyond.points[0].samples = {sample(64, 1000, 900e3), sample(128, 1000, 900e3)};
    beyond.evidence.timers = {.host_over_device = 0.3, .error = 5};
    judge(beyond, {}, {.clock_mhz = 1980}, false);
    CHECK(beyond.status == Status::unstable);
    REQUIRE(beyond.doubts.size() == 1);
    CHECK(beyond.doubts[0].kind == DoubtKind::device_timer);
    CHECK(beyond.doubts[0].measured == Approx(900));
    CHECK(says(reason_text(beyond), "takes 900 times"));

    Series failed = series_at_clock(100);
    failed.status = Status::failed;
    failed.reason = "x";
    judge(failed, {}, {.clock_mhz = 1980}, false);
    CHECK(failed.reason == "x");
}

TEST_CASE("judging: another process on the card, by its driver or by the samples") {
    Series shared = series_at_clock(1980);
    shared.evidence.telemetry.others =
        std::vector<CardUser>{{.pid = 7, .busy_percent = 1}, {.pid = 123, .busy_percent = 97}, {.pid = 9}};
    judge(shared, {}, {.clock_mhz = 1980}, false);
    CHECK(shared.status == Status::unstable);
    REQUIRE(shared.doubts.size() == 1);
    CHECK(shared.doubts[0].kind == DoubtKind::other_processes);
    CHECK(reason_text(shared).ends_with("(pid 123, 97 % busy)"));

    const auto with_slow_pairs = [](int slow) { // of 20
        Series series = series_at_clock(1980);
        series.x = {"footprint", "bytes"};
        series.points.clear();
        for (int point = 0; point < 4; ++point) {
            Point each{.x = 1024.0 * (point + 1)};
            for (int pair = 0; pair < 5; ++pair) {
                const double ns = point * 5 + pair < slow ? 40 : 20;
                each.samples.push_back(sample(64, 1000 + 64 * ns, 1000 + 64 * ns));
                each.samples.push_back(sample(128, 1000 + 128 * ns, 1000 + 128 * ns));
            }
            series.points.push_back(each);
        }
        return series;
    };
    Series few = with_slow_pairs(1), many = with_slow_pairs(2 + 5), by_host = many, of_processor = many;
    CHECK(scatter_of(few)->share == doctest::Approx(0.05));
    judge(few, {}, {.clock_mhz = 1980}, false);
    CHECK(few.status == Status::ok);
    many = with_slow_pairs(2);
    many.points.push_back(with_slow_pairs(2).points[0]);
    many.points.back().x = 8192;
    judge(many, {}, {.clock_mhz = 1980}, false);
    CHECK(many.status == Status::unstable);
    REQUIRE(many.doubts.size() == 1);
    CHECK(many.doubts[0].kind == DoubtKind::scatter);
    CHECK(many.doubts[0].measured == Approx(0.16));
    CHECK(many.doubts[0].at == std::vector<double>{1024, 8192});
    CHECK_FALSE(many.doubts[0].blocks_apart);
    CHECK(says(reason_text(many), "footprint 1 KiB and 8"));
    Series at_many = with_slow_pairs(0);
    for (int point = 0; point < 8; ++point) {
        at_many.points.push_back(with_slow_pairs(point < 5 ? 2 : 0).points[0]);
        at_many.points.back().x = 8192 * (point + 1);
    }
    judge(at_many, {}, {.clock_mhz = 1980}, false);
    REQUIRE(at_many.doubts.size() == 1);
    CHECK(at_many.doubts[0].at.size() == 5);
    CHECK(says(reason_text(at_many), "5 of 12 points"));
    Series one_of_nine = with_slow_pairs(0);
    one_of_nine.points.resize(2);
    one_of_nine.points[1] = with_slow_pairs(1).points[0];
    one_of_nine.points[0].samples.resize(8);
    judge(one_of_nine, {}, {.clock_mhz = 1980}, false);
    CHECK(scatter_of(one_of_nine)->share > 0.1);
    CHECK(one_of_nine.status == Status::ok); // the medians stay
    Series blocks = with_slow_pairs(2);
    blocks.points.resize(2);
    for (Point& point : blocks.points)
        for (std::size_t i = 0; i < 4; ++i) point.samples[i].block = 1; // the first two pairs, slow at one point
    judge(blocks, {}, {.clock_mhz = 1980}, false);
    CHECK(blocks.status == Status::unstable);
    REQUIRE(blocks.doubts.size() == 1);
    CHECK(blocks.doubts[0].at == std::vector<double>{1024});
    CHECK(blocks.doubts[0].blocks_apart == Approx(2));
    CHECK(says(reason_text(blocks), "each block agree"));
    judge(by_host, {}, {.clock_mhz = 1980}, true);
    CHECK(by_host.status == Status::ok);
    DeviceInfo processor;
    processor.cpu = true;
    judge(of_processor, processor, {.clock_mhz = 1980}, false);
    CHECK(of_processor.status == Status::ok);
}

TEST_CASE("the clock at a point is its own, else the one before and after the series, if these are the same") {
    Series series = series_at_clock(1500);
    series.evidence.clock = {.before_mhz = 1198, .after_mhz = 1202};
    CHECK(clock_at(series, series.points[0]) == 1500);
    series.points[0].clock_mhz = std::nullopt;
    CHECK(clock_at(series, series.points[0]) == doctest::Approx(1200));
    series.evidence.clock->before_mhz = 1000;
    CHECK_FALSE(clock_at(series, series.points[0]));
    series.evidence.clock->before_mhz = std::nullopt;
    CHECK_FALSE(clock_at(series, series.points[0]));
    series.evidence.clock = std::nullopt;
    CHECK_FALSE(clock_at(series, series.points[0]));
}

TEST_CASE("the clock that instruments show is that of the point, else of a series with several samples") {
    Series series = series_at_clock(1500);
    TelemetryEvidence& told = series.evidence.telemetry;
    CHECK_FALSE(shown_clock(series, series.points[0]));
    told.during.core_mhz = {.low = 1800, .median = 1900, .high = 1980}, told.during.samples = 1;
    CHECK_FALSE(shown_clock(series, series.points[0]));
    told.during.samples = 20;
    CHECK(shown_clock(series, series.points[0]) == 1900);
    told.by_x.emplace_back().x = series.points[0].x, told.by_x[0].core_mhz = 1980;
    CHECK(shown_clock(series, series.points[0]) == 1980);
}
