// The OpenCL backend: OpenCL 1.1 calls, OpenCL C texts compiled by the driver, one in-order queue per device, times from events.
#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <span>

#include <fmt/format.h>

#include "backends/backends.h"
#include "backends/opencl/api.h"
#include "backends/opencl/describe.h"
#include "backends/opencl/target.h"
#include "backends/timing.h"
#include "core/device/kernel_source.h"

namespace sonde {

namespace {

using opencl::Api;
using opencl::Handle;

/// What OpenCL can do of the table of paths. No refusal: kernels/dialect_opencl.h has a form for it.
struct Form {
    std::string_view path, refusal, refusal_nvidia, refusal_amd;
};
constexpr std::string_view kNoOperators = "OpenCL C has no cache operators, and this driver takes no inline PTX";
constexpr std::string_view kNoPush = "OpenCL passes kernel arguments in a memory of its own choice and has no push constants";
constexpr std::string_view kNoClusters = "OpenCL has no clusters of workgroups";
constexpr Form kForms[] = {
    {"global", "", "", ""},
    {"global.ca", kNoOperators, "", kNoOperators},
    {"global.cg", kNoOperators, "", ""},
    {"global.readonly", "", "", ""},
    {"global.uniform", "", "", ""},
    {"global.pointer", "", "", ""},
    {"private", "", "", ""},
    {"texel", "", "", ""},
    {"image2d", "", "", ""},
    {"constant", "", "", ""},
    {"constant.uniform", "", "", ""},
    {"push", kNoPush, kNoPush, kNoPush},
    {"scratchpad", "", "", ""},
    {"cluster", kNoClusters, kNoClusters, kNoClusters},
    {"host", "", "", ""},
};
constexpr std::uint64_t kHostBytes = 1ull << 30; // more pinned memory than that takes seconds to get
constexpr std::size_t kRowBytes = std::size_t{kImageRow} * 4;

/// A counter that kernels can read: the dialect's form of it, and which devices may have it (a trial compile then decides).
struct Clock {
    const char* define;
    bool (*likely)(const DeviceInfo&, std::uint64_t vendor);
    KernelClock kind;
    const char* name;
};
constexpr Clock kClocks[] = {
    {"CLOCK_PTX", [](const DeviceInfo& info, std::uint64_t vendor) { return !info.cpu && vendor == 0x10de; }, KernelClock::core_cycles,
     "clock64 (inline PTX)"},
    {"CLOCK_AMD", [](const DeviceInfo& info, std::uint64_t vendor) { return !info.cpu && vendor == 0x1002; }, KernelClock::core_cycles,
     "s_memtime"},
    // Its rate is fixed, whatever the core's clock does.
    {"CLOCK_CYCLE_COUNTER", [](const DeviceInfo& info, std::uint64_t) { return info.cpu; }, KernelClock::timer,
     "__builtin_readcyclecounter (time stamp counter)"},
};
constexpr const char* kClockTrial = "ARGS(uint x;) KERNEL(clock_trial) { uint x = args.x; CLOCK_READ(now, x) CLOCK_STORE(0u, now) }";

constexpr cl_uint kScratchpadArgument = 4; // behind A, B, the result and ARGS
constexpr std::size_t kDummyBytes = 64; // bound where a kernel does not use a source

class OpenclBuffer final : public Buffer {
public:
    OpenclBuffer(Handle<cl_mem> made, Space space, std::size_t bytes, Placement placement)
        : memory(std::move(made)), is_image(space == Space::image2d), is_host(space == Space::host), bytes_(bytes), placement_(std::move(placement)) {}
    std::size_t bytes() const override { return bytes_; }
    Placement placement() const override { return placement_; }

