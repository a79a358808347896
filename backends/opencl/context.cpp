// Buffers of every memory space, and copies between them.
#include "backends/opencl/context.h"

#include <algorithm>

namespace sonde::opencl {

namespace {

constexpr std::size_t kRowBytes = std::size_t{kImageRow} * 4;
constexpr std::size_t kDummyBytes = 64;

const OpenclBuffer* ours(const Buffer* buffer) { return static_cast<const OpenclBuffer*>(buffer); }
bool is_image(const Buffer* buffer) { return buffer && ours(buffer)->space == Space::image2d; }

Handle<cl_command_queue> make_queue(const Context& context, cl_command_queue_properties properties) {
    const Api& api = context.api;
    return {CL_MAKE(api.clCreateCommandQueue(context.handle.get(), context.device, properties, &status)),
        api.clReleaseCommandQueue};
}

Handle<cl_mem> make_memory(const Context& context, cl_mem_flags flags, std::size_t bytes, void* host = nullptr) {
    const Api& api = context.api;
    return {CL_MAKE(api.clCreateBuffer(context.handle.get(), flags, bytes, host, &status)), api.clReleaseMemObject};
}

/// Where the host sees one end of a copy; nullptr where it does not.
char* seen_by_host(const Buffer* buffer, const void* memory, std::size_t offset) {
    if (!buffer) return static_cast<char*>(const_cast<void*>(memory));
    return ours(buffer)->pinned ? static_cast<char*>(ours(buffer)->pinned.get()) + offset : nullptr;
}

} // namespace

Context::Context(const Api& calls, cl_device_id id)
    : api(calls),
      device(id),
      handle(CL_MAKE(api.clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status)), api.clReleaseContext) {
    queues_[0] = make_queue(*this, CL_QUEUE_PROFILING_ENABLE);
    dummy_ = make_memory(*this, CL_MEM_READ_WRITE, kDummyBytes);
}

std::unique_ptr<Buffer> Context::make_buffer(Space space, std::size_t bytes, bool cpu) {
    if (space == Space::push) throw Unsupported("OpenCL has no push constants");
    const bool host = space == Space::host, mapped = space == Space::mapped;
    const Placement placement =
        cpu ? Placement{true, "system memory (the device's own)"}
            : Placement{std::nullopt, host     ? "host memory was asked for; OpenCL does not tell"
                                      : mapped ? "memory that device and processor share, mapped"
                                               : "OpenCL does not tell"};
    if (space == Space::image2d) {
        const std::size_t rows = (bytes + kRowBytes - 1) / kRowBytes;
        cl_image_desc shape{};
        shape.image_type = CL_MEM_OBJECT_IMAGE2D;
        shape.image_width = kImageRow;
        shape.image_height = rows;
        return std::make_unique<OpenclBuffer>(*this, make_image(CL_R, shape), space, rows * kRowBytes, placement);
    }
    if (space == Space::shared)
        return make_shared(
            bytes, cpu ? placement
                       : Placement{std::nullopt, "fine-grained shared virtual memory; OpenCL does not tell where"});
    Handle<cl_mem> memory =
        make_memory(*this, host || mapped ? CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR : CL_MEM_READ_WRITE, bytes);
    touch(memory.get(), bytes);
    return std::make_unique<OpenclBuffer>(*this, std::move(memory), space, bytes, placement);
}

/// A buffer over fine-grained SVM: what OpenCL 2.0 allows atomic functions in shared memory, it allows in such a
/// buffer.
std::unique_ptr<Buffer> Context::make_shared(std::size_t bytes, Placement placement) const {
    constexpr cl_bitfield kFineGrain = 1 << 10, kAtomics = 1 << 11; // CL_MEM_SVM_FINE_GRAIN_BUFFER, CL_MEM_SVM_ATOMICS
    const std::shared_ptr<void> shared(
        api.clSVMAlloc(handle.get(), CL_MEM_READ_WRITE | kFineGrain | kAtomics, bytes, 0),
        [this](void* memory) { api.clSVMFree(handle.get(), memory); });
    if (!shared) throw DoesNotFit(fmt::format("clSVMAlloc of {} bytes", bytes));
    Handle<cl_mem> memory = make_memory(*this, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, bytes, shared.get());
    return std::make_unique<OpenclBuffer>(*this, std::move(memory), Space::shared, bytes, std::move(placement), shared);
}

Handle<cl_mem> Context::make_image(cl_channel_order order, const cl_image_desc& shape) const {
    const cl_image_format format{order, CL_UNSIGNED_INT32};
    return {CL_MAKE(api.clCreateImage(handle.get(), CL_MEM_READ_ONLY, &format, &shape, nullptr, &status)),
        api.clReleaseMemObject};
}

/// The buffer as a linear image whose texels have `width` words.
cl_mem Context::texels_of(const OpenclBuffer& buffer, std::uint32_t width) const {
    Handle<cl_mem>& view = buffer.texels[width];
    if (view) return view.get();
    const cl_channel_order order = width == 1 ? CL_R : width == 2 ? CL_RG : CL_RGBA;
    cl_image_desc shape{};
    shape.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER;
    shape.image_width = buffer.bytes() / (4 * width);
    shape.buffer = buffer.memory.get();
    const auto formats = list_of<cl_image_format>([&](cl_uint room, cl_image_format* found, cl_uint* count) {
        CL(api.clGetSupportedImageFormats(
            handle.get(), CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE1D_BUFFER, room, found, count));
    });
    const auto wanted = [&](const cl_image_format& format) {
        return format.image_channel_order == order && format.image_channel_data_type == CL_UNSIGNED_INT32;
    };
    if (std::ranges::none_of(formats, wanted))
        throw Unsupported(fmt::format("the driver has no linear image of {} words per texel", width));
    view = make_image(order, shape);
    return view.get();
}

