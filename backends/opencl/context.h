// A device's context, queues and buffers, and what is put on the queues.
#pragma once
#include <array>
#include <map>
#include <span>

#include "backends/common.h"
#include "backends/opencl/api.h"
#include "core/device/kernel_source.h"

namespace sonde::opencl {

class Context;

class OpenclBuffer final : public Buffer {
public:
    OpenclBuffer(const Context& context, Handle<cl_mem> made, Space space_of_it, std::size_t bytes, Placement placement,
        std::shared_ptr<void> below = nullptr)
        : shared(std::move(below)),
          memory(std::move(made)),
          space(space_of_it),
          context_(context),
          bytes_(bytes),
          placement_(std::move(placement)) {}
    std::size_t bytes() const override { return bytes_; }
    Placement placement() const override { return placement_; }
    /// Of Space::host, too: what is mapped is pinned, and only from there do drivers copy at the bus' own speed.
    char* map() const override;
    void* shared_with_host() const override { return shared.get(); }

    const std::shared_ptr<void> shared; // fine-grained SVM below the memory; null but of Space::shared
    const Handle<cl_mem> memory;
    const Space space;                                      // image2d: rows of kImageRow texels
    mutable std::shared_ptr<void> pinned;                   // where the host sees it, while it is mapped
    mutable std::map<std::uint32_t, Handle<cl_mem>> texels; // views as a linear image, by words of a texel

private:
    const Context& context_;
    std::size_t bytes_;
    Placement placement_;
};

class Context {
public:
    Context(const Api&, cl_device_id);

    /// Throws Unsupported for a space without buffers, DoesNotFit where there is no room.
    std::unique_ptr<Buffer> make_buffer(Space, std::size_t bytes, bool cpu);
    /// What a kernel is given for a buffer: its memory, or its view as texels; a dummy for none.
    cl_mem argument_of(const Buffer*, const KernelSource& = {}) const;

    /// Puts kernels on this queue.
    cl_command_queue queue() const { return queues_[0].get(); }
    std::vector<Timing> copy(std::span<const Copy>);
    /// Kernels and other copies may use no buffer that is mapped.
    static void unpin(std::initializer_list<const Buffer*>);
    /// `enqueue(i, cl_event*)` for each i < count; waits once. Timed::each: what is on the queue of the kernels, by
    /// events. Timed::whole: all queues, by the host's clock, the event being nullptr.
    template <class Enqueue> std::vector<Timing> time(Timed, std::size_t count, const Enqueue& enqueue) const;

    const Api& api;
    const cl_device_id device;
    const Handle<cl_context> handle;

private:
    std::unique_ptr<Buffer> make_shared(std::size_t bytes, Placement) const;
    Handle<cl_mem> make_image(cl_channel_order, const cl_image_desc&) const;
    cl_mem texels_of(const OpenclBuffer&, std::uint32_t width) const;
    void touch(cl_mem, std::size_t bytes) const;
    cl_command_queue queue_of(std::uint32_t number);
    void enqueue(const Copy&, cl_event*) const;
    void enqueue_rows(const Copy&, cl_event*) const;
    void finish_all() const;
    std::optional<double> device_ns(cl_event) const;

    std::array<Handle<cl_command_queue>, kCopyQueues> queues_; // by Copy::queue
    Handle<cl_mem> dummy_;                                     // bound where a kernel does not use a source
};

template <class Enqueue>
std::vector<Timing> Context::time(Timed timed, std::size_t count, const Enqueue& enqueue) const {
    if (timed == Timed::whole)
        return time_whole(
            count, [&](std::size_t i) { enqueue(i, nullptr); }, [&] { finish_all(); });
    std::vector<Handle<cl_event>> events;
    events.reserve(count);
    const auto enqueue_timed = [&](std::size_t i) {
        cl_event event = nullptr;
        enqueue(i, &event);
        events.emplace_back(event, api.clReleaseEvent);
    };
    std::vector<Timing> timings = time_whole(count, enqueue_timed, [&] { CL(api.clFinish(queue())); });
    for (std::size_t i = 0; i < count; ++i) timings[i].device_ns = device_ns(events[i].get());
    return timings;
}

/// What a launch puts on the queue. A library's work is several commands, of which no event tells the time: `event`
/// stays as it is.
class Enqueued : public Kernel {
public:
    virtual void enqueue(const Launch&, cl_event*) const = 0;
};

} // namespace sonde::opencl