    const Handle<cl_mem> memory;
    const bool is_image;                               // rows of kImageRow texels
    const bool is_host;
    mutable std::shared_ptr<void> pinned;              // where the host sees it, while it is mapped for copies in queues of their own
    mutable std::map<std::uint32_t, Handle<cl_mem>> texels; // views as a linear image, by words of a texel

private:
    std::size_t bytes_;
    Placement placement_;
};

class OpenclKernel final : public Kernel {
public:
    OpenclKernel(const Api& api, cl_device_id device, Handle<cl_program> built, const std::string& name, const Build& build)
        : api_(api), device_(device), program(std::move(built)),
          entry(CL_MAKE(api.clCreateKernel(program.get(), name.c_str(), &status)), api.clReleaseKernel), group_size(build.group_size), space(build.a->space), space_of_b(build.b ? build.b->space : Space::global), width(width_of(build)), width_b(width_of_b(build)), has_scratchpad(argument_count() > kScratchpadArgument) {}

    Listing listing() const override {
        std::size_t bytes = 0;
        CL(api_.clGetProgramInfo(program.get(), CL_PROGRAM_BINARY_SIZES, sizeof bytes, &bytes, nullptr));
        std::string binary(bytes, '\0');
        unsigned char* data = reinterpret_cast<unsigned char*>(binary.data());
        CL(api_.clGetProgramInfo(program.get(), CL_PROGRAM_BINARIES, sizeof data, &data, nullptr));
        if (binary.find(".target sm_") != binary.npos) return {"ptx", binary.substr(0, binary.find('\0'))};
        const std::size_t elf = binary.find("\177ELF"); // PoCL puts a header of its own in front
        if (elf != binary.npos) return {"elf", binary.substr(elf)};
        return {"", fmt::format("the driver's binary ({} bytes) holds neither PTX nor an ELF file", bytes)};
    }

    /// Bytes as the driver counts them after compilation, without the scratchpad that a launch adds.
    std::vector<Fact> facts() const override {
        return {{"scratchpad bytes", std::to_string(work_group_number(CL_KERNEL_LOCAL_MEM_SIZE)), "CL_KERNEL_LOCAL_MEM_SIZE"},
                {"private bytes", std::to_string(work_group_number(CL_KERNEL_PRIVATE_MEM_SIZE)), "CL_KERNEL_PRIVATE_MEM_SIZE"}};
    }

private:
    cl_uint argument_count() const {
        cl_uint count = 0;
        CL(api_.clGetKernelInfo(entry.get(), CL_KERNEL_NUM_ARGS, sizeof count, &count, nullptr));
        return count;
    }

    cl_ulong work_group_number(cl_kernel_work_group_info query) const {
        cl_ulong value = 0;
        CL(api_.clGetKernelWorkGroupInfo(entry.get(), device_, query, sizeof value, &value, nullptr));
        return value;
    }

    const Api& api_;
    const cl_device_id device_;

public:
    const Handle<cl_program> program;
    const Handle<cl_kernel> entry;
    const std::uint32_t group_size;
    const Space space, space_of_b; // of source A, and of B
    const std::uint32_t width, width_b; // words of their elements
    const bool has_scratchpad;          // the dialect gives a kernel the argument only where its text uses it
};

/// What is queued together, waited for once and timed one by one.
class Batch {
public:
    Batch(const Api& api, cl_command_queue queue, std::size_t size) : api_(api), queue_(queue) { events_.reserve(size); }
    // An error on the way leaves copies in the queue that still use the caller's memory.
    ~Batch() {
        if (!waited_) api_.clFinish(queue_);
    }
    Batch(const Batch&) = delete;

    /// Runs `enqueue(cl_event*)` and keeps the event.
    template <class Enqueue> void add(const Enqueue& enqueue) {
        cl_event event = nullptr;
        enqueue(&event);
        events_.emplace_back(event, api_.clReleaseEvent);
    }