/// Drivers allocate a buffer when it is first used: using both ends now makes a lack of memory show here.
void Context::touch(cl_mem memory, std::size_t bytes) const {
    const char zero = 0;
    time(Timed::each, 2, [&](std::size_t end, cl_event* event) {
        CL(api.clEnqueueWriteBuffer(queue(), memory, CL_FALSE, end * (bytes - 1), 1, &zero, 0, nullptr, event));
    });
}

cl_mem Context::argument_of(const Buffer* buffer, const KernelSource& source) const {
    if (!buffer) return dummy_.get();
    return source.space == Space::texel ? texels_of(*ours(buffer), source.width) : ours(buffer)->memory.get();
}

cl_command_queue Context::queue_of(std::uint32_t number) {
    Handle<cl_command_queue>& queue = queues_.at(number);
    if (!queue) queue = make_queue(*this, 0);
    return queue.get();
}

void Context::finish_all() const {
    for (const auto& queue : queues_)
        if (queue) CL(api.clFlush(queue.get())); // all of them before any is waited for
    for (const auto& queue : queues_)
        if (queue) CL(api.clFinish(queue.get()));
}

/// Of a command that has ended; nullopt where the driver does not tell, or tells what cannot be.
std::optional<double> Context::device_ns(cl_event event) const {
    if (!event) return std::nullopt; // a library's
    cl_int state = CL_COMPLETE;      // negative: the error that ended the command
    CL(api.clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, nullptr));
    if (state < 0) throw Error("queued command: " + error_name(state));
    cl_ulong start = 0, end = 0;
    if (api.clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof start, &start, nullptr) != CL_SUCCESS)
        return std::nullopt;
    if (api.clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, nullptr) != CL_SUCCESS)
        return std::nullopt;
    constexpr cl_ulong kShortest = 10; // ns; Mesa 22.3.6 says 1 of every command
    return end == 0 || end < start + kShortest ? std::nullopt : std::optional(static_cast<double>(end - start));
}

char* OpenclBuffer::map() const {
    if (space != Space::host && space != Space::mapped) return nullptr;
    if (pinned) return static_cast<char*>(pinned.get());
    const Api& api = context_.api;
    void* data = CL_MAKE(api.clEnqueueMapBuffer(
        context_.queue(), memory.get(), CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, bytes_, 0, nullptr, nullptr, &status));
    pinned = std::shared_ptr<void>(data, [&api, queue = context_.queue(), mapped_memory = memory.get()](void* mapped) {
        api.clEnqueueUnmapMemObject(queue, mapped_memory, mapped, 0, nullptr, nullptr);
        api.clFinish(queue);
    });
    return static_cast<char*>(data);
}

void Context::unpin(std::initializer_list<const Buffer*> buffers) {
    for (const Buffer* buffer : buffers)
        if (buffer) ours(buffer)->pinned.reset();
}

std::vector<Timing> Context::copy(std::span<const Copy> copies) {
    const bool in_queues = uses_copy_queues(copies);
    for (const Copy& copy : copies) {
        if (!in_queues) {
            unpin({copy.from, copy.to});
            continue;
        }
        if (copy.from) copy.from->map();
        if (copy.to) copy.to->map();
        queue_of(copy.queue);
    }
    return time(in_queues ? Timed::whole : Timed::each, copies.size(),
        [&](std::size_t i, cl_event* event) { enqueue(copies[i], event); });
}

void Context::enqueue(const Copy& copy, cl_event* event) const {
    if (is_image(copy.from) || is_image(copy.to)) return enqueue_rows(copy, event);
    const cl_command_queue queue = queues_[copy.queue].get();
    const char* from = seen_by_host(copy.from, copy.from_host, copy.from_offset);
    char* to = seen_by_host(copy.to, copy.to_host, copy.to_offset);
    if (from && to) throw Unsupported("OpenCL does not copy from one place of the host's memory to another");
    if (from)
        CL(api.clEnqueueWriteBuffer(
            queue, argument_of(copy.to), CL_FALSE, copy.to_offset, copy.bytes, from, 0, nullptr, event));
    else if (to)
        CL(api.clEnqueueReadBuffer(
            queue, argument_of(copy.from), CL_FALSE, copy.from_offset, copy.bytes, to, 0, nullptr, event));
    else
        CL(api.clEnqueueCopyBuffer(queue, argument_of(copy.from), argument_of(copy.to), copy.from_offset,
            copy.to_offset, copy.bytes, 0, nullptr, event));
}

/// Whole rows of an image, from or to a buffer or the host.
void Context::enqueue_rows(const Copy& copy, cl_event* event) const {
    const bool into = is_image(copy.to);
    const std::size_t origin[] = {0, (into ? copy.to_offset : copy.from_offset) / kRowBytes, 0};
    const std::size_t region[] = {kImageRow, copy.bytes / kRowBytes, 1};
    const cl_mem image = argument_of(into ? copy.to : copy.from);
    if (into && copy.from)
        CL(api.clEnqueueCopyBufferToImage(
            queue(), argument_of(copy.from), image, copy.from_offset, origin, region, 0, nullptr, event));
    else if (into)
        CL(api.clEnqueueWriteImage(
            queue(), image, CL_FALSE, origin, region, kRowBytes, 0, copy.from_host, 0, nullptr, event));
    else if (copy.to)
        CL(api.clEnqueueCopyImageToBuffer(
            queue(), image, argument_of(copy.to), origin, region, copy.to_offset, 0, nullptr, event));
    else
        CL(api.clEnqueueReadImage(
            queue(), image, CL_FALSE, origin, region, kRowBytes, 0, copy.to_host, 0, nullptr, event));
}

} // namespace sonde::opencl
