// A kernel: SPIR-V, and a pipeline for each scratchpad size it has been run with.
#pragma once
#include <atomic>
#include <map>
#include <optional>
#include <span>
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
    Compiling(std::shared_ptr<Instance> instance, const PhysicalDevice& physical)
        : context(std::move(instance), physical) {}
    const Layout& layout_of(const Build&);
    Context context;
    std::map<Bindings, Layout> layouts;
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
    Owned<VkPipeline> make_pipeline(
        std::uint32_t scratchpad_elements, VkPipelineCreateFlags, VkPipelineCache = VK_NULL_HANDLE) const;

    const Context& context_;
    const std::uint32_t subgroup_; // lanes asked for; 0: none
    std::vector<std::uint32_t> spirv_;
    Owned<VkShaderModule> module_;
    mutable std::map<std::uint32_t, Owned<VkPipeline>> pipelines_; // by scratchpad elements
    mutable std::atomic<std::uint32_t> last_elements_ = 1;         // what the listing shows
};

/// The kernel's text in GLSL, as SPIR-V 1.3 for Vulkan 1.1. Throws Error with the compiler's whole log.
std::vector<std::uint32_t> compile_glsl(const Source&, const Build&, const PhysicalDevice&);
/// The same with the types of a form's matrices in the place of the marks that stand for them.
std::vector<std::uint32_t> with_matrix_types(const std::vector<std::uint32_t>& spirv, const MatrixForm&);
/// What a text of matrices is told of them, as lines.
std::string matrix_defines(const MatrixForm&);
/// Without a text where SPIRV-Tools does not know an instruction of it.
Listing spirv_listing(std::span<const std::uint32_t> spirv);

/// Flags with which a pipeline must be made for `driver_listing`.
constexpr VkPipelineCreateFlags kListingFlags = VK_PIPELINE_CREATE_CAPTURE_INTERNAL_REPRESENTATIONS_BIT_KHR;
/// The instructions, where the driver hands them out as text (VK_KHR_pipeline_executable_properties); nullopt where it
/// does not (NVIDIA's gives statistics only).
std::optional<Listing> driver_listing(const Context&, VkPipeline);

} // namespace sonde::vulkan