    std::vector<Timing> wait() {
        CL(api_.clFinish(queue_));
        waited_ = true;
        const std::chrono::duration<double, std::nano> elapsed = std::chrono::steady_clock::now() - begin_;
        std::vector<Timing> timings;
        for (const auto& event : events_) {
            cl_int state = CL_COMPLETE; // negative: the error that ended the command
            CL(api_.clGetEventInfo(event.get(), CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, nullptr));
            if (state < 0) throw Error("queued command: " + opencl::error_name(state));
            timings.push_back({elapsed.count() / static_cast<double>(events_.size()), device_ns(event.get())});
        }
        return timings;
    }

private:
    std::optional<double> device_ns(cl_event event) const {
        cl_ulong start = 0, end = 0;
        if (api_.clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof start, &start, nullptr) != CL_SUCCESS)
            return std::nullopt;
        if (api_.clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, nullptr) != CL_SUCCESS) return std::nullopt;
        if (end < start || end == 0) return std::nullopt;
        return static_cast<double>(end - start);
    }

    const Api& api_;
    cl_command_queue queue_;
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
    std::vector<Handle<cl_event>> events_;
    bool waited_ = false;
};

class OpenclDevice final : public Device {
public:
    OpenclDevice(std::shared_ptr<const Api> api, cl_platform_id platform, cl_device_id device, std::string id)
        : api_(std::move(api)), device_(device), info_(opencl::describe(*api_, platform, device)) {
        info_.id = std::move(id);
        version_ = opencl::text_answer(*api_, device, CL_DEVICE_VERSION);
        fill_reach();
        const std::uint64_t vendor = opencl::number_answer(*api_, device, CL_DEVICE_VENDOR_ID);
        for (const Clock& clock : kClocks)
            if (clock.likely(info_, vendor)) set_clock(&clock);
        // Other drivers for NVIDIA's cards take no inline PTX.
        const bool nvidia = vendor == 0x10de && opencl::platform_name(*api_, platform).find("NVIDIA") != std::string::npos;
        vendor_ = info_.cpu ? opencl::Vendor::other : nvidia ? opencl::Vendor::nvidia : vendor == 0x1002 ? opencl::Vendor::amd : opencl::Vendor::other;
        if (vendor_ == opencl::Vendor::nvidia) info_.core_name = "%smid (inline PTX)";
    }

    const DeviceInfo& info() const override { return info_; }
    void add_fact(Fact fact) { info_.facts.push_back(std::move(fact)); }

    std::optional<std::string> why_not(const Path& path) const override {
        if (!opencl::number_answer(*api_, device_, CL_DEVICE_COMPILER_AVAILABLE)) return "the driver has no OpenCL C compiler";
        if (path.space == Space::texel || path.space == Space::image2d) {
            if (!opencl::number_answer(*api_, device_, CL_DEVICE_IMAGE_SUPPORT)) return "the device has no images";
            if (version_.starts_with("OpenCL 1.0") || version_.starts_with("OpenCL 1.1") || !api_->clCreateImage)
                return fmt::format("needs OpenCL 1.2 (clCreateImage), this is {}", version_);
        }
        return opencl::why_no_form(path, vendor_);
    }

    std::unique_ptr<Buffer> allocate(Space space, std::size_t bytes) override {
        return in_context(fmt::format("allocating {} bytes", bytes), [&] { return make_buffer(space, bytes); });
    }

    std::vector<Timing> copy(std::span<const Copy> copies) override {
        start();
        if (uses_copy_queues(copies)) return copy_in_queues(copies);
        for (const Copy& copy : copies) unpin({copy.from, copy.to});
        Batch batch(*api_, queue_.get(), copies.size());
        for (const Copy& copy : copies) batch.add([&](cl_event* event) { enqueue(copy, event); });
        return batch.wait();
    }

    std::unique_ptr<Kernel> compile(const Source& source, const Build& build) override {
        start();
        if (build.b && !build.b->second) throw Unsupported(fmt::format("OpenCL has no form of path {} for a second source", build.b->name));
        std::string defines = fmt::format("#define GROUP_SIZE {}u\n", build.group_size);
        for (const auto& [word, value] : build_defines(build)) defines += fmt::format("#define {} {}\n", word, value);
        defines += opencl::vendor_define(vendor_);
        if (const Clock* clock = tried_clock()) defines += fmt::format("#define {} 1\n", clock->define);
        return std::make_unique<OpenclKernel>(*api_, device_, build_program(defines, source.text), source.name, build);
    }

