// All APIs' workers on one machine.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/run/supervise.h"

namespace sonde {

/// All APIs' workers and what they found.
class Fleet {
public:
    /// `launcher`: what the machine is reached through (Relay); empty: here. `target`: a chip to compile for here, in place of devices.
    Fleet(std::span<const Backend> backends, const std::vector<std::string>& launcher, double silence_seconds, const std::string& target = "");

    struct Entry {
        DeviceRecord record;
        std::string card;
        WorkerClient* worker;
    };
    const std::vector<Entry>& devices() const { return devices_; }
    struct Absence {
        std::string api, reason;
        bool failed; // a crash or hang, not a plain "not here"
    };
    const std::vector<Absence>& absent() const { return absent_; }
    /// The machine that the workers run on: system, release, machine, cores, memory.
    const Json& host() const { return host_; }
    /// Its name, for the name of a file.
    const std::string& host_name() const { return host_name_; }

private:
    std::vector<std::unique_ptr<WorkerClient>> workers_;
    std::vector<Entry> devices_;
    std::vector<Absence> absent_;
    Json host_ = Json::object();
    std::string host_name_;
};

/// The largest cache that any of a card's devices reports; 0: none does.
std::uint64_t largest_cache(const std::vector<Fleet::Entry>& devices, const std::string& card);

} // namespace sonde
