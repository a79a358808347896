// Copies that go on at the same time: a command buffer for the queue of each lane.
#pragma once
#include <array>
#include <memory>
#include <span>
#include <vector>

#include "backends/vulkan/commands.h"

namespace sonde::vulkan {

class Lanes {
public:
    explicit Lanes(Context& context) : context_(context) {}
    /// Between buffers. Throws Unsupported for the program's own memory, which Vulkan cannot copy from, and for lanes that would have to share a queue.
    std::vector<Timing> copy(std::span<const Copy>);

private:
    void check(std::span<const Copy>) const;
    Commands& commands_of(std::uint32_t lane);

    Context& context_;
    std::array<std::unique_ptr<Commands>, kLanes> commands_;
};

} // namespace sonde::vulkan
