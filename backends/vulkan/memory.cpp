// Buffers and memory types. Whoever takes the first host-visible type measures the bus and still sees cache hits, so
// the type is chosen by what the space asks for, is never replaced by another, and is told with the results.
#include "backends/vulkan/memory.h"

#include <algorithm>

namespace sonde::vulkan {

namespace {

/// Higher is better; nullopt: not to be used for this space. The first decides, then the second.
using Score = std::optional<std::pair<std::uint64_t, int>>;

Score score(const VkPhysicalDeviceMemoryProperties& memory, std::uint32_t type, Space space) {
    const VkMemoryPropertyFlags flags = memory.memoryTypes[type].propertyFlags;
    const auto has = [&](VkMemoryPropertyFlags wanted) { return (flags & wanted) == wanted; };
    // Types for other purposes: these need a feature of their own, or are no memory to measure.
    constexpr VkMemoryPropertyFlags kOther =
        VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT | VK_MEMORY_PROPERTY_PROTECTED_BIT |
        VK_MEMORY_PROPERTY_DEVICE_COHERENT_BIT_AMD | VK_MEMORY_PROPERTY_DEVICE_UNCACHED_BIT_AMD;
    if (flags & kOther) return std::nullopt;
    constexpr VkMemoryPropertyFlags kMapped =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    if ((space == Space::host || space == Space::mapped) && !has(kMapped)) return std::nullopt;
    if (space ==
        Space::host) { // over the bus where there is a bus; cached by the host, as CUDA's and OpenCL's pinned memory is
        return std::pair{
            has(VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT) ? 0u : 1u, has(VK_MEMORY_PROPERTY_HOST_CACHED_BIT) ? 1 : 0};
    }
    // The largest device-local heap; in it, memory that the host cannot see (a mapped one may be a small window, or
    // cached otherwise).
    if (!has(VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT)) return std::nullopt;
    return std::pair{memory.memoryHeaps[memory.memoryTypes[type].heapIndex].size,
        has(VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) ? 0 : 1}; // mapped: all of these are visible
}

VkBufferUsageFlags usage_of(Space space) {
    constexpr VkBufferUsageFlags kAll =
        VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
    if (space == Space::image2d || space == Space::push)
        throw Unsupported("Vulkan has no buffers of this memory space");
    if (space == Space::shared)
        throw Unsupported("Vulkan's memory model does not show the processor what a kernel stores while it runs");
    return kAll | (space == Space::address       ? VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT_KHR
                      : space == Space::constant ? VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT
                      : space == Space::texel    ? VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT
                                                 : 0);
}

constexpr std::size_t kRowBytes = std::size_t{kImageRow} * 4;
constexpr VkImageSubresourceRange kWholeImage{VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};

} // namespace

std::optional<std::uint32_t> best_memory_type(
    const VkPhysicalDeviceMemoryProperties& memory, std::uint32_t allowed, Space space) {
    std::optional<std::uint32_t> best;
    Score::value_type best_score{};
    for (std::uint32_t type = 0; type < memory.memoryTypeCount; ++type) {
        if (!(allowed >> type & 1)) continue;
        if (const Score here = score(memory, type, space); here && (!best || *here > best_score)) {
            best = type;
            best_score = *here;
        }
    }
    return best;
}

std::string heap_text(const VkPhysicalDeviceMemoryProperties& memory, std::uint32_t heap) {
    const bool local = memory.memoryHeaps[heap].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT;
    return fmt::format(
        "{}, {}", local ? "device-local" : "not device-local", format_bytes(memory.memoryHeaps[heap].size));
}

std::string type_flags_text(const VkPhysicalDeviceMemoryProperties& memory, std::uint32_t type) {
    constexpr std::pair<VkMemoryPropertyFlags, const char*> kNames[] = {
        {VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, "DEVICE_LOCAL"},
        {VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT, "HOST_VISIBLE"},
        {VK_MEMORY_PROPERTY_HOST_COHERENT_BIT, "HOST_COHERENT"},
        {VK_MEMORY_PROPERTY_HOST_CACHED_BIT, "HOST_CACHED"},
        {VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT, "LAZILY_ALLOCATED"},
        {VK_MEMORY_PROPERTY_PROTECTED_BIT, "PROTECTED"},
        {VK_MEMORY_PROPERTY_DEVICE_COHERENT_BIT_AMD, "DEVICE_COHERENT"},
        {VK_MEMORY_PROPERTY_DEVICE_UNCACHED_BIT_AMD, "DEVICE_UNCACHED"},
    };
    std::vector<const char*> names;
    for (const auto& [flag, name] : kNames)
        if (memory.memoryTypes[type].propertyFlags & flag) names.push_back(name);
    return names.empty() ? "no flags" : fmt::format("{}", fmt::join(names, ", "));
}

void VulkanMemory::allocate(const VkMemoryRequirements& needs) {
    const VkPhysicalDeviceMemoryProperties& memory = context_.physical.memory;
    const auto type = best_memory_type(memory, needs.memoryTypeBits, space_);
    if (!type)
        throw Unsupported(space_ == Space::host ? "no host-visible, coherent memory type"
                          : space_ == Space::mapped
                              ? "no memory type is DEVICE_LOCAL, HOST_VISIBLE and HOST_COHERENT (resizable BAR)"
                              : "no device-local memory type");
    type_ = *type;
    const VkMemoryAllocateFlagsInfo flags{
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO, .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT};
    const VkMemoryAllocateInfo info{.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
        .pNext = space_ == Space::address ? &flags : nullptr,
        .allocationSize = needs.size,
        .memoryTypeIndex = type_};
    in_context(place(), [&] {
        if (needs.size > memory.memoryHeaps[memory.memoryTypes[type_].heapIndex].size)
            throw DoesNotFit("larger than the heap");
        memory_ = context_.make("vkAllocateMemory", context_.api.vkAllocateMemory, info, context_.api.vkFreeMemory);
    });
}

std::string VulkanMemory::place() const {
    const VkPhysicalDeviceMemoryProperties& memory = context_.physical.memory;
    const std::uint32_t heap = memory.memoryTypes[type_].heapIndex;
    return fmt::format(
        "heap {} ({}), memory type {} ({})", heap, heap_text(memory, heap), type_, type_flags_text(memory, type_));
}

Placement VulkanMemory::placement() const {
    const VkMemoryPropertyFlags flags = context_.physical.memory.memoryTypes[type_].propertyFlags;
    return {(flags & VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT) != 0, place()};
}

VulkanBuffer::VulkanBuffer(const Context& context, Space space, std::size_t bytes)
    : VulkanMemory(context, space, bytes) {
    // The shader's uniform block has one size, and what is bound must not be less.
    const std::size_t least = space_ == Space::constant ? context_.physical.info.reach_of(Space::constant).bytes : 4;
    if (space_ == Space::constant && bytes_ > least)
        throw DoesNotFit(fmt::format("more than maxUniformBufferRange, {} bytes", least));
    const VkDeviceSize limit = context_.physical.largest_allocation();
    if (bytes_ > limit) throw DoesNotFit(fmt::format("more than maxMemoryAllocationSize, {} bytes", limit));
    buffer_ = VK_MAKE(context, Buffer, BUFFER, .size = std::max(bytes, least), .usage = usage_of(space),
        .sharingMode = context.families.size() > 1 ? VK_SHARING_MODE_CONCURRENT : VK_SHARING_MODE_EXCLUSIVE,
        .queueFamilyIndexCount = static_cast<std::uint32_t>(context.families.size()),
        .pQueueFamilyIndices = context.families.data());
    VkMemoryRequirements needs;
    context_.api.vkGetBufferMemoryRequirements(context_.device, buffer_, &needs);
    allocate(needs);
    VK(context_.api.vkBindBufferMemory(context_.device, buffer_, memory_, 0));
}

std::optional<std::uint64_t> VulkanBuffer::address() const {
    if (space_ != Space::address) return std::nullopt;
    const VkBufferDeviceAddressInfoKHR info{
        .sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO_KHR, .buffer = buffer_};
    return context_.api.vkGetBufferDeviceAddressKHR(context_.device, &info);
}

VkBufferView VulkanBuffer::texels(std::uint32_t width) const {
    Owned<VkBufferView>& view = texels_[width];
    const VkFormat format = width == 1   ? VK_FORMAT_R32_UINT
                            : width == 2 ? VK_FORMAT_R32G32_UINT
                                         : VK_FORMAT_R32G32B32A32_UINT;
    if (!view)
        view = VK_MAKE(context_, BufferView, BUFFER_VIEW, .buffer = buffer_, .format = format, .offset = 0,
            .range = bytes_ / (4 * width) * (4 * width));
    return view;
}

VulkanImage::VulkanImage(const Context& context, Space space, std::size_t bytes)
    : VulkanMemory(context, space, (bytes + kRowBytes - 1) / kRowBytes * kRowBytes) {
    const std::size_t rows = bytes_ / kRowBytes;
    if (rows > context_.physical.limits().maxImageDimension2D)
        throw DoesNotFit(fmt::format("{} rows are more than maxImageDimension2D", rows));
    image_ = VK_MAKE(context, Image, IMAGE, .imageType = VK_IMAGE_TYPE_2D, .format = VK_FORMAT_R32_UINT,
        .extent = {kImageRow, static_cast<std::uint32_t>(rows), 1}, .mipLevels = 1, .arrayLayers = 1,
        .samples = VK_SAMPLE_COUNT_1_BIT, .tiling = VK_IMAGE_TILING_OPTIMAL,
        .usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT,
        .sharingMode = VK_SHARING_MODE_EXCLUSIVE, .initialLayout = VK_IMAGE_LAYOUT_UNDEFINED);
    VkMemoryRequirements needs;
    context_.api.vkGetImageMemoryRequirements(context_.device, image_, &needs);
    allocate(needs);
    VK(context_.api.vkBindImageMemory(context_.device, image_, memory_, 0));
    view_ = VK_MAKE(context, ImageView, IMAGE_VIEW, .image = image_, .viewType = VK_IMAGE_VIEW_TYPE_2D,
        .format = VK_FORMAT_R32_UINT, .subresourceRange = kWholeImage);
}

void VulkanImage::change_layout(VkCommandBuffer buffer, VkImageLayout layout) const {
    const VkImageMemoryBarrier barrier{.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
        .srcAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
        .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
        .oldLayout = layout_,
        .newLayout = layout,
        .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .image = image_,
        .subresourceRange = kWholeImage};
    context_.api.vkCmdPipelineBarrier(buffer, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0,
        0, nullptr, 0, nullptr, 1, &barrier);
    layout_ = layout;
}

void VulkanImage::record_copy(
    VkCommandBuffer buffer, VkBuffer other, const VkBufferCopy& bytes, bool into_image) const {
    const VkDeviceSize in_image = into_image ? bytes.dstOffset : bytes.srcOffset;
    const VkBufferImageCopy region{.bufferOffset = into_image ? bytes.srcOffset : bytes.dstOffset,
        .bufferRowLength = 0,
        .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
        .imageOffset = {0, static_cast<std::int32_t>(in_image / kRowBytes), 0},
        .imageExtent = {kImageRow, static_cast<std::uint32_t>(bytes.size / kRowBytes), 1}};
    change_layout(buffer, into_image ? VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL : VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    if (into_image) context_.api.vkCmdCopyBufferToImage(buffer, other, image_, layout_, 1, &region);
    else context_.api.vkCmdCopyImageToBuffer(buffer, image_, layout_, other, 1, &region);
    change_layout(buffer, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
}

char* VulkanBuffer::map() const {
    if (space_ != Space::host && space_ != Space::mapped) return nullptr;
    void* data = mapped_;
    if (!data) VK(context_.api.vkMapMemory(context_.device, memory_, 0, VK_WHOLE_SIZE, 0, &data));
    return mapped_ = static_cast<char*>(data);
}

} // namespace sonde::vulkan
