// Dispatches: pipelines and descriptor sets are ready before the first command is recorded, so that only the work is timed.
#include "backends/vulkan/launch.h"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

namespace sonde::vulkan {

namespace {

const VulkanKernel& kernel_of(const Launch& launch) { return static_cast<const VulkanKernel&>(launch.kernel); }

} // namespace

std::vector<Timing> Launcher::run(std::span<const Launch> launches, Timed timed) {
    if (launches.empty()) return {};
    std::map<const Layout*, std::size_t> needed;
    for (const Launch& launch : launches) {
        check(launch);
        kernel_of(launch).pipeline(launch.scratchpad_bytes);
        ++needed[&kernel_of(launch).layout()];
    }
    for (const auto& [layout, count] : needed) reserve(sets_[layout], *layout, count);
    std::vector<VkDescriptorSet> sets;
    for (const Launch& launch : launches) bind(sets.emplace_back(next_set(launch)), launch);
    const auto begin = std::chrono::steady_clock::now();
    commands_.begin(launches.size(), timed);
    for (std::size_t i = 0; i < launches.size(); ++i) record(launches[i], sets[i]);
    double all_ns = commands_.submit_and_wait();
    if (timed == Timed::whole) all_ns = std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count(); // recording is queueing
    const double host_ns = all_ns / static_cast<double>(launches.size());
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
    const std::uint32_t argument_bytes = kernel_of(launch).layout().argument_bytes;
    if (launch.args.size_bytes() > argument_bytes) fail(fmt::format("{} bytes of arguments, but only {} fit", launch.args.size_bytes(), argument_bytes));
    if (launch.cluster > 1) throw Unsupported("Vulkan has no clusters of workgroups");
    if (launch.carveout) throw Unsupported("Vulkan has no way to ask for a split of the first level");
    if (launch.bank_bytes) throw Unsupported("Vulkan has no way to choose the width of a scratchpad bank");
    const bool stored = kernel_of(launch).layout().a == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER && kernel_of(launch).space() != Space::address;
    const bool b_stored = kernel_of(launch).layout().b == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    for (const Buffer* buffer : {stored ? launch.a : nullptr, b_stored ? launch.b : nullptr, static_cast<const Buffer*>(&launch.out)})
        if (buffer && buffer->bytes() > limits.maxStorageBufferRange)
            fail(fmt::format("a buffer of {} bytes, but maxStorageBufferRange is {}", buffer->bytes(), limits.maxStorageBufferRange));
}

void Launcher::reserve(Sets& sets, const Layout& layout, std::size_t count) {
    sets.used = 0;
    if (count <= sets.sets.size()) return;
    const auto all = static_cast<std::uint32_t>(std::max<std::size_t>(count, 16));
    sets.sets.clear();
    const VkDescriptorPoolSize sizes[] = {{.type = layout.a, .descriptorCount = all},
                                          {.type = layout.b, .descriptorCount = all},
                                          {.type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, .descriptorCount = all}};
    const VkDescriptorPoolCreateInfo info{.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                          .maxSets = all,
                                          .poolSizeCount = static_cast<std::uint32_t>(std::size(sizes)),
                                          .pPoolSizes = sizes};
    sets.pool = VK_MAKE(context_, DescriptorPool, info);
    const std::vector<VkDescriptorSetLayout> layouts(all, layout.set);
    const VkDescriptorSetAllocateInfo wanted{.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                             .descriptorPool = sets.pool,
                                             .descriptorSetCount = all,
                                             .pSetLayouts = layouts.data()};
    std::vector<VkDescriptorSet> made(all);
    VK(context_.api.vkAllocateDescriptorSets(context_.device, &wanted, made.data()));
    sets.sets = std::move(made);
}

VkDescriptorSet Launcher::next_set(const Launch& launch) {
    Sets& sets = sets_[&kernel_of(launch).layout()];
    return sets.sets[sets.used++];
}

void Launcher::bind(VkDescriptorSet set, const Launch& launch) {
    if (!dummy_) dummy_ = std::make_unique<VulkanBuffer>(context_, Space::global, 256);
    const auto buffer_info = [&](const Buffer* buffer) {
        const VulkanBuffer& bound = buffer ? static_cast<const VulkanBuffer&>(*buffer) : *dummy_;
        return VkDescriptorBufferInfo{bound.handle(), 0, VK_WHOLE_SIZE};
    };
    const VulkanKernel& kernel = kernel_of(launch);
    // An address needs no binding; its buffer may be larger than a binding can be.
    const bool by_buffer = kernel.layout().a == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER || kernel.layout().a == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER;
    const VkDescriptorBufferInfo buffers[] = {buffer_info(by_buffer && kernel.space() != Space::address ? launch.a : nullptr),
                                              buffer_info(launch.b), buffer_info(&launch.out)};
    VkWriteDescriptorSet writes[Layout::kBindings];
    for (std::uint32_t binding = 0; binding < Layout::kBindings; ++binding)
        writes[binding] = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                           .dstSet = set,
                           .dstBinding = binding,
                           .descriptorCount = 1,
                           .descriptorType = binding == 0 ? kernel.layout().a : binding == 1 ? kernel.layout().b : VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                           .pBufferInfo = &buffers[binding]};
    VkBufferView view = VK_NULL_HANDLE, view_of_b = VK_NULL_HANDLE;
    VkDescriptorImageInfo image{};
    if (kernel.space() == Space::texel) {
        if (!launch.a) throw Error(kernel.name() + ": launched without its texels");
        view = static_cast<const VulkanBuffer&>(*launch.a).texels(kernel.width());
        writes[0].pTexelBufferView = &view;
    }
    if (kernel.layout().b == VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER) {
        if (!launch.b) throw Error(kernel.name() + ": launched without the texels of its second source");
        view_of_b = static_cast<const VulkanBuffer&>(*launch.b).texels(kernel.width_of_b());
        writes[1].pTexelBufferView = &view_of_b;
    }
    if (kernel.space() == Space::image2d) {
        if (!launch.a) throw Error(kernel.name() + ": launched without its image");
        image = {.imageView = static_cast<const VulkanImage&>(*launch.a).view(), .imageLayout = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL};
        writes[0].pImageInfo = &image;
    }
    context_.api.vkUpdateDescriptorSets(context_.device, Layout::kBindings, writes, 0, nullptr);
}

void Launcher::record(const Launch& launch, VkDescriptorSet set) {
    const VkPipeline pipeline = kernel_of(launch).pipeline(launch.scratchpad_bytes);
    commands_.record([&](VkCommandBuffer buffer) {
        const VolkDeviceTable& api = context_.api;
        api.vkCmdBindPipeline(buffer, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
        api.vkCmdBindDescriptorSets(buffer, VK_PIPELINE_BIND_POINT_COMPUTE, kernel_of(launch).layout().pipeline, 0, 1, &set, 0, nullptr);
        if (!launch.args.empty())
            api.vkCmdPushConstants(buffer, kernel_of(launch).layout().pipeline, VK_SHADER_STAGE_COMPUTE_BIT, 0,
                                   static_cast<std::uint32_t>(launch.args.size_bytes()), launch.args.data());
        api.vkCmdDispatch(buffer, launch.groups, 1, 1);
    });
}

} // namespace sonde::vulkan
