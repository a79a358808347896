// Chips that RADV compiles for without one being here.
#pragma once
#include <span>
#include <string>
#include <string_view>

namespace sonde::vulkan {

std::span<const std::string_view> null_families();

/// Makes this process's Vulkan loader see RADV's null device of that family and no other driver. To be called before the loader is
/// opened. Throws Error where Mesa's RADV is not installed.
void show_null_family(const std::string& family);

} // namespace sonde::vulkan
