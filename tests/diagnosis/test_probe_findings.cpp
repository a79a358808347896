// What several devices' series say, in one line.
#include <doctest/doctest.h>

#include <cmath>

#include "core/analysis/findings.h"
#include "core/diagnosis/probe_findings.h"

using namespace sonde;

namespace {
Finding banks_of(const std::string& device, const std::string& text, const std::string& width = "4") {
    Finding finding;
    finding.series = {.probe = "banks", .device = device, .path = "scratchpad", .options = {{"width", width}}};
    finding.text = device + " scratchpad: " + text;
    return finding;
}
} // namespace

TEST_CASE("series of equal words and nearly equal numbers are one line, that says by how much they differ") {
    const auto shared = shared_findings({banks_of("cuda:0", "a load each 100 cycles"), banks_of("vulkan:0", "a load each 102 cycles"), banks_of("opencl:0.0", "a load each 130 cycles")}, {});
    REQUIRE(shared.size() == 2);
    CHECK(shared[0].devices_text() == "cuda:0; vulkan:0 within 2 %");
    CHECK(shared[0].text == "a load each 100 cycles");
    CHECK(shared[1].devices_text() == "opencl:0.0");
}

TEST_CASE("numbers that differ by less than the probe's noise from run to run are one line") {
    const auto exchange = [](const std::string& device, const std::string& text, const char* probe) {
        Finding finding = banks_of(device, text);
        finding.series.probe = probe;
        return finding;
    };
    const auto shared = shared_findings({exchange("cuda:0", "a round trip takes 87 ns", "core-to-core"), exchange("vulkan:0", "a round trip takes 100 ns", "core-to-core"), exchange("opencl:0.0", "a round trip takes 160 ns", "core-to-core")}, {});
    REQUIRE(shared.size() == 2);
    CHECK(shared[0].devices_text() == "cuda:0; vulkan:0 within 15 %");
    CHECK(shared_findings({exchange("cuda:0", "a round trip takes 87 ns", "banks"), exchange("vulkan:0", "a round trip takes 100 ns", "banks")}, {}).size() == 2);
}

TEST_CASE("series that say the very same need no share") {
    const auto shared = shared_findings({banks_of("cuda:0", "32 banks"), banks_of("opencl:0.0", "32 banks"), banks_of("vulkan:0", "32 banks")}, {});
    REQUIRE(shared.size() == 1);
    CHECK(shared[0].devices_text() == "cuda:0, opencl:0.0, vulkan:0");
}

TEST_CASE("a device whose rates differ where the finding's numbers do not is said to") {
    const auto rates = [](const std::string& device, double half) {
        return Series{.id = {.probe = "banks", .device = device, .path = "scratchpad", .options = {{"width", "4"}}}, .x = {"share", "%"}, .unit = "Gop/s", .points = {{.x = 0, .median = 100, .samples = {}}, {.x = 62.5, .median = half, .samples = {}}}};
    };
    const Series a = rates("cuda:0", 80), b = rates("vulkan:0", 100), c = rates("opencl:0.0", 81);
    std::vector<Curve> curves(3);
    curves[0].series = &a, curves[1].series = &b, curves[2].series = &c;
    const auto shared = shared_findings({banks_of("cuda:0", "at most 100"), banks_of("vulkan:0", "at most 100"), banks_of("opencl:0.0", "at most 100")}, curves);
    REQUIRE(shared.size() == 1);
    CHECK(shared[0].devices_text() == "cuda:0, vulkan:0, opencl:0.0; farther apart elsewhere, farthest vulkan:0 25 % higher at 62.5 % share");
}

TEST_CASE("neighbouring places at which a device differs are told together, strides by that name") {
    const auto rates = [](const std::string& device, const std::vector<double>& of) {
        Series series{.id = {.probe = "coalescing", .device = device, .path = "global", .options = {{"pattern", "stride"}, {"width", "4"}}}, .x = {"place", ""}, .unit = "GB/s", .points = {}};
        for (const double rate : of) series.points.push_back({.x = std::exp2(static_cast<double>(series.points.size())), .median = rate, .samples = {}});
        return series;
    };
    const Series a = rates("cuda:0", {100, 100, 100, 100}), b = rates("vulkan:0", {80, 70, 85, 99});
    std::vector<Curve> curves(2);
    curves[0].series = &a, curves[1].series = &b;
    const auto finding = [](const Series& series) { return finding_of(series, Finding{.text = "a sector"}); };
    CHECK(shared_findings({finding(a), finding(b)}, curves).at(0).devices_text() == "cuda:0, vulkan:0; farther apart elsewhere, farthest vulkan:0 up to 30 % lower at strides 1 to 4");
}

TEST_CASE("two findings of one device, and those of other options, stay apart") {
    CHECK(shared_findings({banks_of("cuda:0", "a load each 100 cycles"), banks_of("cuda:0", "a load each 101 cycles")}, {}).size() == 2);
    CHECK(shared_findings({banks_of("cuda:0", "32 banks"), banks_of("vulkan:0", "32 banks", "8")}, {}).size() == 2);
}