    std::vector<Timing> run(std::span<const Launch> launches, Timed timed) override {
        start();
        for (const Launch& launch : launches) unpin({launch.a, launch.b, &launch.out});
        if (timed == Timed::whole)
            return time_whole(launches.size(), [&](std::size_t i) { enqueue(launches[i], nullptr); }, [&] { finish_all(); });
        Batch batch(*api_, queue_.get(), launches.size());
        for (const Launch& launch : launches) batch.add([&](cl_event* event) { enqueue(launch, event); });
        return batch.wait();
    }

private:
    /// Context and queue, made at first use: enumerating stays cheap.
    void start() {
        if (dummy_) return;
        context_ = {CL_MAKE(api_->clCreateContext(nullptr, 1, &device_, nullptr, nullptr, &status)), api_->clReleaseContext};
        queue_ = make_queue(CL_QUEUE_PROFILING_ENABLE);
        dummy_ = {CL_MAKE(api_->clCreateBuffer(context_.get(), CL_MEM_READ_WRITE, kDummyBytes, nullptr, &status)),
                  api_->clReleaseMemObject};
    }

    Handle<cl_command_queue> make_queue(cl_command_queue_properties properties) const {
        return {CL_MAKE(api_->clCreateCommandQueue(context_.get(), device_, properties, &status)), api_->clReleaseCommandQueue};
    }

    cl_command_queue queue_of(std::uint32_t number) {
        if (number == 0) return queue_.get();
        Handle<cl_command_queue>& queue = copy_queues_.at(number - 1);
        if (!queue) queue = make_queue(0);
        return queue.get();
    }

    void finish_all() const {
        for (const auto* queue : {&queue_, &copy_queues_[0], &copy_queues_[1]})
            if (*queue) CL(api_->clFlush(queue->get())); // all of them before any is waited for
        for (const auto* queue : {&queue_, &copy_queues_[0], &copy_queues_[1]})
            if (*queue) CL(api_->clFinish(queue->get()));
    }

    /// Host memory as the host sees it: what is mapped is pinned, and only from there do drivers copy at the bus' own speed.
    void pin(const Buffer* buffer) {
        const auto* host = static_cast<const OpenclBuffer*>(buffer);
        if (!host || !host->is_host || host->pinned) return;
        void* data = CL_MAKE(api_->clEnqueueMapBuffer(queue_.get(), host->memory.get(), CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, host->bytes(), 0,
                                                      nullptr, nullptr, &status));
        host->pinned = std::shared_ptr<void>(data, [api = api_, queue = queue_.get(), memory = host->memory.get()](void* mapped) {
            api->clEnqueueUnmapMemObject(queue, memory, mapped, 0, nullptr, nullptr);
            api->clFinish(queue);
        });
    }

    /// Kernels and other copies may use no buffer that is mapped.
    static void unpin(std::initializer_list<const Buffer*> buffers) {
        for (const Buffer* buffer : buffers)
            if (buffer) static_cast<const OpenclBuffer*>(buffer)->pinned.reset();
    }

    std::vector<Timing> copy_in_queues(std::span<const Copy> copies) {
        for (const Copy& copy : copies) {
            pin(copy.from);
            pin(copy.to);
            queue_of(copy.queue);
        }
        return time_whole(copies.size(), [&](std::size_t i) { enqueue_in_queue(copies[i]); }, [&] { finish_all(); });
    }

