// What an OpenCL device says about itself.
#pragma once
#include <cstdint>
#include <string>

#include "backends/opencl/api.h"
#include "core/device/device.h"

namespace sonde::opencl {

/// The answer as text, or "" where the device does not know the question.
std::string text_answer(const Api& api, cl_device_id device, cl_device_info query);
/// The answer as a number of whichever width the device gives it, or 0 where it does not know the question.
std::uint64_t number_answer(const Api& api, cl_device_id device, cl_device_info query);
/// A platform's name, or "unnamed platform".
std::string platform_name(const Api& api, cl_platform_id platform);

/// Everything but the id and the clock.
DeviceInfo describe(const Api& api, cl_platform_id platform, cl_device_id device);

} // namespace sonde::opencl
