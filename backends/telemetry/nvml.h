// The NVML calls that telemetry uses, with types of our own: neither its header nor its library is needed to build.
#pragma once
#include <cstdint>
#include <string>

namespace sonde::nvml {

using Return = int;
using Card = void*;
using Text = const char*;
constexpr Return kSuccess = 0;
struct RunningProcess { // nvmlProcessInfo_v2_t
    unsigned pid;
    std::uint64_t memory_bytes;
    unsigned gpu_instance, compute_instance;
};
struct ProcessUse { // nvmlProcessUtilizationSample_t
    unsigned pid;
    std::uint64_t microseconds; // since 1970
    unsigned core_percent, memory_percent, encoder_percent, decoder_percent;
};
struct PciPlace { // nvmlPciInfo_t
    char short_text[16] = {};
    unsigned domain = 0, bus = 0, device = 0, chip = 0, board = 0;
    char text[32] = {};
};
struct FieldValue { // nvmlFieldValue_t, of numbers of 32 bits
    unsigned field = 0, scope = 0;
    long long microseconds = 0, took = 0;
    int type = 0;
    Return code = 0;
    unsigned value = 0, upper = 0;
};
/// Of a link, one way: NVML_FI_DEV_NVLINK_GET_SPEED, of the link that is the scope (Hopper and later), and
/// NVML_FI_DEV_NVLINK_SPEED_MBPS_COMMON of them all (before).
inline constexpr unsigned kLinkMegabytesPerSecond = 164, kLinksMegabytesPerSecond = 90;
enum LinkEnd : int { kLinkToCard = 0, kLinkToSwitch = 2 };
enum MemoryErrors : unsigned { kCorrected = 0, kUncorrected = 1 };
enum ClockType : unsigned { kCoreClock = 1, kMemoryClock = 2 };

// each(result, member, symbol, parameters)
#define SONDE_NVML_CALLS(each)                                                                                         \
    each(Return, init, nvmlInit_v2, ()) each(Text, error_text, nvmlErrorString, (Return)) each(Return, by_uuid,        \
        nvmlDeviceGetHandleByUUID, (Text, Card*)) each(Return, by_pci, nvmlDeviceGetHandleByPciBusId_v2,               \
        (Text, Card*)) each(Return, clock, nvmlDeviceGetClockInfo, (Card, unsigned, unsigned*)) each(Return, power,    \
        nvmlDeviceGetPowerUsage, (Card, unsigned*)) each(Return, power_limit, nvmlDeviceGetEnforcedPowerLimit,         \
        (Card, unsigned*)) each(Return, power_default, nvmlDeviceGetPowerManagementDefaultLimit, (Card, unsigned*))    \
        each(Return, energy, nvmlDeviceGetTotalEnergyConsumption, (Card, std::uint64_t*)) each(                        \
            Return, temperature, nvmlDeviceGetTemperature, (Card, unsigned, unsigned*)) each(Return, throttle,         \
            nvmlDeviceGetCurrentClocksThrottleReasons, (Card, std::uint64_t*)) each(Return, pcie_generation,           \
            nvmlDeviceGetCurrPcieLinkGeneration, (Card, unsigned*)) each(Return, pcie_width,                           \
            nvmlDeviceGetCurrPcieLinkWidth, (Card, unsigned*)) each(Return, ecc, nvmlDeviceGetEccMode,                 \
            (Card, unsigned*, unsigned*)) each(Return, mig, nvmlDeviceGetMigMode, (Card, unsigned*, unsigned*))        \
            each(Return, application_clock, nvmlDeviceGetApplicationsClock, (Card, unsigned, unsigned*))               \
                each(Return, default_clock, nvmlDeviceGetDefaultApplicationsClock, (Card, unsigned, unsigned*)) each(  \
                    Return, persistence, nvmlDeviceGetPersistenceMode, (Card, unsigned*)) each(Return, running,        \
                    nvmlDeviceGetComputeRunningProcesses_v3, (Card, unsigned*, RunningProcess*)) each(Return, in_use,  \
                    nvmlDeviceGetProcessUtilization, (Card, ProcessUse*, unsigned*, std::uint64_t))                    \
                    each(Return, pcie_best_generation, nvmlDeviceGetMaxPcieLinkGeneration, (Card, unsigned*))          \
                        each(Return, pcie_best_width, nvmlDeviceGetMaxPcieLinkWidth, (Card, unsigned*)) each(Return,   \
                            ecc_errors, nvmlDeviceGetTotalEccErrors,                                                   \
                            (Card, unsigned, unsigned, unsigned long long*)) /* last: 0, since the driver loaded */    \
        each(Return, link_state, nvmlDeviceGetNvLinkState, (Card, unsigned, unsigned*))                                \
            each(Return, link_end, nvmlDeviceGetNvLinkRemoteDeviceType, (Card, unsigned, int*))                        \
                each(Return, link_place, nvmlDeviceGetNvLinkRemotePciInfo_v2, (Card, unsigned, PciPlace*))             \
                    each(Return, fields, nvmlDeviceGetFieldValues, (Card, int, FieldValue*))

/// The library's entry points, null where it lacks one; started.
struct Api {
    Api();
    std::string text(Return code) const;
#define SONDE_NVML_MEMBER(result, member, symbol, parameters) result(*member) parameters = nullptr;
    SONDE_NVML_CALLS(SONDE_NVML_MEMBER)
#undef SONDE_NVML_MEMBER
    std::string absent{}; // why NVML cannot be used; empty: it can
};
/// Opened at the first call.
const Api& api();

} // namespace sonde::nvml
