// What a card's slot carries, which no API tells.
#pragma once
#include <fmt/format.h>

#include "core/base/system.h"
#include "core/base/text.h"
#include "core/device/device.h"

namespace sonde {

/// By the card's PCI address.
inline void add_host_link(DeviceInfo& info) {
    if (!info.pci.empty()) info.host_link_bytes_per_second = pci_link_bytes_per_second(info.pci);
    if (info.host_link_bytes_per_second > 0) info.facts.push_back({"host link", format_si(info.host_link_bytes_per_second, "B/s"), "max_link_speed, max_link_width of sysfs"});
}

} // namespace sonde
