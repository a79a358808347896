// Words that choose among devices.
#include "core/run/device_words.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <iterator>
#include <optional>

#include <fmt/format.h>

#include "core/base/text.h"

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
    return words.empty() || std::ranges::any_of(words, [&](const std::string& word) {
        return word == device.id || word == device.api || word == kAllDevices || (word == kGpus && device.is_gpu()) ||
               names_card(word, device);
    });
}

bool is_card_word(const std::string& word) { return pci_address(word) || !uuid_digits(word).empty(); }

bool may_choose(std::string_view word, std::string_view api) {
    return word == kAllDevices || word == kGpus || word.substr(0, word.find(':')) == api ||
           is_card_word(std::string(word));
}

Taken taken_of(const std::vector<std::string>& asked, const std::vector<const DeviceInfo*>& here) {
    if (!asked.empty()) return {asked, {}};
    if (std::ranges::none_of(here, &DeviceInfo::is_gpu)) return {{std::string(kAllDevices)}, {}};
    Taken gpus{{std::string(kGpus)}, {}};
    std::ranges::copy_if(
        here, std::back_inserter(gpus.left_out), [](const DeviceInfo* each) { return !each->is_gpu(); });
    return gpus;
}

std::string left_out_text(const Taken& taken) {
    if (taken.left_out.empty()) return "";
    std::vector<std::string_view> ids;
    for (const DeviceInfo* device : taken.left_out) ids.push_back(device->id);
    return printable(fmt::format("left out: {} device{} of the processor ({}); --device {} takes {}", ids.size(),
        ids.size() == 1 ? "" : "s", fmt::join(ids, ", "), kAllDevices, ids.size() == 1 ? "it" : "them"));
}

} // namespace sonde
