// A card's names, from what its drivers tell.
#include "core/cli/card_names.h"

#include <algorithm>

#include <fmt/format.h>

namespace sonde {

const DeviceRecord& first_device(const Card& card) {
    static const DeviceRecord kNone;
    for (const DeviceRecord* device : card.devices)
        if (std::ranges::any_of(card.curves, [&](const Curve& curve) { return curve.device == device; }))
            return *device;
    return kNone;
}

std::string uuid_text(const DeviceInfo& device) {
    const std::string& digits = device.uuid;
    const bool nvidia = device.api == "cuda" || device.name.find("NVIDIA") != device.name.npos;
    if (!nvidia || digits.size() != 32) return digits;
    return fmt::format("GPU-{}-{}-{}-{}-{}", digits.substr(0, 8), digits.substr(8, 4), digits.substr(12, 4),
        digits.substr(16, 4), digits.substr(20));
}

std::string card_text(const Card& card) {
    const DeviceRecord& device = first_device(card);
    std::string text = card.name;
    for (const std::string& more : {uuid_text(device), device.pci})
        if (!more.empty()) text += ", " + more;
    return fmt::format("{} ({})", device.id, text);
}

} // namespace sonde
