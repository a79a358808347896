// The table of probes.
#include "core/analysis/level_findings.h"
#include "core/probes/probes.h"

namespace sonde {

namespace {
std::vector<std::string_view> names_of_all_paths() {
    std::vector<std::string_view> names;
    for (const Path& path : all_paths()) names.push_back(path.name);
    return names;
}

std::vector<std::map<std::string, std::string>> writing_variants() {
    std::vector<std::map<std::string, std::string>> variants;
    for (const char* width : {"16", "8", "4"})
        for (const char* operation : {"write", "copy", "modify"}) variants.push_back({{"operation", operation}, {"width", width}});
    return variants;
}
} // namespace

std::span<const Probe> all_probes() {
    static const std::vector<Probe> kProbes{
        {"latency", "How long does one dependent load take, by footprint?", "footprint", "bytes", "ns", Measure::time_per_step,
         names_of_all_paths(), {{}}, {"carveout", "banks"}, measure_latency, latency_findings, latency_kernel},
        {"bandwidth", "How many bytes per second do independent loads bring, by footprint?", "footprint", "bytes", "GB/s", Measure::steps_per_time,
         {"global", "global.ca", "global.cg", "global.readonly", "private", "texel", "image2d", "constant", "local", "cluster", "host"},
         {{{"width", "16"}}, {{"width", "8"}}, {{"width", "4"}}}, {"carveout", "banks", "shape"}, measure_bandwidth, nullptr, bandwidth_kernel},
        {"write", "How many bytes per second do independent stores take, alone, copying or modifying, by footprint?", "footprint", "bytes", "GB/s", Measure::steps_per_time,
         {"global", "local", "host"}, writing_variants(), {"carveout", "banks", "shape"}, measure_write, nullptr, write_probe_kernel},
        {"line", "How much does a miss bring, and how long is a cache's line?", "distance", "bytes", "ns", Measure::time_per_step,
         {"global", "global.uniform", "global.pointer", "texel", "constant"},
         {{{"test", "fetch"}, {"level", "1"}}, {{"test", "line"}, {"level", "1"}}, {{"test", "fetch"}, {"level", "2"}}, {{"test", "line"}, {"level", "2"}}},
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
        {"workgroups", "How many workgroups does it take to use up what the last level or memory brings?", "workgroups", "", "GB/s", Measure::steps_per_time,
         {"global", "global.cg"}, {{{"from", "cache"}}, {{"from", "memory"}}}, {}, measure_workgroups, workgroups_findings, workgroups_kernel},
        {"banks", "What does a load from the scratchpad cost by the stride of its lanes?", "stride", "", "ns", Measure::time_per_step,
         {"local"}, {{{"width", "4"}}, {{"width", "8"}}, {{"width", "16"}}}, {"banks"}, measure_banks, banks_findings, banks_kernel},
        {"occupancy", "How many workgroups does a core take at once, by the scratchpad that each holds?", "scratchpad", "bytes", "ns", Measure::time_per_step,
         {"local"}, {{}}, {"carveout"}, measure_occupancy, occupancy_findings, occupancy_kernel},
        {"coalescing", "What do loads bring whose lanes stand apart, off their alignment, in another order, in a rectangle?", "place", "", "GB/s", Measure::steps_per_time,
         {"global", "texel", "image2d"},
         {{{"pattern", "stride"}, {"width", "4"}}, {{"pattern", "offset"}, {"width", "4"}}, {{"pattern", "order"}, {"width", "4"}}, {{"pattern", "rectangle"}, {"width", "4"}},
          {{"pattern", "stride"}, {"width", "8"}}, {{"pattern", "offset"}, {"width", "8"}}, {{"pattern", "stride"}, {"width", "16"}}, {{"pattern", "offset"}, {"width", "16"}},
          {{"pattern", "stride"}, {"width", "2"}}, {{"pattern", "offset"}, {"width", "2"}}, {{"pattern", "stride"}, {"width", "1"}}, {{"pattern", "offset"}, {"width", "1"}}},
         {"carveout"}, measure_coalescing, coalescing_findings, coalescing_kernel, coalescing_by_default},
        {"mix", "Do loads on two paths at once add up, or do they share one pipe?", "share", "%", "GB/s", Measure::steps_per_time,
         {"global", "texel"}, {{{"with", "texel"}}, {{"with", "local"}}, {{"with", "constant"}}, {{"with", "global"}}}, {}, measure_mix, mix_findings, mix_kernel, mix_by_default},
        {"segments", "Is all of the memory alike, and do two parts of it get in each other's way?", "offset", "bytes", "GB/s", Measure::steps_per_time,
         {"global"}, {{{"test", "read"}}, {{"test", "write"}}, {{"test", "two-reads"}}, {{"test", "two-writes"}}, {{"test", "read-write"}}}, {}, measure_segments, segments_findings, segments_kernel},
        {"segment-latency", "Is a load as far in all of the memory?", "offset", "bytes", "ns", Measure::time_per_step, {"global"}, {{}}, {}, measure_segment_latency,
         segment_latency_findings, latency_kernel},
        {"channels", "Do streams meet in a part of the memory channels where they are 2^k apart?", "distance", "bytes", "GB/s", Measure::steps_per_time,
         {"global"}, {{}}, {}, measure_channels, channels_findings, channels_kernel},
        {"loaded", "What does a hop take while more waves want the same memory?", "waves", "", "ns", Measure::time_per_step, {"local", "global", "global.ca", "global.cg"},
         {{{"stride", "1"}}, {{"stride", "4"}}}, {"carveout"}, measure_loaded, loaded_findings, loaded_kernel},
        {"handoff", "How long does one work-item wait for another's compare-and-swap?", "pair", "", "ns", Measure::time_per_step, {"local", "global"},
         {{{"parties", "lanes"}}, {{"parties", "waves"}}, {{"parties", "cores"}}, {{"parties", "groups"}}}, {}, measure_handoff, handoff_findings, handoff_kernel},
        {"atomics", "How many atomic additions does a memory take?", "workgroups", "", "Gop/s", Measure::steps_per_time, {"local", "global"},
         {{{"cells", "one"}}, {{"cells", "words"}}, {{"cells", "lines"}}}, {}, measure_atomics, atomics_findings, atomics_kernel},
        {"bus", "How many bytes per second go to the device and back, by the size of a transfer?", "transfer", "bytes", "GB/s", Measure::steps_per_time, {"host"},
         {{{"engine", "copy"}, {"memory", "pinned"}, {"way", "to-device"}}, {{"engine", "copy"}, {"memory", "pinned"}, {"way", "to-host"}},
          {{"engine", "copy"}, {"memory", "pinned"}, {"way", "both"}}, {{"engine", "copy"}, {"memory", "pageable"}, {"way", "to-device"}},
          {{"engine", "copy"}, {"memory", "pageable"}, {"way", "to-host"}}, {{"engine", "copy"}, {"memory", "pageable"}, {"way", "both"}},
          {{"engine", "kernel"}, {"memory", "pinned"}, {"way", "to-device"}}, {{"engine", "kernel"}, {"memory", "pinned"}, {"way", "to-host"}},
          {{"engine", "kernel"}, {"memory", "pinned"}, {"way", "both"}}},
         {}, measure_bus, bus_findings, bus_kernel},
        {"launch", "What does it cost to start a kernel that does nothing?", "workgroups", "", "ns", Measure::time_per_step, {"global"}, {{{"test", "queued"}}, {{"test", "waited"}}}, {},
         measure_launch, launch_findings, launch_kernel},
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
