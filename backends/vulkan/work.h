// What a device has from its first work on, and that work: launches and copies.
#pragma once
#include <memory>
#include <optional>
#include <span>

#include "backends/vulkan/kernel.h"
#include "backends/vulkan/memory.h"

namespace sonde::vulkan {

/// A queue's command buffer: operations in order, each seeing what those before it did and each timed, submitted and
/// waited for once.
class Commands {
public:
    /// On a queue of Copy::queue's numbers.
    explicit Commands(Context&, std::uint32_t queue = 0);

    /// Forgets what was recorded and makes room for `operations` timings; none where the batch is timed as a whole.
    void begin(std::size_t operations, Timed = Timed::each);
    /// Records one operation: `body(command_buffer)` behind a barrier, between two timestamps where each is timed.
    template <class Body> void record(const Body& body) {
        barrier(VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT);
        timestamp(VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT);
        body(buffer_);
        timestamp(VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT);
    }
    void submit();
    /// What the device wrote is visible to the host afterwards.
    void wait();
    /// Device nanoseconds of each recorded operation, after `wait`; none where they are not timed.
    std::vector<std::optional<double>> device_ns() const;

private:
    void barrier(VkPipelineStageFlags, VkAccessFlags);
    void timestamp(VkPipelineStageFlagBits);

    Context& context_;
    const std::uint32_t queue_;
    bool timed_ = false; // each operation
    Owned<VkCommandPool> pool_;
    VkCommandBuffer buffer_ = VK_NULL_HANDLE;
    Owned<VkFence> fence_;
    Owned<VkQueryPool> timestamps_;
    std::uint32_t capacity_ = 0, used_ = 0; // timestamps
};

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
/// Between host and device through a staging buffer, between buffers directly. In queues of their own between buffers
/// only: throws Unsupported for the program's own memory, for images, and for two numbers that stand for one queue.
std::vector<Timing> copy(Work&, std::span<const Copy>);

} // namespace sonde::vulkan
