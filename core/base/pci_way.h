// How two devices of the bus reach each other.
#pragma once
#include <optional>
#include <string>

namespace sonde {

/// "PCIe, by a switch" of two PCI addresses; empty where the system does not tell.
std::string pci_way_between(const std::string& card, const std::string& other);
/// The node of the host's memory and processors that it is nearest to; nullopt: the machine has one, or does not tell.
std::optional<int> numa_node_of(const std::string& card);

} // namespace sonde
