// What a job of Windows leaves a process.
#include "core/base/limits.h"

#include <bit>

#include <windows.h>

namespace sonde {

ProcessLimits process_limits(const std::filesystem::path&) {
    ProcessLimits limits;
    DWORD_PTR own = 0, all = 0; // 0: of more than one group, where it may run on all
    if (GetProcessAffinityMask(GetCurrentProcess(), &own, &all) && own != 0) limits.processors = std::popcount(own);
    else limits.processors = static_cast<long>(GetActiveProcessorCount(ALL_PROCESSOR_GROUPS));
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION job{};
    if (!QueryInformationJobObject(nullptr, JobObjectExtendedLimitInformation, &job, sizeof job, nullptr))
        return limits;
    const DWORD flags = job.BasicLimitInformation.LimitFlags;
    if (flags & JOB_OBJECT_LIMIT_JOB_MEMORY) limits.memory_bytes = job.JobMemoryLimit;
    if (flags & JOB_OBJECT_LIMIT_PROCESS_MEMORY) limits.address_bytes = job.ProcessMemoryLimit;
    return limits;
}

std::optional<std::uint64_t> kills_for_memory(const std::filesystem::path&) { return std::nullopt; }

std::optional<double> watchdog_milliseconds() {
    const auto number = [](const wchar_t* name, DWORD otherwise) {
        DWORD value = 0, size = sizeof value;
        const LSTATUS status = RegGetValueW(HKEY_LOCAL_MACHINE, L"SYSTEM\\CurrentControlSet\\Control\\GraphicsDrivers",
            name, RRF_RT_REG_DWORD, nullptr, &value, &size);
        return status == ERROR_SUCCESS ? value : otherwise;
    };
    constexpr DWORD kOff = 0, kRecover = 3, kSeconds = 2; // where nobody has set another
    if (number(L"TdrLevel", kRecover) == kOff) return std::nullopt;
    return 1000.0 * number(L"TdrDelay", kSeconds);
}

} // namespace sonde
