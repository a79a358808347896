// Starting workers, and who is there.
#include "core/run/fleet.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/run/cards.h"
#include "core/run/device_words.h"

namespace sonde {

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
            devices_.push_back({{device.info, ""}, device.paths, device.operations, worker.get()});
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

void Fleet::know_cores(const std::function<std::uint32_t(const Entry&)>& counted) {
    std::map<std::string, std::vector<Entry*>> cards;
    for (Entry& device : devices_) cards[device.info.card].push_back(&device);
    for (const auto& [name, devices] : cards) {
        std::vector<DeviceRecord*> records;
        for (Entry* device : devices) records.push_back(&device->info);
        know_capability(records);
        sonde::know_cores(records, [&, first = devices.front()] { return counted(*first); });
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
