// Loading PTX through the driver's compiler, keeping its cubin, and launching what comes out.
#include "backends/cuda/kernel.h"

#include <algorithm>
#include <array>

#include "backends/nvidia_code.h"

namespace sonde::cuda {

namespace {

constexpr std::uint32_t kDynamicBytesWithoutAsking = 48 * 1024; // more needs an attribute on every card that has more
constexpr std::uint32_t kPortableCluster = 8;                   // workgroups; more as well

/// What the driver's compiler is told, and its log. It writes here for as long as a link lives, so this must live
/// longer.
struct JitOptions {
    // Told the workgroup's size, the compiler never takes more registers than a launch of that size can have.
    JitOptions(std::uint32_t group_size, const Path& path)
        : values{number(group_size), info.data(), number(info.size()), error.data(), number(error.size()),
              number(kJitCacheModeCa)},
          count(path.name == "global.ca" ? 6 : 5) {}
    JitOptions(const JitOptions&) = delete;
    static void* number(std::uintptr_t value) { return reinterpret_cast<void*>(value); }

    /// Puts the compiler's log behind the error that `body` ends with.
    template <class Body> void with_log(const Body& body) const {
        try {
            body();
        } catch (const DoesNotFit&) {
            throw; // not about the text
        } catch (const Unsupported&) {
            throw;
        } catch (const Error& failure) {
            throw CompileRefused(fmt::format("{}\n{}{}", failure.what(), error.data(), info.data()));
        }
    }

