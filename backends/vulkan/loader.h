// The Vulkan loader and the instance, opened at run time through volk. Everything in this folder includes Vulkan from here.
#pragma once
#include <string_view>
#include <vector>

#include <volk.h>

#include "core/base/error.h"

// Vulkan's structs are meant to be filled in part: sType and what matters, the rest zero.
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

namespace sonde::vulkan {

/// Throws Error("vkFunction: VK_ERROR_NAME") unless `result` is a success; `call` is the call's text.
void check(VkResult result, std::string_view call);
#define VK(call) ::sonde::vulkan::check((call), #call)

/// A Vulkan 1.1 instance without layers or extensions. Throws Error with the reason where there is none to be had.
class Instance {
public:
    Instance();
    ~Instance();
    Instance(const Instance&) = delete;
    Instance& operator=(const Instance&) = delete;

    std::vector<VkPhysicalDevice> physical_devices() const;
    /// Never destroy: a driver's thread may be inside a device that does not answer.
    void abandon() { abandoned_ = true; }

private:
    VkInstance handle_ = VK_NULL_HANDLE;
    bool abandoned_ = false;
};

} // namespace sonde::vulkan
