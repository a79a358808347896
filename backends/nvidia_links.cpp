#include "backends/nvidia_links.h"

#include <algorithm>
#include <cstdio>

#include <fmt/format.h>

#include "backends/telemetry/nvml.h"

namespace sonde::nvidia {

namespace {
constexpr unsigned kMostLinks = 64; // more than any card has; NVML refuses the first that a card lacks

/// Active ones.
struct Count {
    unsigned to_other = 0, to_switches = 0;
};

bool is_at(const nvml::PciPlace& place, const std::string& address) {
    unsigned domain = 0, bus = 0, device = 0;
    return std::sscanf(address.c_str(), "%x:%x:%x", &domain, &bus, &device) == 3 && place.domain == domain &&
           place.bus == bus && place.device == device;
}

Count count_links(const nvml::Api& api, nvml::Card card, const std::string& other) {
    Count count;
    for (unsigned link = 0; link < kMostLinks; ++link) {
        unsigned active = 0;
        int end = -1;
        if (api.link_state(card, link, &active) != nvml::kSuccess) break;
        if (!active || api.link_end(card, link, &end) != nvml::kSuccess) continue;
        nvml::PciPlace place;
        if (end == nvml::kLinkToSwitch) ++count.to_switches;
        else if (end == nvml::kLinkToCard && api.link_place(card, link, &place) == nvml::kSuccess &&
                 is_at(place, other))
            ++count.to_other;
    }
    return count;
}

/// Of the first link, one way; 0: not told. A card's links are alike.
double bytes_per_second(const nvml::Api& api, nvml::Card card) {
    for (const unsigned field : {nvml::kLinkMegabytesPerSecond, nvml::kLinksMegabytesPerSecond}) {
        nvml::FieldValue rate{.field = field};
        if (api.fields(card, 1, &rate) == nvml::kSuccess && rate.code == nvml::kSuccess && rate.value > 0)
            return rate.value * 1e6;
    }
    return 0;
}
} // namespace

Links links_between(const std::string& card, const std::string& other) {
    const nvml::Api& api = nvml::api();
    if (!api.absent.empty() || !api.link_state || !api.link_end || !api.link_place || !api.fields) return {};
    nvml::Card first = nullptr, second = nullptr;
    if (api.by_pci(card.c_str(), &first) != nvml::kSuccess || api.by_pci(other.c_str(), &second) != nvml::kSuccess)
        return {};
    const Count from = count_links(api, first, other), to = count_links(api, second, card);
    const unsigned links = from.to_other ? from.to_other : std::min(from.to_switches, to.to_switches);
    if (links == 0) return {};
    return {fmt::format("{} NVLink{}{}", links, links == 1 ? "" : "s", from.to_other ? "" : " to a switch"),
        links * std::min(bytes_per_second(api, first), bytes_per_second(api, second))};
}

} // namespace sonde::nvidia
