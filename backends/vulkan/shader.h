// Kernel text to SPIR-V and back to a listing.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "backends/vulkan/physical.h"

namespace sonde::vulkan {

/// The whole GLSL text of a kernel: version, defines, dialect, the common text.
std::string glsl_text(const Source&, const Build&, const PhysicalDevice&);

/// SPIR-V 1.3 for Vulkan 1.1. Throws Error with the compiler's whole log.
std::vector<std::uint32_t> compile_glsl(const std::string& text, const std::string& name);

std::string disassemble(std::span<const std::uint32_t> spirv);

} // namespace sonde::vulkan
