// Devices of one card, and what they know of it together.
#include "core/run/cards.h"

#include <algorithm>
#include <map>
#include <numeric>

#include <fmt/format.h>

#include "core/device/capability.h"
#include "core/device/chips.h"
#include "core/device/doubles.h"

namespace sonde {

namespace {
/// The only one of its name within its API?
bool only_one(std::span<const DeviceInfo> devices, const DeviceInfo& device) {
    return std::count_if(devices.begin(), devices.end(), [&](const DeviceInfo& other) {
        return other.api == device.api && other.name == device.name && first_of_double(other).empty();
    }) == 1;
}

bool same_card(std::span<const DeviceInfo> devices, const DeviceInfo& a, const DeviceInfo& b) {
    if (a.cpu || b.cpu) return a.cpu && b.cpu;
    if (first_of_double(a) == b.id || first_of_double(b) == a.id) return true;
    for (const auto address : {&DeviceInfo::uuid, &DeviceInfo::pci})
        if (!(a.*address).empty() && !(b.*address).empty()) return a.*address == b.*address;
    return a.api != b.api && a.name == b.name && only_one(devices, a) && only_one(devices, b);
}
} // namespace

std::vector<std::string> card_names(std::span<const DeviceInfo> devices) {
    std::vector<std::size_t> group(devices.size());
    std::iota(group.begin(), group.end(), 0);
    for (std::size_t i = 0; i < devices.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
            if (group[i] != group[j] && same_card(devices, devices[i], devices[j]))
                std::replace(group.begin(), group.end(), group[i], group[j]);

    std::map<std::size_t, std::string> name_of_group;
    std::map<std::string, int> of_that_name;
    std::vector<std::string> names;
    for (std::size_t i = 0; i < devices.size(); ++i) {
        std::string& name = name_of_group[group[i]];
        if (devices[i].cpu) name = "cpu";
        for (const auto field : {&DeviceInfo::uuid, &DeviceInfo::pci, &DeviceInfo::name})
            for (std::size_t j = 0; j < devices.size() && name.empty(); ++j)
                if (group[j] == group[i]) name = devices[j].*field;
        if (name.empty()) name = devices[i].id;
        // Cards of one model that no address tells apart are still as many cards.
        const bool first =
            i == static_cast<std::size_t>(std::find(group.begin(), group.end(), group[i]) - group.begin());
        if (const int number = first ? ++of_that_name[name] : 1; number > 1) name += fmt::format(" #{}", number);
        names.push_back(name);
    }
    return names;
}

namespace {
struct CoresTold {
    std::uint32_t cores = 0;
    std::string source{};
};

CoresTold told_of(std::span<DeviceRecord* const> card, const std::function<std::uint32_t()>& counted) {
    for (const DeviceRecord* device : card)
        if (device->cores) return {device->cores, device->id};
    for (const DeviceRecord* device : card)
        if (const Board* board = find_board(device->pci_id))
            return {board->cores, fmt::format("table of boards, {}", board->name)};
    return {counted(), "counted by workgroups that run side by side"};
}
} // namespace

void know_cores(std::span<DeviceRecord* const> card, const std::function<std::uint32_t()>& counted) {
    const auto tells = [](const DeviceRecord* device) { return device->cpu || device->cores != 0; };
    if (std::ranges::all_of(card, tells)) return;
    const CoresTold told = told_of(card, counted);
    for (DeviceRecord* device : card) {
        if (tells(device) || told.cores == 0) continue;
        device->cores = told.cores;
        device->facts.push_back({"cores", std::to_string(told.cores), told.source});
    }
}

void know_capability(std::span<DeviceRecord* const> card) {
    const auto capability = [](const DeviceRecord* device) { return compute_capability(device->facts); };
    const auto told = std::ranges::find_if(card, [&](const DeviceRecord* device) { return capability(device) != 0; });
    if (told == card.end()) return;
    const std::string text = fmt::format("{}.{}", capability(*told) / 10, capability(*told) % 10);
    for (DeviceRecord* device : card)
        if (capability(device) == 0) device->facts.push_back({"compute capability", text, (*told)->id});
}

} // namespace sonde
