// A kernel: SPIR-V, and a pipeline for each scratchpad size it has been run with.
#pragma once
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "backends/vulkan/context.h"

namespace sonde::vulkan {

/// What the kernels of one kind of sources share: A and B as their spaces bind them, the result as a storage buffer, all push constants.
struct Layout {
    Layout(const Context&, VkDescriptorType of_a, VkDescriptorType of_b);
    static constexpr std::uint32_t kBindings = 3;
    const VkDescriptorType a, b;
    const std::uint32_t argument_bytes;
    Owned<VkDescriptorSetLayout> set;
    Owned<VkPipelineLayout> pipeline;
};

/// One layout for each way to bind A and B, made when first asked for.
class Layouts {
public:
    explicit Layouts(const Context& context) : context_(context) {}
    const Layout& of(Space of_a, Space of_b);

private:
    const Context& context_;
    std::map<std::pair<VkDescriptorType, VkDescriptorType>, Layout> layouts_;
};

class VulkanKernel final : public Kernel {
public:
    VulkanKernel(const Context&, const Layout&, const Source&, const Build&);

    Listing listing() const override;
    /// The pipeline whose scratchpad holds that many bytes; made at first use.
    VkPipeline pipeline(std::uint32_t scratchpad_bytes) const;
    const std::string& name() const { return name_; }
    const Layout& layout() const { return layout_; }
    Space space() const { return space_; }
    /// Words of one element of A.
    std::uint32_t width() const { return element_bytes_ / 4; }
    /// And of B.
    std::uint32_t width_of_b() const { return width_of_b_; }

private:
    std::uint32_t elements(std::uint32_t scratchpad_bytes) const;
    Owned<VkPipeline> make_pipeline(std::uint32_t scratchpad_elements, VkPipelineCreateFlags) const;

    const Context& context_;
    const Layout& layout_;
    std::string name_;            // the variant's, for messages
    Space space_;                 // of A
    std::uint32_t element_bytes_; // of A and of the scratchpad
    std::uint32_t width_of_b_;
    std::vector<std::uint32_t> spirv_;
    Owned<VkShaderModule> module_;
    mutable std::map<std::uint32_t, Owned<VkPipeline>> pipelines_; // by scratchpad elements
    mutable std::uint32_t last_elements_ = 1;                      // what the listing shows
};

} // namespace sonde::vulkan
