// The host backend: this machine's processor as a device. The reference for every kernel's answer, the template for the
// next backend, and a default that always runs. A workgroup is one work-item; workgroups are shared out among threads.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <thread>

#include <fmt/format.h>

#include "backends/backends.h"
#include "backends/common.h"
#include "backends/host/kernels.h"
#include "core/base/limits.h"
#include "core/base/processor.h"
#include "core/base/system.h"
#include "core/device/kernel_source.h"

namespace sonde {

namespace {

constexpr std::uint32_t kScratchpadBytes = 256 * 1024; // ordinary memory; the size only bounds the sweep

/// Pages of its own, so that a block's own allocation is really new memory.
class HostBuffer final : public Buffer {
public:
    explicit HostBuffer(std::size_t bytes) : bytes_(bytes), pages_(bytes) {}
    std::size_t bytes() const override { return bytes_; }
    Placement placement() const override { return {true, "system memory (the device's own)"}; }
    void* shared_with_host() const override { return data(); }
    char* data() const { return static_cast<char*>(pages_.data()); }

private:
    std::size_t bytes_;
    Pages pages_;
};

class HostKernel final : public Kernel {
public:
    explicit HostKernel(HostFunction entry) : function(entry) {}
    Listing listing() const override {
        return {"", "compiled into this program by its C++ compiler; disassemble the program to read it"};
    }
    const HostFunction function;
};

char* data_of(const Buffer* buffer) {
    static char dummy[16];
    return buffer ? static_cast<const HostBuffer*>(buffer)->data() : dummy;
}

class HostDevice final : public Device {
public:
    HostDevice() {
        info_.id = "host:0";
        info_.api = "host";
        info_.name = processor_model();
        const HostSystem system = host_system();
        info_.driver = fmt::format("{} {}", system.system, system.release);
        info_.cpu = true;
        info_.memory_bytes = system.memory_bytes;
        info_.largest_buffer = std::min<std::uint64_t>(info_.memory_bytes / 4, 16ull << 30);
        info_.largest_buffer_limit = "a quarter of the machine's memory";
        const ProcessLimits limits = process_limits();
        info_.cores = static_cast<std::uint32_t>(std::max(1L, limits.processors));
        if (limits.processors < system.cores)
            info_.facts.push_back(
                {"processors", fmt::format("{} of {}", limits.processors, system.cores), "sched_getaffinity"});
        if (limits.processor_time)
            info_.facts.push_back(
                {"processor time", fmt::format("of {:g} processors", *limits.processor_time), "control group"});
        info_.scratchpad_bytes = kScratchpadBytes;
        info_.clock = PROCESSOR_CLOCK_NAME;
        for (const ProcessorCache& cache : processor_caches()) {
            info_.facts.push_back({cache.name, fmt::format("{} bytes", cache.bytes), cache.source});
            info_.cache_bytes = std::max(info_.cache_bytes, cache.bytes);
        }
    }

    const DeviceInfo& info() const override { return info_; }

    std::optional<std::string> why_not(const Path& path) const override {
        for (const char* name : {"global", "global.pointer", "scratchpad"})
            if (path.name == name) return std::nullopt;
        if (path.name == "host") return "the host's memory is the device's own: path global";
        return "plain C++ has one kind of memory and one kind of load";
    }

    std::optional<std::string> why_lacking(Feature feature, bool) const override {
        if (feature == Feature::acquire_release || feature == Feature::system_scope ||
            feature == Feature::atomic_int64 || feature == Feature::atomic_add_float32 ||
            feature == Feature::atomic_add_float64 || feature == Feature::float64)
            return std::nullopt;
        if (is_copy_to_scratchpad(feature)) return kNoCopyToScratchpad;
        if (feature == Feature::work_group_copy) return kNoWorkGroupCopy;
        if (is_of_matrices(feature)) return "C++ has no matrix multiply-adds";
        return "kernels of the host are compiled when Sonde is built, none of arithmetic"; // no Build::repeat
    }

