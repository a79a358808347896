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
         names_of_all_paths(), {{}}, {"carveout", "banks"}, measure_latency, latency_findings, latency_kernel},
        {"bandwidth", "How many bytes per second do independent loads bring, by footprint?", "footprint", "bytes", "GB/s", Measure::steps_per_time,
         {"global", "global.ca", "global.cg", "global.readonly", "texel", "constant", "local", "host"},
         {{{"width", "4"}}, {{"width", "8"}}, {{"width", "16"}}}, {"carveout", "banks"}, measure_bandwidth, nullptr, bandwidth_kernel},
        {"line", "How much does a miss bring, and how long is a cache's line?", "distance", "bytes", "ns", Measure::time_per_step,
         {"global", "global.uniform", "global.pointer", "texel", "constant"},
         {{{"test", "fetch"}, {"level", "1"}}, {{"test", "fetch"}, {"level", "2"}}, {{"test", "line"}, {"level", "1"}}, {{"test", "line"}, {"level", "2"}}},
         {"carveout"}, measure_line, line_findings, latency_kernel},
        {"tlb", "How far does translation reach, and what does a miss of it cost?", "span", "bytes", "ns", Measure::time_per_step,
         {"global", "global.pointer"}, {{}}, {}, measure_tlb, tlb_findings, latency_kernel},
        {"associativity", "How many ways has a set of the first level?", "lines", "", "ns", Measure::time_per_step,
         {"global", "global.ca", "global.uniform", "global.pointer", "texel", "constant"}, {{}}, {"carveout"}, measure_associativity, associativity_findings, latency_kernel},
        {"partitions", "How many first levels stand behind a path within one core?", "waves", "", "ns", Measure::time_per_step,
         {"global", "global.ca", "global.readonly", "texel", "constant"}, {{}}, {}, measure_partitions, partitions_findings, partitions_kernel},
        {"sharing", "Do loads on another path drive out what this one keeps in its first level?", "touched", "bytes", "ns", Measure::time_per_step,
         {"global", "global.ca", "global.readonly", "global.uniform", "global.pointer", "texel", "constant"},
         {{{"with", "local"}}, {{"with", "constant"}}, {{"with", "texel"}}, {{"with", "global.readonly"}}, {{"with", "global"}}}, {},
         measure_sharing, sharing_findings, sharing_kernel, sharing_by_default},
        {"neighbours", "Which cores share a path's first level?", "core or share", "", "ns", Measure::time_per_step, {"global", "global.uniform", "texel", "constant"}, {{}}, {},
         measure_neighbours, neighbours_findings, neighbours_kernel},
        {"map", "How far is the last level from each core?", "core", "", "ns", Measure::time_per_step, {"global.cg"}, {{{"lines", "one"}}, {{"lines", "many"}}}, {},
         measure_map, map_findings, map_kernel},
        {"split", "What is left of the first level while a workgroup holds scratchpad?", "footprint", "bytes", "ns", Measure::time_per_step, {"global"},
         {{{"scratchpad", "0"}}, {{"carveout", "50"}, {"scratchpad", "0"}}, {{"carveout", "100"}, {"scratchpad", "0"}}, {{"scratchpad", "25"}}, {{"scratchpad", "50"}}, {{"scratchpad", "90"}}}, {"carveout"}, measure_split, split_findings, split_kernel},
        {"room", "How much scratchpad can a workgroup have, and a kernel constant memory?", "asked", "bytes", "ns", Measure::time_per_step, {"local", "constant"},
         {{}}, {}, measure_room, room_findings, latency_kernel},
    };
    return kProbes;
}

const Probe* find_probe(std::string_view name) {
    for (const Probe& probe : all_probes())
        if (probe.name == name) return &probe;
    return nullptr;
}

} // namespace sonde
