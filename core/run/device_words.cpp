// Words that choose among devices.
#include "core/run/device_words.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <optional>

#include <fmt/format.h>

#include "core/base/text.h"
#include "core/device/doubles.h"

namespace sonde {

namespace {
/// "GPU-1E18A7C4-..." -> "1e18a7c4..."; "": no such word.
std::string uuid_digits(std::string_view word) {
    constexpr std::size_t kFewest = 8; // fewer may be a number, or a name
    std::string digits;
    for (const char each : word) digits += static_cast<char>(std::tolower(static_cast<unsigned char>(each)));
    if (digits.starts_with("gpu-")) digits.erase(0, 4);
    std::erase(digits, '-');
    const bool hex = std::ranges::all_of(
        digits, [](char each) { return std::string_view("0123456789abcdef").find(each) != std::string_view::npos; });
    return hex && digits.size() >= kFewest ? digits : "";
}

/// Domain, bus, device and function; without a domain that is 0.
using PciAddress = std::array<unsigned, 4>;
std::optional<PciAddress> pci_address(const std::string& word) {
    PciAddress address{};
    int end = 0;
    const auto whole = [&](int fields, int wanted) { return fields == wanted && word.size() == std::size_t(end); };
    if (whole(
            std::sscanf(word.c_str(), "%8x:%2x:%2x.%1x%n", address.data(), &address[1], &address[2], &address[3], &end),
            4))
        return address;
    address[0] = 0;
    return whole(std::sscanf(word.c_str(), "%2x:%2x.%1x%n", &address[1], &address[2], &address[3], &end), 3)
               ? std::optional(address)
               : std::nullopt;
}

bool names_card(const std::string& word, const DeviceInfo& device) {
    if (const auto address = pci_address(word)) return address == pci_address(device.pci);
    const std::string digits = uuid_digits(word);
    return !digits.empty() && device.uuid.starts_with(digits);
}
} // namespace

bool is_chosen(std::span<const std::string> words, const DeviceInfo& device) {
    const bool once_more = !first_of_double(device).empty();
    return words.empty() || std::ranges::any_of(words, [&](const std::string& word) {
        return word == device.id || (!once_more && (word == device.api || word == kAllDevices ||
                                                       (word == kGpus && device.is_gpu()) || names_card(word, device)));
    });
}

bool is_card_word(const std::string& word) { return pci_address(word) || !uuid_digits(word).empty(); }

bool may_choose(std::string_view word, std::string_view api) {
    return word == kAllDevices || word == kGpus || word.substr(0, word.find(':')) == api ||
           is_card_word(std::string(word));
}

Taken taken_of(const std::vector<std::string>& asked, const std::vector<const DeviceInfo*>& here) {
    const auto is_double = [](const DeviceInfo* each) { return !first_of_double(*each).empty(); };
    Taken taken{.words = asked};
    if (!asked.empty()) return taken;
    if (!here.empty() && std::ranges::all_of(here, is_double)) { // of a file without the first ones
        for (const DeviceInfo* device : here) taken.words.push_back(device->id);
        return taken;
    }
    const bool gpu = std::ranges::any_of(here, &DeviceInfo::is_gpu);
    taken.words.emplace_back(gpu ? kGpus : kAllDevices);
    for (const DeviceInfo* device : here) {
        if (is_double(device)) taken.doubles.push_back(device);
        else if (gpu && !device->is_gpu()) taken.left_out.push_back(device);
    }
    return taken;
}

std::string left_out_text(const Taken& taken) {
    std::vector<std::string> parts;
    for (const DeviceInfo* device : taken.doubles)
        parts.push_back(fmt::format("{}, which is {} once more (sonde doctor tells why; --device {} takes it)",
            device->id, first_of_double(*device), device->id));
    std::vector<std::string_view> ids;
    for (const DeviceInfo* device : taken.left_out) ids.push_back(device->id);
    if (!ids.empty())
        parts.push_back(fmt::format("{} device{} of the processor ({}); --device {} takes {}", ids.size(),
            ids.size() == 1 ? "" : "s", fmt::join(ids, ", "), kAllDevices, ids.size() == 1 ? "it" : "them"));
    return parts.empty() ? "" : printable(fmt::format("left out: {}", fmt::join(parts, "; ")));
}

} // namespace sonde
