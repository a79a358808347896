// What several devices' series say, in one line.
#include <doctest/doctest.h>

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
    const auto shared = shared_findings({banks_of("cuda:0", "a load each 100 cycles"), banks_of("vulkan:0", "a load each 102 cycles"), banks_of("opencl:0.0", "a load each 130 cycles")});
    REQUIRE(shared.size() == 2);
    CHECK(shared[0].devices_text() == "cuda:0; vulkan:0 within 2 %");
    CHECK(shared[0].text == "a load each 100 cycles");
    CHECK(shared[1].devices_text() == "opencl:0.0");
}

TEST_CASE("series that say the very same need no share") {
    const auto shared = shared_findings({banks_of("cuda:0", "32 banks"), banks_of("opencl:0.0", "32 banks"), banks_of("vulkan:0", "32 banks")});
    REQUIRE(shared.size() == 1);
    CHECK(shared[0].devices_text() == "cuda:0, opencl:0.0, vulkan:0");
}

TEST_CASE("two findings of one device, and those of other options, stay apart") {
    CHECK(shared_findings({banks_of("cuda:0", "a load each 100 cycles"), banks_of("cuda:0", "a load each 101 cycles")}).size() == 2);
    CHECK(shared_findings({banks_of("cuda:0", "32 banks"), banks_of("vulkan:0", "32 banks", "8")}).size() == 2);
}
