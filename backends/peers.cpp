#include "backends/peers.h"

#include <algorithm>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "backends/nvidia_links.h"
#include "core/base/pci_way.h"

namespace sonde {

namespace {
/// "PCIe, by two root complexes, of NUMA nodes 0 and 1"; the same for both cards.
std::string way_by_bus(const DeviceInfo& card, const DeviceInfo& other) {
    std::string way = pci_way_between(card.pci, other.pci);
    const auto node = numa_node_of(card.pci), other_node = numa_node_of(other.pci);
    if (way.empty() || !node || !other_node || *node == *other_node) return way;
    return fmt::format("{}, of NUMA nodes {} and {}", way, std::min(*node, *other_node), std::max(*node, *other_node));
}

Peer peer_of(const DeviceInfo& card, const DeviceInfo& other, bool mapped) {
    const nvidia::Links links = nvidia::links_between(card.pci, other.pci);
    return {.device = other.id,
        .mapped = mapped,
        .link = links.text.empty() ? way_by_bus(card, other) : links.text,
        .link_bytes_per_second = links.bytes_per_second};
}
} // namespace

void add_peers(const std::vector<DeviceInfo*>& devices, const std::function<bool(std::size_t, std::size_t)>& mapped) {
    const std::size_t count = devices.size();
    for (std::size_t own = 0; own < count; ++own) {
        if (const auto node = count > 1 ? numa_node_of(devices[own]->pci) : std::nullopt)
            devices[own]->facts.push_back({"NUMA node", std::to_string(*node), "numa_node of sysfs"});
        for (const bool same_name : {true, false})
            for (std::size_t step = 1; step < count; ++step) {
                const std::size_t other = (own + step) % count;
                if (devices[own]->cpu != devices[other]->cpu) continue;
                if ((devices[own]->name == devices[other]->name) == same_name)
                    devices[own]->peers.push_back(peer_of(*devices[own], *devices[other], mapped(own, other)));
            }
    }
}

} // namespace sonde
