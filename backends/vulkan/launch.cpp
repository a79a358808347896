// Dispatches: pipelines and descriptor sets are ready before the first command is recorded, so that only the work is timed.
#include "backends/vulkan/launch.h"

#include <algorithm>

#include <fmt/format.h>

namespace sonde::vulkan {

namespace {

const VulkanKernel& kernel_of(const Launch& launch) { return static_cast<const VulkanKernel&>(launch.kernel); }

} // namespace

std::vector<Timing> Launcher::run(std::span<const Launch> launches) {
    if (launches.empty()) return {};
    for (const Launch& launch : launches) {
        check(launch);
        kernel_of(launch).pipeline(launch.scratchpad_bytes);
    }
    reserve_sets(static_cast<std::uint32_t>(launches.size()));
    for (std::size_t i = 0; i < launches.size(); ++i) bind_buffers(sets_[i], launches[i]);
    commands_.begin(launches.size());
    for (std::size_t i = 0; i < launches.size(); ++i) record(launches[i], sets_[i]);

    const double host_ns = commands_.submit_and_wait() / static_cast<double>(launches.size());
    std::vector<Timing> timings(launches.size(), Timing{host_ns, std::nullopt});
    const auto device_ns = commands_.device_ns();
    for (std::size_t i = 0; i < device_ns.size(); ++i) timings[i].device_ns = device_ns[i];
    return timings;
}

void Launcher::check(const Launch& launch) const {
    const VkPhysicalDeviceLimits& limits = context_.physical.limits;
    const auto fail = [&](const std::string& what) { throw Error(fmt::format("{}: {}", kernel_of(launch).name(), what)); };
    if (launch.groups > limits.maxComputeWorkGroupCount[0])
        fail(fmt::format("{} workgroups, but maxComputeWorkGroupCount[0] is {}", launch.groups, limits.maxComputeWorkGroupCount[0]));
    if (launch.args.size_bytes() > Layout::kArgumentBytes)
        fail(fmt::format("{} bytes of arguments, but only {} fit", launch.args.size_bytes(), Layout::kArgumentBytes));
    if (launch.cluster > 1) throw Unsupported("Vulkan has no clusters of workgroups");
    if (launch.carveout) throw Unsupported("Vulkan has no way to ask for a split of the first level");
    for (const Buffer* buffer : {launch.a, launch.b, static_cast<const Buffer*>(&launch.out)})
        if (buffer && buffer->bytes() > limits.maxStorageBufferRange)
            fail(fmt::format("a buffer of {} bytes, but maxStorageBufferRange is {}", buffer->bytes(), limits.maxStorageBufferRange));
}

void Launcher::reserve_sets(std::uint32_t count) {
    if (count <= sets_.size()) return;
    count = std::max(count, 16u);
    sets_.clear();
    const VkDescriptorPoolSize size{.type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, .descriptorCount = count * Layout::kBuffers};
    const VkDescriptorPoolCreateInfo info{
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, .maxSets = count, .poolSizeCount = 1, .pPoolSizes = &size};
    pool_ = VK_MAKE(context_, DescriptorPool, info);
    const std::vector<VkDescriptorSetLayout> layouts(count, layout_.set);
    const VkDescriptorSetAllocateInfo sets{.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                           .descriptorPool = pool_,
                                           .descriptorSetCount = count,
                                           .pSetLayouts = layouts.data()};
    std::vector<VkDescriptorSet> made(count);
    VK(context_.api.vkAllocateDescriptorSets(context_.device, &sets, made.data()));
    sets_ = std::move(made);
}

void Launcher::bind_buffers(VkDescriptorSet set, const Launch& launch) {
    if (!dummy_) dummy_ = std::make_unique<VulkanBuffer>(context_, Space::global, 256);
    const auto binding = [&](const Buffer* buffer) {
        const VulkanBuffer& bound = buffer ? static_cast<const VulkanBuffer&>(*buffer) : *dummy_;
        return VkDescriptorBufferInfo{bound.handle(), 0, VK_WHOLE_SIZE};
    };
    const VkDescriptorBufferInfo buffers[Layout::kBuffers] = {binding(launch.a), binding(launch.b), binding(&launch.out)};
    // More descriptors than binding 0 has: the rest go to the bindings that follow.
    const VkWriteDescriptorSet write{.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                     .dstSet = set,
                                     .dstBinding = 0,
                                     .descriptorCount = Layout::kBuffers,
                                     .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                     .pBufferInfo = buffers};
    context_.api.vkUpdateDescriptorSets(context_.device, 1, &write, 0, nullptr);
}

void Launcher::record(const Launch& launch, VkDescriptorSet set) {
    const VkPipeline pipeline = kernel_of(launch).pipeline(launch.scratchpad_bytes);
    commands_.record([&](VkCommandBuffer buffer) {
        const VolkDeviceTable& api = context_.api;
        api.vkCmdBindPipeline(buffer, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
        api.vkCmdBindDescriptorSets(buffer, VK_PIPELINE_BIND_POINT_COMPUTE, layout_.pipeline, 0, 1, &set, 0, nullptr);
        if (!launch.args.empty())
            api.vkCmdPushConstants(buffer, layout_.pipeline, VK_SHADER_STAGE_COMPUTE_BIT, 0,
                                   static_cast<std::uint32_t>(launch.args.size_bytes()), launch.args.data());
        api.vkCmdDispatch(buffer, launch.groups, 1, 1);
    });
}

} // namespace sonde::vulkan
