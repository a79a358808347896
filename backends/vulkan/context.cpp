// Makes the VkDevice: Vulkan 1.1, no optional feature but those that a kernel's clock, listing, addresses, narrow loads
// and atomics need.
#include "backends/vulkan/context.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace sonde::vulkan {

Context::Context(std::shared_ptr<Instance> instance, const PhysicalDevice& physical_device)
    : physical(physical_device), instance_(std::move(instance)) {
    std::vector<const char*> extensions;
    void* wanted = nullptr;
    Features features = physical.features;
    features.each([&](auto& feature, const char* extension, auto&... used) {
        if (!(used || ...)) return;
        const std::tuple there{used...};
        feature = {.sType = feature.sType}; // nothing else of it
        std::tie(used...) = there;
        link(wanted, feature);
        if (extension) extensions.push_back(extension);
    });
    std::map<std::uint32_t, std::uint32_t> counts; // of queues, by family
    for (const QueuePlace& queue : physical.queues)
        counts[queue.family] = std::max(counts[queue.family], queue.index + 1);
    const std::array<float, kCopyQueues> priorities{1, 1, 1}; // one for each queue, alike
    std::vector<VkDeviceQueueCreateInfo> queue_infos;
    for (const auto& [family, count] : counts) {
        families.push_back(family);
        queue_infos.push_back({.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
            .queueFamilyIndex = family,
            .queueCount = count,
            .pQueuePriorities = priorities.data()});
    }
    const VkPhysicalDeviceFeatures numbers{.shaderFloat64 = features.numbers.shaderFloat64,
        .shaderInt64 = features.numbers.shaderInt64,
        .shaderInt16 = features.numbers.shaderInt16};
    const VkDeviceCreateInfo info{.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
        .pNext = wanted,
        .queueCreateInfoCount = static_cast<std::uint32_t>(queue_infos.size()),
        .pQueueCreateInfos = queue_infos.data(),
        .enabledExtensionCount = static_cast<std::uint32_t>(extensions.size()),
        .ppEnabledExtensionNames = extensions.data(),
        .pEnabledFeatures = &numbers};
    VK(vkCreateDevice(physical.handle, &info, nullptr, &device));
    volkLoadDeviceTable(&api, device);
    for (std::uint32_t i = 0; i < kCopyQueues; ++i)
        api.vkGetDeviceQueue(device, physical.queues[i].family, physical.queues[i].index, &queues[i]);
}

Context::~Context() {
    if (!abandoned_) api.vkDestroyDevice(device, nullptr);
}

void Context::abandon() {
    abandoned_ = true;
    instance_->abandon();
}

} // namespace sonde::vulkan
