// What the Vulkan backend decides before it has a device.
#include <doctest/doctest.h>

#include <vector>

#include "backends/vulkan/physical.h"

using namespace sonde;
using vulkan::QueuePlace;

namespace {
constexpr VkQueueFlags kGraphics = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT, kCompute = VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT,
                       kCopy = VK_QUEUE_TRANSFER_BIT | VK_QUEUE_SPARSE_BINDING_BIT, kVideo = VK_QUEUE_TRANSFER_BIT | 0x20;

std::array<QueuePlace, kCopyQueues> queues(const std::vector<std::pair<VkQueueFlags, std::uint32_t>>& rows) {
    std::vector<VkQueueFamilyProperties> families;
    for (const auto& [flags, count] : rows) families.push_back({.queueFlags = flags, .queueCount = count});
    return vulkan::copy_queues(families, 0);
}
} // namespace

TEST_CASE("vulkan: copy queues are those that only copy, then further ones of the family that computes, and else the same") {
    using Expected = std::array<QueuePlace, kCopyQueues>;
    CHECK(queues({{kGraphics, 16}, {kCopy, 2}, {kCompute, 8}, {kVideo, 1}}) == Expected{QueuePlace{0, 0}, {1, 0}, {1, 1}});
    CHECK(queues({{kGraphics, 1}, {kVideo, 1}, {kCopy, 1}, {kCopy, 1}}) == Expected{QueuePlace{0, 0}, {2, 0}, {3, 0}});
    CHECK(queues({{kGraphics, 4}, {kCopy, 1}}) == Expected{QueuePlace{0, 0}, {1, 0}, {0, 1}});
    CHECK(queues({{kGraphics, 1}, {kCopy, 1}}) == Expected{QueuePlace{0, 0}, {1, 0}, {0, 0}});
    CHECK(queues({{kGraphics, 1}, {kCompute, 4}}) == Expected{QueuePlace{0, 0}, {0, 0}, {0, 0}});
}
