// The Vulkan loader and the instance, opened at run time through volk. Everything in this folder includes Vulkan from
// here.
#pragma once
#include <span>
#include <string>
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

/// A list is asked for twice, how long and then what: `ask(count, items)`, through VK where it has a result. `blank`:
/// an item before it is filled.
template <class Item, class Ask> std::vector<Item> list_of(const Ask& ask, const Item& blank = {}) {
    std::uint32_t count = 0;
    ask(&count, nullptr);
    std::vector<Item> items(count, blank);
    if (count) ask(&count, items.data());
    items.resize(count);
    return items;
}

/// Chips that RADV compiles for without one being here.
std::span<const std::string_view> null_families();
/// Makes this process's Vulkan loader see RADV's null device of that family and no other driver. To be called before
/// the loader is opened. Throws Error where Mesa's RADV is not installed.
void show_null_family(const std::string& family);

/// A Vulkan 1.1 instance without layers or extensions. Throws Error with the reason where there is none to be had.
class Instance {
public:
    Instance();
    ~Instance();
    Instance(const Instance&) = delete;
    Instance& operator=(const Instance&) = delete;

    std::vector<VkPhysicalDevice> physical_devices() const;
    /// Of the group that one stands in: a device of such a group has the memory of all of them. 1: it stands alone.
    std::size_t group_size(VkPhysicalDevice) const;
    /// Never destroy: a driver's thread may be inside a device that does not answer.
    void abandon() { abandoned_ = true; }

private:
    VkInstance handle_ = VK_NULL_HANDLE;
    bool abandoned_ = false;
};

} // namespace sonde::vulkan
