// Cores of boards whose drivers may tell none: Fermi to Pascal, and GCN.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>

namespace sonde {

struct Board {
    std::string_view pci_id, name; // "10de:1180"; "GeForce GTX 680"
    std::uint32_t cores;           // SMs or CUs of a chip of it
};
std::span<const Board> all_boards();
/// nullptr: the table has none of that id (DeviceInfo::pci_id).
const Board* find_board(std::string_view pci_id);

} // namespace sonde
