// Makes the VkDevice: Vulkan 1.1, no optional feature but those that a kernel's clock, listing and addresses need.
#include "backends/vulkan/context.h"

namespace sonde::vulkan {

Context::Context(std::shared_ptr<Instance> instance, const PhysicalDevice& physical_device)
    : physical(physical_device), instance_(std::move(instance)) {
    make_device();
    volkLoadDeviceTable(&api, device);
    api.vkGetDeviceQueue(device, physical.queue_family, 0, &queue);
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
    const float priority = 1;
    const VkDeviceQueueCreateInfo queue_info{.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                             .queueFamilyIndex = physical.queue_family,
                                             .queueCount = 1,
                                             .pQueuePriorities = &priority};
    const VkDeviceCreateInfo info{.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                  .pNext = features,
                                  .queueCreateInfoCount = 1,
                                  .pQueueCreateInfos = &queue_info,
                                  .enabledExtensionCount = static_cast<std::uint32_t>(extensions.size()),
                                  .ppEnabledExtensionNames = extensions.data()};
    VK(vkCreateDevice(physical.handle, &info, nullptr, &device));
}

} // namespace sonde::vulkan
