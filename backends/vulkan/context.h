// A VkDevice with its function table, its queues, and what every kernel shares; and the owner of a Vulkan object.
#pragma once
#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "backends/vulkan/physical.h"

namespace sonde::vulkan {

class Context;

/// A Vulkan object of a device, destroyed with its owner.
template <class Handle> class Owned {
public:
    using Destroy = void(VKAPI_PTR*)(VkDevice, Handle, const VkAllocationCallbacks*);

    Owned() = default;
    Owned(const Context& context, Handle handle, Destroy destroy)
        : context_(&context), handle_(handle), destroy_(destroy) {}
    Owned(Owned&& other) noexcept { *this = std::move(other); }
    /// What this one had goes with the other.
    Owned& operator=(Owned&& other) noexcept {
        std::swap(context_, other.context_);
        std::swap(handle_, other.handle_);
        std::swap(destroy_, other.destroy_);
        return *this;
    }
    inline ~Owned();

    operator Handle() const { return handle_; }

private:
    const Context* context_ = nullptr;
    Handle handle_ = VK_NULL_HANDLE;
    Destroy destroy_ = nullptr;
};

class Context {
public:
    Context(std::shared_ptr<Instance>, const PhysicalDevice&);
    ~Context();
    Context(const Context&) = delete;
    Context& operator=(const Context&) = delete;

    /// vkCreate..., with an owner for what it made; VK_MAKE calls it with the fields of the create info.
    template <class Handle, class Info> Owned<Handle> make(const char* call,
        VkResult(VKAPI_PTR* create)(VkDevice, const Info*, const VkAllocationCallbacks*, Handle*), const Info& info,
        typename Owned<Handle>::Destroy destroy) const {
        Handle handle = VK_NULL_HANDLE;
        check(create(device, &info, nullptr, &handle), call);
        return {*this, handle, destroy};
    }

    /// The device has not answered in time: from now on nothing of it is used or destroyed, since it may still be at
    /// work.
    void abandon();
    bool abandoned() const { return abandoned_; }

    const PhysicalDevice& physical;
    VkDevice device = VK_NULL_HANDLE;
    VolkDeviceTable api{};
    std::array<VkQueue, kCopyQueues> queues{}; // by Copy::queue
    std::vector<std::uint32_t> families;       // of these queues

private:
    std::shared_ptr<Instance> instance_;
    bool abandoned_ = false;
};

#define VK_MAKE(context, Name, NAME, ...)                                                                              \
    (context).make("vkCreate" #Name, (context).api.vkCreate##Name,                                                     \
        Vk##Name##CreateInfo{.sType = VK_STRUCTURE_TYPE_##NAME##_CREATE_INFO, __VA_ARGS__},                            \
        (context).api.vkDestroy##Name)

template <class Handle> Owned<Handle>::~Owned() {
    if (handle_ != VK_NULL_HANDLE && !context_->abandoned()) destroy_(context_->device, handle_, nullptr);
}

} // namespace sonde::vulkan
