// Starting workers, who is there, and which devices are one card.
#include "core/run/fleet.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/run/device_words.h"

namespace sonde {

namespace {
/// The only one of its name within its API?
bool only_one(std::span<const DeviceInfo> devices, const DeviceInfo& device) {
    return std::count_if(devices.begin(), devices.end(),
               [&](const DeviceInfo& other) { return other.api == device.api && other.name == device.name; }) == 1;
}

bool same_card(std::span<const DeviceInfo> devices, const DeviceInfo& a, const DeviceInfo& b) {
    if (a.cpu || b.cpu) return a.cpu && b.cpu;
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

std::uint64_t largest_cache(const std::vector<Fleet::Entry>& devices, const std::string& card) {
    std::uint64_t largest = 0;
    for (const Fleet::Entry& device : devices)
        if (device.info.card == card) largest = std::max(largest, device.info.cache_bytes);
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
    std::vector<DeviceInfo> infos;
    for (auto& worker : workers_) {
        worker->hear();
        if (host_.empty()) host_ = worker->host();
        for (const DeviceEvent& device : worker->devices()) {
            infos.push_back(device.info);
            devices_.push_back({{device.info, ""}, device.paths, device.operations, worker.get(), device.carveouts});
        }
        if (worker->devices().empty()) absent_.push_back({worker->api(), worker->absent(), worker->failed()});
    }
    if (stop_asked) throw Error("interrupted"); // what has not been heard is neither here nor absent
    const auto cards = card_names(infos);
    for (std::size_t i = 0; i < devices_.size(); ++i) devices_[i].info.card = cards[i];
    give_cards_workers();
}

void Fleet::give_cards_workers() {
    std::map<std::pair<std::string, std::string>, WorkerClient*> workers; // by API and card
    std::set<const WorkerClient*> taken;
    std::vector<Entry*> cards_first; // the worker that runs already has a card's driver loaded
    for (Entry& device : devices_) cards_first.push_back(&device);
    std::stable_partition(
        cards_first.begin(), cards_first.end(), [](const Entry* device) { return !device->info.cpu; });
    for (Entry* each : cards_first) {
        Entry& device = *each;
        WorkerClient*& worker = workers[{device.info.api, device.info.card}];
        if (!worker && taken.insert(device.worker).second) worker = device.worker;
        if (!worker) worker = workers_.emplace_back(std::make_unique<WorkerClient>(device.worker->another())).get();
        device.worker = worker;
    }
}

std::vector<const DeviceInfo*> Fleet::infos() const {
    std::vector<const DeviceInfo*> infos;
    for (const Entry& device : devices_) infos.push_back(&device.info);
    return infos;
}

bool Fleet::failed(const std::vector<std::string>& asked) const {
    return std::any_of(absent_.begin(), absent_.end(), [&](const Absence& absence) {
        const auto names_it = [&](const std::string& word) { return may_choose(word, absence.api); };
        return absence.failed && (asked.empty() || std::any_of(asked.begin(), asked.end(), names_it));
    });
}

} // namespace sonde
