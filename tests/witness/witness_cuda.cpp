// The kinds over CUDA's driver API, opened at run time; kernels.cu travels as PTX.
#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>

#include "witness.h"

asm(".section .rodata\n.global kernels_ptx, matrix_ptx\nkernels_ptx:\n.incbin \"" KERNELS_PTX
    "\"\n.byte 0\nmatrix_ptx:\n.incbin \"" MATRIX_PTX "\"\n.byte 0\n.previous\n");
extern "C" const char kernels_ptx[], matrix_ptx[];

/// Calls a function of libcuda.so.1 with the types given, which have to be the driver's; anything but 0 is an error.
template <class... A> static void cu(const char* name, A... args) {
    static void* const library = dlopen("libcuda.so.1", RTLD_NOW);
    if (!library) throw std::runtime_error(dlerror());
    void* const function = dlsym(library, name);
    if (!function) throw std::runtime_error(std::string(name) + ": not in this driver");
    if (const int code = reinterpret_cast<int (*)(A...)>(function)(args...))
        throw std::runtime_error(std::string(name) + ": error " + std::to_string(code));
}

namespace {
using Pointer = void*;
constexpr int kCores = 16, kLargestHeld = 97, kCapability = 75; // attributes of a device
constexpr int kDynamicBytes = 8;                                // attribute of a function

struct Cuda final : Card {
    Pointer module = nullptr, matrix_module = nullptr, begin = nullptr, end = nullptr, pinned = nullptr;
    std::map<std::string, Pointer> functions;

    Cuda() {
        api = "cuda", clock = true;
        cu("cuInit", 0u);
        int device = 0, count = 0;
        cu("cuDeviceGet", &device, 0);
        Pointer context = nullptr;
        cu("cuDevicePrimaryCtxRetain", &context, device);
        cu("cuCtxSetCurrent", context);
        char text[256];
        cu("cuDeviceGetName", static_cast<char*>(text), 256, device);
        name = text;
        cu("cuDeviceGetAttribute", &count, kCores, device);
        cores = static_cast<unsigned>(count);
        cu("cuDeviceGetAttribute", &count, kLargestHeld, device);
        largest_held = static_cast<unsigned>(count);
        std::size_t bytes = 0;
        cu("cuDeviceTotalMem_v2", &bytes, device);
        memory = bytes;
        cu("cuModuleLoadData", &module, static_cast<const void*>(kernels_ptx));
        cu("cuDeviceGetAttribute", &count, kCapability, device);
        if (count >= 8) cu("cuModuleLoadData", &matrix_module, static_cast<const void*>(matrix_ptx));
        cu("cuEventCreate", &begin, 0u);
        cu("cuEventCreate", &end, 0u);
    }
    Handle allocate(std::uint64_t bytes) override {
        Handle buffer = 0;
        cu("cuMemAlloc_v2", &buffer, static_cast<std::size_t>(bytes));
        cu("cuMemsetD8_v2", buffer, static_cast<unsigned char>(0), static_cast<std::size_t>(bytes));
        return buffer;
    }
    void release(Handle buffer) override {
        try {
            cu("cuMemFree_v2", buffer);
        } catch (const std::exception& error) {
            std::fprintf(stderr, "%s\n", error.what());
        }
    }
    void write(Handle buffer, const void* from, std::uint64_t bytes) override {
        cu("cuMemcpyHtoD_v2", buffer, from, static_cast<std::size_t>(bytes));
    }
    void read(Handle buffer, void* to, std::uint64_t bytes) override {
        cu("cuMemcpyDtoH_v2", to, buffer, static_cast<std::size_t>(bytes));
    }
    std::uint64_t address(Handle buffer) override { return buffer; }
    void set_constant(const void* from, std::uint64_t bytes) override {
        Handle bank = 0;
        std::size_t size = 0;
        cu("cuModuleGetGlobal_v2", &bank, &size, module, static_cast<const char*>("bank"));
        cu("cuMemcpyHtoD_v2", bank, from, static_cast<std::size_t>(bytes));
    }
    bool has(const std::string& kernel) const override {
        return is_matrix(kernel) ? matrix_module != nullptr : kernel != "chain_rcp_ptx_f32";
    }
    static bool is_matrix(const std::string& kernel) { return kernel.starts_with("mma_"); }

