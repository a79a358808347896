// NVIDIA's management library, opened at run time. It reads; nothing here changes a card's settings.
#include "backends/telemetry/nvml.h"

#include <chrono>
#include <map>
#include <span>

#include <fmt/format.h>

#include "backends/backends.h"
#include "core/base/library.h"

namespace sonde {

nvml::Api::Api() {
    const Library library{"libnvidia-ml.so.1", "nvml.dll"};
    if (!library) {
        absent = library.error();
        return;
    }
#define SONDE_NVML_LOAD(result, member, symbol, parameters) library.load(member, #symbol);
    SONDE_NVML_CALLS(SONDE_NVML_LOAD)
#undef SONDE_NVML_LOAD
    if (!init || !by_uuid || !by_pci)
        absent = fmt::format("{} lacks what finds a card", name_here("libnvidia-ml.so.1", "nvml.dll"));
    else if (const Return code = init()) absent = "nvmlInit_v2: " + text(code);
}

std::string nvml::Api::text(Return code) const {
    return error_text ? error_text(code) : fmt::format("NVML error {}", code);
}

const nvml::Api& nvml::api() {
    static const Api api;
    return api;
}

namespace {
using namespace nvml;

struct ThrottleReason {
    std::uint64_t bit;
    const char* word;
};
constexpr ThrottleReason kThrottleReasons[] = {{0x1, "idle"}, {0x2, "application clocks"}, {0x4, "power cap"},
    {0x8, "hardware slowdown"}, {0x10, "sync boost"}, {0x20, "temperature"}, {0x40, "hardware temperature"},
    {0x80, "power brake"}, {0x100, "display clocks"}};

/// "GPU-a0a1a2a3-a4a5-a6a7-a8a9-aaabacadaeaf" of 32 digits.
std::string nvml_uuid(const std::string& digits) {
    return fmt::format("GPU-{}-{}-{}-{}-{}", digits.substr(0, 8), digits.substr(8, 4), digits.substr(12, 4),
        digits.substr(16, 4), digits.substr(20));
}

class NvmlTelemetry final : public Telemetry {
public:
    NvmlTelemetry(const Api& library, Card card) : api_(library), card_(card) {}
    std::string source() const override { return "NVML"; }

    CardSample now(AbsentFields* absent) override {
        CardSample sample;
        read_number(sample.core_mhz, absent, "core_mhz", 1, api_.clock, static_cast<unsigned>(kCoreClock));
        read_number(sample.memory_mhz, absent, "memory_mhz", 1, api_.clock, static_cast<unsigned>(kMemoryClock));
        read_number(sample.power_watts, absent, "power_watts", 1e-3, api_.power);
        if (std::uint64_t millijoules = 0; read(absent, "energy_joules", api_.energy, &millijoules))
            sample.energy_joules = static_cast<double>(millijoules) * 1e-3; // since the driver was loaded
        read_number(sample.temperature_celsius, absent, "temperature_celsius", 1, api_.temperature, 0u);
        if (std::uint64_t bits = 0; read(absent, "throttled_by", api_.throttle, &bits)) {
            auto& words = sample.throttled_by.emplace();
            for (const ThrottleReason& reason : kThrottleReasons)
                if (bits & reason.bit) words.emplace_back(reason.word);
        }
        return sample;
    }

