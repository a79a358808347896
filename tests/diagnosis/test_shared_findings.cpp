// What several devices' series say, in one line.
#include <doctest/doctest.h>

#include "core/diagnosis/shared_findings.h"

using namespace sonde;

namespace {
Finding banks_of(const std::string& device, const std::string& text, const std::string& width = "4") {
    Finding finding;
    finding.series = {.probe = "banks", .device = device, .path = "scratchpad", .options = {{"width", width}}};
    finding.text = text;
    return finding;
}
} // namespace

TEST_CASE("devices that say the very same stand in one line, all others in their own") {
    const auto shared = shared_findings(
        {banks_of("cuda:0", "32 banks"), banks_of("opencl:0.0", "32 banks"), banks_of("vulkan:0", "16 banks")});
    REQUIRE(shared.size() == 2);
    CHECK(shared[0].text == "32 banks");
    CHECK(shared[0].devices == std::vector<std::string>{"cuda:0", "opencl:0.0"});
    CHECK(shared[1].devices == std::vector<std::string>{"vulkan:0"});
}

TEST_CASE("two findings of one device, and those of other options, stay apart") {
    CHECK(shared_findings({banks_of("cuda:0", "32 banks"), banks_of("cuda:0", "32 banks")}).size() == 2);
    CHECK(shared_findings({banks_of("cuda:0", "32 banks"), banks_of("vulkan:0", "32 banks", "8")}).size() == 2);
}
