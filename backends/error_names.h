// The names of APIs' error codes, as their headers have them (cmake/error_names.cmake).
#pragma once
#include <algorithm>
#include <span>
#include <string>
#include <string_view>

namespace sonde {

struct ErrorName {
    int code;
    std::string_view name;
};
std::span<const ErrorName> opencl_error_names();
std::span<const ErrorName> vulkan_error_names();

/// "CL_OUT_OF_RESOURCES", or "<otherwise> -9999" where the number has no name.
inline std::string error_name(std::span<const ErrorName> names, int code, std::string_view otherwise) {
    const auto found = std::find_if(names.begin(), names.end(), [&](const ErrorName& row) { return row.code == code; });
    return found != names.end() ? std::string(found->name) : std::string(otherwise) + " " + std::to_string(code);
}

} // namespace sonde
