// The OpenCL backend: OpenCL 1.1 calls, OpenCL C texts compiled by the driver, one in-order queue per device, times
// from events.
#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "backends/backends.h"
#include "backends/nvidia_code.h"
#include "backends/nvidia_ptx.h"
#include "backends/opencl/clblast.h"
#include "backends/opencl/describe.h"
#include "backends/opencl/pair.h"
#include "backends/opencl/registers.h"
#include "backends/opencl/vkfft.h"
#include "backends/peers.h"
#include "core/device/doubles.h"

namespace sonde {

namespace {

using opencl::Api;
using opencl::Context;
using opencl::Handle;
using opencl::Register;

constexpr std::string_view kUnsupported =
    "unsupported: "; // with which the dialect's #error begins where a compiler lacks what a path needs

constexpr cl_uint kScratchpadArgument = 4; // behind A, B, the result and ARGS

class OpenclKernel final : public opencl::Enqueued {
public:
    /// `by_ptx`: its atomic additions are inline PTX, as OpenCL C has none here.
    OpenclKernel(
        const Context& context, Handle<cl_program> built, const std::string& name, const Build& build, bool by_ptx)
        : context_(context),
          api_(context.api),
          program_(std::move(built)),
          entry_(CL_MAKE(api_.clCreateKernel(program_.get(), name.c_str(), &status)), api_.clReleaseKernel),
          group_size_(build.group_size),
          a_(source_a(build)),
          b_(source_b(build)),
          declared_(declared_scratchpad_bytes(build)),
          by_ptx_(by_ptx) {
        cl_uint arguments = 0;
        CL(api_.clGetKernelInfo(entry_.get(), CL_KERNEL_NUM_ARGS, sizeof arguments, &arguments, nullptr));
        has_scratchpad_ = arguments > kScratchpadArgument;
    }

    Listing listing() const override {
        std::size_t bytes = 0;
        CL(api_.clGetProgramInfo(program_.get(), CL_PROGRAM_BINARY_SIZES, sizeof bytes, &bytes, nullptr));
        std::string binary(bytes, '\0');
        unsigned char* data = reinterpret_cast<unsigned char*>(binary.data());
        CL(api_.clGetProgramInfo(program_.get(), CL_PROGRAM_BINARIES, sizeof data, &data, nullptr));
        if (const std::size_t target = binary.find(".target sm_"); target != binary.npos) { // behind a header or not
            const std::size_t before = binary.rfind('\0', target), begin = before == binary.npos ? 0 : before + 1,
                              name = target + 8;
            const std::string ptx = binary.substr(begin, binary.find('\0', target) - begin),
                              chip = binary.substr(name, binary.find_first_of(" ,\n", name) - name);
            return nvidia::sass_or({"ptx", ptx}, [&] {
                Listing sass = nvidia::sass_of(nvidia::cubin_of(ptx, chip));
                sass.note = "by ptxas from the driver's PTX: the driver's own compiler may choose other instructions";
                return sass;
            });
        }
        const std::size_t elf = binary.find("\177ELF"); // PoCL puts a header of its own in front
        if (elf != binary.npos) return {"elf", binary.substr(elf)};
        return {"", fmt::format("the driver's binary ({} bytes) holds neither PTX nor an ELF file", bytes)};
    }

    /// Bytes as the driver counts them after compilation, without the scratchpad that a launch adds.
    std::vector<Fact> facts() const override {
        const cl_ulong counted = bytes_of(CL_KERNEL_LOCAL_MEM_SIZE);
        std::vector<Fact> facts{{"scratchpad bytes", declared_ && !counted ? "not counted" : std::to_string(counted),
                                    "CL_KERNEL_LOCAL_MEM_SIZE"},
            {"private bytes", std::to_string(bytes_of(CL_KERNEL_PRIVATE_MEM_SIZE)), "CL_KERNEL_PRIVATE_MEM_SIZE"}};
        if (by_ptx_) facts.push_back({"form of the atomic addition", "inline PTX", "kernels/dialect_opencl.h"});
        return facts;
    }
    /// A __local variable has at least one word: NVIDIA's driver reports one byte where there is none. An array that
    /// the driver does not count (some versions of PoCL say 0) is held all the same.
    std::uint32_t scratchpad_bytes() const override {
        const cl_ulong bytes = bytes_of(CL_KERNEL_LOCAL_MEM_SIZE);
        return bytes < sizeof(cl_uint) ? declared_ : static_cast<std::uint32_t>(bytes);
    }

