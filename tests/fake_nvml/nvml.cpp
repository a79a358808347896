// A pretended libnvidia-ml.so.1 with the card of tests/fake_cuda. SONDE_FAKE_NVML: "missing" (it does not know the
// card), "init" (does not start), "held" (its clocks are, and it is hot), "shared" (process 1 keeps it busy), "narrow"
// (its link has half of the lanes that it could have), "switched" (its four NVLinks lead to a switch), "decaying" (its
// memory has errors), "crash" (in the third question for the power). Its clock falls while it is asked, and then it
// says why.
#include <csignal>
#include <cstdlib>
#include <cstring>

#include <unistd.h>

#include "backends/telemetry/nvml.h"

using namespace sonde::nvml;

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace {
enum Code : Return { kNotSupported = 3, kNotFound = 6, kUnknown = 999 };
char card, second_card; // of two, which two links join
int asked = 0;

bool is(const char* fault) {
    const char* script = std::getenv("SONDE_FAKE_NVML");
    return script && std::strcmp(script, fault) == 0;
}
Return found(bool it, Card* handle) {
    if (is("missing") || !it) return kNotFound;
    *handle = &card;
    return kSuccess;
}
Return give(Card of, unsigned* out, unsigned value) {
    if (of != &card) return kUnknown;
    *out = value;
    return kSuccess;
}
} // namespace

// Every entry point, declared as the backend believes it to be.
#define FAKE_DECLARE(result, member, symbol, parameters) EXPORT result symbol parameters;
SONDE_NVML_CALLS(FAKE_DECLARE)

Return nvmlInit_v2() { return is("init") ? kUnknown : kSuccess; }
Text nvmlErrorString(Return code) {
    return code == kNotSupported ? "Not Supported" : code == kNotFound ? "Not Found" : "Unknown Error";
}
Return nvmlDeviceGetHandleByUUID(Text uuid, Card* handle) {
    return found(std::strcmp(uuid, "GPU-a0a1a2a3-a4a5-a6a7-a8a9-aaabacadae00") == 0, handle);
}
Return nvmlDeviceGetHandleByPciBusId_v2(Text pci, Card* handle) {
    if (std::strcmp(pci, "0000:f1:00.0") == 0 && !is("missing")) return *handle = &second_card, kSuccess;
    return found(std::strcmp(pci, "0000:f0:00.0") == 0, handle);
}
Return nvmlDeviceGetNvLinkState(Card, unsigned link, unsigned* active) {
    if (link > 3) return kNotSupported;
    return *active = link < 2 || is("switched"), kSuccess; // the others lead nowhere
}
Return nvmlDeviceGetNvLinkRemoteDeviceType(Card, unsigned, int* end) {
    return *end = is("switched") ? kLinkToSwitch : kLinkToCard, kSuccess;
}
Return nvmlDeviceGetNvLinkRemotePciInfo_v2(Card of, unsigned, PciPlace* place) {
    return *place = {.bus = of == &card ? 0xf1u : 0xf0u}, kSuccess;
}
Return nvmlDeviceGetFieldValues(Card, int count, FieldValue* values) {
    if (count != 1 || values->field != kLinkMegabytesPerSecond) return kNotSupported;
    return values->value = 25000, kSuccess;
}
Return nvmlDeviceGetClockInfo(Card of, unsigned type, unsigned* mhz) {
    if (type == kMemoryClock) return give(of, mhz, 3201);
    return give(of, mhz, type == kCoreClock ? (asked < 2 ? 1980 : 1500) : 0);
}
Return nvmlDeviceGetPowerUsage(Card of, unsigned* milliwatts) {
    if (++asked == 3 && is("crash")) {
        std::signal(SIGSEGV, SIG_DFL);
        std::raise(SIGSEGV);
    }
    return give(of, milliwatts, 350500);
}
Return nvmlDeviceGetEnforcedPowerLimit(Card of, unsigned* milliwatts) { return give(of, milliwatts, 700000); }
Return nvmlDeviceGetPowerManagementDefaultLimit(Card of, unsigned* milliwatts) { return give(of, milliwatts, 700000); }
Return nvmlDeviceGetTotalEnergyConsumption(Card of, std::uint64_t* millijoules) {
    *millijoules = 1000u * static_cast<unsigned>(asked);
    return of == &card ? kSuccess : static_cast<Return>(kUnknown);
}
Return nvmlDeviceGetTemperature(Card of, unsigned, unsigned* celsius) { return give(of, celsius, 61); }
Return nvmlDeviceGetCurrentClocksThrottleReasons(Card of, std::uint64_t* reasons) {
    *reasons = is("held") ? 0x2 | 0x20 : asked < 2 ? 0 : 0x4 | 0x20;
    return of == &card ? kSuccess : static_cast<Return>(kUnknown);
}
Return nvmlDeviceGetCurrPcieLinkGeneration(Card of, unsigned* generation) { return give(of, generation, 5); }
Return nvmlDeviceGetCurrPcieLinkWidth(Card of, unsigned* width) { return give(of, width, 16); }
Return nvmlDeviceGetMaxPcieLinkGeneration(Card of, unsigned* generation) { return give(of, generation, 5); }
Return nvmlDeviceGetMaxPcieLinkWidth(Card of, unsigned* width) { return give(of, width, is("narrow") ? 32 : 16); }
Return nvmlDeviceGetTotalEccErrors(Card of, unsigned kind, unsigned since_ever, unsigned long long* count) {
    static unsigned long long corrected = 40; // one more each time
    if (of != &card || since_ever) return kUnknown;
    *count = kind == kUncorrected ? 0 : is("decaying") ? ++corrected : corrected;
    return kSuccess;
}
Return nvmlDeviceGetEccMode(Card of, unsigned* on, unsigned* pending) { return *pending = 1, give(of, on, 1); }
Return nvmlDeviceGetMigMode(Card, unsigned*, unsigned*) { return kNotSupported; }
Return nvmlDeviceGetComputeRunningProcesses_v3(Card of, unsigned* count, RunningProcess* processes) {
    if (of != &card || *count < 2) return kUnknown;
    processes[0] = {static_cast<unsigned>(getpid()), 1 << 20, 0, 0};
    processes[1] = {1, 1 << 20, 0, 0}; // somebody else's, as long as nobody runs this under init
    *count = is("shared") ? 2 : 1;
    return kSuccess;
}
Return nvmlDeviceGetProcessUtilization(Card of, ProcessUse* uses, unsigned* count, std::uint64_t since) {
    if (of != &card || *count < 2 || since == 0) return kUnknown;
    if (!is("shared")) return kNotFound;
    uses[0] = {1, since + 1, 97, 40, 0, 0};
    uses[1] = {1, since + 2, 12, 40, 0, 0};
    *count = 2;
    return kSuccess;
}
Return nvmlDeviceGetApplicationsClock(Card of, unsigned, unsigned* mhz) {
    return give(of, mhz, is("held") ? 1200 : 1980);
}
Return nvmlDeviceGetDefaultApplicationsClock(Card of, unsigned, unsigned* mhz) { return give(of, mhz, 1980); }
Return nvmlDeviceGetPersistenceMode(Card of, unsigned* on) { return give(of, on, 0); }
