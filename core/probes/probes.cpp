// The table of probes.
#include "core/probes/probes.h"

namespace sonde {

namespace {
std::vector<std::string_view> names_of_all_paths() {
    std::vector<std::string_view> names;
    for (const Path& path : all_paths()) names.push_back(path.name);
    return names;
}
} // namespace

std::span<const Probe> all_probes() {
    static const std::vector<Probe> kProbes{
        {"latency", "How long does one dependent load take, by footprint?", "footprint", "bytes", "ns", Measure::time_per_step,
         names_of_all_paths(), {{}}, {"carveout", "banks"}, measure_latency, level_findings, latency_kernel},
        {"bandwidth", "How many bytes per second do independent loads bring, by footprint?", "footprint", "bytes", "GB/s", Measure::steps_per_time,
         {"global", "global.ca", "global.cg", "global.readonly", "texel", "constant", "local", "host"},
         {{{"width", "4"}}, {{"width", "8"}}, {{"width", "16"}}}, {"carveout", "banks"}, measure_bandwidth, nullptr, bandwidth_kernel},
    };
    return kProbes;
}

const Probe* find_probe(std::string_view name) {
    for (const Probe& probe : all_probes())
        if (probe.name == name) return &probe;
    return nullptr;
}

} // namespace sonde
