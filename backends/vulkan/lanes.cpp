// Recording per lane, submitting all, then waiting for all.
#include "backends/vulkan/lanes.h"

#include <chrono>
#include <map>

#include "backends/vulkan/memory.h"

namespace sonde::vulkan {

void Lanes::check(std::span<const Copy> copies) const {
    std::map<LaneQueue, std::uint32_t> lane_of;
    for (const Copy& copy : copies) {
        if (!copy.from || !copy.to) throw Unsupported("Vulkan copies between buffers only: pageable memory is the program's own to stage");
        if (dynamic_cast<const VulkanImage*>(copy.from) || dynamic_cast<const VulkanImage*>(copy.to)) throw Unsupported("images are copied on lane 0");
        if (lane_of.try_emplace(context_.physical.lanes.at(copy.lane), copy.lane).first->second != copy.lane)
            throw Unsupported("the device shows one queue: no two copies go on at once");
    }
}

Commands& Lanes::commands_of(std::uint32_t lane) {
    if (!commands_[lane]) commands_[lane] = std::make_unique<Commands>(context_, lane);
    return *commands_[lane];
}

std::vector<Timing> Lanes::copy(std::span<const Copy> copies) {
    check(copies);
    std::map<std::uint32_t, Commands*> used;
    for (const Copy& copy : copies) used[copy.lane] = &commands_of(copy.lane);
    const auto begin = std::chrono::steady_clock::now();
    for (const auto& [lane, commands] : used) {
        commands->begin(0, Timed::whole);
        for (const Copy& copy : copies)
            if (copy.lane == lane)
                commands->record([&](VkCommandBuffer buffer) {
                    const VkBufferCopy region{.srcOffset = copy.from_offset, .dstOffset = copy.to_offset, .size = copy.bytes};
                    context_.api.vkCmdCopyBuffer(buffer, static_cast<const VulkanBuffer*>(copy.from)->handle(), static_cast<VulkanBuffer*>(copy.to)->handle(), 1, &region);
                });
    }
    for (const auto& [lane, commands] : used) commands->submit();
    for (const auto& [lane, commands] : used) commands->wait();
    const double host_ns = std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count();
    return {copies.size(), Timing{host_ns / static_cast<double>(copies.size()), std::nullopt}};
}

} // namespace sonde::vulkan
