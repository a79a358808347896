#include "core/base/pci_way.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <vector>

#include <fmt/format.h>

namespace sonde {

/// Where Linux shows devices of the bus, or a test's folder like it.
static std::string devices_of_bus() {
    const char* other_root = std::getenv("SONDE_SYSFS");
    return fmt::format("{}/bus/pci/devices", other_root ? other_root : "/sys");
}

std::string pci_way_between(const std::string& card, const std::string& other) {
    const auto bridges = [](const std::string& address) { // "pci0000:e0", "0000:e0:01.1", ..., the card itself
        std::error_code none;
        const auto path = std::filesystem::canonical(fmt::format("{}/{}", devices_of_bus(), address), none);
        std::vector<std::string> parts;
        bool below = false;
        for (const auto& part : path)
            if (below = below || part.string().starts_with("pci"); below) parts.push_back(part.string());
        return parts;
    };
    const std::vector<std::string> first = bridges(card), second = bridges(other);
    if (first.empty() || second.empty()) return "";
    const auto shared = std::mismatch(first.begin(), first.end(), second.begin(), second.end()).first - first.begin();
    return shared == 0   ? "PCIe, by two root complexes"
           : shared == 1 ? "PCIe, by the root complex"
                         : "PCIe, by a switch";
}

std::optional<int> numa_node_of(const std::string& card) {
    int node = -1;
    std::ifstream(fmt::format("{}/{}/numa_node", devices_of_bus(), card)) >> node;
    return node < 0 ? std::nullopt : std::optional(node);
}

} // namespace sonde