    void enqueue(const Launch& launch, cl_event* event) const override {
        refuse_what_cuda_has("OpenCL", launch);
        const cl_kernel entry = entry_.get();
        const cl_mem a = context_.argument_of(launch.a, a_), b = context_.argument_of(launch.b, b_),
                     out = context_.argument_of(&launch.out);
        if (launch.scratchpad_bytes && !has_scratchpad_)
            throw Error("a launch with a scratchpad of a kernel that uses none");
        CL(api_.clSetKernelArg(entry, 0, sizeof a, &a));
        CL(api_.clSetKernelArg(entry, 1, sizeof b, &b));
        CL(api_.clSetKernelArg(entry, 2, sizeof out, &out));
        CL(api_.clSetKernelArg(entry, 3, launch.args.size_bytes(), launch.args.data()));
        if (has_scratchpad_) {
            const cl_int status = api_.clSetKernelArg(
                entry, kScratchpadArgument, std::max(launch.scratchpad_bytes, 16u), nullptr); // 0 bytes are an error
            if (status == CL_INVALID_ARG_SIZE)
                throw DoesNotFit(fmt::format(
                    "a scratchpad of {} bytes: clSetKernelArg: CL_INVALID_ARG_SIZE", launch.scratchpad_bytes));
            opencl::check(status, "clSetKernelArg");
        }
        const std::size_t local = group_size_, global = local * launch.groups;
        CL(api_.clEnqueueNDRangeKernel(context_.queue(), entry, 1, nullptr, &global, &local, 0, nullptr, event));
    }

private:
    cl_ulong bytes_of(cl_kernel_work_group_info query) const {
        cl_ulong value = 0;
        CL(api_.clGetKernelWorkGroupInfo(entry_.get(), context_.device, query, sizeof value, &value, nullptr));
        return value;
    }

    const Context& context_;
    const Api& api_;
    const Handle<cl_program> program_;
    const Handle<cl_kernel> entry_;
    const std::uint32_t group_size_;
    const KernelSource a_, b_;
    const std::uint32_t declared_; // bytes of scratchpad in its text
    const bool by_ptx_;
    bool has_scratchpad_ = false; // the dialect gives a kernel the argument only where its text uses it
};

class OpenclDevice final : public Device {
public:
    OpenclDevice(std::shared_ptr<const Api> api, cl_platform_id platform, cl_device_id device, std::string id)
        : api_(std::move(api)),
          device_(device),
          info_(opencl::describe(*api_, platform, device)),
          version_(opencl::text_answer(*api_, device, CL_DEVICE_VERSION)),
          compiler_{.vendor = opencl::vendor_of(*api_, platform, device)} {
        if (compiler_.vendor == opencl::Vendor::nvidia)
            compiler_.ptx = nvidia::ptx_of_driver(opencl::text_answer(*api_, device, CL_DRIVER_VERSION));
        info_.id = std::move(id);
        const std::uint64_t vendor = opencl::number_answer(*api_, device, CL_DEVICE_VENDOR_ID);
        for (const Register::Of of : {Register::Of::clock, Register::Of::core}) {
            candidates_[of] = opencl::registers_of(of, info_.cpu, vendor);
            if (!candidates_[of].empty()) tell(candidates_[of].front()); // the likely one, until the first compile
        }
        const auto several = [](const auto& of) { return of.second.size() > 1; };
        if (std::ranges::any_of(candidates_, several)) try_registers(); // what the device has is not known before
        if (!info_.subgroup) ask_kernel_for_subgroup();
    }

