// A processor's memory, as far as this process may use it.
#pragma once
#include "core/base/limits.h"
#include "core/device/device.h"

namespace sonde {

/// The kernel kills a process that takes more memory than its control group allows, and an API of a processor tells of
/// the machine's: the device has what is allowed, with a fact that says so.
void keep_to_limits(DeviceInfo&, const ProcessLimits&);

} // namespace sonde
