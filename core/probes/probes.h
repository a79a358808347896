// Probes: one question each, one file each, one row each in probes.cpp.
#pragma once
#include "core/measure/bench.h"
#include "core/probes/probe.h"

namespace sonde {

void measure_latency(Bench&);
KernelChoice latency_kernel(const DeviceInfo&, const Path&, const std::map<std::string, std::string>& options);
void measure_bandwidth(Bench&);
KernelChoice bandwidth_kernel(const DeviceInfo&, const Path&, const std::map<std::string, std::string>& options);
void measure_write(Bench&);
KernelChoice write_probe_kernel(const DeviceInfo&, const Path&, const std::map<std::string, std::string>& options);

void measure_line(Bench&);
std::vector<Finding> line_findings(const Series&, const Json& device);
void measure_tlb(Bench&);
std::vector<Finding> tlb_findings(const Series&, const Json& device);
void measure_associativity(Bench&);
std::vector<Finding> associativity_findings(const Series&, const Json& device);
void measure_partitions(Bench&);
KernelChoice partitions_kernel(const DeviceInfo&, const Path&, const std::map<std::string, std::string>& options);
std::vector<Finding> partitions_findings(const Series&, const Json& device);
void measure_sharing(Bench&);
bool sharing_by_default(std::string_view path, const std::map<std::string, std::string>& variant);
KernelChoice sharing_kernel(const DeviceInfo&, const Path&, const std::map<std::string, std::string>& options);
std::vector<Finding> sharing_findings(const Series&, const Json& device);
void measure_map(Bench&);
KernelChoice map_kernel(const DeviceInfo&, const Path&, const std::map<std::string, std::string>& options);
std::vector<Finding> map_findings(const Series&, const Json& device);
void measure_loaded(Bench&);
KernelChoice loaded_kernel(const DeviceInfo&, const Path&, const std::map<std::string, std::string>& options);
std::vector<Finding> loaded_findings(const Series&, const Json& device);
void measure_handoff(Bench&);
KernelChoice handoff_kernel(const DeviceInfo&, const Path&, const std::map<std::string, std::string>& options);
std::vector<Finding> handoff_findings(const Series&, const Json& device);
void measure_atomics(Bench&);
KernelChoice atomics_kernel(const DeviceInfo&, const Path&, const std::map<std::string, std::string>& options);
std::vector<Finding> atomics_findings(const Series&, const Json& device);
void measure_bus(Bench&);
KernelChoice bus_kernel(const DeviceInfo&, const Path&, const std::map<std::string, std::string>& options);
std::vector<Finding> bus_findings(const Series&, const Json& device);
void measure_launch(Bench&);
KernelChoice launch_kernel(const DeviceInfo&, const Path&, const std::map<std::string, std::string>& options);
std::vector<Finding> launch_findings(const Series&, const Json& device);
void measure_split(Bench&);
KernelChoice split_kernel(const DeviceInfo&, const Path&, const std::map<std::string, std::string>& options);
std::vector<Finding> split_findings(const Series&, const Json& device);

void measure_workgroups(Bench&);
KernelChoice workgroups_kernel(const DeviceInfo&, const Path&, const std::map<std::string, std::string>& options);
std::vector<Finding> workgroups_findings(const Series&, const Json& device);
void measure_banks(Bench&);
KernelChoice banks_kernel(const DeviceInfo&, const Path&, const std::map<std::string, std::string>& options);
std::vector<Finding> banks_findings(const Series&, const Json& device);
void measure_occupancy(Bench&);
KernelChoice occupancy_kernel(const DeviceInfo&, const Path&, const std::map<std::string, std::string>& options);
std::vector<Finding> occupancy_findings(const Series&, const Json& device);
void measure_coalescing(Bench&);
KernelChoice coalescing_kernel(const DeviceInfo&, const Path&, const std::map<std::string, std::string>& options);
std::vector<Finding> coalescing_findings(const Series&, const Json& device);
void measure_mix(Bench&);
bool mix_by_default(std::string_view path, const std::map<std::string, std::string>& variant);
KernelChoice mix_kernel(const DeviceInfo&, const Path&, const std::map<std::string, std::string>& options);
std::vector<Finding> mix_findings(const Series&, const Json& device);
bool coalescing_by_default(std::string_view path, const std::map<std::string, std::string>& variant);
void measure_segments(Bench&);
KernelChoice segments_kernel(const DeviceInfo&, const Path&, const std::map<std::string, std::string>& options);
std::vector<Finding> segments_findings(const Series&, const Json& device);
void measure_segment_latency(Bench&);
std::vector<Finding> segment_latency_findings(const Series&, const Json& device);
void measure_channels(Bench&);
KernelChoice channels_kernel(const DeviceInfo&, const Path&, const std::map<std::string, std::string>& options);
std::vector<Finding> channels_findings(const Series&, const Json& device);
void measure_neighbours(Bench&);
KernelChoice neighbours_kernel(const DeviceInfo&, const Path&, const std::map<std::string, std::string>& options);
std::vector<Finding> neighbours_findings(const Series&, const Json& device);
void measure_room(Bench&);
std::vector<Finding> room_findings(const Series&, const Json& device);

} // namespace sonde
