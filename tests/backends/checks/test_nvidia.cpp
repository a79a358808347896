// NVIDIA's kernel module and library, and what NVML says of its cards.
#include <doctest/doctest.h>

#include "backends/checks/checks.h"
#include "core/base/json.h"
#include "tests/backends/checks/pretended.h"

using namespace sonde;
using pretended::Machine, pretended::row_of;

TEST_CASE("the kernel module's version against the library's") {
    struct Row {
        const char *module, *library;
        CheckState state;
        const char *found, *mend;
    };
    const char* closed = "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.129.03  Thu Oct 19 18:56:32 UTC 2023";
    const char* open = "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.159.04  Release Build  (builder)";
    for (const Row& row :
        {Row{closed, "/lib/libcuda.so.535.129.03", CheckState::ok, "535.129.03, and so is libcuda", ""},
            {open, "/lib/libcuda.so.535.129.03", CheckState::problem,
                "the kernel module is 580.159.04, the library 535.129.03 (/lib/libcuda.so.535.129.03)", "sudo reboot"},
            {closed, "/usr/local/cuda/compat/libcuda.so.580.1.2", CheckState::note, "the library 580.1.2",
                "CUDA's package for older drivers"},
            {closed, "/lib/libcuda.so.1", CheckState::ok, "535.129.03", ""},
            {"", "/lib/libcuda.so.535.129.03", CheckState::problem, "NVIDIA's kernel module is not loaded",
                "sudo modprobe nvidia"}}) {
        CAPTURE(row.found);
        Machine machine;
        machine.card("0000:65:00.0", "0x10de", "nvidia");
        if (row.state == CheckState::problem) machine.surroundings.absent.push_back({"cuda", "CUDA_ERROR_NO_DEVICE"});
        if (*row.module) machine.write("proc/driver/nvidia/version", row.module);
        machine.libraries["libcuda.so.1"] = {{"path", row.library}};
        machine.libraries["0000:65:00.0"] = Json::object(); // NVML's answer
        const CheckRow found = row_of(check_nvidia(machine.surroundings), "kernel module");
        CHECK(found.state == row.state);
        CHECK(says(found.found, row.found));
        CHECK(says(found.mend, row.mend));
    }
    Machine machine;
    machine.card("0000:65:00.0", "0x10de", "nouveau");
    CHECK(check_nvidia(machine.surroundings).empty());
}

TEST_CASE("settings and clocks of a card as NVML tells them") {
    const Machine machine;
    const auto rows = nvml_rows(machine.surroundings,
        Json::parse(R"({"0000:65:00.0": {"throttled_by": ["idle"], "persistence": true, "mig": false,)"
                    R"( "ecc": true, "application_mhz": 1980, "default_mhz": 1980}})"));
    CHECK(rows.size() == 4);
    for (const CheckRow& row : rows) CHECK(row.state == CheckState::ok);
    const auto held = nvml_rows(machine.surroundings,
        Json::parse(
            R"({"0000:65:00.0": {"throttled_by": ["application clocks", "power cap", "hardware slowdown"],
                 "persistence": false, "mig": true, "ecc": false,
                 "application_mhz": 1200, "default_mhz": 1980},
                 "0000:66:00.0": {"absent": "Not Found"}})"));
    struct Row {
        const char *check, *found, *mend;
        CheckState state = CheckState::note;
    };
    for (const Row& row : {Row{"clocks", "held by a setting", "sudo nvidia-smi -rgc"},
             {"clocks", "application clock 1200 MHz, by default 1980 MHz", "sudo nvidia-smi -rac"},
             {"clocks", "throttled now: power cap", "under load"},
             {"clocks", "throttled now: hardware slowdown", "cool the card", CheckState::problem},
             {"persistence mode", "off: ", "sudo nvidia-smi -pm 1"}, {"MIG", "on: ", "sudo nvidia-smi -mig 0"},
             {"ECC", "off: ", "sudo nvidia-smi -e 1"}, {"NVML", "Not Found", "", CheckState::unknown}}) {
        CAPTURE(row.found);
        CHECK(std::any_of(held.begin(), held.end(), [&](const CheckRow& each) {
            return each.check == row.check && each.state == row.state && says(each.found, row.found) &&
                   says(each.mend, row.mend);
        }));
    }
    CHECK(nvml_rows(machine.surroundings, {{"absent", "nvmlInit_v2: Driver/library version mismatch"}})[0].state ==
          CheckState::problem);
    CHECK(nvml_rows(machine.surroundings, {{"trouble", "was killed by SIGSEGV"}})[0].state == CheckState::note);
}
