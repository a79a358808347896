// The lists of backends and of instruments: the only place that names them all.
#pragma once
#include <span>

#include "core/base/json_fwd.h"
#include "core/device/checkup.h"
#include "core/device/telemetry.h"

namespace sonde {

std::span<const Backend> all_backends();

Opened open_host();
Opened open_cuda();
Opened open_opencl();
Opened open_vulkan();

std::span<const std::string_view> cuda_targets();
Opened open_cuda_target(std::string_view);
std::span<const std::string_view> opencl_targets();
Opened open_opencl_target(std::string_view);
std::span<const std::string_view> vulkan_targets();
Opened open_vulkan_target(std::string_view);

/// In the order in which they are tried.
std::span<const OpenTelemetry> all_telemetry();

OpenedTelemetry open_nvml(const DeviceInfo&);
OpenedTelemetry open_sysfs(const DeviceInfo&);

/// What `sonde doctor` looks at, in the order of its rows, and what it asks drivers.
Checkup checkup();

/// What an NVIDIA card is set to, and how it is at this moment.
struct NvmlCard : CardSample, CardState {
    std::string absent{}; // why nothing is known
};
void to_json(Json&, const NvmlCard&);
void from_json(const Json&, NvmlCard&);
/// The NvmlCard of each of these PCI addresses (commas between them), by address; or {"absent": reason}.
Json nvml_settings(const std::string& addresses);

} // namespace sonde
