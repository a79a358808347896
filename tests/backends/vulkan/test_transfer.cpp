// Copies that are longer than the staging buffer, on a driver in front of lavapipe in which every command takes equally
// long (tests/faults).
#include <doctest/doctest.h>

#include <cstdlib>
#include <string>

#include "backends/backends.h"
#include "tests/backends/checks/pretended.h"
#include "tests/backends/device_words.h"
#include "tests/places.h"
#include "tests/required.h"

using namespace sonde;
using namespace sonde::words;

TEST_CASE("vulkan: a copy in pieces takes as long as its pieces together") {
    const pretended::Variables before({"VK_DRIVER_FILES", "VK_ICD_FILENAMES", "SONDE_FAULT_VULKAN"});
    const std::string driver = std::string(places::pretended_drivers) + "/faults/faulty_vulkan.json";
    setenv("VK_DRIVER_FILES", driver.c_str(), 1);
    setenv("VK_ICD_FILENAMES", driver.c_str(), 1);
    setenv("SONDE_FAULT_VULKAN", "takes=1000", 1);
    const Opened opened = open_vulkan();
    if (opened.devices.empty()) return skip(opened.absent);
    Device& device = *opened.devices.front();
    constexpr std::size_t kPiece = 16 << 20; // of the staging buffer
    const Words data(kPiece / 4 + 1);
    const auto memory = device.allocate(Space::global, data.size() * 4);
    const auto time_of = [&](std::size_t bytes) {
        const Copy copy{.from_host = data.data(), .to = memory.get(), .bytes = bytes};
        return device.copy({&copy, 1}).at(0).device_ns;
    };
    const auto one = time_of(4), two = time_of(kPiece + 4);
    REQUIRE((one && two));
    CHECK(*one > 0);
    CHECK(*two == 2 * *one);
}
