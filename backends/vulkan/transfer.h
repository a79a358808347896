// Copies: between host and device through a staging buffer, between buffers directly.
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "backends/vulkan/commands.h"
#include "backends/vulkan/memory.h"

namespace sonde::vulkan {

class Transfers {
public:
    Transfers(const Context& context, Commands& commands) : context_(context), commands_(commands) {}
    std::vector<Timing> copy(std::span<const Copy>);

private:
    /// What one command copies: a whole Copy, or as much of it as the staging buffer holds.
    struct Piece {
        std::size_t index, offset, bytes, staging; // of which copy, from where in it, and where it lies in the staging buffer
    };

    void add(const Copy&, std::size_t index, std::size_t offset, std::size_t bytes);
    void record(const Copy&, const Piece&);
    /// Submits the pieces so far, waits, and hands what was read back to the host.
    void flush(std::span<const Copy>, std::vector<Timing>&);

    const Context& context_;
    Commands& commands_;
    std::unique_ptr<VulkanBuffer> staging_; // made at first use, kept: small copies then cost only their command
    char* staged_ = nullptr;
    std::size_t used_ = 0; // bytes of the staging buffer
    std::vector<Piece> pieces_;
};

} // namespace sonde::vulkan
