// What several devices' series say, in one line.
#include <doctest/doctest.h>

#include "core/diagnosis/probe_findings.h"
#include "tests/diagnosis/made_up.h"

using namespace sonde;

namespace {
Finding banks_of(const std::string& device, const std::string& text, const std::string& width = "4") {
    Finding finding;
    finding.series = {.probe = "banks", .device = device, .path = "scratchpad", .options = {{"width", width}}};
    finding.text = device + " scratchpad: " + text;
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

TEST_CASE("what is built into a processor is told from several blocks, not from one") {
    made_up::MadeUp made;
    made.device("a:0").cpu = true, made.evicting("a:0", "texel", 1);
    const auto finding = [&](int blocks) {
        for (Point& point : made.run.series[0].points) {
            point.samples.clear();
            for (int block = 0; block < blocks; ++block)
                point.samples.push_back({.block = block, .steps = 1000, .host_ns = 1000 * *point.median});
        }
        return probe_findings(made.run.series[0], made.run.devices[0], made.run).at(0);
    };
    CHECK(finding(1).text.ends_with(
        "inconclusive: one block; what is built into a processor needs several (--profile standard)"));
    CHECK_FALSE(finding(1).value);
    CHECK_FALSE(cards_of({&made.run, 1})[0].curves[0].usable()); // by rules neither
    CHECK(finding(2).value);
    CHECK(cards_of({&made.run, 1})[0].curves[0].usable());
    made.run.devices[0].cpu = false;
    CHECK(finding(1).value);
}

TEST_CASE("what a control would have to prove is inconclusive without it") {
    made_up::MadeUp made;
    made.device("a:0"), made.evicting("a:0", "global", 0.27);
    const auto texts = [&] {
        const Card card = cards_of({&made.run, 1})[0];
        const Finding beside = probe_findings(card.curves[0], card).at(0),
                      shown = probe_findings(made.run.series[0], made.run.devices[0], made.run).at(0);
        CHECK(beside.text == shown.text);
        CHECK(beside.value == shown.value);
        return beside.text;
    };
    CHECK(texts() == "a:0 texel: inconclusive: its control was not measured: other_path=texel");
    made.run.series[0].points[1].median = made.run.series[0].points[2].median = 150;
    CHECK(texts() == "a:0 texel: loads on global evict 100 % of this path's L1 lines: one cache"); // which needs none
    made.run.series[0].points[1].median = made.run.series[0].points[2].median = 77;
    made.evicting("a:0", "texel", 1);
    CHECK(texts() == "a:0 texel: loads on global evict 27 % of this path's L1 lines: shared at least in part (control: "
                     "other_path=texel)");
    made.run.series.pop_back(), made.evicting("a:0", "texel", 0.05); // the level was taken for another
    CHECK(texts() == "a:0 texel: inconclusive: its control is inconclusive: other_path=texel");
}
