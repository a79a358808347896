// What a physical device says of itself, asked without making a device of it.
#pragma once
#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "backends/vulkan/loader.h"
#include "core/device/device.h"

namespace sonde::vulkan {

/// Bytes of push constants that the arguments of any kernel may take; the rest of what the device has is for a table.
inline constexpr std::uint32_t kArgumentBytes = 40;

/// A queue of the device.
struct QueuePlace {
    std::uint32_t family = 0, index = 0;
    auto operator<=>(const QueuePlace&) const = default;
};

/// What stands for Copy::queue, the same more than once where a device has too few. 0: the first queue of `compute_family`. The others: queues of a family that only copies where there is one, then further ones of
/// the compute family.
std::array<QueuePlace, kCopyQueues> copy_queues(std::span<const VkQueueFamilyProperties> families, std::uint32_t compute_family);

struct PhysicalDevice {
    VkPhysicalDevice handle = VK_NULL_HANDLE;
    VkPhysicalDeviceLimits limits{};
    VkPhysicalDeviceMemoryProperties memory{};
    VkDeviceSize largest_allocation = 0; // bytes of one vkAllocateMemory
    VkDriverId driver_id{};
    std::uint32_t queue_family = 0;
    std::array<QueuePlace, kCopyQueues> queues{};
    std::uint32_t timestamp_bits = 0;   // 0: no usable timestamps
    bool subgroup_clock = false;        // VK_KHR_shader_clock is there and worth reading
    bool core_number = false;           // VK_NV_shader_sm_builtins is there
    bool bytes_in_storage = false;      // VK_KHR_8bit_storage, storageBuffer8BitAccess
    bool halves_in_storage = false;     // storageBuffer16BitAccess of Vulkan 1.1
    bool buffer_address = false;        // VK_KHR_buffer_device_address is there
    bool executable_properties = false; // VK_KHR_pipeline_executable_properties
    bool compiles_only = false;         // RADV's null hardware: there is no memory, and allocating crashes the driver
    DeviceInfo info;
};

/// Why nothing can be run on this device; nullopt: something can. Must be asked before `inspect`.
std::optional<std::string> why_skipped(VkPhysicalDevice);

/// Everything worth knowing of the `index`-th physical device.
PhysicalDevice inspect(VkPhysicalDevice, std::size_t index);

} // namespace sonde::vulkan
