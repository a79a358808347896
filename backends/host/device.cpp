// The host backend: this machine's processor as a device. The reference for every kernel's answer, the template for the next
// backend, and a default that always runs. A workgroup is one work-item; workgroups are shared out among threads.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <fstream>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <thread>
#include <unistd.h>

#include <fmt/format.h>

#include "backends/backends.h"
#include "backends/host/kernels.h"
#include "core/device/kernel_source.h"

namespace sonde {

namespace {

constexpr std::uint32_t kScratchpadBytes = 256 * 1024; // ordinary memory; the size only bounds the sweep

std::string cpu_model() {
    std::ifstream cpuinfo("/proc/cpuinfo");
    for (std::string line; std::getline(cpuinfo, line);)
        if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
    return "CPU";
}

/// Pages straight from the system and back to it, so that a block's own allocation is really new memory.
class HostBuffer final : public Buffer {
public:
    explicit HostBuffer(std::size_t bytes) : bytes_(bytes) {
        void* pages = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (pages == MAP_FAILED) throw DoesNotFit(fmt::format("mmap({} bytes): {}", bytes, std::strerror(errno)));
        data_ = pages;
    }
    ~HostBuffer() override { munmap(data_, bytes_); }
    std::size_t bytes() const override { return bytes_; }
    Placement placement() const override { return {true, "system memory (the device's own)"}; }
    char* data() const { return static_cast<char*>(data_); }

private:
    std::size_t bytes_;
    void* data_;
};

class HostKernel final : public Kernel {
public:
    explicit HostKernel(HostFunction entry) : function(entry) {}
    Listing listing() const override { return {"", "compiled into this program by its C++ compiler; disassemble the program to read it"}; }
    const HostFunction function;
};

template <class Body> double timed_ns(const Body& body) {
    const auto begin = std::chrono::steady_clock::now();
    body();
    return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count();
}

char* data_of(const Buffer* buffer) {
    static char dummy[16];
    return buffer ? static_cast<const HostBuffer*>(buffer)->data() : dummy;
}

class HostDevice final : public Device {
public:
    HostDevice() {
        info_.id = "host:0";
        info_.api = "host";
        info_.name = cpu_model();
        utsname system{};
        uname(&system);
        info_.driver = fmt::format("{} {}", system.sysname, system.release);
        info_.cpu = true;
        info_.memory_bytes = static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
        info_.largest_buffer = std::min<std::uint64_t>(info_.memory_bytes / 4, 16ull << 30);
        info_.largest_buffer_limit = "a quarter of the machine's memory";
        info_.cores = std::max(1u, std::thread::hardware_concurrency());
        info_.scratchpad_bytes = kScratchpadBytes;
        info_.clock = KernelClock::timer;
        info_.clock_name = "rdtsc (time stamp counter)";
        for (const auto& [name, query] : {std::pair{"L1 data cache", _SC_LEVEL1_DCACHE_SIZE}, {"L2 cache", _SC_LEVEL2_CACHE_SIZE}, {"L3 cache", _SC_LEVEL3_CACHE_SIZE}})
            if (const long bytes = sysconf(query); bytes > 0) {
                info_.facts.push_back({name, fmt::format("{} bytes", bytes), "sysconf"});
                info_.cache_bytes = std::max(info_.cache_bytes, static_cast<std::uint64_t>(bytes));
            }
    }

    const DeviceInfo& info() const override { return info_; }

    std::optional<std::string> why_not(const Path& path) const override {
        for (const char* name : {"global", "global.pointer", "local"})
            if (path.name == name) return std::nullopt;
        if (path.name == "host") return "the host's memory is the device's own: path global";
        return "plain C++ has one kind of memory and one kind of load";
    }

    std::unique_ptr<Buffer> allocate(Space space, std::size_t bytes) override {
        if (space != Space::global && space != Space::host && space != Space::address) throw Unsupported("the host has only ordinary memory");
        if (bytes > info_.memory_bytes) throw DoesNotFit(fmt::format("{} bytes are more than the machine's memory", bytes)); // mmap may promise them
        return std::make_unique<HostBuffer>(bytes);
    }

    std::vector<Timing> copy(std::span<const Copy> copies) override {
        if (std::any_of(copies.begin(), copies.end(), [](const Copy& copy) { return copy.lane != 0; })) return copy_in_lanes(copies);
        std::vector<Timing> timings;
        for (const Copy& copy : copies) {
            const double ns = timed_ns([&] { copy_bytes(copy); });
            timings.push_back({ns, ns});
        }
        return timings;
    }

    std::unique_ptr<Kernel> compile(const Source& source, const Build& build) override {
        if (build.b && build.b->name != "global" && build.b->name != "local") throw Unsupported("plain C++ reads a second source as it reads the first: path global, or local");
        const std::string name = variant_name(source, build);
        for (const HostVariant& variant : host_variants())
            if (variant.name == name) return std::make_unique<HostKernel>(variant.function);
        throw Error(fmt::format("kernel variant '{}' was not compiled into this program (cmake/variants.cmake)", name));
    }

    std::vector<Timing> run(std::span<const Launch> launches, Timed timed) override {
        std::vector<Timing> timings;
        for (const Launch& launch : launches)
            if (launch.scratchpad_bytes > kScratchpadBytes) throw DoesNotFit(fmt::format("a scratchpad of {} bytes, but a thread has {}", launch.scratchpad_bytes, kScratchpadBytes));
        for (const Launch& launch : launches)
            if (launch.carveout || launch.bank_bytes) throw Unsupported("a processor's first level cannot be split");
        if (timed == Timed::whole) {
            const double ns = timed_ns([&] {
                for (const Launch& launch : launches) run_groups(launch);
            });
            return {launches.size(), Timing{ns / static_cast<double>(launches.size()), std::nullopt}};
        }
        for (const Launch& launch : launches) timings.push_back({timed_ns([&] { run_groups(launch); }), std::nullopt});
        return timings;
    }

private:
    static void copy_bytes(const Copy& copy) {
        const char* from = copy.from ? data_of(copy.from) + copy.from_offset : static_cast<const char*>(copy.from_host);
        char* to = copy.to ? data_of(copy.to) + copy.to_offset : static_cast<char*>(copy.to_host);
        std::memcpy(to, from, copy.bytes);
    }

    /// A thread for each lane.
    static std::vector<Timing> copy_in_lanes(std::span<const Copy> copies) {
        const double ns = timed_ns([&] {
            std::vector<std::jthread> threads;
            for (std::uint32_t lane = 0; lane < kLanes; ++lane)
                threads.emplace_back([&copies, lane] {
                    for (const Copy& copy : copies)
                        if (copy.lane == lane) copy_bytes(copy);
                });
        });
        return {copies.size(), Timing{ns / static_cast<double>(copies.size()), std::nullopt}};
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

Opened open_host() {
    Opened opened;
    opened.devices.push_back(std::make_unique<HostDevice>());
    return opened;
}

} // namespace sonde
