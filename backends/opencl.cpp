// The OpenCL backend: OpenCL 1.1 calls, OpenCL C texts compiled by the driver, one in-order queue per device, times from events.
#include <algorithm>
#include <chrono>
#include <span>

#include <fmt/format.h>

#include "backends/backends.h"
#include "backends/opencl/api.h"
#include "backends/opencl/describe.h"
#include "backends/opencl/target.h"
#include "core/source.h"

namespace sonde {

namespace {

using opencl::Api;
using opencl::Handle;

/// What OpenCL can do of the table of paths. No refusal: kernels/dialect_opencl.h has a form for it.
struct Form {
    std::string_view path, refusal;
};
constexpr Form kForms[] = {
    {"global", ""},
    {"local", ""},
    {"push", "OpenCL passes kernel arguments in a memory of its own choice and has no push constants"},
    {"cluster", "OpenCL has no clusters of workgroups"},
};

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

constexpr std::size_t kDummyBytes = 64; // bound where a kernel does not use a source

class OpenclBuffer final : public Buffer {
public:
    OpenclBuffer(Handle<cl_mem> made, std::size_t bytes, Placement placement)
        : memory(std::move(made)), bytes_(bytes), placement_(std::move(placement)) {}
    std::size_t bytes() const override { return bytes_; }
    Placement placement() const override { return placement_; }
    const Handle<cl_mem> memory;

private:
    std::size_t bytes_;
    Placement placement_;
};

class OpenclKernel final : public Kernel {
public:
    OpenclKernel(const Api& api, Handle<cl_program> built, const std::string& name, std::uint32_t work_items)
        : api_(api), program(std::move(built)),
          entry(CL_MAKE(api.clCreateKernel(program.get(), name.c_str(), &status)), api.clReleaseKernel), group_size(work_items) {}

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

private:
    const Api& api_;

public:
    const Handle<cl_program> program;
    const Handle<cl_kernel> entry;
    const std::uint32_t group_size;
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
        const std::uint64_t vendor = opencl::number_answer(*api_, device, CL_DEVICE_VENDOR_ID);
        for (const Clock& clock : kClocks)
            if (clock.likely(info_, vendor)) set_clock(&clock);
    }

    const DeviceInfo& info() const override { return info_; }
    void add_fact(Fact fact) { info_.facts.push_back(std::move(fact)); }

    std::optional<std::string> why_not(const Path& path) const override {
        if (!opencl::number_answer(*api_, device_, CL_DEVICE_COMPILER_AVAILABLE)) return "the driver has no OpenCL C compiler";
        return opencl::why_no_form(path);
    }

    std::unique_ptr<Buffer> allocate(Space space, std::size_t bytes) override {
        return in_context(fmt::format("allocating {} bytes", bytes), [&] { return make_buffer(space, bytes); });
    }

    std::vector<Timing> copy(std::span<const Copy> copies) override {
        start();
        Batch batch(*api_, queue_.get(), copies.size());
        for (const Copy& copy : copies) batch.add([&](cl_event* event) { enqueue(copy, event); });
        return batch.wait();
    }

    std::unique_ptr<Kernel> compile(const Source& source, const Build& build) override {
        start();
        // The dialect reads B in the one way that every path allows, so it has no #error for another.
        if (build.b && build.b->name != "global") throw Unsupported(fmt::format("source B has no OpenCL form on path '{}'", build.b->name));
        std::string defines = fmt::format("#define GROUP_SIZE {}u\n", build.group_size);
        for (const auto& [word, value] : build_defines(build)) defines += fmt::format("#define {} {}\n", word, value);
        if (const Clock* clock = tried_clock()) defines += fmt::format("#define {} 1\n", clock->define);
        return std::make_unique<OpenclKernel>(*api_, build_program(defines, source.text), source.name, build.group_size);
    }

    std::vector<Timing> run(std::span<const Launch> launches) override {
        start();
        Batch batch(*api_, queue_.get(), launches.size());
        for (const Launch& launch : launches) batch.add([&](cl_event* event) { enqueue(launch, event); });
        return batch.wait();
    }

private:
    /// Context and queue, made at first use: enumerating stays cheap.
    void start() {
        if (dummy_) return;
        context_ = {CL_MAKE(api_->clCreateContext(nullptr, 1, &device_, nullptr, nullptr, &status)), api_->clReleaseContext};
        queue_ = {CL_MAKE(api_->clCreateCommandQueue(context_.get(), device_, CL_QUEUE_PROFILING_ENABLE, &status)),
                  api_->clReleaseCommandQueue};
        dummy_ = {CL_MAKE(api_->clCreateBuffer(context_.get(), CL_MEM_READ_WRITE, kDummyBytes, nullptr, &status)),
                  api_->clReleaseMemObject};
    }

    std::unique_ptr<Buffer> make_buffer(Space space, std::size_t bytes) {
        start();
        cl_mem_flags flags = CL_MEM_READ_WRITE;
        switch (space) {
        case Space::global:
            break;
        case Space::host:
            flags |= CL_MEM_ALLOC_HOST_PTR;
            break;
        default:
            throw Unsupported("no OpenCL form of this memory space is written yet");
        }
        Handle<cl_mem> memory{CL_MAKE(api_->clCreateBuffer(context_.get(), flags, bytes, nullptr, &status)), api_->clReleaseMemObject};
        touch(memory.get(), bytes);
        Placement placement{std::nullopt, "OpenCL does not tell"};
        if (space == Space::host) placement = {std::nullopt, "host memory was asked for; OpenCL does not tell"};
        if (info_.cpu) placement = {true, "system memory (the device's own)"};
        return std::make_unique<OpenclBuffer>(std::move(memory), bytes, placement);
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

    void enqueue(const Copy& copy, cl_event* event) const {
        const cl_command_queue queue = queue_.get();
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

    void enqueue(const Launch& launch, cl_event* event) const {
        const auto& kernel = static_cast<const OpenclKernel&>(launch.kernel);
        const cl_kernel entry = kernel.entry.get();
        const cl_mem a = memory_of(launch.a), b = memory_of(launch.b), out = memory_of(&launch.out);
        const std::size_t scratchpad = std::max(launch.scratchpad_bytes, 16u); // a size of zero is an error
        CL(api_->clSetKernelArg(entry, 0, sizeof a, &a));
        CL(api_->clSetKernelArg(entry, 1, sizeof b, &b));
        CL(api_->clSetKernelArg(entry, 2, sizeof out, &out));
        CL(api_->clSetKernelArg(entry, 3, launch.args.size_bytes(), launch.args.data()));
        CL(api_->clSetKernelArg(entry, 4, scratchpad, nullptr));
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

    std::string build_log(cl_program program) const {
        std::size_t bytes = 0;
        CL(api_->clGetProgramBuildInfo(program, device_, CL_PROGRAM_BUILD_LOG, 0, nullptr, &bytes));
        std::string log(bytes, '\0');
        CL(api_->clGetProgramBuildInfo(program, device_, CL_PROGRAM_BUILD_LOG, bytes, log.data(), nullptr));
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
    const Clock* clock_ = nullptr;
    bool clock_works_ = false;
    Handle<cl_context> context_;
    Handle<cl_command_queue> queue_;
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

std::optional<std::string> opencl::why_no_form(const Path& path) {
    for (const Form& form : kForms)
        if (form.path == path.name) return form.refusal.empty() ? std::nullopt : std::optional(std::string(form.refusal));
    return "no OpenCL form of this path is written yet";
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
