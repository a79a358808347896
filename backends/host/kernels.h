// The kernels that the build compiled for the host, by variant name (the table is generated: cmake/kernels.cmake).
#pragma once
#include <cstdint>
#include <span>
#include <string_view>

namespace sonde {

using HostFunction = void (*)(const void* a, const void* b, void* result, const void* args, void* scratchpad,
    std::uint32_t group, std::uint32_t groups);
struct HostVariant {
    std::string_view name;
    HostFunction function;
};
std::span<const HostVariant> host_variants();

} // namespace sonde
