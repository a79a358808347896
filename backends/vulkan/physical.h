// What a physical device says of itself, asked without making a device of it.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "backends/vulkan/loader.h"
#include "core/device.h"

namespace sonde::vulkan {

struct PhysicalDevice {
    VkPhysicalDevice handle = VK_NULL_HANDLE;
    VkPhysicalDeviceLimits limits{};
    VkPhysicalDeviceMemoryProperties memory{};
    VkDeviceSize largest_allocation = 0; // bytes of one vkAllocateMemory
    VkDriverId driver_id{};
    std::uint32_t queue_family = 0;
    std::uint32_t timestamp_bits = 0;   // 0: no usable timestamps
    bool subgroup_clock = false;        // VK_KHR_shader_clock is there and worth reading
    bool executable_properties = false; // VK_KHR_pipeline_executable_properties
    bool compiles_only = false;         // RADV's null hardware: there is no memory, and allocating crashes the driver
    DeviceInfo info;
};

/// Why nothing can be run on this device; nullopt: something can. Must be asked before `inspect`.
std::optional<std::string> why_skipped(VkPhysicalDevice);

/// Everything worth knowing of the `index`-th physical device.
PhysicalDevice inspect(VkPhysicalDevice, std::size_t index);

} // namespace sonde::vulkan