    const DeviceInfo& info() const override { return info_; }
    void add_fact(Fact fact) { info_.facts.push_back(std::move(fact)); }
    cl_device_id handle() const { return device_; }
    DeviceInfo& record() { return info_; }
    void know(const std::string& other, cl_device_id handle) { others_[other] = handle; }

    std::optional<std::string> why_not(const Path& path) const override {
        if (!opencl::number_answer(*api_, device_, CL_DEVICE_COMPILER_AVAILABLE))
            return "the driver has no OpenCL C compiler";
        if (path.space == Space::texel || path.space == Space::image2d) {
            if (!opencl::number_answer(*api_, device_, CL_DEVICE_IMAGE_SUPPORT)) return "the device has no images";
            if (version_.starts_with("OpenCL 1.0") || version_.starts_with("OpenCL 1.1") || !api_->clCreateImage)
                return fmt::format("needs OpenCL 1.2 (clCreateImage), this is {}", version_);
        }
        if (path.copied_only && info_.peers.empty()) return "the platform shows one device";
        return opencl::why_no_form(path, compiler_.vendor);
    }

    std::optional<std::string> why_lacking(Feature feature, bool in_scratchpad) const override {
        return opencl::why_lacking(*api_, device_, compiler_, feature, in_scratchpad);
    }

    std::unique_ptr<Buffer> allocate(Space space, std::size_t bytes) override {
        if (is_of_peer(space) && !info_.peers.empty()) return allocate_on(info_.peers.front(), space, bytes);
        if (space == Space::mapped && !opencl::number_answer(*api_, device_, CL_DEVICE_HOST_UNIFIED_MEMORY))
            throw Unsupported(
                "clEnqueueMapBuffer copies where the device does not report CL_DEVICE_HOST_UNIFIED_MEMORY");
        if (const auto reason = space == Space::shared ? opencl::why_not_shared(*api_, device_) : std::nullopt)
            throw Unsupported(*reason);
        return in_context(
            fmt::format("allocating {} bytes", bytes), [&] { return context().make_buffer(space, bytes, info_.cpu); });
    }

    std::unique_ptr<Buffer> allocate_on(const Peer& peer, Space space, std::size_t bytes) override {
        if (space == Space::peer) throw Unsupported(std::string(opencl::kNoPeerMemory));
        const bool on_other = space == Space::peer_unmapped;
        std::unique_ptr<opencl::Pair>& pair = pairs_[peer.device];
        return in_context(fmt::format("allocating {} bytes beside {}", bytes, peer.device), [&] {
            if (!pair) pair = std::make_unique<opencl::Pair>(*api_, device_, others_.at(peer.device));
            return pair->make_buffer(on_other, bytes, on_other ? peer.device : info_.id);
        });
    }

    std::vector<Timing> copy(std::span<const Copy> copies) override {
        const opencl::Pair* pair = copies.empty() ? nullptr : opencl::Pair::of(copies[0]);
        return pair ? pair->copy(copies) : context().copy(copies);
    }

    std::unique_ptr<Kernel> compile(const Source& source, const Build& build) override {
        context();
        check_second_source("OpenCL", build);
        check_needs(*this, build);
        try_registers();
        const bool nvidia = compiler_.vendor == opencl::Vendor::nvidia,
                   of_all_devices = std::ranges::find(build.needs, Feature::system_scope) != build.needs.end();
        if (of_all_devices && !nvidia && build.a->space != Space::host)
            throw Unsupported(
                "OpenCL's scope of all devices is of shared virtual memory, which no buffer of this path is");
        const bool by_ptx = nvidia && opencl::adds_floats(build);
        auto program = build_program(opencl::source_text(source, build, compiler_),
            !nvidia && opencl::takes_version_3(build) ? "-cl-std=CL3.0" : "");
        return std::make_unique<OpenclKernel>(context(), std::move(program), source.name, build, by_ptx);
    }

