// The Vulkan loader and the instance; the one translation unit that holds volk.
#define VOLK_IMPLEMENTATION
#include "backends/vulkan/loader.h"

#include <fmt/format.h>

namespace sonde::vulkan {

std::string_view result_name(VkResult result) {
    switch (result) {
#define NAMED(name)                                                                                                                        \
    case name:                                                                                                                             \
        return #name;
        NAMED(VK_SUCCESS)
        NAMED(VK_NOT_READY)
        NAMED(VK_TIMEOUT)
        NAMED(VK_EVENT_SET)
        NAMED(VK_EVENT_RESET)
        NAMED(VK_INCOMPLETE)
        NAMED(VK_ERROR_OUT_OF_HOST_MEMORY)
        NAMED(VK_ERROR_OUT_OF_DEVICE_MEMORY)
        NAMED(VK_ERROR_INITIALIZATION_FAILED)
        NAMED(VK_ERROR_DEVICE_LOST)
        NAMED(VK_ERROR_MEMORY_MAP_FAILED)
        NAMED(VK_ERROR_LAYER_NOT_PRESENT)
        NAMED(VK_ERROR_EXTENSION_NOT_PRESENT)
        NAMED(VK_ERROR_FEATURE_NOT_PRESENT)
        NAMED(VK_ERROR_INCOMPATIBLE_DRIVER)
        NAMED(VK_ERROR_TOO_MANY_OBJECTS)
        NAMED(VK_ERROR_FORMAT_NOT_SUPPORTED)
        NAMED(VK_ERROR_FRAGMENTED_POOL)
        NAMED(VK_ERROR_UNKNOWN)
        NAMED(VK_ERROR_OUT_OF_POOL_MEMORY)
        NAMED(VK_ERROR_INVALID_EXTERNAL_HANDLE)
        NAMED(VK_ERROR_FRAGMENTATION)
        NAMED(VK_ERROR_INVALID_OPAQUE_CAPTURE_ADDRESS)
        NAMED(VK_ERROR_INVALID_SHADER_NV)
        NAMED(VK_PIPELINE_COMPILE_REQUIRED)
        NAMED(VK_ERROR_NOT_PERMITTED_KHR)
        NAMED(VK_ERROR_VALIDATION_FAILED_EXT)
#undef NAMED
    default:
        return {};
    }
}

void check(VkResult result, std::string_view call) {
    if (result == VK_SUCCESS) return;
    std::string_view function = call.substr(0, call.find('('));
    if (const auto at = function.rfind("vk"); at != function.npos) function.remove_prefix(at); // "context.api.vkFoo" -> "vkFoo"
    const std::string_view name = result_name(result);
    const std::string text = name.empty() ? fmt::format("{}: VkResult {}", function, static_cast<int>(result)) : fmt::format("{}: {}", function, name);
    if (result == VK_ERROR_OUT_OF_DEVICE_MEMORY || result == VK_ERROR_OUT_OF_HOST_MEMORY) throw DoesNotFit(text);
    throw Error(text);
}

Instance::Instance() {
    if (volkInitialize() != VK_SUCCESS) throw Error("no Vulkan loader (libvulkan.so.1)");
    if (volkGetInstanceVersion() < VK_API_VERSION_1_1) throw Error("the Vulkan loader knows only Vulkan 1.0");
    const VkApplicationInfo application{
        .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .pApplicationName = "sonde", .apiVersion = VK_API_VERSION_1_1};
    const VkInstanceCreateInfo info{.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &application};
    VK(vkCreateInstance(&info, nullptr, &handle_));
    volkLoadInstanceOnly(handle_); // device functions come from a table per device: volk's global ones know only the last device
}

Instance::~Instance() {
    if (!abandoned_) vkDestroyInstance(handle_, nullptr);
}

std::vector<VkPhysicalDevice> Instance::physical_devices() const {
    std::uint32_t count = 0;
    VK(vkEnumeratePhysicalDevices(handle_, &count, nullptr));
    std::vector<VkPhysicalDevice> devices(count);
    if (count) VK(vkEnumeratePhysicalDevices(handle_, &count, devices.data()));
    devices.resize(count);
    return devices;
}

} // namespace sonde::vulkan
