// Kernels and their pipelines.
#include "backends/vulkan/kernel.h"

#include <algorithm>

#include "backends/common.h"
#include "backends/nvidia_code.h"

namespace sonde::vulkan {

namespace {

constexpr VkResult kNotOfTheText[] = {VK_ERROR_DEVICE_LOST, VK_ERROR_OUT_OF_DEVICE_MEMORY, VK_ERROR_OUT_OF_HOST_MEMORY};

VkDescriptorType descriptor_of(Space space) {
    return space == Space::constant  ? VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER
           : space == Space::texel   ? VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER
           : space == Space::image2d ? VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE
                                     : VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
}

} // namespace

Layout::Layout(const Context& context, const Bindings& bindings)
    : types(bindings), argument_bytes(context.physical.limits().maxPushConstantsSize / 4 * 4) {
    std::array<VkDescriptorSetLayoutBinding, std::tuple_size_v<Bindings>> rows{};
    for (std::uint32_t i = 0; i < rows.size(); ++i)
        rows[i] = {
            .binding = i, .descriptorType = types[i], .descriptorCount = 1, .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT};
    set = VK_MAKE(
        context, DescriptorSetLayout, DESCRIPTOR_SET_LAYOUT, .bindingCount = rows.size(), .pBindings = rows.data());
    const VkDescriptorSetLayout sets[] = {set};
    const VkPushConstantRange arguments{.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT, .offset = 0, .size = argument_bytes};
    pipeline = VK_MAKE(context, PipelineLayout, PIPELINE_LAYOUT, .setLayoutCount = 1, .pSetLayouts = sets,
        .pushConstantRangeCount = 1, .pPushConstantRanges = &arguments);
}

const Layout& Compiling::layout_of(const Build& build) {
    const Bindings types{
        descriptor_of(source_a(build).space), descriptor_of(source_b(build).space), VK_DESCRIPTOR_TYPE_STORAGE_BUFFER};
    return layouts.try_emplace(types, context, types).first->second;
}

VulkanKernel::VulkanKernel(Compiling& device, const Source& source, const Build& build)
    : name(variant_name(source, build)),
      layout(device.layout_of(build)),
      sources{source_a(build), source_b(build)},
      context_(device.context),
      subgroup_(build.subgroup) {
    const std::uint32_t largest = context_.physical.info.largest_group;
    if (build.group_size > largest)
        throw Error(
            fmt::format("{}: workgroups of {} work-items, but the device allows {}", name, build.group_size, largest));
    spirv_ = compile_glsl(source, build, context_.physical);
    module_ = VK_MAKE(
        context_, ShaderModule, SHADER_MODULE, .codeSize = spirv_.size() * sizeof(spirv_[0]), .pCode = spirv_.data());
    if (build.a->stage != Stage::scratchpad && !(build.b && build.b->stage == Stage::scratchpad))
        pipeline(0); // what the driver cannot compile shows here
}

VkPipeline VulkanKernel::pipeline(std::uint32_t scratchpad_bytes) const {
    const std::uint32_t largest = context_.physical.info.scratchpad_bytes;
    if (scratchpad_bytes > largest)
        throw DoesNotFit(fmt::format(
            "{}: a scratchpad of {} bytes, but maxComputeSharedMemorySize is {}", name, scratchpad_bytes, largest));
    last_elements_ = std::max(1u, scratchpad_bytes / (4 * sources[0].width));
    Owned<VkPipeline>& made = pipelines_[last_elements_];
    if (!made) made = make_pipeline(last_elements_, 0);
    return made;
}

Owned<VkPipeline> VulkanKernel::make_pipeline(
    std::uint32_t scratchpad_elements, VkPipelineCreateFlags flags, VkPipelineCache cache) const {
    const VkSpecializationMapEntry entry{.constantID = 0, .offset = 0, .size = sizeof scratchpad_elements};
    const VkSpecializationInfo constants{.mapEntryCount = 1,
        .pMapEntries = &entry,
        .dataSize = sizeof scratchpad_elements,
        .pData = &scratchpad_elements};
    const VkPipelineShaderStageRequiredSubgroupSizeCreateInfoEXT lanes{
        .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO_EXT,
        .requiredSubgroupSize = subgroup_};
    const VkComputePipelineCreateInfo info{.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .flags = flags,
        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
            .pNext = subgroup_ ? &lanes : nullptr,
            .stage = VK_SHADER_STAGE_COMPUTE_BIT,
            .module = module_,
            .pName = "main",
            .pSpecializationInfo = &constants},
        .layout = layout.pipeline};
    VkPipeline made = VK_NULL_HANDLE;
    in_context(name, [&] {
        const VkResult result = context_.api.vkCreateComputePipelines(context_.device, cache, 1, &info, nullptr, &made);
        if (result < 0 && std::ranges::find(kNotOfTheText, result) == std::end(kNotOfTheText))
            throw CompileRefused(
                fmt::format("vkCreateComputePipelines: {}", error_name(vulkan_error_names(), result, "VkResult")));
        check(result, "vkCreateComputePipelines");
    });
    return {context_, made, context_.api.vkDestroyPipeline};
}

Listing VulkanKernel::listing() const {
    Listing spirv = spirv_listing(spirv_);
    // A pipeline of its own: what makes a driver keep its text must not touch what is measured.
    if (context_.physical.driver.driverID == VK_DRIVER_ID_NVIDIA_PROPRIETARY)
        return nvidia::sass_or(spirv, [&]() -> Listing {
            const auto cache = VK_MAKE(context_, PipelineCache, PIPELINE_CACHE, .initialDataSize = 0);
            const auto inspected = make_pipeline(last_elements_, 0, cache);
            std::size_t bytes = 0;
            VK(context_.api.vkGetPipelineCacheData(context_.device, cache, &bytes, nullptr));
            std::string data(bytes, '\0');
            VK(context_.api.vkGetPipelineCacheData(context_.device, cache, &bytes, data.data()));
            return nvidia::sass_of(nvidia::code_in_cache(data));
        });
    if (!context_.physical.features.executables.pipelineExecutableInfo) return spirv;
    return driver_listing(context_, make_pipeline(last_elements_, kListingFlags)).value_or(spirv);
}

} // namespace sonde::vulkan