    Pointer function(const std::string& kernel, unsigned held) {
        Pointer& found = functions[kernel];
        if (!found) cu("cuModuleGetFunction", &found, is_matrix(kernel) ? matrix_module : module, kernel.c_str());
        if (held > 48 << 10) cu("cuFuncSetAttribute", found, kDynamicBytes, static_cast<int>(held));
        return found;
    }
    void start(const Launch& launch) {
        Handle a = launch.a, out = launch.out;
        Args args = launch.args;
        void* arguments[] = {&a, &out, &args[0], &args[1], &args[2], &args[3]};
        cu("cuLaunchKernel", function(launch.kernel, launch.held), launch.groups, 1u, 1u, launch.size, 1u, 1u,
            launch.held, Pointer{}, static_cast<void**>(arguments), static_cast<void**>(nullptr));
    }
    double between_events() {
        cu("cuEventSynchronize", end);
        float ms = 0;
        cu("cuEventElapsedTime", &ms, begin, end);
        return double{ms} * 1e6;
    }
    double run(const Launch& launch) override {
        function(launch.kernel, launch.held);
        cu("cuEventRecord", begin, Pointer{});
        start(launch);
        cu("cuEventRecord", end, Pointer{});
        return between_events();
    }
    double copy_gbs(bool to_device, std::uint64_t bytes) override {
        const Handle buffer = allocate(bytes);
        if (!pinned) cu("cuMemHostAlloc", &pinned, static_cast<std::size_t>(bytes), 0u);
        double ns = 1e30;
        for (int repeat = 0; repeat < 10; repeat++) {
            cu("cuEventRecord", begin, Pointer{});
            if (to_device)
                cu("cuMemcpyHtoDAsync_v2", buffer, static_cast<const void*>(pinned), static_cast<std::size_t>(bytes),
                    Pointer{});
            else cu("cuMemcpyDtoHAsync_v2", pinned, buffer, static_cast<std::size_t>(bytes), Pointer{});
            cu("cuEventRecord", end, Pointer{});
            ns = std::min(ns, between_events());
        }
        release(buffer);
        return static_cast<double>(bytes) / ns;
    }
    void launch_many(const Launch& launch, unsigned count, bool wait_for_each) override {
        for (unsigned n = 0; n < count; n++) {
            start(launch);
            if (wait_for_each) cu("cuCtxSynchronize");
        }
        cu("cuCtxSynchronize");
    }
};
} // namespace

/// The driver's own query beside the count of kinds.cpp.
static void occupancy_query(Card& card) {
    auto& cuda = dynamic_cast<Cuda&>(card);
    for (const unsigned held : held_sizes(card)) {
        int groups = 0;
        cu("cuOccupancyMaxActiveBlocksPerMultiprocessor", &groups, cuda.function(held ? "occupy_held" : "occupy", held),
            32, static_cast<std::size_t>(held));
        figure(card, "occupancy-query", size_text(held), groups, "workgroups/core");
    }
}

/// Loads as other paths make them.
static void paths(Card& card) {
    for (const char* kernel : {"chase", "chase_readonly", "chase_predicate", "chase_clamp", "chase_masked"})
        for (const std::uint64_t bytes : {32 << 10, 4 << 20})
            print_load(card, "paths", std::string(kernel) + " " + size_text(bytes), load_time(card, kernel, bytes));
}

