// The question "nvml": what NVIDIA's cards are set to, and how they are at this moment.
#include <fmt/format.h>

#include "backends/backends.h"
#include "backends/telemetry/nvml.h"
#include "core/base/text.h"

namespace sonde {

Json nvml_settings(const std::string& addresses) {
    if (const std::string absent = nvml::api().absent; !absent.empty()) return {{"absent", absent}};
    Json cards = Json::object();
    for (const std::string& address : split(addresses, ',')) {
        DeviceInfo info;
        info.pci = address;
        const OpenedTelemetry opened = open_nvml(info);
        Json& card = cards[address] = Json::object();
        if (!opened.telemetry) {
            card["absent"] = opened.absent;
            continue;
        }
        Json unread;
        card.update(opened.telemetry->now());
        card.update(opened.telemetry->state(unread));
        nvml::Card handle = nullptr;
        nvml::api().by_pci(address.c_str(), &handle);
        for (const auto& [field, call] : {std::pair{"application_mhz", nvml::api().application_clock}, {"default_mhz", nvml::api().default_clock}})
            if (unsigned mhz = 0; call && call(handle, nvml::kCoreClock, &mhz) == nvml::kSuccess) card[field] = mhz;
    }
    return cards;
}

} // namespace sonde
