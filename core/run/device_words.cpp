// Words that choose among devices.
#include "core/run/device_words.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "core/base/text.h"

namespace sonde {

bool is_chosen(std::span<const std::string> words, const DeviceInfo& device) {
    return words.empty() || std::ranges::any_of(words, [&](const std::string& word) {
        return word == device.id || word == device.api || word == kAllDevices || (word == kGpus && device.is_gpu());
    });
}

bool may_choose(std::string_view word, std::string_view api) {
    return word == kAllDevices || word == kGpus || word.substr(0, word.find(':')) == api;
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
