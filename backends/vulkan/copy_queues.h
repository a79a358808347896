// Copies that go on at the same time: a command buffer for each queue.
#pragma once
#include <array>
#include <memory>
#include <span>
#include <vector>

#include "backends/vulkan/commands.h"

namespace sonde::vulkan {

class CopyQueues {
public:
    explicit CopyQueues(Context& context) : context_(context) {}
    /// Between buffers. Throws Unsupported for the program's own memory, which Vulkan cannot copy from, and for two numbers that stand for one queue.
    std::vector<Timing> copy(std::span<const Copy>);

private:
    void check(std::span<const Copy>) const;
    Commands& commands_of(std::uint32_t queue);

    Context& context_;
    std::array<std::unique_ptr<Commands>, kCopyQueues> commands_;
};

} // namespace sonde::vulkan
