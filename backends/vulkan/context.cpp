// Makes the VkDevice: Vulkan 1.1, no optional feature but those that a kernel's clock, listing, addresses and narrow loads need.
#include "backends/vulkan/context.h"

#include <algorithm>
#include <map>

namespace sonde::vulkan {

Context::Context(std::shared_ptr<Instance> instance, const PhysicalDevice& physical_device)
    : physical(physical_device), instance_(std::move(instance)) {
    make_device();
    volkLoadDeviceTable(&api, device);
    for (std::uint32_t i = 0; i < kCopyQueues; ++i) api.vkGetDeviceQueue(device, physical.queues[i].family, physical.queues[i].index, &queues[i]);
}

Context::~Context() {
    if (!abandoned_) api.vkDestroyDevice(device, nullptr);
}

void Context::abandon() {
    abandoned_ = true;
    instance_->abandon();
}

void Context::make_device() {
    std::vector<const char*> extensions;
    void* features = nullptr;
    VkPhysicalDeviceShaderClockFeaturesKHR clock{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CLOCK_FEATURES_KHR,
                                                 .shaderSubgroupClock = VK_TRUE};
    if (physical.subgroup_clock) {
        extensions.push_back(VK_KHR_SHADER_CLOCK_EXTENSION_NAME);
        features = &clock;
    }
    VkPhysicalDeviceShaderSMBuiltinsFeaturesNV core_numbers{
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SM_BUILTINS_FEATURES_NV, .pNext = features, .shaderSMBuiltins = VK_TRUE};
    if (physical.core_number) {
        extensions.push_back(VK_NV_SHADER_SM_BUILTINS_EXTENSION_NAME);
        features = &core_numbers;
    }
    VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR executables{
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR,
        .pNext = features,
        .pipelineExecutableInfo = VK_TRUE};
    if (physical.executable_properties) {
        extensions.push_back(VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME);
        features = &executables;
    }
    VkPhysicalDeviceBufferDeviceAddressFeaturesKHR addresses{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES_KHR,
                                                            .pNext = features,
                                                            .bufferDeviceAddress = VK_TRUE};
    if (physical.buffer_address) {
        extensions.push_back(VK_KHR_BUFFER_DEVICE_ADDRESS_EXTENSION_NAME);
        features = &addresses;
    }
    VkPhysicalDevice16BitStorageFeatures halves{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_16BIT_STORAGE_FEATURES, .pNext = features, .storageBuffer16BitAccess = VK_TRUE};
    if (physical.halves_in_storage) features = &halves;
    VkPhysicalDevice8BitStorageFeaturesKHR bytes{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_8BIT_STORAGE_FEATURES_KHR, .pNext = features, .storageBuffer8BitAccess = VK_TRUE};
    if (physical.bytes_in_storage) {
        extensions.push_back(VK_KHR_8BIT_STORAGE_EXTENSION_NAME);
        features = &bytes;
    }
    std::map<std::uint32_t, std::uint32_t> counts; // of queues, by family
    for (const QueuePlace& queue : physical.queues) counts[queue.family] = std::max(counts[queue.family], queue.index + 1);
    const std::array<float, kCopyQueues> priorities{1, 1, 1}; // one for each queue, alike
    std::vector<VkDeviceQueueCreateInfo> queue_infos;
    for (const auto& [family, count] : counts) {
        families.push_back(family);
        queue_infos.push_back({.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueFamilyIndex = family, .queueCount = count, .pQueuePriorities = priorities.data()});
    }
    const VkDeviceCreateInfo info{.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                  .pNext = features,
                                  .queueCreateInfoCount = static_cast<std::uint32_t>(queue_infos.size()),
                                  .pQueueCreateInfos = queue_infos.data(),
                                  .enabledExtensionCount = static_cast<std::uint32_t>(extensions.size()),
                                  .ppEnabledExtensionNames = extensions.data()};
    VK(vkCreateDevice(physical.handle, &info, nullptr, &device));
}

} // namespace sonde::vulkan
