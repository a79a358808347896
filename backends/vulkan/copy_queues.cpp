// Recording per queue, submitting all, then waiting for all.
#include "backends/vulkan/copy_queues.h"

#include <map>

#include "backends/timing.h"
#include "backends/vulkan/memory.h"

namespace sonde::vulkan {

void CopyQueues::check(std::span<const Copy> copies) const {
    std::map<QueuePlace, std::uint32_t> number_of;
    for (const Copy& copy : copies) {
        if (!copy.from || !copy.to) throw Unsupported("Vulkan copies between buffers only: pageable memory is the program's own to stage");
        if (dynamic_cast<const VulkanImage*>(copy.from) || dynamic_cast<const VulkanImage*>(copy.to)) throw Unsupported("images are copied on queue 0");
        if (number_of.try_emplace(context_.physical.queues.at(copy.queue), copy.queue).first->second != copy.queue)
            throw Unsupported("the device shows one queue: no two copies go on at once");
    }
}

Commands& CopyQueues::commands_of(std::uint32_t queue) {
    if (!commands_[queue]) commands_[queue] = std::make_unique<Commands>(context_, queue);
    return *commands_[queue];
}

std::vector<Timing> CopyQueues::copy(std::span<const Copy> copies) {
    check(copies);
    std::map<std::uint32_t, Commands*> used;
    for (const Copy& copy : copies) used[copy.queue] = &commands_of(copy.queue);
    for (const auto& [queue, commands] : used) commands->begin(0, Timed::whole);
    const auto record = [&](std::size_t i) {
        const Copy& copy = copies[i];
        used[copy.queue]->record([&](VkCommandBuffer buffer) {
            const VkBufferCopy region{.srcOffset = copy.from_offset, .dstOffset = copy.to_offset, .size = copy.bytes};
            context_.api.vkCmdCopyBuffer(buffer, static_cast<const VulkanBuffer*>(copy.from)->handle(), static_cast<VulkanBuffer*>(copy.to)->handle(), 1, &region);
        });
    };
    return time_whole(copies.size(), record, [&] {
        for (const auto& [queue, commands] : used) commands->submit();
        for (const auto& [queue, commands] : used) commands->wait();
    });
}

} // namespace sonde::vulkan
