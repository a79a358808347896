// Buffers, one allocation each, and the choice of the memory type they land in.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "backends/vulkan/context.h"

namespace sonde::vulkan {

/// The memory type for a space, among those whose bit is set in `allowed`; nullopt where none will do.
std::optional<std::uint32_t> best_memory_type(const VkPhysicalDeviceMemoryProperties&, std::uint32_t allowed, Space);

std::string heap_text(const VkPhysicalDeviceMemoryProperties&, std::uint32_t heap);       // "device-local, 139.8 GiB"
std::string type_flags_text(const VkPhysicalDeviceMemoryProperties&, std::uint32_t type); // "DEVICE_LOCAL, HOST_VISIBLE"

/// Memory for what asks for it, of the type that the space wants, and the name of its place.
class Place {
public:
    Place(const Context&, Space, const VkMemoryRequirements&);
    VkDeviceMemory memory() const { return memory_; }
    Placement placement() const;

private:
    std::string text() const;

    const Context& context_;
    std::uint32_t type_ = 0;
    Owned<VkDeviceMemory> memory_;
};

class VulkanBuffer final : public Buffer {
public:
    /// Throws Unsupported for a space without buffers, Error where it does not fit.
    VulkanBuffer(const Context&, Space, std::size_t bytes);

    std::size_t bytes() const override { return bytes_; }
    Placement placement() const override { return place_->placement(); }
    std::optional<std::uint64_t> address() const override;

    VkBuffer handle() const { return buffer_; }
    /// The buffer as texels of `width` words (Space::texel).
    VkBufferView texels(std::uint32_t width) const;
    /// The host's view of a buffer in Space::host; stays valid as long as the buffer.
    char* map() const;

private:
    void make_buffer();

    const Context& context_;
    Space space_;
    std::size_t bytes_;
    std::unique_ptr<Place> place_; // before the buffer: freed after it
    Owned<VkBuffer> buffer_;
    mutable std::map<std::uint32_t, Owned<VkBufferView>> texels_; // by words of a texel
};

/// A sampled image of one word per texel, rows of kImageRow; filled and read back by whole rows.
class VulkanImage final : public Buffer {
public:
    VulkanImage(const Context&, std::size_t bytes);
    std::size_t bytes() const override { return bytes_; }
    Placement placement() const override { return place_->placement(); }
    VkImageView view() const { return view_; }

    /// Records the copy of rows from or to a buffer; the image is ready to be sampled afterwards.
    void record_copy(VkCommandBuffer, VkBuffer, const VkBufferCopy& bytes, bool into_image) const;

private:
    void change_layout(VkCommandBuffer, VkImageLayout) const;

    const Context& context_;
    std::size_t bytes_;
    std::unique_ptr<Place> place_;
    Owned<VkImage> image_;
    Owned<VkImageView> view_;
    mutable VkImageLayout layout_ = VK_IMAGE_LAYOUT_UNDEFINED;
};

} // namespace sonde::vulkan