    CardState state(AbsentFields& absent) override {
        CardState state;
        read_number(state.pcie_generation, &absent, "pcie_generation", 1, api_.pcie_generation);
        read_number(state.pcie_width, &absent, "pcie_width", 1, api_.pcie_width);
        read_number(state.pcie_best_generation, &absent, "pcie_best_generation", 1, api_.pcie_best_generation);
        read_number(state.pcie_best_width, &absent, "pcie_best_width", 1, api_.pcie_best_width);
        read_errors(state.ecc_corrected, absent, "ecc_corrected", kCorrected);
        read_errors(state.ecc_uncorrected, absent, "ecc_uncorrected", kUncorrected);
        if (unsigned on = 0, pending = 0; read(&absent, "ecc", api_.ecc, &on, &pending)) state.ecc = on != 0;
        if (unsigned on = 0, pending = 0; read(&absent, "mig", api_.mig, &on, &pending)) state.mig = on != 0;
        if (unsigned on = 0; read(&absent, "persistence", api_.persistence, &on)) state.persistence = on != 0;
        read_number(state.power_limit_watts, &absent, "power_limit_watts", 1e-3, api_.power_limit);
        read_number(state.power_default_watts, &absent, "power_default_watts", 1e-3, api_.power_default);
        read_number(state.application_mhz, &absent, "application_mhz", 1, api_.application_clock,
            static_cast<unsigned>(kCoreClock));
        read_number(
            state.default_mhz, &absent, "default_mhz", 1, api_.default_clock, static_cast<unsigned>(kCoreClock));
        return state;
    }

    std::vector<CardUser> users() override {
        constexpr std::uint64_t kRecent = 1'000'000; // us
        std::map<std::uint32_t, CardUser> users;
        std::vector<RunningProcess> running(kMostUsers);
        unsigned count = kMostUsers;
        if (api_.running && api_.running(card_, &count, running.data()) == kSuccess)
            for (const RunningProcess& each : std::span(running).first(count)) users[each.pid] = {.pid = each.pid};
        std::vector<ProcessUse> uses(kMostUsers);
        const auto now =
            std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::system_clock::now().time_since_epoch())
                .count();
        count = kMostUsers;
        if (api_.in_use &&
            api_.in_use(card_, uses.data(), &count, static_cast<std::uint64_t>(now) - kRecent) == kSuccess)
            for (const ProcessUse& each : std::span(uses).first(count)) {
                CardUser& user = users[each.pid];
                user = {.pid = each.pid,
                    .busy_percent = std::max<double>(user.busy_percent.value_or(0), each.core_percent)};
            }
        std::vector<CardUser> all;
        all.reserve(users.size());
        for (const auto& [pid, user] : users) all.push_back(user);
        return all;
    }

private:
    static constexpr unsigned kMostUsers = 256;

    /// Whether the call, of these words and then the places for its answer, gave one; `absent` gets the reason why not.
    template <class Call, class... Words>
    bool read(AbsentFields* absent, const char* field, Call* call, Words... words) const {
        const Return code = call ? call(card_, words...) : kSuccess;
        if (absent && (!call || code != kSuccess))
            (*absent)[field] = call ? api_.text(code) : "this driver's NVML has no such call";
        return call && code == kSuccess;
    }
    template <class Call, class... Words> void read_number(std::optional<double>& into, AbsentFields* absent,
        const char* field, double unit, Call* call, Words... words) const {
        if (unsigned value = 0; read(absent, field, call, words..., &value)) into = value * unit;
    }

    void read_errors(std::optional<double>& into, AbsentFields& absent, const char* field, MemoryErrors kind) const {
        if (unsigned long long count = 0;
            read(&absent, field, api_.ecc_errors, static_cast<unsigned>(kind), 0u, &count))
            into = static_cast<double>(count);
    }

    const Api& api_;
    Card card_;
};
} // namespace

OpenedTelemetry open_nvml(const DeviceInfo& info) {
    if (info.cpu) return {nullptr, "NVML knows no processors"};
    const Api& api = nvml::api();
    if (!api.absent.empty()) return {nullptr, api.absent};
    Card card = nullptr;
    Return code = -1;
    if (info.uuid.size() == 32) code = api.by_uuid(nvml_uuid(info.uuid).c_str(), &card);
    if (code != kSuccess && !info.pci.empty()) code = api.by_pci(info.pci.c_str(), &card);
    if (code == -1) return {nullptr, "neither a UUID nor a PCI address tells NVML which card this is"};
    if (code != kSuccess) return {nullptr, "NVML does not find this card: " + api.text(code)};
    return {std::make_unique<NvmlTelemetry>(api, card), ""};
}

} // namespace sonde
