// Recording, submission, waiting and timestamps.
#include <algorithm>

#include "backends/vulkan/work.h"

namespace sonde::vulkan {

namespace {

constexpr int kPatienceSeconds = 60; // far above any batch; a device that needs longer hangs

/// Nanoseconds between two timestamps of `bits` valid bits; nullopt where the second is the earlier one.
std::optional<double> elapsed_ns(std::uint64_t begin, std::uint64_t end, std::uint32_t bits, double period) {
    const std::uint64_t mask = bits >= 64 ? ~0ull : (1ull << bits) - 1;
    const std::uint64_t ticks = (end - begin) & mask; // right across one wrap of the counter
    if (ticks > mask / 2) return std::nullopt;        // end before begin
    return static_cast<double>(ticks) * period;
}

} // namespace

Commands::Commands(Context& context, std::uint32_t queue) : context_(context), queue_(queue) {
    pool_ = VK_MAKE(context, CommandPool, COMMAND_POOL, .flags = VK_COMMAND_POOL_CREATE_TRANSIENT_BIT,
        .queueFamilyIndex = context.physical.queues[queue].family);
    fence_ = VK_MAKE(context, Fence, FENCE);
    const VkCommandBufferAllocateInfo info{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
        .commandPool = pool_,
        .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
        .commandBufferCount = 1};
    VK(context.api.vkAllocateCommandBuffers(context.device, &info, &buffer_)); // freed with its pool
}

void Commands::begin(std::size_t operations, Timed timed) {
    if (context_.abandoned()) throw Error("the device no longer answers");
    VK(context_.api.vkResetCommandPool(context_.device, pool_, 0));
    const VkCommandBufferBeginInfo info{
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO, .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
    VK(context_.api.vkBeginCommandBuffer(buffer_, &info));
    used_ = 0;
    timed_ = timed == Timed::each && context_.physical.timestamp_bits != 0;
    if (!timed_) return;
    if (const auto count = static_cast<std::uint32_t>(2 * operations); count > capacity_) {
        const std::uint32_t capacity = std::max({count, 2 * capacity_, 64u});
        timestamps_ =
            VK_MAKE(context_, QueryPool, QUERY_POOL, .queryType = VK_QUERY_TYPE_TIMESTAMP, .queryCount = capacity);
        capacity_ = capacity;
    }
    context_.api.vkCmdResetQueryPool(buffer_, timestamps_, 0, capacity_);
}

void Commands::barrier(VkPipelineStageFlags next_stages, VkAccessFlags next_access) {
    const VkMemoryBarrier everything{.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
        .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
        .dstAccessMask = next_access};
    context_.api.vkCmdPipelineBarrier(
        buffer_, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, next_stages, 0, 1, &everything, 0, nullptr, 0, nullptr);
}

void Commands::timestamp(VkPipelineStageFlagBits stage) {
    if (timed_) context_.api.vkCmdWriteTimestamp(buffer_, stage, timestamps_, used_++);
}

void Commands::submit() {
    barrier(VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT | VK_ACCESS_HOST_WRITE_BIT);
    VK(context_.api.vkEndCommandBuffer(buffer_));
    const VkFence fence = fence_;
    VK(context_.api.vkResetFences(context_.device, 1, &fence));
    const VkSubmitInfo info{
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &buffer_};
    VK(context_.api.vkQueueSubmit(context_.queues[queue_], 1, &info, fence));
}

void Commands::wait() {
    const VkFence fence = fence_;
    const VkResult result =
        context_.api.vkWaitForFences(context_.device, 1, &fence, VK_TRUE, kPatienceSeconds * 1'000'000'000ull);
    if (result == VK_SUCCESS) return;
    if (result == VK_TIMEOUT) {
        context_.abandon();
        throw Error(fmt::format("vkWaitForFences: the device did not finish within {} s", kPatienceSeconds));
    }
    check(result, "vkWaitForFences");
}

std::vector<std::optional<double>> Commands::device_ns() const {
    if (used_ == 0) return {};
    std::vector<std::uint64_t> ticks(used_);
    VK(context_.api.vkGetQueryPoolResults(context_.device, timestamps_, 0, used_, ticks.size() * sizeof ticks[0],
        ticks.data(), sizeof ticks[0], VK_QUERY_RESULT_64_BIT));
    std::vector<std::optional<double>> intervals;
    for (std::size_t i = 0; i + 1 < ticks.size(); i += 2)
        intervals.push_back(elapsed_ns(ticks[i], ticks[i + 1], context_.physical.timestamp_bits,
            double{context_.physical.limits().timestampPeriod}));
    return intervals;
}

} // namespace sonde::vulkan
