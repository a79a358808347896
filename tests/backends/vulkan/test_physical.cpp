// What the Vulkan backend decides before it has a device.
#include <doctest/doctest.h>

#include <vector>

#include "backends/vulkan/memory.h"
#include "backends/vulkan/physical.h"

using namespace sonde;
using vulkan::QueuePlace;

namespace {
constexpr VkQueueFlags kGraphics = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT,
                       kCompute = VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT,
                       kCopy = VK_QUEUE_TRANSFER_BIT | VK_QUEUE_SPARSE_BINDING_BIT,
                       kVideo = VK_QUEUE_TRANSFER_BIT | 0x20;

std::array<QueuePlace, kCopyQueues> queues(const std::vector<std::pair<VkQueueFlags, std::uint32_t>>& rows) {
    std::vector<VkQueueFamilyProperties> families;
    for (const auto& [flags, count] : rows) families.push_back({.queueFlags = flags, .queueCount = count});
    return vulkan::copy_queues(families, 0);
}
constexpr VkMemoryPropertyFlags kLocal = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT,
                                kVisible = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
                                kCached = VK_MEMORY_PROPERTY_HOST_CACHED_BIT;

/// Heap 0 is the device's.
VkPhysicalDeviceMemoryProperties memory_of(const std::vector<std::pair<VkMemoryPropertyFlags, std::uint32_t>>& types) {
    VkPhysicalDeviceMemoryProperties memory{.memoryHeapCount = 3,
        .memoryHeaps = {{64ull << 30, VK_MEMORY_HEAP_DEVICE_LOCAL_BIT}, {16ull << 30, 0},
            {256ull << 20, VK_MEMORY_HEAP_DEVICE_LOCAL_BIT}}};
    for (const auto& [flags, heap] : types) memory.memoryTypes[memory.memoryTypeCount++] = {flags, heap};
    return memory;
}
} // namespace

TEST_CASE("vulkan: memory that the processor maps is the device's own, in the largest heap that has such a type, and "
          "ordinary memory is not of that type") {
    const auto all = memory_of({{0, 1}, {kLocal, 0}, {kVisible, 1}, {kVisible | kCached, 1}, {kLocal | kVisible, 2},
                   {kLocal | kVisible, 0}}),
               none = memory_of({{kLocal, 0}, {kVisible, 1}, {kVisible | kCached, 1}});
    const auto type = [](const VkPhysicalDeviceMemoryProperties& memory, Space space, std::uint32_t allowed = ~0u) {
        return vulkan::best_memory_type(memory, allowed, space);
    };
    CHECK(type(all, Space::mapped) == 5);
    CHECK(type(all, Space::mapped, 0x1f) == 4); // a window of 256 MiB
    CHECK(type(all, Space::global) == 1);
    CHECK(type(all, Space::host) == 3);
    CHECK(!type(none, Space::mapped));
}

TEST_CASE("vulkan: memory of a kind that needs a feature of its own, or is none to measure, is never taken") {
    for (const VkMemoryPropertyFlags other : {VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT, VK_MEMORY_PROPERTY_PROTECTED_BIT,
             VK_MEMORY_PROPERTY_DEVICE_COHERENT_BIT_AMD, VK_MEMORY_PROPERTY_DEVICE_UNCACHED_BIT_AMD})
        for (const Space space : {Space::global, Space::mapped, Space::host}) {
            const VkMemoryPropertyFlags plain = space == Space::global   ? kLocal
                                                : space == Space::mapped ? kLocal | kVisible
                                                                         : kVisible | kCached;
            CHECK(!vulkan::best_memory_type(memory_of({{plain | other, 0}}), ~0u, space));
            CHECK(vulkan::best_memory_type(memory_of({{plain | other, 0}, {plain, 2}}), ~0u, space) == 1);
        }
}

TEST_CASE(
    "vulkan: copy queues are those that only copy, then further ones of the family that computes, and else the same") {
    using Expected = std::array<QueuePlace, kCopyQueues>;
    CHECK(queues({{kGraphics, 16}, {kCopy, 2}, {kCompute, 8}, {kVideo, 1}}) ==
          Expected{QueuePlace{0, 0}, {1, 0}, {1, 1}});
    CHECK(queues({{kGraphics, 1}, {kVideo, 1}, {kCopy, 1}, {kCopy, 1}}) == Expected{QueuePlace{0, 0}, {2, 0}, {3, 0}});
    CHECK(queues({{kGraphics, 4}, {kCopy, 1}}) == Expected{QueuePlace{0, 0}, {1, 0}, {0, 1}});
    CHECK(queues({{kGraphics, 1}, {kCopy, 1}}) == Expected{QueuePlace{0, 0}, {1, 0}, {0, 0}});
    CHECK(queues({{kGraphics, 1}, {kCompute, 4}}) == Expected{QueuePlace{0, 0}, {0, 0}, {0, 0}});
}

TEST_CASE("vulkan: atomic operations in a buffer need the feature of buffers, and in the scratchpad that of the "
          "scratchpad") {
    vulkan::Features buffers, scratchpad;
    buffers.atomic_floats.shaderBufferFloat32AtomicAdd = VK_TRUE;
    scratchpad.atomic_floats.shaderSharedFloat32AtomicAdd = VK_TRUE;
    CHECK(!buffers.why_lacking(Feature::atomic_add_float32, false));
    CHECK(buffers.why_lacking(Feature::atomic_add_float32, true));
    CHECK(scratchpad.why_lacking(Feature::atomic_add_float32, false));
    CHECK(!scratchpad.why_lacking(Feature::atomic_add_float32, true));
}

TEST_CASE("vulkan: cooperative matrices that a driver lists are told by their types, with what is unusual") {
    constexpr std::uint32_t kF16 = 0, kF32 = 1, kS8 = 3, kS32 = 5, kBf16 = 1000141000, kE4m3 = 1000491002,
                            kSubgroup = 3, kWorkgroup = 2;
    using vulkan::MatrixShape;
    CHECK(vulkan::matrices_text({}) == "none");
    const std::vector<MatrixShape> listed{{16, 16, 16, kF16, kF16, kF32, kF32, kSubgroup},
        {16, 8, 16, kF16, kF16, kF16, kF16, kSubgroup}, {16, 8, 8, kF16, kF16, kF32, kF32, kSubgroup},
        {16, 16, 32, kS8, kS8, kS32, kS32, kSubgroup, true}, {32, 32, 16, kF16, kF16, kF32, kF16, kWorkgroup},
        {16, 16, 16, kBf16, kBf16, kF32, kF32, kSubgroup}, {16, 16, 32, kE4m3, kE4m3, kF32, kF32, kSubgroup},
        {8, 8, 4, 2, 2, 2, 2, kSubgroup}, {8, 8, 32, 4242, kS8, kS32, kS32, 1}};
    CHECK(vulkan::matrices_text(listed) == "f16 x f16 + f32: 16x16x16, 16x8x8; f16 x f16 + f16: 16x8x16; s8 x s8 + s32 "
                                           "saturated: 16x16x32; f16 x f16 + f32 to f16 of a workgroup: 32x32x16; "
                                           "bf16 x bf16 + f32: 16x16x16; e4m3 x e4m3 + f32: 16x16x32; f64 x f64 + f64: "
                                           "8x8x4; VkComponentTypeKHR 4242 x s8 + s32 of VkScopeKHR 1: 8x8x32");
}
