// What Windows tells.
#include "core/base/system.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <io.h>
#include <new>
#include <string_view>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/wide_windows.h"

#include <cpuid.h>
#include <tlhelp32.h>

extern "C" LONG NTAPI RtlGetVersion(OSVERSIONINFOW*); // GetVersionEx tells what the manifest asks for

namespace sonde {

HostSystem host_system() {
    OSVERSIONINFOW version{};
    version.dwOSVersionInfoSize = sizeof version;
    RtlGetVersion(&version);
    MEMORYSTATUSEX memory{};
    memory.dwLength = sizeof memory;
    GlobalMemoryStatusEx(&memory);
    return {"Windows", fmt::format("{}.{}.{}", version.dwMajorVersion, version.dwMinorVersion, version.dwBuildNumber),
        "x86_64", static_cast<long>(GetActiveProcessorCount(ALL_PROCESSOR_GROUPS)), memory.ullTotalPhys};
}

/// The executable's header asks for the stack (CMakeLists.txt), and its threads take as much.
void need_stack(char**) {}

std::string processor_model() {
    std::array<unsigned, 12> words{};
    for (unsigned part = 0; part < 3; ++part)
        if (!__get_cpuid(
                0x80000002 + part, &words[4 * part], &words[4 * part + 1], &words[4 * part + 2], &words[4 * part + 3]))
            return "CPU";
    std::array<char, sizeof words + 1> text{};
    std::memcpy(text.data(), words.data(), sizeof words);
    std::string name = text.data();
    name.erase(0, name.find_first_not_of(' '));
    name.erase(name.find_last_not_of(' ') + 1);
    return name.empty() ? "CPU" : name;
}

std::vector<ProcessorCache> processor_caches() {
    DWORD size = 0;
    GetLogicalProcessorInformationEx(RelationCache, nullptr, &size);
    std::vector<char> bytes(size);
    std::vector<ProcessorCache> caches;
    auto* first = reinterpret_cast<SYSTEM_LOGICAL_PROCESSOR_INFORMATION_EX*>(bytes.data());
    if (size == 0 || !GetLogicalProcessorInformationEx(RelationCache, first, &size)) return caches;
    for (std::size_t at = 0; at < size;) {
        const auto& each = *reinterpret_cast<const SYSTEM_LOGICAL_PROCESSOR_INFORMATION_EX*>(bytes.data() + at);
        at += each.Size;
        const CACHE_RELATIONSHIP& cache = each.Cache;
        const bool of_first_core = cache.GroupMask.Group == 0 && (cache.GroupMask.Mask & 1) != 0;
        if (!of_first_core || (cache.Type != CacheData && cache.Type != CacheUnified)) continue;
        caches.push_back({fmt::format("L{}{} cache", cache.Level, cache.Type == CacheData ? " data" : ""),
            cache.CacheSize, "GetLogicalProcessorInformationEx"});
    }
    std::ranges::sort(caches, {}, &ProcessorCache::name);
    return caches;
}

Pages::Pages(std::size_t bytes)
    : data_(VirtualAlloc(nullptr, bytes, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE)), bytes_(bytes) {
    if (!data_) throw DoesNotFit(fmt::format("VirtualAlloc({} bytes): {}", bytes, words_of_error(GetLastError())));
}

Pages::~Pages() { VirtualFree(data_, 0, MEM_RELEASE); }

double pci_link_bytes_per_second(const std::string&) { return 0; }

std::string pci_id_at(const std::string&) { return ""; }

void pin_threads() {
    DWORD_PTR allowed = 0, all = 0;
    if (!GetProcessAffinityMask(GetCurrentProcess(), &allowed, &all)) return;
    std::vector<DWORD_PTR> processors;
    for (DWORD_PTR each = 1; each != 0; each <<= 1)
        if (allowed & each) processors.push_back(each);
    std::vector<std::pair<std::uint64_t, HANDLE>> threads; // by when they began
    const HANDLE list = CreateToolhelp32Snapshot(TH32CS_SNAPTHREAD, 0);
    THREADENTRY32 entry{};
    entry.dwSize = sizeof entry;
    for (bool more = Thread32First(list, &entry); more; more = Thread32Next(list, &entry)) {
        if (entry.th32OwnerProcessID != GetCurrentProcessId()) continue;
        const HANDLE thread = OpenThread(THREAD_SET_INFORMATION | THREAD_QUERY_INFORMATION, FALSE, entry.th32ThreadID);
        FILETIME begin{}, none{};
        if (thread && GetThreadTimes(thread, &begin, &none, &none, &none))
            threads.emplace_back(std::uint64_t{begin.dwHighDateTime} << 32 | begin.dwLowDateTime, thread);
    }
    CloseHandle(list);
    std::ranges::sort(threads);
    for (std::size_t i = 0; i < threads.size(); ++i) {
        if (i > 0 && !processors.empty())
            SetThreadAffinityMask(threads[i].second, processors[(i - 1) % processors.size()]);
        CloseHandle(threads[i].second);
    }
}

void end_without_memory(bool on) {
    std::set_new_handler(on ? [] {
        constexpr std::string_view kWords = "sonde: out of memory\n";
        std::_Exit(_write(2, kWords.data(), kWords.size()) > 0 ? 1 : 1);
    } : std::new_handler(nullptr));
}

void set_environment(const char* name, const std::string& value) {
    _wputenv_s(wide(name).c_str(), wide(value).c_str()); // Windows' variable as well as the C library's
}

double steady_seconds() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::string utc_text(const char* form) {
    const std::time_t now = std::time(nullptr);
    std::tm parts{};
    std::array<char, 64> text{};
    gmtime_s(&parts, &now);
    return {text.data(), std::strftime(text.data(), text.size(), form, &parts)};
}

} // namespace sonde