/// Splits the cores in two by their rows of latencies: those nearer to the row of core 0, and those nearer to the row
/// that differs most from it.
static std::vector<bool> two_groups(const std::vector<std::vector<double>>& ns) {
    const std::size_t count = ns.size();
    auto centers = std::vector{ns[0], ns[0]};
    const auto apart = [&](std::size_t core, const std::vector<double>& from) {
        double sum = 0;
        for (std::size_t n = 0; n < count; n++)
            sum += n == core ? 0 : (ns[core][n] - from[n]) * (ns[core][n] - from[n]);
        return sum;
    };
    std::size_t farthest = 0;
    for (std::size_t core = 1; core < count; core++)
        if (farthest == 0 || apart(core, ns[0]) > apart(farthest, ns[0])) farthest = core;
    centers[1] = ns[farthest];
    std::vector<bool> second(count);
    for (int round = 0; round < 20; round++) {
        for (std::size_t core = 0; core < count; core++)
            second[core] = apart(core, centers[1]) < apart(core, centers[0]);
        for (const bool group : {false, true}) {
            std::vector<double> sum(count), members(count);
            for (std::size_t core = 0; core < count; core++)
                for (std::size_t n = 0; n < count; n++)
                    if (second[core] == group && n != core) sum[n] += ns[core][n], members[n]++;
            for (std::size_t n = 0; n < count; n++)
                if (members[n] > 0) centers[group][n] = sum[n] / members[n];
        }
    }
    return second;
}

/// Every pair of cores, one workgroup on each core, a word on one line for all pairs: the word's own distance is then
/// the same for all.
static void core_to_core(Card& card) {
    constexpr std::uint32_t kRounds = 200;
    const Handle a = card.allocate(4096), out = card.allocate(4096);
    std::vector<std::vector<double>> cycles(card.cores, std::vector<double>(card.cores));
    std::vector<double> all;
    const auto most = static_cast<unsigned>(card.largest_held); // one workgroup fills a core
    const std::uint32_t zeros[64] = {};
    for (std::uint32_t x = 0; x < card.cores; x++) {
        for (std::uint32_t y = x + 1; y < card.cores; y++) {
            card.write(a, zeros, sizeof zeros);
            card.run({.kernel = "exchange",
                .groups = card.cores,
                .size = 1,
                .held = most,
                .a = a,
                .out = out,
                .args = {x, y, kRounds, 0}});
            std::uint32_t taken = 0;
            card.read(out, &taken, sizeof taken);
            if (taken == 0)
                throw std::runtime_error("cores " + std::to_string(x) + " and " + std::to_string(y) + " did not meet");
            cycles[x][y] = cycles[y][x] = taken / 2.0 / kRounds;
            all.push_back(cycles[x][y]);
        }
    }
    std::vector<std::uint32_t> seen(1 + card.cores);
    card.read(out, seen.data(), seen.size() * 4);
    if (std::count(seen.begin() + 1, seen.end(), 1u) != static_cast<std::ptrdiff_t>(card.cores))
        throw std::runtime_error("not every core had a workgroup");
    const auto median = [](std::vector<double> values) {
        if (values.empty()) return 0.0;
        std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
        return values[values.size() / 2];
    };
    const Load known = load_time(card, "chase", 32 << 10); // ns of a cycle
    const double ns = known.ns / known.cycles;
    const std::vector<bool> second = two_groups(cycles);
    std::vector<double> sorts[3]; // inside the first, across, inside the second
    for (std::uint32_t x = 0; x < card.cores; x++)
        for (std::uint32_t y = x + 1; y < card.cores; y++) sorts[second[x] + second[y]].push_back(cycles[x][y]);
    figure(card, "core-to-core", "pairs", static_cast<double>(all.size()), "pairs");
    figure(card, "core-to-core", "least", *std::min_element(all.begin(), all.end()) * ns, "ns");
    figure(card, "core-to-core", "median", median(all) * ns, "ns");
    figure(card, "core-to-core", "most", *std::max_element(all.begin(), all.end()) * ns, "ns");
    figure(card, "core-to-core", "first group", static_cast<double>(std::count(second.begin(), second.end(), false)),
        "cores");
    figure(card, "core-to-core", "second group", static_cast<double>(std::count(second.begin(), second.end(), true)),
        "cores");
    figure(card, "core-to-core", "inside the first, median", median(sorts[0]) * ns, "ns");
    figure(card, "core-to-core", "across, median", median(sorts[1]) * ns, "ns");
    figure(card, "core-to-core", "inside the second, median", median(sorts[2]) * ns, "ns");
}

int main(int argc, char** argv) {
    return witness_main(argc, argv, "cuda", [] { return new Cuda; },
        {{"paths", paths}, {"load-times", load_times}, {"occupancy-query", occupancy_query},
            {"core-to-core", core_to_core}, {"matrix", matrix}, {"stencil", stencil}});
}
