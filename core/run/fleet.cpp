// Starting workers, and who is there.
#include "core/run/fleet.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/run/cards.h"

namespace sonde {

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
