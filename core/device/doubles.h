// One device that an API shows twice, as it does where two files name one driver.
#pragma once
#include <span>
#include <string>

#include "core/device/device.h"

namespace sonde {

/// A fact of the second: the id of the first, and what shows that they are one.
inline constexpr const char* kDouble = "once more";

/// The id of the device that this one is once more; "": it is none.
std::string first_of_double(const DeviceInfo&);

/// Gives those of one API that are another one once more that fact. They have one driver and one UUID, else one PCI
/// address, else are the processor, which a driver shows once. Devices of one OpenCL platform are as many as it says.
void note_doubles(std::span<DeviceInfo* const> devices);

} // namespace sonde
