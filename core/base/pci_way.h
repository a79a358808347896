// How two devices of the bus reach each other.
#pragma once
#include <string>

namespace sonde {

/// "PCIe, by a switch" of two PCI addresses; empty where the system does not tell.
std::string pci_way_between(const std::string& card, const std::string& other);

} // namespace sonde
