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
        NvmlCard card;
        card.absent = opened.absent;
        if (opened.telemetry) {
            AbsentFields unread;
            static_cast<CardSample&>(card) = opened.telemetry->now();
            static_cast<CardState&>(card) = opened.telemetry->state(unread);
            nvml::Card handle = nullptr;
            nvml::api().by_pci(address.c_str(), &handle);
            for (const auto& [number, call] : {std::pair{&NvmlCard::application_mhz, nvml::api().application_clock},
                     {&NvmlCard::default_mhz, nvml::api().default_clock}})
                if (unsigned mhz = 0; call && call(handle, nvml::kCoreClock, &mhz) == nvml::kSuccess)
                    card.*number = mhz;
        }
        cards[address] = card;
    }
    return cards;
}

} // namespace sonde
