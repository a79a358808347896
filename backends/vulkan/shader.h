// Kernel text to SPIR-V, and back to a listing.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "backends/vulkan/context.h"

namespace sonde::vulkan {

/// The whole GLSL text of a kernel: version, defines, dialect, the common text.
std::string glsl_text(const Source&, const Build&, const PhysicalDevice&);

/// SPIR-V 1.3 for Vulkan 1.1. Throws Error with the compiler's whole log.
std::vector<std::uint32_t> compile_glsl(const std::string& text, const std::string& name);

std::string disassemble(std::span<const std::uint32_t> spirv);

/// Flags with which a pipeline must be made for `driver_listing`.
constexpr VkPipelineCreateFlags kListingFlags = VK_PIPELINE_CREATE_CAPTURE_INTERNAL_REPRESENTATIONS_BIT_KHR;
/// The instructions, where the driver hands them out as text (VK_KHR_pipeline_executable_properties); nullopt where it does not (NVIDIA's
/// gives statistics only).
std::optional<Listing> driver_listing(const Context&, VkPipeline);

} // namespace sonde::vulkan
