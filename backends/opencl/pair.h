// Two devices of one platform in one context, and what they copy to one another.
#pragma once
#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "backends/common.h"
#include "backends/opencl/api.h"

namespace sonde::opencl {

class Pair {
public:
    Pair(const Api&, cl_device_id own, cl_device_id other);
    /// In the memory of one of the two, which uses it first.
    std::unique_ptr<Buffer> make_buffer(bool on_other, std::size_t bytes, const std::string& device) const;
    /// Whose buffers a copy has; null: a device's own.
    static const Pair* of(const Copy&);
    /// Between the two, or one of them and the host. What goes from one to the other the receiver's queue copies, out
    /// of a buffer of that size that the sender has just written: it cannot be there already.
    std::vector<Timing> copy(std::span<const Copy>) const;

    /// Of the context; which of the two has it is up to the driver.
    Handle<cl_mem> make_memory(std::size_t bytes) const;

    const Api& api;

private:
    struct Side {
        cl_device_id device;
        std::array<Handle<cl_command_queue>, kCopyQueues> queues;
    };
    cl_command_queue queue(bool of_other, std::uint32_t number) const;
    Handle<cl_event> enqueue(const Copy&, cl_event before) const;

    const Handle<cl_context> context_;
    std::array<Side, 2> sides_; // the device's own, the other's
};

} // namespace sonde::opencl
