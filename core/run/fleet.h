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
    /// `target`: a chip to compile for in place of devices. Throws Error where it is interrupted.
    Fleet(std::span<const Backend> backends, double silence_seconds, const std::string& target = "");

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
    /// Whether an API that was asked for (devices' ids and APIs; empty: all) has crashed or hung.
    bool failed(const std::vector<std::string>& asked = {}) const;
    /// The machine that the workers run on: system, release, machine, cores, memory.
    const Json& host() const { return host_; }

private:
    std::vector<std::unique_ptr<WorkerClient>> workers_;
    std::vector<Entry> devices_;
    std::vector<Absence> absent_;
    Json host_ = Json::object();
};

/// The largest cache that any of a card's devices reports; 0: none does.
std::uint64_t largest_cache(const std::vector<Fleet::Entry>& devices, const std::string& card);

} // namespace sonde
