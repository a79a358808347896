// A kernel: SPIR-V, and a pipeline for each scratchpad size it has been run with.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "backends/vulkan/context.h"

namespace sonde::vulkan {

/// What all kernels share: A, B and the result as storage buffers, 128 bytes of push constants (what every device has).
struct Layout {
    explicit Layout(const Context&);
    static constexpr std::uint32_t kBuffers = 3;
    static constexpr std::uint32_t kArgumentBytes = 128;
    Owned<VkDescriptorSetLayout> set;
    Owned<VkPipelineLayout> pipeline;
};

class VulkanKernel final : public Kernel {
public:
    VulkanKernel(const Context&, const Layout&, const Source&, const Build&);

    Listing listing() const override;
    /// The pipeline whose scratchpad holds that many bytes; made at first use.
    VkPipeline pipeline(std::uint32_t scratchpad_bytes) const;
    const std::string& name() const { return name_; }

private:
    std::uint32_t elements(std::uint32_t scratchpad_bytes) const;
    Owned<VkPipeline> make_pipeline(std::uint32_t scratchpad_elements, VkPipelineCreateFlags) const;

    const Context& context_;
    const Layout& layout_;
    std::string name_;            // the variant's, for messages
    std::uint32_t element_bytes_; // of A and of the scratchpad
    std::vector<std::uint32_t> spirv_;
    Owned<VkShaderModule> module_;
    mutable std::map<std::uint32_t, Owned<VkPipeline>> pipelines_; // by scratchpad elements
    mutable std::uint32_t last_elements_ = 1;                      // what the listing shows
};

} // namespace sonde::vulkan
