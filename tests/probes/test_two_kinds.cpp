// What co-issue, divergence and first-run conclude from curves.
#include <doctest/doctest.h>

#include "core/probes/probe.h"

using namespace sonde;

namespace {
std::string said_of(const std::string& probe, const Options& options, const std::vector<std::pair<double, double>>& points, double* value = nullptr) {
    Series series{.id = {probe, "a:0", "global", options}, .unit = std::string(probe_named(probe).unit)};
    for (const auto& [x, y] : points) series.points.push_back({.x = x, .median = y, .samples = {}});
    const auto found = findings_of(probe_named(probe), series, {});
    REQUIRE(found.size() == 1);
    if (value) *value = *found[0].value;
    return found[0].text;
}
bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }
} // namespace

TEST_CASE("co-issue: two units at once reach the sum of both rates, one unit what one after the other does") {
    const std::string apart = said_of("co-issue", {{"pair", "f32+i32"}}, {{0, 100}, {25, 133.333}, {50, 200}, {75, 133.333}, {100, 100}});
    CAPTURE(apart);
    CHECK(says(apart, "fma.f32 100 Gstep/s, mad.u32 100 Gstep/s"));
    CHECK(says(apart, "with 50 % mad.u32 2.00 times the rate of one after the other, where 2.00 is possible"));
    const std::string shared = said_of("co-issue", {{"pair", "f32+f64"}}, {{0, 100}, {50, 66.6667}, {100, 50}});
    CAPTURE(shared);
    CHECK(says(shared, "fma.f32 100 Gstep/s, fma.f64 50 Gstep/s"));
    CHECK(says(shared, "1.00 times the rate of one after the other, where 1.50 is possible; no share gains more: consistent with a pipe that both use"));
    CHECK_FALSE(says(apart, "a pipe"));
    const std::string low_alone = said_of("co-issue", {{"pair", "f32+f64"}}, {{0, 100}, {50, 66.6667}, {100, 20}});
    CAPTURE(low_alone);
    CHECK(says(low_alone, "fma.f64 33.3 Gstep/s (20 Gstep/s alone); with 50 % fma.f64 1.33 times the rate of one after the other, where 1.33 is possible"));
}

TEST_CASE("divergence: branches one after another cost as many times as there are") {
    double value = 0;
    const std::string text = said_of("divergence", {{"split", "balanced"}}, {{1, 1000}, {2, 2000}, {32, 32000}}, &value);
    CAPTURE(text);
    CHECK(value == doctest::Approx(1));
    CHECK(says(text, "lanes split evenly: 2 paths take 2 times as long as one, 32 paths 32 times"));
}

TEST_CASE("first-run: the first run beside the others; a run that could not be timed is left out") {
    const std::string text = said_of("first-run", {{"card", "awake"}}, {{1, 4}, {2, 0.5}, {8, 0.51}});
    CAPTURE(text);
    CHECK(says(text, "an instruction takes 4 ns in the first run of its code, 0.5 ns in run 2, 0.51 ns in run 8"));
    Series untimed{.id = {"first-run", "a:0", "global", {{"card", "awake"}}}};
    untimed.points = {{.x = 1, .samples = {}}, {.x = 2, .median = 1, .samples = {}}, {.x = 3, .median = 1, .samples = {}}};
    CHECK(findings_of(probe_named("first-run"), untimed, {}).empty());
}

TEST_CASE("clock-read: which counter was read, and what stands between two reads") {
    const auto said = [](const Options& options) {
        Series series{.id = {"clock-read", "a:0", "global", options}, .unit = "ns"};
        series.points.push_back({.x = 64, .median = 20, .samples = {}});
        DeviceInfo device;
        device.clock = "clock64";
        return findings_of(probe_named("clock-read"), series, device).at(0);
    };
    CHECK(said({}).text == "a:0 global: a read of clock64, each behind the one before: 20 ns");
    CHECK(said({{"clock", "globaltimer"}}).text == "a:0 global: a read of globaltimer, each behind the one before: 20 ns");
    CHECK(said({{"between", "4"}}).text == "a:0 global: a read of clock64, with 4 operations of a chain between two reads: 20 ns");
    CHECK(said({{"between", "4"}}).name != said({{"between", "0"}}).name);
}
