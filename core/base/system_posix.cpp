// What POSIX and Linux tell.
#include "core/base/system.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <new>
#include <sched.h>
#include <sstream>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/process.h"

namespace sonde {

HostSystem host_system() {
    utsname system{};
    uname(&system);
    return {system.sysname, system.release, system.machine, sysconf(_SC_NPROCESSORS_ONLN),
        static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE))};
}

void need_stack(char** arguments) {
    constexpr rlim_t kLeast = 1 << 20,
                     kWanted = 64 << 20; // NVIDIA's OpenCL compiler crashes with 8 MiB on 1024 steps of mad.u16
    rlimit limit{};
    if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= kWanted) return;
    const rlimit wanted{kWanted, std::max(limit.rlim_max, kWanted)},
        allowed{std::min(limit.rlim_max, kWanted), limit.rlim_max};
    const bool raised =
        setrlimit(RLIMIT_STACK, &wanted) == 0 || (allowed.rlim_cur >= kLeast && setrlimit(RLIMIT_STACK, &allowed) == 0);
    if (limit.rlim_cur >= kLeast) return; // workers start with the new limit
    if (!raised)
        throw Error(fmt::format(
            "the stack is limited to {} KiB (ulimit -s); sonde needs {} KiB", limit.rlim_cur >> 10, kLeast >> 10));
    execv(own_program().c_str(), arguments); // threads take the limit of the process's start
}

std::string processor_model() {
    std::ifstream cpuinfo("/proc/cpuinfo");
    for (std::string line; std::getline(cpuinfo, line);)
        if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
    return "CPU";
}

/// Where Linux shows devices, or a test's folder like it.
static std::string sysfs() {
    const char* other_root = std::getenv("SONDE_SYSFS");
    return other_root ? other_root : "/sys";
}

std::vector<ProcessorCache> processor_caches() {
    std::vector<ProcessorCache> caches;
    for (int index = 0;; ++index) {
        const auto tells = [&](const char* what) {
            std::string word;
            std::ifstream(fmt::format("{}/devices/system/cpu/cpu0/cache/index{}/{}", sysfs(), index, what)) >> word;
            return word;
        };
        const std::string level = tells("level"), type = tells("type"), size = tells("size"); // "32K"
        if (level.empty()) break;
        if (type == "Instruction" || !size.ends_with('K')) continue;
        caches.push_back({fmt::format("L{}{} cache", level, type == "Data" ? " data" : ""),
            std::strtoull(size.c_str(), nullptr, 10) << 10, "sysfs"});
    }
    if (!caches.empty()) return caches; // sysconf adds up the L3 of all cores
    for (const auto& [name, query] : {std::pair{"L1 data cache", _SC_LEVEL1_DCACHE_SIZE},
             {"L2 cache", _SC_LEVEL2_CACHE_SIZE}, {"L3 cache", _SC_LEVEL3_CACHE_SIZE}})
        if (const long bytes = sysconf(query); bytes > 0)
            caches.push_back({name, static_cast<std::uint64_t>(bytes), "sysconf"});
    return caches;
}

Pages::Pages(std::size_t bytes)
    : data_(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)), bytes_(bytes) {
    if (data_ == MAP_FAILED) throw DoesNotFit(fmt::format("mmap({} bytes): {}", bytes, std::strerror(errno)));
}

Pages::~Pages() { munmap(data_, bytes_); }

double pci_link_bytes_per_second(const std::string& address) {
    const auto number = [&](const char* file) {
        double value = 0;
        std::ifstream(fmt::format("{}/bus/pci/devices/{}/{}", sysfs(), address, file)) >> value;
        return value;
    };
    const double gigatransfers = number("max_link_speed"), lanes = number("max_link_width");
    if (lanes > 32) return 0;                                                         // 255: unknown
    return gigatransfers * lanes * 1e9 / 8 * (gigatransfers > 5 ? 128.0 / 130 : 0.8); // what the encoding leaves
}

std::string pci_id_at(const std::string& address) {
    const auto number = [&](const char* file) {
        unsigned value = 0;
        std::ifstream(fmt::format("{}/bus/pci/devices/{}/{}", sysfs(), address, file)) >> std::hex >> value;
        return value;
    };
    const unsigned vendor = number("vendor");
    return vendor ? fmt::format("{:04x}:{:04x}", vendor, number("device")) : "";
}

/// When a thread of this process began, in clock ticks; nullopt: it has ended.
static std::optional<long> beginning_of(const std::string& thread) {
    std::ifstream file("/proc/self/task/" + thread + "/stat");
    std::string line, field;
    if (!std::getline(file, line)) return std::nullopt;
    std::istringstream fields(line.substr(std::min(line.rfind(')'), line.size()))); // a name may hold anything
    for (int skipped = 0; skipped < 20; ++skipped) fields >> field;
    long begin = 0;
    fields >> begin;
    return begin;
}

void pin_threads() {
    cpu_set_t allowed;
    if (sched_getaffinity(getpid(), sizeof allowed, &allowed) != 0) return;
    std::vector<int> processors;
    for (int each = 0; each < CPU_SETSIZE; ++each)
        if (CPU_ISSET(each, &allowed)) processors.push_back(each);
    std::vector<std::pair<long, int>> threads; // by when they began
    std::error_code none;
    for (const auto& each : std::filesystem::directory_iterator("/proc/self/task", none)) {
        const std::string id = each.path().filename().string();
        if (const auto begin = beginning_of(id); begin && id != std::to_string(getpid()))
            threads.emplace_back(*begin, std::stoi(id));
    }
    std::ranges::sort(threads);
    for (std::size_t i = 0; i < threads.size() && !processors.empty(); ++i) {
        cpu_set_t own;
        CPU_ZERO(&own);
        CPU_SET(processors[i % processors.size()], &own);
        sched_setaffinity(threads[i].second, sizeof own, &own); // one that has ended meanwhile is none
    }
}

void end_without_memory(bool on) {
    std::set_new_handler(on ? [] {
        constexpr std::string_view kWords = "sonde: out of memory\n";
        std::_Exit(write(STDERR_FILENO, kWords.data(), kWords.size()) > 0 ? 1 : 1);
    } : std::new_handler(nullptr));
}

void set_environment(const char* name, const std::string& value) { setenv(name, value.c_str(), 1); }

double steady_seconds() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::string utc_text(const char* form) {
    const std::time_t now = std::time(nullptr);
    std::tm parts{};
    std::array<char, 64> text{};
    return {text.data(), std::strftime(text.data(), text.size(), form, gmtime_r(&now, &parts))};
}

} // namespace sonde
