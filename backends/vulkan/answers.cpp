// Asks a physical device for every property struct it has.
#include "backends/vulkan/answers.h"

namespace sonde::vulkan {

namespace {

/// Puts `next` in front of the chain that begins at `head`.
template <class Struct> void link(void*& head, Struct& next) {
    next.pNext = head;
    head = &next;
}

} // namespace

Answers::Answers(VkPhysicalDevice device) {
    ask_extensions(device);
    ask_properties(device);
    ask_features(device);
    ask_memory(device);
    ask_queue_families(device);
}

void Answers::ask_extensions(VkPhysicalDevice device) {
    std::uint32_t count = 0;
    VK(vkEnumerateDeviceExtensionProperties(device, nullptr, &count, nullptr));
    std::vector<VkExtensionProperties> list(count);
    VK(vkEnumerateDeviceExtensionProperties(device, nullptr, &count, list.data()));
    for (const VkExtensionProperties& extension : list) extensions.insert(extension.extensionName);
}

void Answers::ask_properties(VkPhysicalDevice device) {
    void* head = nullptr;
    link(head, id);
    link(head, subgroup);
    link(head, maintenance);
    if (has(VK_KHR_DRIVER_PROPERTIES_EXTENSION_NAME)) link(head, driver);
    if (has(VK_EXT_PCI_BUS_INFO_EXTENSION_NAME)) link(head, pci);
    if (has(VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME)) link(head, subgroup_sizes);
    if (has(VK_NV_SHADER_SM_BUILTINS_EXTENSION_NAME)) link(head, nvidia_cores);
    if (has(VK_AMD_SHADER_CORE_PROPERTIES_EXTENSION_NAME)) link(head, amd_cores);
    if (has(VK_AMD_SHADER_CORE_PROPERTIES_2_EXTENSION_NAME)) link(head, amd_cores_2);
    if (has(VK_ARM_SHADER_CORE_BUILTINS_EXTENSION_NAME)) link(head, arm_cores);
    VkPhysicalDeviceProperties2 all{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = head};
    vkGetPhysicalDeviceProperties2(device, &all);
    properties = all.properties;
}

void Answers::ask_features(VkPhysicalDevice device) {
    void* head = nullptr;
    link(head, halves);
    if (has(VK_KHR_8BIT_STORAGE_EXTENSION_NAME)) link(head, bytes);
    if (has(VK_KHR_SHADER_CLOCK_EXTENSION_NAME)) link(head, clocks);
    if (has(VK_NV_SHADER_SM_BUILTINS_EXTENSION_NAME)) link(head, core_numbers);
    if (has(VK_KHR_BUFFER_DEVICE_ADDRESS_EXTENSION_NAME)) link(head, addresses);
    if (has(VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME)) link(head, executables);
    VkPhysicalDeviceFeatures2 all{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = head};
    vkGetPhysicalDeviceFeatures2(device, &all);
}

void Answers::ask_memory(VkPhysicalDevice device) {
    void* head = nullptr;
    if (has(VK_EXT_MEMORY_BUDGET_EXTENSION_NAME)) link(head, budget);
    VkPhysicalDeviceMemoryProperties2 all{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2, .pNext = head};
    vkGetPhysicalDeviceMemoryProperties2(device, &all);
    memory = all.memoryProperties;
}

void Answers::ask_queue_families(VkPhysicalDevice device) {
    std::uint32_t count = 0;
    vkGetPhysicalDeviceQueueFamilyProperties(device, &count, nullptr);
    families.resize(count);
    vkGetPhysicalDeviceQueueFamilyProperties(device, &count, families.data());
}

} // namespace sonde::vulkan
