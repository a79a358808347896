// Dispatches: a batch of launches in one command buffer.
#pragma once
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "backends/vulkan/commands.h"
#include "backends/vulkan/kernel.h"
#include "backends/vulkan/memory.h"

namespace sonde::vulkan {

class Launcher {
public:
    Launcher(const Context& context, Commands& commands) : context_(context), commands_(commands) {}
    std::vector<Timing> run(std::span<const Launch>, Timed);

private:
    /// Descriptor sets of one layout, as many as a batch has needed so far.
    struct Sets {
        Owned<VkDescriptorPool> pool;
        std::vector<VkDescriptorSet> sets;
        std::size_t used = 0; // by this batch
    };

    void check(const Launch&) const;
    void reserve(Sets&, const Layout&, std::size_t count);
    VkDescriptorSet next_set(const Launch&);
    void bind(VkDescriptorSet, const Launch&);
    void record(const Launch&, VkDescriptorSet);

    const Context& context_;
    Commands& commands_;
    std::unique_ptr<VulkanBuffer> dummy_; // stands in for a source that a kernel does not use
    std::map<const Layout*, Sets> sets_;
};

} // namespace sonde::vulkan
