// Devices tied together into cards.
#include "core/run/cards.h"

#include <algorithm>
#include <map>
#include <numeric>

#include <fmt/format.h>

namespace sonde {

namespace {
std::string text_of(const DeviceRecord& device, const char* field) { return device.info.at(field).get<std::string>(); }

/// The only one of its name within its API?
bool only_one(std::span<const DeviceRecord> devices, const DeviceRecord& device) {
    return std::count_if(devices.begin(), devices.end(), [&](const DeviceRecord& other) {
               return other.api() == device.api() && text_of(other, "name") == text_of(device, "name");
           }) == 1;
}

bool same_card(std::span<const DeviceRecord> devices, const DeviceRecord& a, const DeviceRecord& b) {
    const bool cpu_a = a.info.at("cpu"), cpu_b = b.info.at("cpu");
    if (cpu_a || cpu_b) return cpu_a && cpu_b;
    for (const char* field : {"uuid", "pci"})
        if (const auto x = text_of(a, field), y = text_of(b, field); !x.empty() && !y.empty()) return x == y;
    return a.api() != b.api() && text_of(a, "name") == text_of(b, "name") && only_one(devices, a) && only_one(devices, b);
}
} // namespace

std::vector<std::string> card_names(std::span<const DeviceRecord> devices) {
    std::vector<std::size_t> group(devices.size());
    std::iota(group.begin(), group.end(), 0);
    for (std::size_t i = 0; i < devices.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
            if (group[i] != group[j] && same_card(devices, devices[i], devices[j])) std::replace(group.begin(), group.end(), group[i], group[j]);

    std::map<std::size_t, std::string> name_of_group;
    std::map<std::string, int> of_that_name;
    std::vector<std::string> names;
    for (std::size_t i = 0; i < devices.size(); ++i) {
        std::string& name = name_of_group[group[i]];
        if (devices[i].info.at("cpu")) name = "cpu";
        for (const char* field : {"uuid", "pci", "name"})
            for (std::size_t j = 0; j < devices.size() && name.empty(); ++j)
                if (group[j] == group[i]) name = text_of(devices[j], field);
        if (name.empty()) name = devices[i].id();
        // Cards of one model that no address tells apart are still as many cards.
        const bool first = i == static_cast<std::size_t>(std::find(group.begin(), group.end(), group[i]) - group.begin());
        if (const int number = first ? ++of_that_name[name] : 1; number > 1) name += fmt::format(" #{}", number);
        names.push_back(name);
    }
    return names;
}

} // namespace sonde