    void enqueue_in_queue(const Copy& copy) {
        const cl_command_queue queue = queue_of(copy.queue);
        const auto seen_by_host = [](const Buffer* buffer, const void* memory, std::size_t offset) -> char* {
            const auto* ours = static_cast<const OpenclBuffer*>(buffer);
            if (!ours) return static_cast<char*>(const_cast<void*>(memory));
            return ours->pinned ? static_cast<char*>(ours->pinned.get()) + offset : nullptr;
        };
        char* from = seen_by_host(copy.from, copy.from_host, copy.from_offset);
        char* to = seen_by_host(copy.to, copy.to_host, copy.to_offset);
        if (from && to) throw Unsupported("OpenCL does not copy from one place of the host's memory to another");
        if (from)
            CL(api_->clEnqueueWriteBuffer(queue, memory_of(copy.to), CL_FALSE, copy.to_offset, copy.bytes, from, 0, nullptr, nullptr));
        else if (to)
            CL(api_->clEnqueueReadBuffer(queue, memory_of(copy.from), CL_FALSE, copy.from_offset, copy.bytes, to, 0, nullptr, nullptr));
        else
            CL(api_->clEnqueueCopyBuffer(queue, memory_of(copy.from), memory_of(copy.to), copy.from_offset, copy.to_offset, copy.bytes, 0, nullptr,
                                         nullptr));
    }

    void fill_reach() {
        const auto number = [&](cl_device_info query) { return opencl::number_answer(*api_, device_, query); };
        const std::uint64_t largest = info_.largest_buffer;
        const auto limit = [&](Space space, std::uint64_t bytes, const char* name) {
            if (bytes < largest) info_.reach[space] = {bytes, name};
        };
        limit(Space::constant, number(CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE), "CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE");
        limit(Space::texel, number(CL_DEVICE_IMAGE_MAX_BUFFER_SIZE) * 4, "CL_DEVICE_IMAGE_MAX_BUFFER_SIZE");
        limit(Space::image2d, number(CL_DEVICE_IMAGE2D_MAX_HEIGHT) * kRowBytes, "CL_DEVICE_IMAGE2D_MAX_HEIGHT");
        limit(Space::host, kHostBytes, "pinned memory of 1 GiB");
    }

    std::unique_ptr<Buffer> make_buffer(Space space, std::size_t bytes) {
        start();
        cl_mem_flags flags = CL_MEM_READ_WRITE;
        Placement placement{std::nullopt, "OpenCL does not tell"};
        switch (space) {
        case Space::global:
        case Space::address:
        case Space::constant:
        case Space::texel:
            break;
        case Space::host:
            flags |= CL_MEM_ALLOC_HOST_PTR;
            placement.text = "host memory was asked for; OpenCL does not tell";
            break;
        case Space::image2d:
            bytes = (bytes + kRowBytes - 1) / kRowBytes * kRowBytes;
            break;
        case Space::push:
            throw Unsupported("OpenCL has no push constants");
        }
        if (info_.cpu) placement = {true, "system memory (the device's own)"};
        if (space == Space::image2d) return std::make_unique<OpenclBuffer>(make_image(bytes), space, bytes, placement);
        Handle<cl_mem> memory{CL_MAKE(api_->clCreateBuffer(context_.get(), flags, bytes, nullptr, &status)), api_->clReleaseMemObject};
        touch(memory.get(), bytes);
        return std::make_unique<OpenclBuffer>(std::move(memory), space, bytes, placement);
    }

    Handle<cl_mem> make_image(std::size_t bytes) const {
        const cl_image_format format{CL_R, CL_UNSIGNED_INT32};
        cl_image_desc shape{};
        shape.image_type = CL_MEM_OBJECT_IMAGE2D;
        shape.image_width = kImageRow;
        shape.image_height = bytes / kRowBytes;
        return {CL_MAKE(api_->clCreateImage(context_.get(), CL_MEM_READ_ONLY, &format, &shape, nullptr, &status)), api_->clReleaseMemObject};
    }

    bool has_format(cl_mem_object_type type, const cl_image_format& wanted) const {
        cl_uint count = 0;
        CL(api_->clGetSupportedImageFormats(context_.get(), CL_MEM_READ_ONLY, type, 0, nullptr, &count));
        std::vector<cl_image_format> formats(count);
        CL(api_->clGetSupportedImageFormats(context_.get(), CL_MEM_READ_ONLY, type, count, formats.data(), nullptr));
        return std::any_of(formats.begin(), formats.end(), [&](const cl_image_format& format) {
            return format.image_channel_order == wanted.image_channel_order && format.image_channel_data_type == wanted.image_channel_data_type;
        });
    }