    std::array<char, 16384> info{}, error{};
    std::array<int, 6> options{kJitThreadsPerBlock, kJitInfoLogBuffer, kJitInfoLogBufferBytes, kJitErrorLogBuffer,
        kJitErrorLogBufferBytes, kJitCacheMode};
    std::array<void*, 6> values;
    const unsigned count;
};

/// The cubin that the driver's compiler makes of a PTX text; only linking, even of one text, hands it out.
std::string linked_cubin(const Driver& api, const std::string& ptx, std::uint32_t group_size, const Path& path) {
    if (!api.cuLinkCreate || !api.cuLinkAddData || !api.cuLinkComplete || !api.cuLinkDestroy)
        throw Error("this driver has no cuLink functions");
    JitOptions jit(group_size, path);
    LinkHandle link = nullptr;
    CU(cuLinkCreate(jit.count, jit.options.data(), jit.values.data(), &link));
    const std::unique_ptr<OpaqueLink, Result (*)(LinkHandle)> owner(link, api.cuLinkDestroy);
    std::string cubin;
    jit.with_log([&] {
        void* image = nullptr;
        std::size_t bytes = 0;
        void* text = const_cast<char*>(ptx.c_str()); // read only; the API has no const
        CU(cuLinkAddData(link, kJitInputPtx, text, ptx.size() + 1, "sonde.ptx", 0, nullptr, nullptr));
        CU(cuLinkComplete(link, &image, &bytes));
        cubin.assign(static_cast<const char*>(image), bytes); // the image is the link's own and goes with it
    });
    return cubin;
}

} // namespace

CudaKernel::CudaKernel(Context& context, std::string_view ptx, const std::string& entry_point, const Build& build)
    : context_(context),
      ptx_(ptx),
      a_(source_a(build)),
      b_(source_b(build)),
      group_size_(build.group_size),
      dynamic_bytes_(kDynamicBytesWithoutAsking) {
    const Driver& api = context_.api;
    try {
        cubin_ = linked_cubin(api, ptx_, group_size_, *build.a);
    } catch (const Error& error) {
        no_cubin_ = error.what();
    }
    // What cannot be linked may still load: old drivers link less than they load. A text that is wrong fails here
    // again.
    JitOptions jit(group_size_, *build.a);
    jit.with_log([&] {
        if (cubin_.empty())
            CU(cuModuleLoadDataEx(&module_, ptx_.c_str(), jit.count, jit.options.data(), jit.values.data()));
        else CU(cuModuleLoadDataEx(&module_, cubin_.data(), 0, nullptr, nullptr));
    });
    const Result found = api.cuModuleGetFunction(&function_, module_, entry_point.c_str());
    if (found != kSuccess) api.cuModuleUnload(module_);
    api.check(found, fmt::format("cuModuleGetFunction('{}')", entry_point).c_str());
}

CudaKernel::~CudaKernel() {
    const Driver& api = context_.api;
    context_.try_make_current();
    api.cuModuleUnload(module_);
}

Listing CudaKernel::listing() const {
    return nvidia::sass_or(
        {"ptx", ptx_}, [&] { return cubin_.empty() ? throw Error(no_cubin_) : nvidia::sass_of(cubin_); });
}

std::vector<Fact> CudaKernel::facts() const {
    constexpr std::pair<const char*, int> kAsked[] = {{"registers", kFunctionRegisters},
        {"scratchpad bytes", kFunctionSharedBytes}, {"local bytes", kFunctionLocalBytes},
        {"cache mode ca", kFunctionCacheModeCa}};
    std::vector<Fact> facts;
    for (const auto& [name, attribute] : kAsked)
        if (int value = 0; context_.api.cuFuncGetAttribute(&value, attribute, function_) == kSuccess)
            facts.push_back({name, std::to_string(value), "cuFuncGetAttribute"});
    return facts;
}

std::uint32_t CudaKernel::scratchpad_bytes() const {
    int bytes = 0;
    context_.api.check(context_.api.cuFuncGetAttribute(&bytes, kFunctionSharedBytes, function_), "cuFuncGetAttribute");
    return static_cast<std::uint32_t>(bytes);
}

std::optional<std::uint32_t> CudaKernel::resident_groups(std::uint32_t scratchpad_bytes) const {
    int groups = 0;
    const auto ask = context_.api.cuOccupancyMaxActiveBlocksPerMultiprocessor;
    if (!ask || ask(&groups, function_, static_cast<int>(group_size_), scratchpad_bytes) != kSuccess)
        return std::nullopt;
    return static_cast<std::uint32_t>(groups);
}

/// Percent where the driver takes them, else the nearest word that it has for so many KiB.
void CudaKernel::set_carveout(const std::optional<Carveout>& carveout) const {
    const Driver& api = context_.api;
    const auto asked_in = [&](Carveout::Unit unit) {
        return (carveout && carveout->unit == unit) || (carveout_ && carveout_->unit == unit);
    };
    if (asked_in(Carveout::Unit::kibibytes)) { // now, or before and is to be taken back
        const int wanted = carveout ? carveout->value : 0;
        CU(cuFuncSetCacheConfig(function_, wanted == 16   ? kPreferL1
                                           : wanted == 32 ? kPreferEqual
                                           : wanted == 48 ? kPreferShared
                                                          : kPreferNone));
    }
    if (asked_in(Carveout::Unit::percent))
        CU(cuFuncSetAttribute(
            function_, kFunctionPreferredSharedMemoryCarveout, carveout ? carveout->value : kCarveoutDefault));
    carveout_ = carveout;
}

std::optional<std::uint32_t> CudaKernel::resident_clusters(
    std::uint32_t cluster, std::uint32_t scratchpad_bytes) const {
    const auto ask = context_.api.cuOccupancyMaxActiveClusters;
    if (!ask) return std::nullopt;
    allow(scratchpad_bytes, cluster);
    LaunchAttribute size{.values = {cluster, 1, 1}};
    const LaunchConfig config{cluster, 1, 1, group_size_, 1, 1, scratchpad_bytes, nullptr, &size, 1};
    int clusters = 0;
    if (ask(&clusters, function_, &config) != kSuccess) return std::nullopt;
    return static_cast<std::uint32_t>(clusters);
}

void CudaKernel::allow(std::uint32_t scratchpad_bytes, std::uint32_t cluster) const {
    const Driver& api = context_.api;
    if (scratchpad_bytes > dynamic_bytes_) {
        in_context(fmt::format("a scratchpad of {} bytes", scratchpad_bytes), [&] {
            const Result result =
                api.cuFuncSetAttribute(function_, kFunctionMaxDynamicSharedBytes, static_cast<int>(scratchpad_bytes));
            if (result == kInvalidValue)
                throw DoesNotFit("cuFuncSetAttribute: CUDA_ERROR_INVALID_VALUE"); // more than a workgroup may have
            api.check(result, "cuFuncSetAttribute");
        });
        dynamic_bytes_ = scratchpad_bytes;
    }
    if (cluster <= kPortableCluster || large_clusters_) return;
    if (api.cuFuncSetAttribute(function_, kFunctionNonPortableCluster, 1) != kSuccess)
        throw Unsupported(fmt::format("the driver allows no clusters of more than {} workgroups", kPortableCluster));
    large_clusters_ = true;
}

void CudaKernel::prepare(const Launch& launch) const {
    const Driver& api = context_.api;
    allow(launch.scratchpad_bytes, launch.cluster);
    if (launch.carveout != carveout_) set_carveout(launch.carveout);
    const int banks = !launch.bank_bytes ? kBanksDefault : *launch.bank_bytes == 8 ? kBanksEightBytes : kBanksFourBytes;
    if (banks != banks_) {
        CU(cuFuncSetSharedMemConfig(function_, banks));
        banks_ = banks;
    }
    if (launch.a && a_.space == Space::constant) fill_constants("constants", *launch.a);
    if (launch.b && b_.space == Space::constant) fill_constants("constants_b", *launch.b);
}

void CudaKernel::fill_constants(const char* name, const Buffer& from) const {
    const Driver& api = context_.api;
    DevicePointer symbol = 0;
    std::size_t room = 0;
    CU(cuModuleGetGlobal(&symbol, &room, module_, name));
    CU(cuMemcpyAsync(symbol, address_of(from), std::min(from.bytes(), room), context_.stream()));
}

void CudaKernel::enqueue(const Launch& launch) const {
    const Driver& api = context_.api;
    const auto bound = [&](const Buffer* buffer, const KernelSource& source) { // an address, or a texture's handle
        return !buffer                    ? context_.dummy()
               : is_texture(source.space) ? texture_of(*buffer, source.width)
                                          : address_of(*buffer);
    };
    DevicePointer a = bound(launch.a, a_), b = bound(launch.b, b_), out = address_of(launch.out);
    // The driver copies what these point at before it returns; it knows each parameter's size from the kernel.
    void* parameters[] = {&a, &b, &out, const_cast<std::uint32_t*>(launch.args.data())};
    if (launch.cluster == 1) {
        CU(cuLaunchKernel(function_, launch.groups, 1, 1, group_size_, 1, 1, launch.scratchpad_bytes, context_.stream(),
            parameters, nullptr));
        return;
    }
    LaunchAttribute cluster{.values = {launch.cluster, 1, 1}};
    const LaunchConfig config{
        launch.groups, 1, 1, group_size_, 1, 1, launch.scratchpad_bytes, context_.stream(), &cluster, 1};
    CU(cuLaunchKernelEx(&config, function_, parameters, nullptr));
}

} // namespace sonde::cuda
