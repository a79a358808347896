// All APIs' workers on one machine.
#pragma once
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/data/results.h"
#include "core/device/drivers.h"
#include "core/run/supervise.h"

namespace sonde {

/// All APIs' workers and what they found.
class Fleet {
public:
    /// `target`: a chip to compile for in place of devices. `drivers`: of APIs whose drivers are opened one by one
    /// where one of them crashes or hangs. Throws Error where it is interrupted.
    Fleet(std::span<const Backend> backends, double silence_seconds, const std::string& target = "",
        std::span<const ApiDrivers> drivers = {});

    struct Entry {
        DeviceRecord info;
        std::vector<Support> paths, operations;
        WorkerClient* worker;
    };
    const std::vector<Entry>& devices() const { return devices_; }
    std::vector<const DeviceInfo*> infos() const;
    /// Tells each device the cores and the compute capability of its card, where its API does not (core/run/cards.h).
    /// `counted`: how many a measurement through a device finds; 0: it found none.
    void know_cores(const std::function<std::uint32_t(const Entry&)>& counted);
    struct Absence {
        std::string api, reason;
        bool failed;          // a crash or hang, not a plain "not here"
        std::string driver{}; // the one that is absent, while others of its API are here; "": the whole API is
    };
    const std::vector<Absence>& absent() const { return absent_; }
    /// Whether an API that was asked for (words of core/run/device_words.h; empty: all) has crashed or hung.
    bool failed(const std::vector<std::string>& asked = {}) const;
    /// The machine that the workers run on: system, release, machine, cores, memory.
    const Json& host() const { return host_; }

private:
    /// Takes the devices that a worker has told, else why it has none.
    void take(WorkerClient& worker);
    /// Whether a worker for each driver alone, in place of one that failed with all of them, shows a device.
    bool open_apart(const WorkerClient& failed, const ApiDrivers& drivers);
    /// Cards are measured side by side, so each has a worker of its own in every API; the further ones start when they
    /// are first asked.
    void give_cards_workers();
    NoOrphans no_orphans_; // goes behind the workers: what a driver has started goes with it
    std::vector<std::unique_ptr<WorkerClient>> workers_;
    std::vector<Entry> devices_;
    std::vector<Absence> absent_;
    Json host_ = Json::object();
};

/// The largest cache that any of a card's devices reports; 0: none does.
std::uint64_t largest_cache(const std::vector<Fleet::Entry>& devices, const std::string& card);

} // namespace sonde