    /// The buffer as a linear image whose texels have `width` words.
    cl_mem texels_of(const OpenclBuffer& buffer, std::uint32_t width) const {
        Handle<cl_mem>& view = buffer.texels[width];
        if (!view) {
            const cl_image_format format{static_cast<cl_channel_order>(width == 1 ? CL_R : width == 2 ? CL_RG : CL_RGBA), CL_UNSIGNED_INT32};
            cl_image_desc shape{};
            shape.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER;
            shape.image_width = buffer.bytes() / (4 * width);
            shape.buffer = buffer.memory.get();
            if (!has_format(CL_MEM_OBJECT_IMAGE1D_BUFFER, format))
                throw Unsupported(fmt::format("the driver has no linear image of {} words per texel", width));
            view = {CL_MAKE(api_->clCreateImage(context_.get(), CL_MEM_READ_ONLY, &format, &shape, nullptr, &status)), api_->clReleaseMemObject};
        }
        return view.get();
    }

    /// Drivers allocate a buffer when it is first used: using both ends now makes a lack of memory show here.
    void touch(cl_mem memory, std::size_t bytes) {
        const char zero = 0;
        Batch batch(*api_, queue_.get(), 2);
        for (const std::size_t at : {std::size_t{0}, bytes - 1})
            batch.add(
                [&](cl_event* event) { CL(api_->clEnqueueWriteBuffer(queue_.get(), memory, CL_FALSE, at, 1, &zero, 0, nullptr, event)); });
        batch.wait();
    }

    cl_mem memory_of(const Buffer* buffer) const { return buffer ? static_cast<const OpenclBuffer*>(buffer)->memory.get() : dummy_.get(); }

    cl_mem source_of(const OpenclKernel& kernel, const Buffer* a) const {
        if (a && kernel.space == Space::texel) return texels_of(static_cast<const OpenclBuffer&>(*a), kernel.width);
        return memory_of(a);
    }

    cl_mem second_of(const OpenclKernel& kernel, const Buffer* b) const {
        return b && kernel.space_of_b == Space::texel ? texels_of(static_cast<const OpenclBuffer&>(*b), kernel.width_b) : memory_of(b);
    }

    static bool is_image(const Buffer* buffer) { return buffer && static_cast<const OpenclBuffer*>(buffer)->is_image; }

    void enqueue(const Copy& copy, cl_event* event) const {
        const cl_command_queue queue = queue_.get();
        if (is_image(copy.from) || is_image(copy.to)) return enqueue_rows(copy, event);
        if (copy.from && copy.to)
            CL(api_->clEnqueueCopyBuffer(queue, memory_of(copy.from), memory_of(copy.to), copy.from_offset, copy.to_offset, copy.bytes, 0,
                                         nullptr, event));
        else if (copy.to)
            CL(api_->clEnqueueWriteBuffer(queue, memory_of(copy.to), CL_FALSE, copy.to_offset, copy.bytes, copy.from_host, 0, nullptr,
                                          event));
        else
            CL(api_->clEnqueueReadBuffer(queue, memory_of(copy.from), CL_FALSE, copy.from_offset, copy.bytes, copy.to_host, 0, nullptr,
                                         event));
    }

    /// Whole rows of an image, from or to a buffer or the host.
    void enqueue_rows(const Copy& copy, cl_event* event) const {
        const cl_command_queue queue = queue_.get();
        const bool into = is_image(copy.to);
        const std::size_t origin[] = {0, (into ? copy.to_offset : copy.from_offset) / kRowBytes, 0};
        const std::size_t region[] = {kImageRow, copy.bytes / kRowBytes, 1};
        const cl_mem image = memory_of(into ? copy.to : copy.from);
        if (into && copy.from)
            CL(api_->clEnqueueCopyBufferToImage(queue, memory_of(copy.from), image, copy.from_offset, origin, region, 0, nullptr, event));
        else if (into)
            CL(api_->clEnqueueWriteImage(queue, image, CL_FALSE, origin, region, kRowBytes, 0, copy.from_host, 0, nullptr, event));
        else if (copy.to)
            CL(api_->clEnqueueCopyImageToBuffer(queue, image, memory_of(copy.to), origin, region, copy.to_offset, 0, nullptr, event));
        else
            CL(api_->clEnqueueReadImage(queue, image, CL_FALSE, origin, region, kRowBytes, 0, copy.to_host, 0, nullptr, event));
    }

