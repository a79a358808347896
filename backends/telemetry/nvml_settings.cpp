// The question "nvml": what NVIDIA's cards are set to, and how they are at this moment.
#include <tuple>

#include "backends/backends.h"
#include "backends/telemetry/nvml.h"
#include "core/base/fields.h"
#include "core/base/text.h"
#include "core/device/telemetry_fields.h"

namespace sonde {

template <> inline constexpr auto fields_of<NvmlCard> = std::tuple_cat(fields_of<CardSample>, fields_of<CardState>,
    std::tuple{where_known("absent", &NvmlCard::absent, "why nothing is known")});

void to_json(Json& json, const NvmlCard& from) { fields::write_all(json, from); }
void from_json(const Json& json, NvmlCard& into) { fields::read_all(json, into); }

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
        }
        cards[address] = card;
    }
    return cards;
}

} // namespace sonde