    std::unique_ptr<Buffer> allocate(Space space, std::size_t bytes) override {
        if (space != Space::global && space != Space::host && space != Space::shared && space != Space::address)
            throw Unsupported("the host has only ordinary memory");
        if (bytes > info_.memory_bytes)
            throw DoesNotFit(
                fmt::format("{} bytes are more than the machine's memory", bytes)); // the system may promise them
        return std::make_unique<HostBuffer>(bytes);
    }

    std::vector<Timing> copy(std::span<const Copy> copies) override {
        if (uses_copy_queues(copies)) return copy_in_queues(copies);
        std::vector<Timing> timings;
        for (const Copy& copy : copies) {
            const double ns = host_ns_of([&] { copy_bytes(copy); });
            timings.push_back({ns, ns});
        }
        return timings;
    }

    std::unique_ptr<Kernel> compile(const Source& source, const Build& build) override {
        if (build.b && build.b->name != "global" && build.b->name != "scratchpad")
            throw Unsupported("plain C++ reads a second source as it reads the first: path global or scratchpad");
        check_needs(*this, build);
        const std::string name = variant_name(source, build);
        for (const HostVariant& variant : host_variants())
            if (variant.name == name) return std::make_unique<HostKernel>(variant.function);
        throw Error(fmt::format("kernel variant '{}' was not compiled into this program (cmake/kernels.cmake)", name));
    }

    std::vector<Timing> run(std::span<const Launch> launches, Timed timed) override {
        std::vector<Timing> timings;
        for (const Launch& launch : launches) {
            if (launch.scratchpad_bytes > kScratchpadBytes)
                throw DoesNotFit(fmt::format(
                    "a scratchpad of {} bytes, but a thread has {}", launch.scratchpad_bytes, kScratchpadBytes));
            if (launch.carveout || launch.bank_bytes) throw Unsupported("a processor has no carve-out");
        }
        if (timed == Timed::whole)
            return time_whole(
                launches.size(), [&](std::size_t i) { run_groups(launches[i]); }, [] {});
        for (const Launch& launch : launches)
            timings.push_back({host_ns_of([&] { run_groups(launch); }), std::nullopt});
        return timings;
    }

private:
    static void copy_bytes(const Copy& copy) {
        const char* from = copy.from ? data_of(copy.from) + copy.from_offset : static_cast<const char*>(copy.from_host);
        char* to = copy.to ? data_of(copy.to) + copy.to_offset : static_cast<char*>(copy.to_host);
        std::memcpy(to, from, copy.bytes);
    }

    /// A thread for each queue.
    static std::vector<Timing> copy_in_queues(std::span<const Copy> copies) {
        const double ns = host_ns_of([&] {
            std::vector<std::jthread> threads;
            for (std::uint32_t queue = 0; queue < kCopyQueues; ++queue)
                threads.emplace_back([&copies, queue] {
                    for (const Copy& copy : copies)
                        if (copy.queue == queue) copy_bytes(copy);
                });
        });
        return shared_out(ns, copies.size());
    }

    /// Every thread takes a contiguous share of the workgroups, in order.
    void run_groups(const Launch& launch) const {
        const auto function = static_cast<const HostKernel&>(launch.kernel).function;
        const std::uint32_t threads = std::min(info_.cores, launch.groups);
        const auto share = [&](std::uint32_t thread) {
            alignas(64) thread_local char scratchpad[kScratchpadBytes];
            const std::uint64_t first = std::uint64_t{launch.groups} * thread / threads;
            const std::uint64_t last = std::uint64_t{launch.groups} * (thread + 1) / threads;
            for (std::uint64_t group = first; group < last; ++group)
                function(data_of(launch.a), data_of(launch.b), data_of(&launch.out), launch.args.data(), scratchpad,
                    static_cast<std::uint32_t>(group), launch.groups);
        };
        std::vector<std::jthread> others;
        for (std::uint32_t thread = 1; thread < threads; ++thread) others.emplace_back(share, thread);
        share(0);
    }

    DeviceInfo info_;
};

} // namespace

Opened open_host() { return one_device(std::make_unique<HostDevice>()); }

} // namespace sonde
