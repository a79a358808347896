// How two devices of the bus reach each other.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <doctest/doctest.h>

#include "core/base/pci_way.h"
#include "tests/command.h"

using namespace sonde;

namespace fs = std::filesystem;

TEST_CASE("two cards meet in a switch, in a root complex, or beyond it, as their places in sysfs tell") {
    const command::Folder root;
    const auto put = [&](const char* address, const std::string& below) {
        const fs::path place = root.path / "devices" / below / address, bus = root.path / "bus/pci/devices";
        fs::create_directories(place);
        fs::create_directories(bus);
        fs::create_directory_symlink(place, bus / address);
    };
    put("0000:e3:00.0", "pci0000:e0/0000:e0:01.1/0000:e1:00.0");
    put("0000:e4:00.0", "pci0000:e0/0000:e0:01.1/0000:e1:01.0");
    put("0000:e8:00.0", "pci0000:e0/0000:e0:03.1");
    put("0000:19:00.0", "pci0000:18/0000:18:01.0");
    setenv("SONDE_SYSFS", root.path.c_str(), 1);
    const auto way = [](const char* other) { return pci_way_between("0000:e3:00.0", other); };
    const std::string by_switch = way("0000:e4:00.0"), by_root = way("0000:e8:00.0"), beyond = way("0000:19:00.0"),
                      unknown = way("0000:77:00.0");
    std::ofstream(root.path / "bus/pci/devices/0000:e3:00.0/numa_node") << "1\n";
    std::ofstream(root.path / "bus/pci/devices/0000:e4:00.0/numa_node") << "-1\n"; // a machine of one node
    const auto node = numa_node_of("0000:e3:00.0"), none = numa_node_of("0000:e4:00.0");
    unsetenv("SONDE_SYSFS");
    CHECK(node == 1);
    CHECK_FALSE(none);
    CHECK(by_switch.find("switch") != std::string::npos);
    CHECK(by_root.find("root complex") != std::string::npos);
    CHECK(beyond.find("two root complexes") != std::string::npos);
    CHECK(by_root != beyond);
    CHECK(unknown.empty());
}
