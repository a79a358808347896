// Dispatches: a batch of launches in one command buffer.
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "backends/vulkan/commands.h"
#include "backends/vulkan/kernel.h"
#include "backends/vulkan/memory.h"

namespace sonde::vulkan {

class Launcher {
public:
    Launcher(const Context& context, const Layout& layout, Commands& commands) : context_(context), layout_(layout), commands_(commands) {}
    std::vector<Timing> run(std::span<const Launch>);

private:
    void check(const Launch&) const;
    void reserve_sets(std::uint32_t count);
    void bind_buffers(VkDescriptorSet, const Launch&);
    void record(const Launch&, VkDescriptorSet);

    const Context& context_;
    const Layout& layout_;
    Commands& commands_;
    std::unique_ptr<VulkanBuffer> dummy_; // stands in for a source that a kernel does not use
    Owned<VkDescriptorPool> pool_;
    std::vector<VkDescriptorSet> sets_; // all of the pool's, one for each launch of a batch
};

} // namespace sonde::vulkan
