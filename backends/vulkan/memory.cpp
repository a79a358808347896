// Buffers and memory types. Whoever takes the first host-visible type measures the bus and still sees cache hits, so the type is
// chosen by what the space asks for, is never replaced by another, and is told with the results.
#include "backends/vulkan/memory.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/text.h"

namespace sonde::vulkan {

namespace {

/// Higher is better; nullopt: not to be used for this space. The first decides, then the second.
using Score = std::optional<std::pair<std::uint64_t, int>>;

/// The largest device-local heap; in it, memory that the host cannot see (a mapped one may be a small window, or cached otherwise).
Score device_score(VkMemoryPropertyFlags flags, std::uint64_t heap_bytes) {
    if (!(flags & VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT)) return std::nullopt;
    return std::pair{heap_bytes, flags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT ? 0 : 1};
}

/// Memory of the host, over the bus where there is a bus; cached by the host, as CUDA's and OpenCL's pinned memory is.
Score host_score(VkMemoryPropertyFlags flags) {
    constexpr VkMemoryPropertyFlags kNeeded = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    if ((flags & kNeeded) != kNeeded) return std::nullopt;
    return std::pair{flags & VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT ? 0u : 1u, flags & VK_MEMORY_PROPERTY_HOST_CACHED_BIT ? 1 : 0};
}

Score score(const VkPhysicalDeviceMemoryProperties& memory, std::uint32_t type, Space space) {
    const VkMemoryPropertyFlags flags = memory.memoryTypes[type].propertyFlags;
    // Types for other purposes: these need a feature of their own, or are no memory to measure.
    constexpr VkMemoryPropertyFlags kOther = VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT | VK_MEMORY_PROPERTY_PROTECTED_BIT |
                                             VK_MEMORY_PROPERTY_DEVICE_COHERENT_BIT_AMD | VK_MEMORY_PROPERTY_DEVICE_UNCACHED_BIT_AMD;
    if (flags & kOther) return std::nullopt;
    return space == Space::host ? host_score(flags) : device_score(flags, memory.memoryHeaps[memory.memoryTypes[type].heapIndex].size);
}

VkBufferUsageFlags usage_of(Space space) {
    switch (space) {
    case Space::global:
    case Space::host:
        return VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
    // A new path's space gets its usage here and its binding in the layout (kernel.cpp).
    default:
        throw Unsupported("the Vulkan backend has no buffers for this memory space yet");
    }
}

} // namespace

std::optional<std::uint32_t> best_memory_type(const VkPhysicalDeviceMemoryProperties& memory, std::uint32_t allowed, Space space) {
    std::optional<std::uint32_t> best;
    Score best_score;
    for (std::uint32_t type = 0; type < memory.memoryTypeCount; ++type) {
        if (!(allowed >> type & 1)) continue;
        if (const Score here = score(memory, type, space); here > best_score) {
            best = type;
            best_score = here;
        }
    }
    return best;
}

std::string heap_text(const VkPhysicalDeviceMemoryProperties& memory, std::uint32_t heap) {
    const bool local = memory.memoryHeaps[heap].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT;
    return fmt::format("{}, {}", local ? "device-local" : "not device-local",
                       format_bytes(static_cast<double>(memory.memoryHeaps[heap].size)));
}

std::string type_flags_text(const VkPhysicalDeviceMemoryProperties& memory, std::uint32_t type) {
    constexpr std::pair<VkMemoryPropertyFlags, const char*> kNames[] = {
        {VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, "DEVICE_LOCAL"},           {VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT, "HOST_VISIBLE"},
        {VK_MEMORY_PROPERTY_HOST_COHERENT_BIT, "HOST_COHERENT"},         {VK_MEMORY_PROPERTY_HOST_CACHED_BIT, "HOST_CACHED"},
        {VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT, "LAZILY_ALLOCATED"},   {VK_MEMORY_PROPERTY_PROTECTED_BIT, "PROTECTED"},
        {VK_MEMORY_PROPERTY_DEVICE_COHERENT_BIT_AMD, "DEVICE_COHERENT"}, {VK_MEMORY_PROPERTY_DEVICE_UNCACHED_BIT_AMD, "DEVICE_UNCACHED"},
    };
    std::string text;
    for (const auto& [flag, name] : kNames)
        if (memory.memoryTypes[type].propertyFlags & flag) text += fmt::format("{}{}", text.empty() ? "" : ", ", name);
    return text.empty() ? "no flags" : text;
}

VulkanBuffer::VulkanBuffer(const Context& context, Space space, std::size_t bytes) : context_(context), space_(space), bytes_(bytes) {
    in_context(fmt::format("buffer of {}", format_bytes(static_cast<double>(bytes))), [&] {
        if (context.abandoned()) throw Error("the device no longer answers");
        make_buffer();
        allocate();
    });
}

void VulkanBuffer::make_buffer() {
    const VkDeviceSize limit = context_.physical.largest_allocation;
    if (bytes_ > limit) throw DoesNotFit(fmt::format("more than maxMemoryAllocationSize, {} bytes", limit));
    const VkBufferCreateInfo info{.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                  .size = std::max<VkDeviceSize>(bytes_, 4),
                                  .usage = usage_of(space_),
                                  .sharingMode = VK_SHARING_MODE_EXCLUSIVE};
    buffer_ = VK_MAKE(context_, Buffer, info);
}

void VulkanBuffer::allocate() {
    const VkPhysicalDeviceMemoryProperties& memory = context_.physical.memory;
    VkMemoryRequirements needs;
    context_.api.vkGetBufferMemoryRequirements(context_.device, buffer_, &needs);
    const auto type = best_memory_type(memory, needs.memoryTypeBits, space_);
    if (!type) throw Unsupported(space_ == Space::host ? "no host-visible, coherent memory type" : "no device-local memory type");
    type_ = *type;
    const VkMemoryAllocateInfo info{
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = needs.size, .memoryTypeIndex = type_};
    in_context(place_text(), [&] {
        if (needs.size > memory.memoryHeaps[memory.memoryTypes[type_].heapIndex].size) throw DoesNotFit("larger than the heap");
        memory_ = context_.make("vkAllocateMemory", context_.api.vkAllocateMemory, info, context_.api.vkFreeMemory);
        VK(context_.api.vkBindBufferMemory(context_.device, buffer_, memory_, 0));
    });
}

std::string VulkanBuffer::place_text() const {
    const VkPhysicalDeviceMemoryProperties& memory = context_.physical.memory;
    const std::uint32_t heap = memory.memoryTypes[type_].heapIndex;
    return fmt::format("heap {} ({}), memory type {} ({})", heap, heap_text(memory, heap), type_, type_flags_text(memory, type_));
}

Placement VulkanBuffer::placement() const {
    const VkMemoryPropertyFlags flags = context_.physical.memory.memoryTypes[type_].propertyFlags;
    return {(flags & VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT) != 0, place_text()};
}

char* VulkanBuffer::map() const {
    void* data = nullptr;
    VK(context_.api.vkMapMemory(context_.device, memory_, 0, VK_WHOLE_SIZE, 0, &data));
    return static_cast<char*>(data);
}

} // namespace sonde::vulkan
