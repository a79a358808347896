// The Vulkan loader and the instance; the one translation unit that holds volk.
#define VOLK_IMPLEMENTATION
#include "backends/vulkan/loader.h"

#include <algorithm>

#include <fmt/format.h>

#include "backends/common.h"
#include "core/base/library.h"

namespace sonde::vulkan {

void check(VkResult result, std::string_view call) {
    if (result == VK_SUCCESS) return;
    std::string_view function = call.substr(0, call.find('('));
    if (const auto at = function.rfind("vk"); at != function.npos)
        function.remove_prefix(at); // "context.api.vkFoo" -> "vkFoo"
    const std::string text = fmt::format("{}: {}", function, error_name(vulkan_error_names(), result, "VkResult"));
    if (result == VK_ERROR_OUT_OF_DEVICE_MEMORY || result == VK_ERROR_OUT_OF_HOST_MEMORY) throw DoesNotFit(text);
    throw Error(text);
}

Instance::Instance() {
    if (volkInitialize() != VK_SUCCESS)
        throw Error(fmt::format("no Vulkan loader ({})", name_here("libvulkan.so.1", "vulkan-1.dll")));
    if (volkGetInstanceVersion() < VK_API_VERSION_1_1) throw Error("the Vulkan loader knows only Vulkan 1.0");
    const VkApplicationInfo application{
        .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .pApplicationName = "sonde", .apiVersion = VK_API_VERSION_1_1};
    const VkInstanceCreateInfo info{.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &application};
    VK(vkCreateInstance(&info, nullptr, &handle_));
    volkLoadInstanceOnly(
        handle_); // device functions come from a table per device: volk's global ones know only the last device
}

Instance::~Instance() {
    if (!abandoned_) vkDestroyInstance(handle_, nullptr);
}

std::vector<VkPhysicalDevice> Instance::physical_devices() const {
    return list_of<VkPhysicalDevice>([&](std::uint32_t* count, VkPhysicalDevice* devices) {
        VK(vkEnumeratePhysicalDevices(handle_, count, devices));
    });
}

std::size_t Instance::group_size(VkPhysicalDevice device) const {
    if (!vkEnumeratePhysicalDeviceGroups) return 1;
    const auto groups = list_of<VkPhysicalDeviceGroupProperties>(
        [&](std::uint32_t* count, VkPhysicalDeviceGroupProperties* found) {
            VK(vkEnumeratePhysicalDeviceGroups(handle_, count, found));
        },
        {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_GROUP_PROPERTIES});
    for (const VkPhysicalDeviceGroupProperties& group : groups)
        if (const std::span members(group.physicalDevices, group.physicalDeviceCount);
            std::ranges::find(members, device) != members.end())
            return members.size();
    return 1;
}

} // namespace sonde::vulkan
