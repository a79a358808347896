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

std::string heap_text(const VkPhysicalDeviceMemoryProperties&, std::uint32_t heap); // "device-local, 139.8 GiB"
std::string type_flags_text(
    const VkPhysicalDeviceMemoryProperties&, std::uint32_t type); // "DEVICE_LOCAL, HOST_VISIBLE"

/// What both kinds of buffers are: an object and memory of its own, of the type that the space wants.
class VulkanMemory : public Buffer {
public:
    std::size_t bytes() const final { return bytes_; }
    Placement placement() const final;

protected:
    VulkanMemory(const Context& context, Space space, std::size_t bytes)
        : context_(context), space_(space), bytes_(bytes) {}
    void allocate(const VkMemoryRequirements&);

    const Context& context_;
    const Space space_;
    const std::size_t bytes_;
    Owned<VkDeviceMemory> memory_; // freed after the object that lies in it

private:
    std::string place() const;
    std::uint32_t type_ = 0;
};

class VulkanBuffer final : public VulkanMemory {
public:
    static constexpr const char* kNoun = "buffer";
    VulkanBuffer(const Context&, Space, std::size_t bytes);
    std::optional<std::uint64_t> address() const override;

    VkBuffer handle() const { return buffer_; }
    /// The buffer as texels of `width` words (Space::texel).
    VkBufferView texels(std::uint32_t width) const;
    /// Of Space::host, too; stays valid as long as the buffer.
    char* map() const override;

private:
    Owned<VkBuffer> buffer_;
    mutable char* mapped_ = nullptr;
    mutable std::map<std::uint32_t, Owned<VkBufferView>> texels_; // by words of a texel
};

/// A sampled image of one word per texel, rows of kImageRow; filled and read back by whole rows.
class VulkanImage final : public VulkanMemory {
public:
    static constexpr const char* kNoun = "image";
    VulkanImage(const Context&, Space, std::size_t bytes);
    VkImageView view() const { return view_; }

    /// Records the copy of rows from or to a buffer; the image is ready to be sampled afterwards.
    void record_copy(VkCommandBuffer, VkBuffer, const VkBufferCopy& bytes, bool into_image) const;

private:
    void change_layout(VkCommandBuffer, VkImageLayout) const;

    Owned<VkImage> image_;
    Owned<VkImageView> view_;
    mutable VkImageLayout layout_ = VK_IMAGE_LAYOUT_UNDEFINED;
};

/// Throws Unsupported for a space without buffers, DoesNotFit where there is no room.
template <class Made> std::unique_ptr<Made> allocate(const Context& context, Space space, std::size_t bytes) {
    return in_context(fmt::format("{} of {}", Made::kNoun, format_bytes(bytes)), [&] {
        if (context.abandoned()) throw Error("the device no longer answers");
        return std::make_unique<Made>(context, space, bytes);
    });
}

} // namespace sonde::vulkan
