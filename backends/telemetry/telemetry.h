// The list of instruments: the only place that names them all.
#pragma once
#include "core/device/telemetry.h"

namespace sonde {

std::span<const OpenTelemetry> all_telemetry();

OpenedTelemetry open_nvml(const DeviceInfo&);
OpenedTelemetry open_sysfs(const DeviceInfo&);

} // namespace sonde
