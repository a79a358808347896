// Dispatches: pipelines and descriptor sets are ready before the first command is recorded, so that only the work is
// timed.
#include <algorithm>

#include "backends/vulkan/work.h"

namespace sonde::vulkan {

namespace {

const VulkanKernel& kernel_of(const Launch& launch) { return static_cast<const VulkanKernel&>(launch.kernel); }
/// By binding.
std::array<const Buffer*, 3> buffers_of(const Launch& launch) { return {launch.a, launch.b, &launch.out}; }

void check(const Context& context, const Launch& launch) {
    const VkPhysicalDeviceLimits& limits = context.physical.limits();
    const VulkanKernel& kernel = kernel_of(launch);
    const auto fail = [&](const std::string& what) { throw Error(fmt::format("{}: {}", kernel.name, what)); };
    if (launch.groups > limits.maxComputeWorkGroupCount[0])
        fail(fmt::format(
            "{} workgroups, but maxComputeWorkGroupCount[0] is {}", launch.groups, limits.maxComputeWorkGroupCount[0]));
    if (launch.args.size_bytes() > kernel.layout.argument_bytes)
        fail(fmt::format(
            "{} bytes of arguments, but only {} fit", launch.args.size_bytes(), kernel.layout.argument_bytes));
    refuse_what_cuda_has("Vulkan", launch);
    const auto buffers = buffers_of(launch);
    for (std::size_t i = 0; i < buffers.size(); ++i) {
        const bool stored =
            kernel.layout.types[i] == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER && kernel.sources[i].space != Space::address;
        if (stored && buffers[i] && buffers[i]->bytes() > limits.maxStorageBufferRange)
            fail(fmt::format("a buffer of {} bytes, but maxStorageBufferRange is {}", buffers[i]->bytes(),
                limits.maxStorageBufferRange));
    }
}

void reserve(const Context& context, Sets& sets, const Layout& layout, std::size_t count) {
    sets.used = 0;
    if (count <= sets.sets.size()) return;
    const auto all = static_cast<std::uint32_t>(std::max<std::size_t>(count, 16));
    sets.sets.clear();
    std::vector<VkDescriptorPoolSize> sizes;
    for (const VkDescriptorType type : layout.types) sizes.push_back({.type = type, .descriptorCount = all});
    const auto kinds = static_cast<std::uint32_t>(sizes.size());
    sets.pool = VK_MAKE(
        context, DescriptorPool, DESCRIPTOR_POOL, .maxSets = all, .poolSizeCount = kinds, .pPoolSizes = sizes.data());
    const std::vector<VkDescriptorSetLayout> layouts(all, layout.set);
    const VkDescriptorSetAllocateInfo wanted{.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
        .descriptorPool = sets.pool,
        .descriptorSetCount = all,
        .pSetLayouts = layouts.data()};
    std::vector<VkDescriptorSet> made(all);
    VK(context.api.vkAllocateDescriptorSets(context.device, &wanted, made.data()));
    sets.sets = std::move(made);
}

/// A set with what the launch's kernel reads and writes.
VkDescriptorSet bind(Work& work, const Launch& launch) {
    if (!work.dummy) work.dummy = allocate<VulkanBuffer>(work.context, Space::global, 256);
    const VulkanKernel& kernel = kernel_of(launch);
    Sets& sets = work.sets[&kernel.layout];
    const VkDescriptorSet set = sets.sets[sets.used++];
    constexpr std::size_t kCount = std::tuple_size_v<Bindings>;
    VkWriteDescriptorSet writes[kCount];
    VkDescriptorBufferInfo as_buffer[kCount];
    VkDescriptorImageInfo as_image[kCount];
    VkBufferView as_texels[kCount];
    for (std::uint32_t i = 0; i < kCount; ++i) {
        const Buffer* bound = buffers_of(launch)[i];
        const VkDescriptorType type = kernel.layout.types[i];
        const bool texels = type == VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER,
                   image = type == VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE;
        if (!bound && (texels || image))
            throw Error(fmt::format("{}: launched without {}", kernel.name,
                image    ? "its image"
                : i == 0 ? "its texels"
                         : "the texels of its second source"));
        if (texels) as_texels[i] = static_cast<const VulkanBuffer&>(*bound).texels(kernel.sources[i].width);
        if (image)
            as_image[i] = {.imageView = static_cast<const VulkanImage&>(*bound).view(),
                .imageLayout = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL};
        // An address needs no binding; its buffer may be larger than a binding can be.
        const bool by_buffer = bound && !image && kernel.sources[i].space != Space::address;
        as_buffer[i] = {
            (by_buffer ? static_cast<const VulkanBuffer&>(*bound) : *work.dummy).handle(), 0, VK_WHOLE_SIZE};
        writes[i] = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
            .dstSet = set,
            .dstBinding = i,
            .descriptorCount = 1,
            .descriptorType = type,
            .pImageInfo = &as_image[i],
            .pBufferInfo = &as_buffer[i],
            .pTexelBufferView = &as_texels[i]}; // Vulkan looks at the one that the type asks for
    }
    work.context.api.vkUpdateDescriptorSets(work.context.device, kCount, writes, 0, nullptr);
    return set;
}

void record(Work& work, const Launch& launch, VkDescriptorSet set) {
    const VkPipeline pipeline = kernel_of(launch).pipeline(launch.scratchpad_bytes);
    work.commands.record([&](VkCommandBuffer buffer) {
        const VolkDeviceTable& api = work.context.api;
        api.vkCmdBindPipeline(buffer, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
        api.vkCmdBindDescriptorSets(
            buffer, VK_PIPELINE_BIND_POINT_COMPUTE, kernel_of(launch).layout.pipeline, 0, 1, &set, 0, nullptr);
        if (!launch.args.empty())
            api.vkCmdPushConstants(buffer, kernel_of(launch).layout.pipeline, VK_SHADER_STAGE_COMPUTE_BIT, 0,
                static_cast<std::uint32_t>(launch.args.size_bytes()), launch.args.data());
        api.vkCmdDispatch(buffer, launch.groups, 1, 1);
    });
}

} // namespace

std::vector<Timing> run(Work& work, std::span<const Launch> launches, Timed timed) {
    if (launches.empty()) return {};
    std::map<const Layout*, std::size_t> needed;
    for (const Launch& launch : launches) {
        check(work.context, launch);
        kernel_of(launch).pipeline(launch.scratchpad_bytes);
        ++needed[&kernel_of(launch).layout];
    }
    for (const auto& [layout, count] : needed) reserve(work.context, work.sets[layout], *layout, count);
    std::vector<VkDescriptorSet> sets;
    for (const Launch& launch : launches) sets.push_back(bind(work, launch));
    const auto record_all = [&] {
        work.commands.begin(launches.size(), timed);
        for (std::size_t i = 0; i < launches.size(); ++i) record(work, launches[i], sets[i]);
    };
    if (timed == Timed::each) record_all();
    const double host_ns = host_ns_of([&] {
        if (timed == Timed::whole) record_all(); // recording is queueing
        work.commands.submit();
        work.commands.wait();
    });
    std::vector<Timing> timings = shared_out(host_ns, launches.size());
    const auto device_ns = work.commands.device_ns();
    for (std::size_t i = 0; i < device_ns.size(); ++i) timings[i].device_ns = device_ns[i];
    return timings;
}

} // namespace sonde::vulkan
