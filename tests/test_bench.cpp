// Speeds to read, run by scripts/bench alone: nothing here can fail on a time.
#include <algorithm>
#include <chrono>
#include <iostream>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "backends/backends.h"
#include "backends/cuda/driver_api.h"
#include "core/chase.h"
#include "core/source.h"

using namespace sonde;

TEST_CASE("bench: building a chain" * doctest::skip()) {
    for (const Backend& backend : all_backends())
        for (const auto& device : backend.open().devices) {
            const DeviceInfo& info = device->info();
            const std::uint64_t wanted = info.cpu ? 128ull << 20 : 8ull << 30;
            const std::uint64_t bytes = std::min({wanted, info.largest_buffer / 2 * 2, info.memory_bytes / 2});
            const std::uint32_t slot = info.cpu ? 64 : 128, group_size = info.cpu ? info.subgroup : 256;
            const Chain chain(static_cast<std::uint32_t>(bytes / slot), slot == 64 ? 4 : 5, 1);
            const auto buffer = device->allocate(Space::global, bytes);
            const auto kernel = device->compile(kernel_source("chain"), {.a = find_path("global"), .group_size = group_size, .defines = chain_defines(*find_path("global"))});
            const auto args = chain.kernel_args();
            const std::uint32_t groups = info.cpu ? std::max(info.cores, chain.slots() / (group_size * 2048)) : info.cores * 32;
            const Launch launch{.kernel = *kernel, .out = *buffer, .args = args, .groups = std::max(1u, groups)};
            device->run({&launch, 1});
            const double ns = device->run({&launch, 1})[0].host_ns;
            std::cout << fmt::format("bench: chain over {} MiB on {}: {:.1f} ms, {:.1f} GB/s\n", bytes >> 20, info.id, ns / 1e6, static_cast<double>(bytes) / ns);
        }
}

// global.pointer through Sonde's own kernel against the barest chase there is, in one run on one card, over footprints that a cache
// holds: the ratio should be within 2 % of 1, or something of ours stands between two loads.
namespace {
constexpr const char* kBareChase = R"(
.version 3.2
.target sm_30
.address_size 64
.visible .entry bare(.param .u64 link, .param .u64 out, .param .u32 steps)
{
    .reg .u64 %at, %out, %begin, %end;
    .reg .u32 %n;
    .reg .pred %more;
    ld.param.u64 %at, [link];
    ld.param.u64 %out, [out];
    ld.param.u32 %n, [steps];
    mov.u64 %begin, %clock64;
again:
LOADS
    sub.u32 %n, %n, 64;
    setp.ne.u32 %more, %n, 0;
    @%more bra again;
    mov.u64 %end, %clock64;
    st.global.u64 [%out], %begin;
    st.global.u64 [%out+8], %end;
    st.global.u64 [%out+16], %at;
})";

/// Cycles per load of the bare chase from `link` on, as the slope of two walks.
class BareChase {
public:
    explicit BareChase(const cuda::Driver& driver) : api(driver) {
        std::string text = kBareChase, loads;
        for (int i = 0; i < 64; ++i) loads += "    ld.global.u64 %at, [%at];\n";
        text.replace(text.find("LOADS"), 5, loads);
        CU(cuModuleLoadDataEx(&module_, text.c_str(), 0, nullptr, nullptr));
        CU(cuModuleGetFunction(&function_, module_, "bare"));
        CU(cuMemAlloc(&out_, 24));
    }
    ~BareChase() {
        api.cuMemFree(out_);
        api.cuModuleUnload(module_);
    }
    double cycles(std::uint64_t link, std::uint32_t warm) {
        walked(link, warm);
        const std::uint32_t few = 1024, many = 16384;
        return (walked(link, many) - walked(link, few)) / (many - few);
    }

private:
    double walked(std::uint64_t link, std::uint32_t steps) {
        void* parameters[] = {&link, &out_, &steps};
        CU(cuLaunchKernel(function_, 1, 1, 1, 32, 1, 1, 0, nullptr, parameters, nullptr));
        std::uint64_t out[3];
        CU(cuMemcpyAsync(reinterpret_cast<cuda::DevicePointer>(out), out_, sizeof out, nullptr));
        CU(cuStreamSynchronize(nullptr));
        return static_cast<double>(out[1] - out[0]);
    }

    const cuda::Driver& api;
    cuda::ModuleHandle module_ = nullptr;
    cuda::FunctionHandle function_ = nullptr;
    cuda::DevicePointer out_ = 0;
};
} // namespace

TEST_CASE("bench: global.pointer against a bare PTX chase" * doctest::skip()) {
    const auto backends = all_backends();
    const Opened opened = std::find_if(backends.begin(), backends.end(), [](const Backend& backend) { return backend.api == "cuda"; })->open();
    if (opened.devices.empty()) return;
    Device& device = *opened.devices[0];
    const Path& path = *find_path("global.pointer");
    const auto builder = device.compile(kernel_source("chain"), {.a = find_path("global"), .group_size = 256, .defines = chain_defines(path)});
    const KernelChoice choice = chase_kernel(device.info(), path);
    const auto chase = device.compile(kernel_source("chase"), {.a = &path, .group_size = choice.group_size, .defines = choice.defines});
    const auto out = device.allocate(Space::global, (4 + 2 * choice.group_size) * 4);
    const cuda::Driver driver; // the device's context is current on this thread, and a second table of entry points costs nothing
    BareChase bare(driver);
    for (const std::uint32_t slots : {32u, 256u, 32768u}) {
        const Chain chain(slots, 5, 1);
        const auto memory = device.allocate(path.space, chain.words() * 4);
        const auto chain_args = chain.kernel_args();
        const Launch build{.kernel = *builder, .out = *memory, .args = chain_args, .groups = 1024};
        device.run({&build, 1});
        const auto walked = [&](std::uint32_t steps) {
            const std::uint32_t args[] = {chain.start(), 0, std::min(slots, 4096u), steps, 0, slots <= 4096 ? 0 : std::min(slots, 1u << 20), 5, 0, 0, 0};
            const Launch launch{.kernel = *chase, .a = memory.get(), .out = *out, .args = args};
            device.run({&launch, 1});
            std::uint64_t clocks[2];
            const Copy copy{.from = out.get(), .to_host = clocks, .bytes = sizeof clocks};
            device.copy({&copy, 1});
            return static_cast<double>(clocks[1] - clocks[0]);
        };
        walked(1024);
        const double ours = (walked(16384) - walked(1024)) / (16384 - 1024);
        const double theirs = bare.cycles(memory->address().value() + chain.start() * 4ull, std::max(1024u, std::min(slots, 1u << 20)));
        std::cout << fmt::format("bench: global.pointer over {} KiB: {:.2f} cycles, bare PTX {:.2f}, ratio {:.4f}\n", slots / 8, ours, theirs, ours / theirs);
    }
}
