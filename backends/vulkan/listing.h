// What a driver tells of a pipeline it compiled (VK_KHR_pipeline_executable_properties).
#pragma once
#include <optional>

#include "backends/vulkan/context.h"

namespace sonde::vulkan {

/// Flags with which a pipeline must be made for `driver_listing`.
constexpr VkPipelineCreateFlags kListingFlags = VK_PIPELINE_CREATE_CAPTURE_INTERNAL_REPRESENTATIONS_BIT_KHR;

/// The instructions, where the driver hands them out as text; nullopt where it does not (NVIDIA's gives statistics only).
std::optional<Listing> driver_listing(const Context&, VkPipeline);

} // namespace sonde::vulkan
