// A modelled card for workloads, and a bench on it that launches steps one by one.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/measure/bench.h"
#include "core/measure/workload.h"
#include "tests/model/model_device.h"

namespace sonde {

inline CardModel workload_card() {
    CardModel card = model_cards().front();
    card.noise = 0;
    card.memory_bytes = 32 << 20;
    return card;
}

class Unheard final : public Reporter {
public:
    void step(const std::string&) override {}
    void samples(double, const std::vector<Sample>&) override {}
};

/// A bench that measures by hand.
struct ByHand {
    std::unique_ptr<Device> device = model_device(workload_card(), 1);
    Request request{.id = {"workload.lbm", "model:0", "global", {}}};
    Unheard unheard{};
    DeviceHistory history{};
    Bench bench{*device, history, *find_path("global"), request, *find_profile("quick"), unheard};
    ~ByHand() { history.kernels.clear(); }

    /// Runs so many steps; the launch of the last one.
    Launch steps(const Workload& workload, std::uint64_t count) {
        std::vector<Launch> launches;
        for (std::uint64_t step = 0; step < count; ++step) workload.append(launches, step);
        bench.launch_all(launches, 1);
        return launches.back();
    }
};

} // namespace sonde
