// A queue's command buffer: operations in order, each seeing what those before it did and each timed, submitted and waited for once.
#pragma once
#include <optional>
#include <vector>

#include "backends/vulkan/context.h"

namespace sonde::vulkan {

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
    void reserve_timestamps(std::uint32_t count);

    Context& context_;
    const std::uint32_t queue_;
    bool timed_ = false; // each operation
    Owned<VkCommandPool> pool_;
    VkCommandBuffer buffer_ = VK_NULL_HANDLE;
    Owned<VkFence> fence_;
    Owned<VkQueryPool> timestamps_;
    std::uint32_t capacity_ = 0, used_ = 0; // timestamps
};

} // namespace sonde::vulkan
