// Speeds to read, a program of its own that scripts/bench runs: nothing here is a test.
#include <algorithm>
#include <chrono>
#include <iostream>

#include <fmt/format.h>

#include "backends/backends.h"
#include "backends/cuda/driver_api.h"
#include "core/device/kernel_source.h"
#include "core/measure/chase.h"
#include "core/measure/traffic.h"

using namespace sonde;

static void build_chains() {
    for (const Backend& backend : all_backends())
        for (const auto& device : backend.open().devices) {
            const DeviceInfo& info = device->info();
            const std::uint64_t wanted = info.cpu ? 128ull << 20 : 8ull << 30;
            const std::uint64_t bytes = std::min({wanted, info.largest_buffer / 2 * 2, info.memory_bytes / 2});
            const std::uint32_t slot = info.cpu ? 64 : 128, group_size = info.cpu ? info.subgroup : 256;
            const Chain chain(static_cast<std::uint32_t>(bytes / slot), slot == 64 ? 4 : 5, 1);
            const auto buffer = device->allocate(Space::global, bytes);
            const auto kernel = device->compile(kernel_source("chain"),
                {.a = find_path("global"), .group_size = group_size, .defines = chain_defines(*find_path("global"))});
            const auto args = chain.kernel_args();
            const std::uint32_t groups =
                info.cpu ? std::max(info.cores, chain.slots() / (group_size * 2048)) : info.cores * 32;
            const Launch launch{
                .kernel = *kernel, .out = *buffer, .args = Bench::words_of(args), .groups = std::max(1u, groups)};
            device->run({&launch, 1});
            const double ns = device->run({&launch, 1})[0].host_ns;
            std::cout << fmt::format("bench: chain over {} MiB on {}: {:.1f} ms, {:.1f} GB/s\n", bytes >> 20, info.id,
                ns / 1e6, static_cast<double>(bytes) / ns);
        }
}

// global.pointer through Sonde's own kernel against the barest chase there is, in one run on one card, over footprints
// that a cache holds: the ratio should be within 2 % of 1, or something of ours stands between two loads.
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

static void chase_beside_bare_ptx() {
    const auto backends = all_backends();
    const Opened opened = std::find_if(backends.begin(), backends.end(), [](const Backend& backend) {
        return backend.api == "cuda";
    })->open();
    if (opened.devices.empty()) return;
    Device& device = *opened.devices[0];
    const Path& path = *find_path("global.pointer");
    const auto builder = device.compile(
        kernel_source("chain"), {.a = find_path("global"), .group_size = 256, .defines = chain_defines(path)});
    const KernelChoice choice = chase_kernel(device.info(), path);
    const auto chase = device.compile(
        kernel_source("chase"), {.a = &path, .group_size = choice.group_size, .defines = choice.defines});
    const auto out = device.allocate(Space::global, (4 + 2 * choice.group_size) * 4);
    const cuda::Driver
        driver; // the device's context is current on this thread, and a second table of entry points costs nothing
    BareChase bare(driver);
    for (const std::uint32_t slots : {32u, 256u, 32768u}) {
        const Chain chain(slots, 5, 1);
        const auto memory = device.allocate(path.space, chain.words() * 4);
        const auto chain_args = chain.kernel_args();
        const Launch build{.kernel = *builder, .out = *memory, .args = Bench::words_of(chain_args), .groups = 1024};
        device.run({&build, 1});
        const auto walked = [&](std::uint32_t steps) {
            const kernel_args::Chase args{.steps = steps,
                .start = chain.start(),
                .warm = std::min(slots, 4096u),
                .touch_end = slots <= 4096 ? 0 : std::min(slots, 1u << 20),
                .shift = 5};
            const Launch launch{.kernel = *chase, .a = memory.get(), .out = *out, .args = Bench::words_of(args)};
            device.run({&launch, 1});
            std::uint64_t clocks[2];
            const Copy copy{.from = out.get(), .to_host = clocks, .bytes = sizeof clocks};
            device.copy({&copy, 1});
            return static_cast<double>(clocks[1] - clocks[0]);
        };
        walked(1024);
        const double ours = (walked(16384) - walked(1024)) / (16384 - 1024);
        const double theirs =
            bare.cycles(memory->address().value() + chain.start() * 4ull, std::max(1024u, std::min(slots, 1u << 20)));
        std::cout << fmt::format("bench: global.pointer over {} KiB: {:.2f} cycles, bare PTX {:.2f}, ratio {:.4f}\n",
            slots / 8, ours, theirs, ours / theirs);
    }
}

