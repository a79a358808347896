// Buffers, one allocation each, and the choice of the memory type they land in.
#pragma once
#include <optional>
#include <string>

#include "backends/vulkan/context.h"

namespace sonde::vulkan {

/// The memory type for a space, among those whose bit is set in `allowed`; nullopt where none will do.
std::optional<std::uint32_t> best_memory_type(const VkPhysicalDeviceMemoryProperties&, std::uint32_t allowed, Space);

std::string heap_text(const VkPhysicalDeviceMemoryProperties&, std::uint32_t heap);       // "device-local, 139.8 GiB"
std::string type_flags_text(const VkPhysicalDeviceMemoryProperties&, std::uint32_t type); // "DEVICE_LOCAL, HOST_VISIBLE"

class VulkanBuffer final : public Buffer {
public:
    /// Throws Unsupported for a space without buffers, Error where it does not fit.
    VulkanBuffer(const Context&, Space, std::size_t bytes);

    std::size_t bytes() const override { return bytes_; }
    Placement placement() const override;

    VkBuffer handle() const { return buffer_; }
    /// The host's view of a buffer in Space::host; stays valid as long as the buffer.
    char* map() const;

private:
    void make_buffer();
    void allocate();
    std::string place_text() const;

    const Context& context_;
    Space space_;
    std::size_t bytes_;
    std::uint32_t type_ = 0;
    Owned<VkDeviceMemory> memory_; // before the buffer: freed after it
    Owned<VkBuffer> buffer_;
};

} // namespace sonde::vulkan
