// What a device has from its first work on, and that work: launches and copies.
#pragma once
#include <memory>
#include <span>

#include "backends/vulkan/commands.h"
#include "backends/vulkan/kernel.h"
#include "backends/vulkan/memory.h"

namespace sonde::vulkan {

/// Descriptor sets of one layout, as many as a batch has needed so far.
struct Sets {
    Owned<VkDescriptorPool> pool;
    std::vector<VkDescriptorSet> sets;
    std::size_t used = 0; // by this batch
};

/// All but the first two made at first use, and kept.
struct Work {
    explicit Work(Context& device) : context(device), commands(device) {}
    Context& context;
    Commands commands;
    std::unique_ptr<VulkanBuffer> dummy; // stands in for a source that a kernel does not use
    std::map<const Layout*, Sets> sets;
    std::unique_ptr<VulkanBuffer> staging;
    char* staged = nullptr;                                    // where the host sees it
    std::array<std::unique_ptr<Commands>, kCopyQueues> queues; // of copies that go on at the same time
};

/// A batch of launches in one command buffer.
std::vector<Timing> run(Work&, std::span<const Launch>, Timed);
/// Between host and device through a staging buffer, between buffers directly. In queues of their own between buffers only: throws
/// Unsupported for the program's own memory, for images, and for two numbers that stand for one queue.
std::vector<Timing> copy(Work&, std::span<const Copy>);

} // namespace sonde::vulkan