    void enqueue(const Launch& launch, cl_event* event) const {
        const auto& kernel = static_cast<const OpenclKernel&>(launch.kernel);
        const cl_kernel entry = kernel.entry.get();
        if (launch.carveout) throw Unsupported("OpenCL has no way to ask for a split of the first level");
        if (launch.bank_bytes) throw Unsupported("OpenCL has no way to choose the width of a scratchpad bank");
        const cl_mem a = source_of(kernel, launch.a), b = second_of(kernel, launch.b), out = memory_of(&launch.out);
        if (launch.scratchpad_bytes && !kernel.has_scratchpad) throw Error("a launch with a scratchpad of a kernel that uses none");
        CL(api_->clSetKernelArg(entry, 0, sizeof a, &a));
        CL(api_->clSetKernelArg(entry, 1, sizeof b, &b));
        CL(api_->clSetKernelArg(entry, 2, sizeof out, &out));
        CL(api_->clSetKernelArg(entry, 3, launch.args.size_bytes(), launch.args.data()));
        if (kernel.has_scratchpad) {
            const cl_int status = api_->clSetKernelArg(entry, kScratchpadArgument, std::max(launch.scratchpad_bytes, 16u), nullptr); // 0 bytes are an error
            if (status == CL_INVALID_ARG_SIZE) throw DoesNotFit(fmt::format("a scratchpad of {} bytes: clSetKernelArg: CL_INVALID_ARG_SIZE", launch.scratchpad_bytes));
            opencl::check(status, "clSetKernelArg");
        }
        const std::size_t local = kernel.group_size, global = local * launch.groups;
        CL(api_->clEnqueueNDRangeKernel(queue_.get(), entry, 1, nullptr, &global, &local, 0, nullptr, event));
    }

    Handle<cl_program> build_program(const std::string& defines, const std::string& text) const {
        const std::string whole = defines + std::string(embedded_text("kernels/dialect_opencl.h")) + text;
        const char* lines = whole.c_str();
        Handle<cl_program> program{CL_MAKE(api_->clCreateProgramWithSource(context_.get(), 1, &lines, nullptr, &status)),
                                   api_->clReleaseProgram};
        try {
            CL(api_->clBuildProgram(program.get(), 1, &device_, "", nullptr, nullptr));
        } catch (const Error& error) {
            throw Error(fmt::format("{}\n{}", error.what(), build_log(program.get())));
        }
        return program;
    }

    /// What the driver says of a build; its refusal to say must not hide why there was none.
    std::string build_log(cl_program program) const {
        std::size_t bytes = 0;
        if (api_->clGetProgramBuildInfo(program, device_, CL_PROGRAM_BUILD_LOG, 0, nullptr, &bytes) != CL_SUCCESS) return "(and has no build log)";
        std::string log(bytes, '\0');
        if (api_->clGetProgramBuildInfo(program, device_, CL_PROGRAM_BUILD_LOG, bytes, log.data(), nullptr) != CL_SUCCESS) return "(and has no build log)";
        return log.substr(0, log.find('\0'));
    }

    void set_clock(const Clock* clock) {
        clock_ = clock;
        info_.clock = clock ? clock->kind : KernelClock::none;
        info_.clock_name = clock ? clock->name : "";
    }

    /// The likely clock, given up when the first compile shows that the driver does not take its form.
    const Clock* tried_clock() {
        if (!clock_ || clock_works_) return clock_;
        try {
            build_program(fmt::format("#define GROUP_SIZE 1u\n#define WIDTH 1\n#define A_GLOBAL 1\n#define {} 1\n", clock_->define),
                          kClockTrial);
            clock_works_ = true;
        } catch (const Error& error) {
            info_.facts.push_back({"no kernel clock", error.what(), clock_->name});
            set_clock(nullptr);
        }
        return clock_;
    }

