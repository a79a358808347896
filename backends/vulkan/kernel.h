// A kernel: SPIR-V, and a pipeline for each scratchpad size it has been run with.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "backends/vulkan/context.h"
#include "core/device/kernel_source.h"

namespace sonde::vulkan {

/// Of A, B and the result, by binding: how they are bound.
using Bindings = std::array<VkDescriptorType, 3>;

/// What the kernels of one kind of sources share: the bindings, and all push constants.
struct Layout {
    Layout(const Context&, const Bindings&);
    const Bindings types;
    const std::uint32_t argument_bytes;
    Owned<VkDescriptorSetLayout> set;
    Owned<VkPipelineLayout> pipeline;
};

/// A device with a layout for each way to bind A and B, made when first asked for.
struct Compiling {
    const Layout& layout_of(const Build&);
    Context context;
    std::map<Bindings, Layout> layouts{};
};

class VulkanKernel final : public Kernel {
public:
    VulkanKernel(Compiling&, const Source&, const Build&);

    Listing listing() const override;
    /// The pipeline whose scratchpad holds that many bytes; made at first use.
    VkPipeline pipeline(std::uint32_t scratchpad_bytes) const;

    const std::string name; // the variant's, for messages
    const Layout& layout;
    const std::array<KernelSource, 3> sources; // A, B, and the result as if it were one

private:
    std::uint32_t elements(std::uint32_t scratchpad_bytes) const;
    Owned<VkPipeline> make_pipeline(std::uint32_t scratchpad_elements, VkPipelineCreateFlags) const;

    const Context& context_;
    std::vector<std::uint32_t> spirv_;
    Owned<VkShaderModule> module_;
    mutable std::map<std::uint32_t, Owned<VkPipeline>> pipelines_; // by scratchpad elements
    mutable std::uint32_t last_elements_ = 1;                      // what the listing shows
};

} // namespace sonde::vulkan