    LibraryKernel library_kernel(const LibraryWork& work) override {
        if (const auto* shape = std::get_if<TransformShape>(&work)) {
            if (!vkfft_) vkfft_ = std::make_shared<const opencl::Vkfft>();
            return opencl::library_transform(context(), vkfft_, *shape);
        }
        if (!clblast_) clblast_ = std::make_shared<const opencl::Clblast>();
        return opencl::library_product(context(), clblast_, std::get<ProductShape>(work));
    }

    std::vector<Timing> run(std::span<const Launch> launches, Timed timed) override {
        Context& here = context();
        for (const Launch& launch : launches) Context::unpin({launch.a, launch.b, &launch.out});
        return here.time(timed, launches.size(), [&](std::size_t i, cl_event* event) {
            static_cast<const opencl::Enqueued&>(launches[i].kernel).enqueue(launches[i], event);
        });
    }

private:
    /// Made at first use: enumerating stays cheap.
    Context& context() {
        if (!context_) context_ = std::make_unique<Context>(*api_, device_);
        return *context_;
    }

    Handle<cl_program> build_program(const std::string& text, const char* options = "") {
        const char* lines = text.c_str();
        Handle<cl_program> program{
            CL_MAKE(api_->clCreateProgramWithSource(context().handle.get(), 1, &lines, nullptr, &status)),
            api_->clReleaseProgram};
        try {
            CL(api_->clBuildProgram(program.get(), 1, &device_, options, nullptr, nullptr));
        } catch (const Error& error) { // the driver's refusal to give its log must not hide why there was no program
            const auto log = opencl::bytes_of([&](std::size_t room, void* data, std::size_t* bytes) {
                return api_->clGetProgramBuildInfo(program.get(), device_, CL_PROGRAM_BUILD_LOG, room, data, bytes);
            });
            if (const std::size_t at = log ? log->find(kUnsupported) : std::string::npos; at != std::string::npos)
                throw Unsupported(
                    log->substr(at + kUnsupported.size(), log->find_first_of("\"\n", at) - at - kUnsupported.size()));
            throw CompileRefused(
                fmt::format("{}\n{}", error.what(), log ? log->substr(0, log->find('\0')) : "(and has no build log)"));
        }
        return program;
    }

    void tell(const Register* of_core) {
        if (of_core->of == Register::Of::core) {
            info_.core_name = of_core->name;
            return;
        }
        info_.clock = of_core->name;
        info_.core_cycles = of_core->core_cycles;
        if (of_core->ptx) info_.other_clocks = {OtherClock::ptx_clock, OtherClock::ptx_globaltimer};
    }

    /// Where no query of the device tells how many work-items run in lockstep: what the driver says of a kernel.
    void ask_kernel_for_subgroup() {
        constexpr std::uint32_t kAssumed = 32;
        std::optional<std::uint32_t> lanes;
        std::string source = "CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE";
        try {
            const auto program = build_program(
                opencl::source_text(kernel_source("empty"), {.a = &path_named("global"), .group_size = 64}, {}));
            const Handle<cl_kernel> kernel{
                CL_MAKE(api_->clCreateKernel(program.get(), "empty", &status)), api_->clReleaseKernel};
            lanes = opencl::subgroup_of(*api_, device_, kernel.get());
        } catch (const Error& error) {
            source += fmt::format(" ({})", first_lines(error.what(), 1));
        }
        info_.subgroup = lanes.value_or(kAssumed);
        info_.facts.push_back(
            {"subgroup", lanes ? std::to_string(*lanes) : fmt::format("{}, assumed", kAssumed), source});
    }

    /// Which forms of the core's registers the driver's compiler takes; where it takes none, a fact for each says why.
    void try_registers() {
        if (std::exchange(tried_, true)) return;
        for (const auto& [of, candidates] : candidates_) {
            const bool clock = of == Register::Of::clock;
            if (clock) info_.clock = "", info_.core_cycles = false, info_.other_clocks.clear();
            else info_.core_name = "";
            std::vector<Fact> refused;
            const auto taken = std::ranges::find_if(candidates, [&, sought = of](const Register* candidate) {
                try {
                    build_program(opencl::source_text(kernel_source(opencl::trial_kernel(sought)),
                        {.a = &path_named("global")}, {.registers = {candidate}}));
                    return true;
                } catch (const Error& error) {
                    refused.push_back({clock ? "no kernel clock" : "no core number", error.what(), candidate->name});
                    return false;
                }
            });
            if (taken == candidates.end()) {
                info_.facts.insert(info_.facts.end(), refused.begin(), refused.end());
                continue;
            }
            tell(*taken);
            compiler_.registers.push_back(*taken);
        }
    }