// What DRAM gives a kernel that does nothing but load: the measure for Sonde's own reads in the same run on the same
// card.
namespace {
constexpr std::uint64_t kGiB = 1ull << 30;

/// All work-items side by side through `bytes`, `loads` loads of 16 bytes at a time; the sum goes out so that no
/// compiler drops them.
std::string bare_read(std::uint32_t loads) {
    std::string registers, fetches, sums;
    for (std::uint32_t i = 0; i < loads; ++i) {
        registers += fmt::format("    .reg .u32 %a{0}, %b{0}, %c{0}, %d{0};\n", i);
        fetches += fmt::format(
            "    ld.global.v4.u32 {{%a{0}, %b{0}, %c{0}, %d{0}}}, [%at];\n    add.u64 %at, %at, %row;\n", i);
        sums += fmt::format("    add.u32 %a{0}, %a{0}, %b{0};\n    add.u32 %c{0}, %c{0}, %d{0};\n    add.u32 %sum, "
                            "%sum, %a{0};\n    add.u32 %sum, %sum, %c{0};\n",
            i);
    }
    return fmt::format(R"(
.version 3.2
.target sm_30
.address_size 64
.visible .entry bare(.param .u64 from, .param .u64 out, .param .u64 row, .param .u32 turns)
{{
    .reg .u64 %at, %out, %row, %offset;
    .reg .u32 %n, %id, %group, %size, %sum;
    .reg .pred %more;
{}    ld.param.u64 %at, [from];
    ld.param.u64 %out, [out];
    ld.param.u64 %row, [row];
    ld.param.u32 %n, [turns];
    mov.u32 %id, %tid.x;
    mov.u32 %group, %ctaid.x;
    mov.u32 %size, %ntid.x;
    mad.lo.u32 %id, %group, %size, %id;
    mul.wide.u32 %offset, %id, 16;
    add.u64 %at, %at, %offset;
    mov.u32 %sum, 0;
again:
{}{}    sub.u32 %n, %n, 1;
    setp.ne.u32 %more, %n, 0;
    @%more bra again;
    mul.wide.u32 %offset, %id, 4;
    add.u64 %out, %out, %offset;
    st.global.u32 [%out], %sum;
}})",
        registers, fetches, sums);
}

