// Starting workers, and who is there.
#include "core/run/fleet.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/device/doubles.h"
#include "core/run/cards.h"
#include "core/run/device_words.h"

namespace sonde {

std::uint64_t largest_cache(const std::vector<Fleet::Entry>& devices, const std::string& card) {
    std::uint64_t largest = 0;
    for (const Fleet::Entry& device : devices)
        if (device.info.card == card) largest = std::max(largest, device.info.cache_bytes);
    return largest;
}

namespace {
/// A fact of the devices of an API of which a driver has failed.
constexpr const char* kApart = "drivers that failed";
/// Of the time after which a silent driver counts as hanging: a worker of all drivers of an API that is silent so long
/// is replaced by one for each driver, of which the hanging one then has all of that time.
constexpr double kPatienceWithAll = 0.25;
} // namespace

void Fleet::take(WorkerClient& worker) {
    for (const DeviceEvent& device : worker.devices())
        devices_.push_back({{device.info, ""}, device.paths, device.operations, &worker});
}

bool Fleet::open_apart(const WorkerClient& failed, const ApiDrivers& drivers) {
    const std::vector<std::string> names = drivers.list();
    std::vector<std::unique_ptr<WorkerClient>> apart;
    for (const std::string& name : names) {
        apart.push_back(std::make_unique<WorkerClient>(failed.another({"--driver", name})));
        apart.back()->start();
    }
    std::vector<Absence> broken;
    std::size_t first = devices_.size(), number = 0;
    for (std::size_t i = 0; i < apart.size(); ++i) {
        apart[i]->hear();
        number += apart[i]->number_from(number);
        if (apart[i]->failed())
            broken.push_back(
                {failed.api(), fmt::format("driver {}: {}", names[i], apart[i]->absent()), true, names[i]});
        take(*apart[i]);
    }
    if (first == devices_.size()) return false;
    for (; first < devices_.size(); ++first)
        for (const Absence& each : broken) devices_[first].info.facts.push_back({kApart, each.reason, "worker"});
    for (auto& worker : apart) workers_.push_back(std::move(worker));
    absent_.insert(absent_.end(), broken.begin(), broken.end());
    return true;
}

Fleet::Fleet(std::span<const Backend> backends, double silence_seconds, const std::string& target,
    std::span<const ApiDrivers> drivers) {
    for (const Backend& backend : backends) {
        std::string api(backend.api);
        std::vector<std::string> command{own_program(), "worker", api};
        if (!target.empty()) command.insert(command.end(), {"--target", target});
        workers_.push_back(std::make_unique<WorkerClient>(api, command, silence_seconds));
    }
    for (auto& worker : workers_) worker->start();
    for (std::size_t i = 0; i < backends.size(); ++i) {
        WorkerClient& worker = *workers_[i];
        const auto apart = std::ranges::find(drivers, backends[i].api, &ApiDrivers::api);
        const bool can_part = apart != drivers.end() && apart->list().size() > 1;
        worker.hear(can_part ? kPatienceWithAll : 1);
        if (host_.empty()) host_ = worker.host();
        take(worker);
        if (worker.failed() && !stop_asked && can_part && open_apart(worker, *apart)) continue;
        if (worker.devices().empty()) absent_.push_back({worker.api(), worker.absent(), worker.failed()});
    }
    if (stop_asked) throw Error("interrupted"); // what has not been heard is neither here nor absent
    std::vector<DeviceInfo*> here;
    here.reserve(devices_.size());
    for (Entry& device : devices_) here.push_back(&device.info);
    note_doubles(here);
    std::vector<DeviceInfo> infos;
    infos.reserve(here.size());
    for (const DeviceInfo* device : here) infos.push_back(*device);
    const auto cards = card_names(infos);
    for (std::size_t i = 0; i < devices_.size(); ++i) devices_[i].info.card = cards[i];
    give_cards_workers();
}

void Fleet::give_cards_workers() {
    std::map<std::pair<const WorkerClient*, std::string>, WorkerClient*> workers; // by who opened it, and card
    std::set<const WorkerClient*> taken;
    std::vector<Entry*> cards_first; // the worker that runs already has a card's driver loaded
    for (Entry& device : devices_) cards_first.push_back(&device);
    std::stable_partition(
        cards_first.begin(), cards_first.end(), [](const Entry* device) { return !device->info.cpu; });
    for (Entry* each : cards_first) {
        Entry& device = *each;
        WorkerClient*& worker = workers[{device.worker, device.info.card}];
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
