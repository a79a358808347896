// Occupancy by registers and by subgroups on a modelled card.
#include <doctest/doctest.h>

#include "tests/model/measured.h"
#include "tests/model/model_device.h"

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
        return findings_of(probe_named(probe), series, device->info()).at(0).text;
    };
    // 32768 registers are those of 21, 7, 3 and 2 workgroups of 64 work-items with 24, 72, 136 and 232 each; 16
    // workgroups are the most.
    const std::string registers = told("occupancy-registers", {{16, 24}, {128, 136}});
    CHECK_MESSAGE(registers.find("resident workgroups of 64 work-items per core, by values that a work-item keeps in "
                                 "registers: 15-18 at 16, 6-7 at 64, 3 at 128, 2 at 224") != std::string::npos,
        registers);
    CHECK_MESSAGE(
        registers.find(". The driver counts 24 to 136 registers of a work-item, 26112 of a core in use at 128") !=
            std::string::npos,
        registers);
    // 48 subgroups are 24, 12, 6, 3 and 1 workgroups of 2, 4, 8, 16 and 32, whose registers are enough for 42
    // subgroups.
    const std::string subgroups = told("occupancy-subgroups", {});
    CHECK_MESSAGE(
        subgroups.ends_with(
            "resident workgroups per core, by subgroups of each: 15-18 at 1 to 2, 9-11 at 4, 5 at 8, 2 at 16, 1 at 32"),
        subgroups);
}