/// One such kernel, in any launch shape.
class BareReader {
public:
    BareReader(const cuda::Driver& driver, std::uint32_t loads) : api(driver), loads_(loads) {
        CU(cuModuleLoadDataEx(&module_, bare_read(loads).c_str(), 0, nullptr, nullptr));
        CU(cuModuleGetFunction(&function_, module_, "bare"));
        for (cuda::EventHandle* event : {&begin_, &end_}) CU(cuEventCreate(event, cuda::kEventDefault));
    }
    ~BareReader() {
        api.cuEventDestroy(begin_);
        api.cuEventDestroy(end_);
        api.cuModuleUnload(module_);
    }
    /// Bytes per ns, the best of some launches: what is left of `bytes` behind whole turns is not read, and not
    /// counted.
    double rate(std::uint64_t from, std::uint64_t out, std::uint64_t bytes, std::uint32_t group_size,
        std::uint32_t groups) const {
        std::uint64_t row = std::uint64_t{group_size} * groups * 16;
        auto turns = static_cast<std::uint32_t>(bytes / (row * loads_));
        void* parameters[] = {&from, &out, &row, &turns};
        float least = 0;
        for (int launch = 0; launch < 4; ++launch) { // the first one brings the clocks up
            CU(cuEventRecord(begin_, nullptr));
            CU(cuLaunchKernel(function_, groups, 1, 1, group_size, 1, 1, 0, nullptr, parameters, nullptr));
            CU(cuEventRecord(end_, nullptr));
            CU(cuStreamSynchronize(nullptr));
            float milliseconds = 0;
            CU(cuEventElapsedTime(&milliseconds, begin_, end_));
            if (launch == 1 || (launch > 1 && milliseconds < least)) least = milliseconds;
        }
        return static_cast<double>(turns * row) * loads_ / (least * 1e6);
    }

private:
    const cuda::Driver& api;
    const std::uint32_t loads_;
    cuda::ModuleHandle module_ = nullptr;
    cuda::FunctionHandle function_ = nullptr;
    cuda::EventHandle begin_ = nullptr, end_ = nullptr;
};

/// Random words: the first part by a kernel, the others are its copies.
std::unique_ptr<Buffer> random_memory(Device& device, std::uint64_t bytes) {
    constexpr std::uint64_t kPart = kGiB / 4;
    auto memory = device.allocate(Space::global, bytes);
    const auto filler = device.compile(
        kernel_source("fill"), {.a = find_path("global"), .b = nullptr, .group_size = 256, .defines = {}});
    const kernel_args::Fill args = fill_args(kPart / 4, 1u << 16, 1);
    const Launch fill{
        .kernel = *filler, .out = *memory, .args = Bench::words_of(args), .groups = device.info().cores * 8};
    device.run({&fill, 1});
    for (std::uint64_t at = kPart; at < bytes; at += kPart) {
        const Copy copy{.from = memory.get(), .to = memory.get(), .bytes = kPart, .to_offset = at};
        device.copy({&copy, 1});
    }
    return memory;
}
} // namespace

static void read_with_bare_ptx() {
    const auto backends = all_backends();
    const Opened opened = std::find_if(backends.begin(), backends.end(), [](const Backend& backend) {
        return backend.api == "cuda";
    })->open();
    if (opened.devices.empty()) return;
    Device& device = *opened.devices[0];
    const DeviceInfo& info = device.info();
    const std::uint32_t most_groups = info.cores * 32;
    const auto out = device.allocate(Space::global, std::uint64_t{most_groups} * 1024 * 4);
    for (const std::uint64_t bytes : {4 * kGiB, 16 * kGiB}) {
        if (bytes > info.memory_bytes / 2) continue;
        const auto memory = random_memory(device, bytes);
        const cuda::Driver driver;
        double best = 0;
        std::string shape;
        int tried = 0;
        for (const std::uint32_t loads : {1u, 2u, 4u, 8u}) {
            const BareReader reader(driver, loads);
            for (const std::uint32_t group_size : {128u, 256u, 512u, 1024u})
                for (std::uint32_t per_core = 2048 / group_size / 2; per_core <= 2048 / group_size;
                     per_core *= 2, ++tried) {
                    const double rate = reader.rate(
                        memory->address().value(), out->address().value(), bytes, group_size, info.cores * per_core);
                    if (rate <= best) continue;
                    best = rate;
                    shape = LaunchShape{loads, group_size, per_core}.text();
                }
        }
        std::cout << fmt::format(
            "bench: bare PTX reads {} GiB of {} at {:.1f} GB/s, {:.1f} % of the peak, with {} of {} shapes\n",
            bytes >> 30, info.id, best,
            info.bus_bytes_per_second > 0 ? 100 * best * 1e9 / info.bus_bytes_per_second : 0.0, shape, tried);
    }
}

int main() {
    build_chains();
    chase_beside_bare_ptx();
    read_with_bare_ptx();
}
