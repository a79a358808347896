#include "backends/opencl/pair.h"

#include <utility>

#include <fmt/format.h>

namespace sonde::opencl {

namespace {
class PairBuffer final : public Buffer {
public:
    PairBuffer(const Pair& of, Handle<cl_mem> made, bool on_other, std::size_t bytes, std::string where)
        : pair(of), memory(std::move(made)), of_other(on_other), bytes_(bytes), where_(std::move(where)) {}
    std::size_t bytes() const override { return bytes_; }
    Placement placement() const override { return {std::nullopt, where_}; }

    /// As large as a copy: what crosses, as drivers move a buffer whole to the device that uses it. Valid until another
    /// size is asked for.
    cl_mem piece(std::size_t size) const {
        if (!piece_.get() || piece_bytes_ != size) piece_ = pair.make_memory(size), piece_bytes_ = size;
        return piece_.get();
    }

    const Pair& pair;
    const Handle<cl_mem> memory;
    const bool of_other;

private:
    mutable Handle<cl_mem> piece_{};
    mutable std::size_t piece_bytes_ = 0;
    const std::size_t bytes_;
    const std::string where_;
};

const PairBuffer* of_pair(const Buffer* buffer) { return dynamic_cast<const PairBuffer*>(buffer); }

Handle<cl_context> make_context(const Api& api, std::array<cl_device_id, 2> devices) {
    return {CL_MAKE(api.clCreateContext(nullptr, 2, devices.data(), nullptr, nullptr, &status)), api.clReleaseContext};
}
} // namespace

Pair::Pair(const Api& calls, cl_device_id own, cl_device_id other)
    : api(calls), context_(make_context(calls, {own, other})), sides_{Side{own, {}}, Side{other, {}}} {
    for (Side& side : sides_)
        for (auto& queue : side.queues)
            queue = {
                CL_MAKE(api.clCreateCommandQueue(context_.get(), side.device, 0, &status)), api.clReleaseCommandQueue};
}

cl_command_queue Pair::queue(bool of_other, std::uint32_t number) const {
    return sides_[of_other ? 1 : 0].queues.at(number).get();
}

Handle<cl_mem> Pair::make_memory(std::size_t bytes) const {
    return {CL_MAKE(api.clCreateBuffer(context_.get(), CL_MEM_READ_WRITE, bytes, nullptr, &status)),
        api.clReleaseMemObject};
}

std::unique_ptr<Buffer> Pair::make_buffer(bool on_other, std::size_t bytes, const std::string& device) const {
    Handle<cl_mem> memory = make_memory(bytes);
    const char zero = 0; // drivers allocate at the first use
    CL(api.clEnqueueWriteBuffer(queue(on_other, 0), memory.get(), CL_TRUE, 0, 1, &zero, 0, nullptr, nullptr));
    return std::make_unique<PairBuffer>(*this, std::move(memory), on_other, bytes,
        fmt::format("written by {} first, in one context of two devices; OpenCL does not tell where", device));
}

const Pair* Pair::of(const Copy& copy) {
    const PairBuffer* buffer = of_pair(copy.from) ? of_pair(copy.from) : of_pair(copy.to);
    return buffer ? &buffer->pair : nullptr;
}

/// `before`: what was enqueued last on the copy's queue of either side; null: nothing.
Handle<cl_event> Pair::enqueue(const Copy& copy, cl_event before) const {
    const PairBuffer *from = of_pair(copy.from), *to = of_pair(copy.to);
    const cl_uint waits = before ? 1 : 0;
    const cl_event* const wait = before ? &before : nullptr;
    cl_event done = nullptr;
    if (from && to) {
        const cl_mem sent = from->piece(copy.bytes), received = to->piece(copy.bytes);
        const cl_command_queue sender = queue(from->of_other, copy.queue), receiver = queue(to->of_other, copy.queue);
        cl_event written = nullptr, crossed = nullptr;
        CL(api.clEnqueueCopyBuffer(
            sender, from->memory.get(), sent, copy.from_offset, 0, copy.bytes, waits, wait, &written));
        const Handle<cl_event> is_written{written, api.clReleaseEvent};
        CL(api.clFlush(sender));
        CL(api.clEnqueueCopyBuffer(receiver, sent, received, 0, 0, copy.bytes, 1, &written, &crossed));
        const Handle<cl_event> has_crossed{crossed, api.clReleaseEvent};
        CL(api.clEnqueueCopyBuffer(
            receiver, received, to->memory.get(), 0, copy.to_offset, copy.bytes, 1, &crossed, &done));
        CL(api.clFlush(receiver));
    } else if (to && copy.from_host)
        CL(api.clEnqueueWriteBuffer(queue(to->of_other, copy.queue), to->memory.get(), CL_FALSE, copy.to_offset,
            copy.bytes, copy.from_host, waits, wait, &done));
    else if (from && copy.to_host)
        CL(api.clEnqueueReadBuffer(queue(from->of_other, copy.queue), from->memory.get(), CL_FALSE, copy.from_offset,
            copy.bytes, copy.to_host, waits, wait, &done));
    else throw Unsupported("buffers of two contexts: OpenCL copies nothing between them");
    return {done, api.clReleaseEvent};
}

std::vector<Timing> Pair::copy(std::span<const Copy> copies) const {
    std::array<Handle<cl_event>, kCopyQueues> last;
    return time_whole(
        copies.size(),
        [&](std::size_t i) {
            Handle<cl_event>& before = last.at(copies[i].queue);
            before = enqueue(copies[i], before.get());
        },
        [&] {
            for (const Side& side : sides_)
                for (const auto& queue : side.queues) CL(api.clFlush(queue.get()));
            for (const Side& side : sides_)
                for (const auto& queue : side.queues) CL(api.clFinish(queue.get()));
        });
}

} // namespace sonde::opencl
