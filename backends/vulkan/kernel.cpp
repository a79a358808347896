// Kernels and their pipelines.
#include "backends/vulkan/kernel.h"

#include <algorithm>

#include <fmt/format.h>

#include "backends/vulkan/listing.h"
#include "backends/vulkan/shader.h"
#include "core/device/kernel_source.h"

namespace sonde::vulkan {

namespace {

Owned<VkDescriptorSetLayout> make_set_layout(const Context& context, VkDescriptorType of_a, VkDescriptorType of_b) {
    VkDescriptorSetLayoutBinding bindings[Layout::kBindings];
    for (std::uint32_t binding = 0; binding < Layout::kBindings; ++binding)
        bindings[binding] = {.binding = binding,
                             .descriptorType = binding == 0 ? of_a : binding == 1 ? of_b : VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                             .descriptorCount = 1,
                             .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT};
    const VkDescriptorSetLayoutCreateInfo info{
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = Layout::kBindings, .pBindings = bindings};
    return VK_MAKE(context, DescriptorSetLayout, info);
}

Owned<VkPipelineLayout> make_pipeline_layout(const Context& context, VkDescriptorSetLayout set, std::uint32_t argument_bytes) {
    const VkPushConstantRange arguments{.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT, .offset = 0, .size = argument_bytes};
    const VkPipelineLayoutCreateInfo info{.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                          .setLayoutCount = 1,
                                          .pSetLayouts = &set,
                                          .pushConstantRangeCount = 1,
                                          .pPushConstantRanges = &arguments};
    return VK_MAKE(context, PipelineLayout, info);
}

VkDescriptorType descriptor_of(Space space) {
    switch (space) {
    case Space::constant:
        return VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER;
    case Space::texel:
        return VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER;
    case Space::image2d:
        return VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE;
    default:
        return VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    }
}

} // namespace

Layout::Layout(const Context& context, VkDescriptorType of_a, VkDescriptorType of_b)
    : a(of_a), b(of_b), argument_bytes(context.physical.limits.maxPushConstantsSize / 4 * 4), set(make_set_layout(context, of_a, of_b)),
      pipeline(make_pipeline_layout(context, set, argument_bytes)) {}

const Layout& Layouts::of(Space of_a, Space of_b) {
    const VkDescriptorType a = descriptor_of(of_a), b = descriptor_of(of_b);
    return layouts_.try_emplace({a, b}, context_, a, b).first->second;
}

VulkanKernel::VulkanKernel(const Context& context, const Layout& layout, const Source& source, const Build& build)
    : context_(context), layout_(layout), name_(variant_name(source, build)), space_(build.a->space), element_bytes_(4 * width_of(build)), width_of_b_(sonde::width_of_b(build)) {
    if (build.group_size > context.physical.info.largest_group)
        throw Error(fmt::format("{}: workgroups of {} work-items, but the device allows {}", name_, build.group_size,
                                context.physical.info.largest_group));
    spirv_ = compile_glsl(glsl_text(source, build, context.physical), name_);
    const VkShaderModuleCreateInfo info{
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = spirv_.size() * sizeof(spirv_[0]), .pCode = spirv_.data()};
    module_ = VK_MAKE(context, ShaderModule, info);
    if (build.a->stage != Stage::scratchpad && !(build.b && build.b->stage == Stage::scratchpad)) pipeline(0); // what the driver cannot compile shows here
}

std::uint32_t VulkanKernel::elements(std::uint32_t scratchpad_bytes) const {
    const std::uint32_t largest = context_.physical.info.scratchpad_bytes;
    if (scratchpad_bytes > largest)
        throw DoesNotFit(fmt::format("{}: a scratchpad of {} bytes, but maxComputeSharedMemorySize is {}", name_, scratchpad_bytes, largest));
    return std::max(1u, scratchpad_bytes / element_bytes_);
}

VkPipeline VulkanKernel::pipeline(std::uint32_t scratchpad_bytes) const {
    last_elements_ = elements(scratchpad_bytes);
    Owned<VkPipeline>& pipeline = pipelines_[last_elements_];
    if (!pipeline) pipeline = make_pipeline(last_elements_, 0);
    return pipeline;
}

Owned<VkPipeline> VulkanKernel::make_pipeline(std::uint32_t scratchpad_elements, VkPipelineCreateFlags flags) const {
    const VkSpecializationMapEntry entry{.constantID = 0, .offset = 0, .size = sizeof scratchpad_elements};
    const VkSpecializationInfo constants{
        .mapEntryCount = 1, .pMapEntries = &entry, .dataSize = sizeof scratchpad_elements, .pData = &scratchpad_elements};
    const VkComputePipelineCreateInfo info{.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
                                           .flags = flags,
                                           .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                                     .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                                                     .module = module_,
                                                     .pName = "main",
                                                     .pSpecializationInfo = &constants},
                                           .layout = layout_.pipeline};
    VkPipeline pipeline = VK_NULL_HANDLE;
    in_context(name_, [&] { VK(context_.api.vkCreateComputePipelines(context_.device, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline)); });
    return {context_, pipeline, context_.api.vkDestroyPipeline};
}

Listing VulkanKernel::listing() const {
    Listing spirv{"spirv", disassemble(spirv_)};
    if (!context_.physical.executable_properties) return spirv;
    // A pipeline of its own: the flags that make a driver keep its text must not touch what is measured.
    const auto inspected = make_pipeline(last_elements_, kListingFlags);
    return driver_listing(context_, inspected).value_or(spirv);
}

} // namespace sonde::vulkan
