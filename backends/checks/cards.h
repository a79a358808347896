// Cards as the PCI bus has them, whatever any API shows.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/device/checkup.h"

namespace sonde {

struct PciCard {
    std::string address{};          // "0000:65:00.0"
    std::filesystem::path folder{}; // its files in sysfs
    unsigned vendor = 0, device = 0;
    std::string driver{}; // the kernel's, "nvidia"; empty: none is bound
};
inline constexpr unsigned kNvidiaVendor = 0x10de, kAmdVendor = 0x1002, kIntelVendor = 0x8086;

/// GPUs of the vendors whose drivers offer an API, by address; not the virtual functions that a machine has made of
/// them for others.
std::vector<PciCard> pci_cards(const Surroundings&);
/// Whether a card is here that the API's drivers are made for.
bool has_card_for(const Surroundings&, std::string_view api);
/// What brings the API's drivers for the cards that are here; "" without such a card.
std::string install_mend(const Surroundings&, std::string_view api);
bool has_card_of(const Surroundings&, unsigned vendor);
/// Devices whose PCI address is the card's, or whose UUID is that of one that has it.
std::vector<const DeviceInfo*> devices_of(const Surroundings&, const PciCard&);
/// The first line of a file, or "".
std::string line_of(const std::filesystem::path&);

} // namespace sonde