    std::shared_ptr<const Api> api_;
    cl_device_id device_;
    DeviceInfo info_;
    std::string version_; // "OpenCL 3.0 ..."
    opencl::Vendor vendor_ = opencl::Vendor::other;
    const Clock* clock_ = nullptr;
    bool clock_works_ = false;
    Handle<cl_context> context_;
    Handle<cl_command_queue> queue_;
    std::array<Handle<cl_command_queue>, kCopyQueues - 1> copy_queues_;
    Handle<cl_mem> dummy_;
};

std::vector<cl_platform_id> platforms(const Api& api) {
    cl_uint count = 0;
    const cl_int status = api.clGetPlatformIDs(0, nullptr, &count);
    if (status == CL_PLATFORM_NOT_FOUND_KHR || (status == CL_SUCCESS && count == 0)) return {};
    opencl::check(status, "clGetPlatformIDs");
    std::vector<cl_platform_id> all(count);
    CL(api.clGetPlatformIDs(count, all.data(), nullptr));
    return all;
}

std::vector<cl_device_id> devices(const Api& api, cl_platform_id platform) {
    cl_uint count = 0;
    opencl::check(api.clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count), "clGetDeviceIDs");
    std::vector<cl_device_id> all(count);
    if (count) CL(api.clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, all.data(), nullptr));
    return all;
}

/// What all platforms gave: devices, and one line about the platforms that gave none.
struct Found {
    std::vector<std::unique_ptr<OpenclDevice>> devices;
    std::string without;
};

Found find_devices(const std::shared_ptr<const Api>& api) {
    Found found;
    const auto all = platforms(*api);
    if (all.empty()) found.without = "the OpenCL loader finds no platform (CL_PLATFORM_NOT_FOUND_KHR): no driver is installed";
    for (std::size_t p = 0; p < all.size(); ++p) {
        std::string reason = "no device";
        try {
            const auto of_platform = devices(*api, all[p]);
            for (std::size_t d = 0; d < of_platform.size(); ++d)
                found.devices.push_back(std::make_unique<OpenclDevice>(api, all[p], of_platform[d], fmt::format("opencl:{}.{}", p, d)));
            if (!of_platform.empty()) continue;
        } catch (const Error& error) { // must not hide the other platforms
            reason = error.what();
        }
        found.without +=
            fmt::format("{}platform {} ({}): {}", found.without.empty() ? "" : "; ", p, opencl::platform_name(*api, all[p]), reason);
    }
    return found;
}

} // namespace

std::string opencl::vendor_define(Vendor vendor) {
    return vendor == Vendor::nvidia ? "#define VENDOR_NVIDIA 1\n" : vendor == Vendor::amd ? "#define VENDOR_AMD 1\n" : "";
}

std::optional<std::string> opencl::why_no_form(const Path& path, Vendor vendor) {
    for (const Form& form : kForms) {
        if (form.path != path.name) continue;
        const std::string_view refusal = vendor == Vendor::nvidia ? form.refusal_nvidia : vendor == Vendor::amd ? form.refusal_amd : form.refusal;
        return refusal.empty() ? std::nullopt : std::optional(std::string(refusal));
    }
    return "OpenCL has no form of this path";
}

Opened open_opencl() {
    const auto api = std::make_shared<const Api>();
    if (!api->absent.empty()) return {{}, api->absent};
    Opened opened;
    try {
        Found found = find_devices(api);
        if (found.devices.empty()) opened.absent = found.without;
        for (auto& device : found.devices) {
            if (!found.without.empty()) device->add_fact({"platforms without a device", found.without, "clGetDeviceIDs"});
            opened.devices.push_back(std::move(device));
        }
    } catch (const Error& error) {
        opened.absent = error.what();
    }
    return opened;
}

} // namespace sonde