    const std::shared_ptr<const Api> api_;
    const cl_device_id device_;
    DeviceInfo info_;
    const std::string version_; // "OpenCL 3.0 ..."
    opencl::Compiler compiler_;
    std::map<Register::Of, std::vector<const Register*>> candidates_;
    bool tried_ = false;
    std::shared_ptr<const opencl::Clblast> clblast_; // null before the first product
    std::shared_ptr<const opencl::Vkfft> vkfft_;     // null before the first transform
    std::unique_ptr<Context> context_;
    std::map<std::string, cl_device_id> others_;                 // of its platform, by device
    std::map<std::string, std::unique_ptr<opencl::Pair>> pairs_; // by the other device, from the first use on
};

/// Devices of one platform as each other's peers: no kernel of OpenCL's reaches another's memory.
void join(const std::vector<DeviceInfo*>& infos, std::span<const std::unique_ptr<OpenclDevice>> devices) {
    add_peers(infos, [](std::size_t, std::size_t) { return false; });
    for (const auto& device : devices)
        for (const auto& other : devices) device->know(other->info().id, other->handle());
}

/// The devices of all platforms, and one line about the platforms that gave none.
Opened open_devices() {
    const auto shared = std::make_shared<const Api>();
    const Api& api = *shared;
    const auto platforms = opencl::list_of<cl_platform_id>([&](cl_uint room, cl_platform_id* found, cl_uint* count) {
        const cl_int status = api.clGetPlatformIDs(room, found, count);
        if (status != CL_PLATFORM_NOT_FOUND_KHR) opencl::check(status, "clGetPlatformIDs");
    });
    std::vector<std::unique_ptr<OpenclDevice>> devices;
    std::string without =
        platforms.empty() ? "the OpenCL loader finds no platform (CL_PLATFORM_NOT_FOUND_KHR): no driver is installed"
                          : "";
    for (std::size_t p = 0; p < platforms.size(); ++p) {
        std::string reason = "no device";
        try {
            const auto found = opencl::list_of<cl_device_id>([&](cl_uint room, cl_device_id* ids, cl_uint* count) {
                CL(api.clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, room, ids, count));
            });
            const auto first = std::ranges::find(platforms, platforms[p]) - platforms.begin();
            std::vector<DeviceInfo*> of_platform;
            for (std::size_t d = 0; d < found.size(); ++d) {
                devices.push_back(
                    std::make_unique<OpenclDevice>(shared, platforms[p], found[d], fmt::format("opencl:{}.{}", p, d)));
                of_platform.push_back(&devices.back()->record());
                if (first != static_cast<std::ptrdiff_t>(p)) // two files name one driver
                    devices.back()->add_fact({kDouble, fmt::format("opencl:{}.{}", first, d), "cl_platform_id"});
            }
            join(of_platform, std::span(devices).last(found.size()));
            if (!found.empty()) continue;
        } catch (const Error& error) { // must not hide the other platforms
            reason = error.what();
        }
        without += fmt::format(
            "{}platform {} ({}): {}", without.empty() ? "" : "; ", p, opencl::platform_name(api, platforms[p]), reason);
    }
    Opened opened;
    if (devices.empty()) opened.absent = without;
    for (auto& device : devices) {
        if (!without.empty()) device->add_fact({"platforms without a device", without, "clGetDeviceIDs"});
        opened.devices.push_back(std::move(device));
    }
    return opened;
}

} // namespace

Opened open_opencl() { return opened(open_devices); }

} // namespace sonde
