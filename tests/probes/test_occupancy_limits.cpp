// Occupancy by registers and by subgroups on a modelled card.
#include <algorithm>
#include <map>
#include <utility>

#include <doctest/doctest.h>

#include "tests/model/measured.h"
#include "tests/model/model_device.h"
#include "tests/says.h"

using namespace sonde;

TEST_CASE("occupancy by registers and by subgroups: what a modelled core holds") {
    CardModel card = model_cards().front();
    card.noise = 0;
    card.registers_per_core = 32768;
    card.subgroups_per_core = 48;
    card.groups_per_core = 16;
    const auto device = model_device(card, 1);
    const auto told = [&](const char* probe, const std::map<double, double>& registers) {
        Series series = measured(*device, probe, "global", "quick", 1);
        REQUIRE(series.status == Status::ok);
        CHECK(series.evidence.output_checked.find("host") != std::string::npos);
        series.evidence.registers_by_driver = registers;
        return findings_of(probe_named(probe), series, device->info()).at(0);
    };
    const auto check = [](const Finding& found, const std::map<double, std::pair<double, double>>& resident) {
        CAPTURE(found.text);
        for (const auto& [x, range] : resident) {
            const auto at = std::ranges::find(found.x, x);
            CAPTURE(x);
            REQUIRE(at != found.x.end());
            CHECK(found.rows.at(static_cast<std::size_t>(at - found.x.begin())).range == range);
        }
    };
    // 32768 registers are those of 21, 7, 3 and 2 workgroups of 64 work-items with 24, 72, 136 and 232 each; 16
    // workgroups are the most.
    const Finding registers = told("occupancy-registers", {{16, 24}, {128, 136}});
    check(registers, {{16, {15, 18}}, {64, {6, 7}}, {128, {3, 3}}, {224, {2, 2}}});
    CHECK(says(registers.text, "24 to 136 registers"));
    CHECK(says(registers.text, "26112 of a core"));
    // 48 subgroups are 24, 12, 6, 3 and 1 workgroups of 2, 4, 8, 16 and 32, whose registers are enough for 42
    // subgroups.
    const Finding subgroups = told("occupancy-subgroups", {});
    check(subgroups, {{1, {15, 18}}, {2, {15, 18}}, {4, {9, 11}}, {8, {5, 5}}, {16, {2, 2}}, {32, {1, 1}}});
    CHECK(says(subgroups.text, "15-18 at 1 to 2, 9-11"));
}
