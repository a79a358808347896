// A driver in front of lavapipe that lists one extension less, or none, or knows Vulkan 1.0 only (tests/faults): what
// needs it is refused with a reason that names it, and the rest is measured.
#include <doctest/doctest.h>

#include <cstdlib>
#include <set>
#include <string>
#include <vector>

#include "backends/backends.h"
#include "backends/vulkan/physical.h"
#include "core/base/json.h"
#include "tests/backends/checks/pretended.h"
#include "tests/backends/device_words.h"
#include "tests/command.h"
#include "tests/required.h"
#include "tests/thorough.h"

using namespace sonde;
using namespace sonde::words;
using namespace command;

namespace {
/// A script for that driver, in the environment of this process.
class Pretended {
public:
    explicit Pretended(const std::string& script) {
        const std::string driver = std::string(places::pretended_drivers) + "/faults/faulty_vulkan.json";
        setenv("VK_DRIVER_FILES", driver.c_str(), 1);
        setenv("VK_ICD_FILENAMES", driver.c_str(), 1);
        setenv("SONDE_FAULT_VULKAN", script.c_str(), 1);
    }

private:
    const pretended::Variables before_{{"VK_DRIVER_FILES", "VK_ICD_FILENAMES", "SONDE_FAULT_VULKAN"}};
};

/// What a device refuses, with its reasons.
std::map<std::string, std::string> refused_by(const Device& device) {
    std::map<std::string, std::string> reasons;
    const auto ask = [&](const std::string& what, const std::optional<std::string>& reason) {
        if (reason) reasons[what] = *reason;
    };
    for (const Path& path : all_paths()) ask(std::string(path.name), device.why_not(path));
    for (const Operation& operation : all_operations())
        ask(std::string(operation.name), why_lacking(device, operation));
    return reasons;
}

std::map<std::string, std::string> refused_without(const std::string& hidden) {
    const Pretended driver("hidden=" + hidden);
    const Opened opened = open_vulkan();
    REQUIRE_MESSAGE(!opened.devices.empty(), opened.absent);
    return refused_by(*opened.devices.front());
}

/// A short latency, after `devices`.
void check_runs(const std::string& script, bool measures) {
    const Folder folder;
    const Pretended driver(script);
    const Ran devices = sonde_run("devices --device vulkan");
    INFO(devices.err);
    CHECK(devices.code < 128);
    const Ran ran =
        sonde_run("run latency --device vulkan --path scratchpad --profile quick --out " + folder.file("a"));
    INFO(ran.err);
    CHECK((ran.code == 0) == measures);
    CHECK(ran.code < 128);
}
} // namespace

TEST_CASE("vulkan: what needs an extension that the device does not list is refused with the extension's name") {
    std::string all;
    for (const std::string& name : vulkan::used_extensions()) all += (all.empty() ? "" : ",") + name;
    {
        const Pretended driver("");
        if (const Opened opened = open_vulkan(); opened.devices.empty()) return skip(opened.absent);
    }
    const auto before = refused_without("");
    std::size_t told = 0;
    for (const std::string& name : vulkan::used_extensions()) {
        CAPTURE(name);
        for (const auto& [what, reason] : refused_without(name)) {
            if (before.contains(what)) continue;
            CAPTURE(what);
            CHECK_MESSAGE(reason.find(name) != std::string::npos, reason);
            ++told;
        }
        if (thorough()) check_runs("hidden=" + name, true);
    }
    CHECK(told > 0);
    CHECK(refused_without(all).size() > before.size());
    check_runs("hidden=" + all, true);
}

TEST_CASE("vulkan: a device of Vulkan 1.0 is left out, with its version as the reason") {
    {
        const Pretended driver("version=1.0");
        const Opened opened = open_vulkan();
        CHECK(opened.devices.empty());
        if (opened.absent.find("llvmpipe") == std::string::npos) return skip(opened.absent);
        CHECK(opened.absent.ends_with("knows only Vulkan 1.0"));
    }
    check_runs("version=1.0", false);
}
