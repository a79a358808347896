// What a card's instruments show, read from a folder that stands for /sys: as amdgpu, i915 and xe lay it out.
#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "backends/backends.h"
#include "tests/backends/checks/pretended.h"

using namespace sonde;

namespace {
constexpr const char* kCardFolder = "0000:65:00.0";

/// A pretended /sys with one card.
struct Tree {
    pretended::Variables variables{{"SONDE_SYSFS"}};
    pretended::Machine machine;
    Tree() { setenv("SONDE_SYSFS", machine.folder.path.c_str(), 1); }
    void put(const std::string& file, const std::string& text) {
        machine.write(std::string("bus/pci/devices/") + kCardFolder + "/" + file, text);
    }
    std::unique_ptr<Telemetry> open() const {
        DeviceInfo info;
        info.pci = kCardFolder;
        return open_sysfs(info).telemetry;
    }
};

/// amdgpu's table of its form 1.3, with these reasons.
std::string metrics(std::uint64_t reasons, char minor = 3) {
    std::string bytes(120, '\0');
    bytes[0] = 120, bytes[2] = 1, bytes[3] = minor;
    for (int i = 0; i < 8; ++i) bytes[112 + i] = static_cast<char>(reasons >> 8 * i);
    return bytes;
}
using Words = std::vector<std::string>;
} // namespace

TEST_CASE("sysfs: amdgpu's clocks, sensors, errors, and what holds the clocks back") {
    Tree tree;
    CHECK(!tree.open());
    tree.put("pp_dpm_sclk", "0: 500Mhz\n1: 1725Mhz *\n");
    tree.put("pp_dpm_mclk", "0: 96Mhz\n1: 1000Mhz *\n");
    tree.put("gpu_metrics", metrics(0));
    tree.put("ras/umc_err_count", "ue: 1\nce: 7\n");
    for (const auto& [file, text] : {std::pair{"power1_average", "211000000"}, {"power1_cap", "250000000"},
             {"power1_cap_default", "300000000"}, {"temp1_input", "71000"}})
        tree.put(std::string("hwmon/hwmon3/") + file, text);
    const auto telemetry = tree.open();
    REQUIRE(telemetry);
    const CardSample sample = telemetry->now();
    CHECK(sample.core_mhz == 1725);
    CHECK(sample.memory_mhz == 1000);
    CHECK(sample.power_watts == doctest::Approx(211));
    CHECK(sample.temperature_celsius == doctest::Approx(71));
    CHECK(sample.throttled_by == Words{});
    AbsentFields absent;
    const CardState state = telemetry->state(absent);
    CHECK(state.power_limit_watts == doctest::Approx(250));
    CHECK(state.power_default_watts == doctest::Approx(300));
    CHECK(state.ecc_uncorrected == 1);
    CHECK(state.ecc_corrected == 7);
    CHECK(absent.contains("pcie_width"));
    tree.put("gpu_metrics", metrics(1ull << 1 | 1ull << 3 | 1ull << 36 | 1ull << 47));
    CHECK(telemetry->now().throttled_by == Words{"power cap", "temperature", "hardware temperature"});
    tree.put("gpu_metrics", metrics(~0ull, 9)); // a form that nobody here knows
    CHECK(!telemetry->now().throttled_by);
    tree.put("gpu_metrics", metrics(~0ull).substr(0, 40));
    CHECK(!telemetry->now().throttled_by);
}

TEST_CASE("sysfs: i915 and xe tell the clock, energy, the power limit, and what holds the clocks back") {
    for (const bool xe : {false, true}) {
        CAPTURE(xe);
        Tree tree;
        const std::string clock = xe ? "tile0/gt0/freq0/act_freq" : "drm/card1/gt/gt0/rps_act_freq_mhz",
                          reason = xe ? "tile0/gt0/freq0/throttle/reason_" : "drm/card1/gt/gt0/throttle_reason_";
        tree.put(clock, "2050\n");
        for (const char* each : {"pl1", "thermal", "prochot"}) tree.put(reason + each, "0\n");
        for (const auto& [file, text] : {std::pair{"energy1_input", "5000000"}, {"power1_max", "190000000"},
                 {"power1_rated_max", "228000000"}, {xe ? "temp2_input" : "temp1_input", "55000"}})
            tree.put(std::string("hwmon/hwmon2/") + file, text);
        tree.put("current_link_speed", "8.0 GT/s PCIe");
        tree.put("current_link_width", "8");
        tree.put("max_link_speed", "16.0 GT/s PCIe");
        tree.put("max_link_width", "16");
        const auto telemetry = tree.open();
        REQUIRE(telemetry);
        CHECK(telemetry->now().core_mhz == 2050);
        CHECK(telemetry->now().energy_joules == doctest::Approx(5));
        CHECK(telemetry->now().temperature_celsius == doctest::Approx(55));
        CHECK(telemetry->now().throttled_by == Words{});
        AbsentFields absent;
        const CardState state = telemetry->state(absent);
        CHECK(state.power_limit_watts == doctest::Approx(190));
        CHECK(state.power_default_watts == doctest::Approx(228));
        CHECK(state.pcie_generation == 3);
        CHECK(state.pcie_best_generation == 4);
        CHECK(state.pcie_width == 8);
        tree.put(reason + "pl1", "1\n");
        tree.put(reason + "prochot", "1\n");
        CHECK(telemetry->now().throttled_by == Words{"power cap", "hardware temperature"});
        tree.put(clock, "0\n"); // it sleeps
        CHECK(!telemetry->now().core_mhz);
    }
}
