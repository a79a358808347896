// Starting workers, who is there, and which devices are one card.
#include "core/run/fleet.h"

#include <algorithm>
#include <map>
#include <numeric>

#include <fmt/format.h>

#include "core/base/error.h"

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

std::uint64_t largest_cache(const std::vector<Fleet::Entry>& devices, const std::string& card) {
    std::uint64_t largest = 0;
    for (const Fleet::Entry& device : devices)
        if (device.card == card) largest = std::max(largest, device.record.info.value("cache_bytes", std::uint64_t{0}));
    return largest;
}

Fleet::Fleet(std::span<const Backend> backends, double silence_seconds, const std::string& target) {
    for (const Backend& backend : backends) {
        std::string api(backend.api);
        std::vector<std::string> command{own_program(), "worker", api};
        if (!target.empty()) command.insert(command.end(), {"--target", target});
        workers_.push_back(std::make_unique<WorkerClient>(api, command, silence_seconds));
    }
    for (auto& worker : workers_) worker->start();
    std::vector<DeviceRecord> records;
    for (auto& worker : workers_) {
        worker->hear();
        if (host_.empty()) host_ = worker->host();
        for (const DeviceRecord& record : worker->devices()) {
            records.push_back(record);
            devices_.push_back({record, "", worker.get()});
        }
        if (worker->devices().empty()) absent_.push_back({worker->api(), worker->absent(), worker->failed()});
    }
    if (stop_asked) throw Error("interrupted"); // what has not been heard is neither here nor absent
    const auto cards = card_names(records);
    for (std::size_t i = 0; i < devices_.size(); ++i) devices_[i].card = cards[i];
}

bool Fleet::failed(const std::vector<std::string>& asked) const {
    return std::any_of(absent_.begin(), absent_.end(), [&](const Absence& absence) {
        const auto names_it = [&](const std::string& word) { return word.substr(0, word.find(':')) == absence.api; };
        return absence.failed && (asked.empty() || std::any_of(asked.begin(), asked.end(), names_it));
    });
}

} // namespace sonde
