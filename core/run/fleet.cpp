// Starting workers, and who is there.
#include "core/run/fleet.h"

#include <algorithm>

#include "core/run/cards.h"
#include "core/run/relay.h"

namespace sonde {

std::uint64_t largest_cache(const std::vector<Fleet::Entry>& devices, const std::string& card) {
    std::uint64_t largest = 0;
    for (const Fleet::Entry& device : devices)
        if (device.card == card) largest = std::max(largest, device.record.info.value("cache_bytes", std::uint64_t{0}));
    return largest;
}

Fleet::Fleet(std::span<const Backend> backends, const std::vector<std::string>& launcher, double silence_seconds, const std::string& target) {
    const auto relay = launcher.empty() ? nullptr : std::make_shared<Relay>(launcher, own_program(), silence_seconds);
    for (const Backend& backend : backends) {
        std::string api(backend.api);
        if (relay) {
            workers_.push_back(std::make_unique<WorkerClient>(api, [relay, api] { return relay->start_worker(api); }, silence_seconds));
            continue;
        }
        std::vector<std::string> command{own_program(), "worker", api};
        if (!target.empty()) command.insert(command.end(), {"--target", target});
        workers_.push_back(std::make_unique<WorkerClient>(api, command, silence_seconds));
    }
    for (auto& worker : workers_) worker->start();
    std::vector<DeviceRecord> records;
    for (auto& worker : workers_) {
        worker->hear();
        if (host_.empty()) host_ = worker->host(), host_name_ = worker->host_name();
        for (const DeviceRecord& record : worker->devices()) {
            records.push_back(record);
            devices_.push_back({record, "", worker.get()});
        }
        if (worker->devices().empty()) absent_.push_back({worker->api(), worker->absent(), worker->failed()});
    }
    const auto cards = card_names(records);
    for (std::size_t i = 0; i < devices_.size(); ++i) devices_[i].card = cards[i];
}

} // namespace sonde
