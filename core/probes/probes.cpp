// The table of probes.
#include "core/probes/probes.h"

namespace sonde {

std::span<const Probe> all_probes() {
    static const std::vector<Probe> kProbes{
        {"latency", "How long does one dependent load take, by footprint?", "footprint", "bytes", "ns", Measure::time_per_step,
         {"global", "local"}, {{}}, measure_latency, latency_kernel},
        {"bandwidth", "How many bytes per second do independent loads bring, by footprint?", "footprint", "bytes", "GB/s", Measure::steps_per_time,
         {"global", "local"}, {{{"width", "4"}}, {{"width", "8"}}, {{"width", "16"}}}, measure_bandwidth, bandwidth_kernel},
    };
    return kProbes;
}

const Probe* find_probe(std::string_view name) {
    for (const Probe& probe : all_probes())
        if (probe.name == name) return &probe;
    return nullptr;
}

} // namespace sonde
