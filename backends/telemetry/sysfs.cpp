// What Linux shows of a card or processor as files: those of amdgpu, i915 and xe, the hwmon sensors of whatever driver
// a PCI device has, and cpufreq.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "backends/backends.h"
#include "backends/telemetry/fdinfo.h"

namespace sonde {

namespace {
namespace fs = std::filesystem;

/// SONDE_SYSFS: another root, for tests.
fs::path root() {
    const char* other = std::getenv("SONDE_SYSFS");
    return other ? other : "/sys";
}

std::optional<std::string> first_line(const fs::path& file) {
    std::ifstream in(file);
    std::string line;
    if (!std::getline(in, line)) return std::nullopt;
    return line;
}

std::optional<double> number_in(const fs::path& file) {
    const auto line = first_line(file);
    if (!line) return std::nullopt;
    char* end = nullptr;
    const double value = std::strtod(line->c_str(), &end);
    return end == line->c_str() ? std::nullopt : std::optional(value);
}

/// Of a card that sleeps i915 and xe tell a clock of 0: none.
std::optional<double> running_clock(const fs::path& file) {
    const auto mhz = number_in(file);
    return mhz && *mhz > 0 ? mhz : std::nullopt;
}

/// amdgpu's tables of clocks, "1: 1000Mhz *": the line with the star.
std::optional<double> chosen_clock(const fs::path& file) {
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);)
        if (line.find('*') != line.npos && line.find(':') != line.npos)
            return std::strtod(line.c_str() + line.find(':') + 1, nullptr);
    return std::nullopt;
}

/// amdgpu's count of the memory's errors, "ue: 0" or "ce: 2", since the driver was loaded.
std::optional<double> error_count(const fs::path& file, const std::string& word) {
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);)
        if (line.starts_with(word + ":")) return std::strtod(line.c_str() + word.size() + 1, nullptr);
    return std::nullopt;
}

std::vector<fs::path> folders(const fs::path& in) {
    std::error_code none;
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(in, none)) found.push_back(entry.path());
    std::sort(found.begin(), found.end());
    return found;
}

using Read = std::optional<double> (*)(const fs::path&);
/// A file that shows a field; of one field the first that is there.
struct Row {
    std::optional<double> CardSample::*number;
    const char* file;
    double unit;
    Read read;
};
constexpr Row kCardRows[] = {{&CardSample::core_mhz, "pp_dpm_sclk", 1, chosen_clock},
    {&CardSample::memory_mhz, "pp_dpm_mclk", 1, chosen_clock},
    {&CardSample::core_mhz, "tile0/gt0/freq0/act_freq", 1, running_clock}};
constexpr Row kDrawingRows[] = {{&CardSample::core_mhz, "gt/gt0/rps_act_freq_mhz", 1, running_clock},
    {&CardSample::core_mhz, "gt_act_freq_mhz", 1, running_clock}}; // of i915, below drm/card0
constexpr Row kSensorRows[] = {{&CardSample::core_mhz, "freq1_input", 1e-6, number_in},
    {&CardSample::memory_mhz, "freq2_input", 1e-6, number_in},
    {&CardSample::power_watts, "power1_average", 1e-6, number_in},
    {&CardSample::power_watts, "power1_input", 1e-6, number_in},
    {&CardSample::energy_joules, "energy1_input", 1e-6, number_in},
    {&CardSample::temperature_celsius, "temp1_input", 1e-3, number_in},
    {&CardSample::temperature_celsius, "temp2_input", 1e-3, number_in}}; // of xe, whose first is not there

/// Of one field the first file that is there.
struct StateRow {
    std::optional<double> CardState::*number;
    const char* file;
    double unit;
};
constexpr StateRow kSensorStates[] = {{&CardState::power_limit_watts, "power1_cap", 1e-6},
    {&CardState::power_limit_watts, "power1_max", 1e-6}, {&CardState::power_default_watts, "power1_cap_default", 1e-6},
    {&CardState::power_default_watts, "power1_rated_max", 1e-6}};

/// What holds the clocks of Intel's cards back: a file each, behind "throttle_reason_" (i915) or "reason_" (xe).
struct ReasonFile {
    const char *file, *word;
};
constexpr ReasonFile kReasonFiles[] = {{"pl1", "power cap"}, {"pl2", "power cap"}, {"pl4", "current"},
    {"vr_tdc", "current"}, {"thermal", "temperature"}, {"ratl", "temperature"}, {"soc_thermal", "temperature"},
    {"mem_thermal", "temperature"}, {"prochot", "hardware temperature"}, {"vr_thermalert", "hardware temperature"},
    {"vr_thermal", "hardware temperature"}};

/// The same of AMD's, bits of the word that is alike on all chips.
struct ReasonBits {
    unsigned first, last;
    const char* word;
};
constexpr ReasonBits kReasonBits[] = {
    {0, 7, "power cap"}, {16, 23, "current"}, {32, 43, "temperature"}, {44, 47, "hardware temperature"}};

/// In amdgpu's `gpu_metrics` from its form 1.3 on; nullopt: it is not there, or has another form.
std::optional<std::uint64_t> throttle_bits(const fs::path& file) {
    struct Form {
        char major, minor;
        std::size_t at;
    };
    constexpr Form kForms[] = {{1, 3, 112}};
    std::ifstream in(file, std::ios::binary);
    std::array<char, 256> bytes{};
    in.read(bytes.data(), bytes.size());
    const auto size = static_cast<std::size_t>(in.gcount());
    for (const Form& form : kForms)
        if (size >= form.at + sizeof(std::uint64_t) && bytes[2] == form.major && bytes[3] == form.minor) {
            std::uint64_t bits = 0;
            std::memcpy(&bits, bytes.data() + form.at, sizeof bits);
            return bits;
        }
    return std::nullopt;
}

void add_once(std::vector<std::string>& words, const char* word) {
    if (std::ranges::find(words, word) == words.end()) words.emplace_back(word);
}

struct LinkRow {
    std::optional<double> CardState::*generation;
    std::optional<double> CardState::*lanes;
    const char *speed, *width;
};
constexpr LinkRow kLinkRows[] = {
    {&CardState::pcie_generation, &CardState::pcie_width, "current_link_speed", "current_link_width"},
    {&CardState::pcie_best_generation, &CardState::pcie_best_width, "max_link_speed", "max_link_width"}};
constexpr const char* kProcessorSensors[] = {"k10temp", "zenpower", "coretemp", "cpu_thermal"};

class SysfsTelemetry final : public Telemetry {
public:
    /// `card`: the PCI device's folder, empty of a processor.
    SysfsTelemetry(fs::path card, fs::path sensors)
        : card_(std::move(card)),
          sensors_(std::move(sensors)),
          drawing_(drawing_folder(card_)),
          users_(card_.filename().string()) {}
    std::string source() const override { return "sysfs"; }

    CardSample now(AbsentFields* absent) override {
        CardSample sample;
        if (!card_.empty()) read_rows(sample, card_, kCardRows);
        if (!drawing_.empty()) read_rows(sample, drawing_, kDrawingRows);
        if (!sensors_.empty()) read_rows(sample, sensors_, kSensorRows);
        if (card_.empty())
            if (const auto khz = number_in(root() / "devices/system/cpu/cpu0/cpufreq/scaling_cur_freq"))
                sample.core_mhz = *khz / 1000;
        if (!card_.empty()) sample.throttled_by = reasons();
        if (absent) name_absent(sample, kNoFile, *absent);
        return sample;
    }

    CardState state(AbsentFields& absent) override {
        CardState state;
        if (!card_.empty())
            for (const LinkRow& row : kLinkRows) {
                if (const auto speed = number_in(card_ / row.speed)) state.*row.generation = generation(*speed);
                state.*row.lanes = number_in(card_ / row.width);
            }
        for (const auto& [count, word] :
            {std::pair{&CardState::ecc_uncorrected, "ue"}, {&CardState::ecc_corrected, "ce"}})
            if (!card_.empty()) state.*count = error_count(card_ / "ras/umc_err_count", word);
        if (!sensors_.empty())
            for (const StateRow& row : kSensorStates)
                if (auto& number = state.*row.number; !number)
                    if (const auto value = number_in(sensors_ / row.file)) number = *value * row.unit;
        name_absent(state, kNoFile, absent);
        return state;
    }

    std::vector<CardUser> users() override { return users_.users(); }

private:
    /// "drm/card0", where the driver has one.
    static fs::path drawing_folder(const fs::path& card) {
        for (const fs::path& folder : card.empty() ? std::vector<fs::path>() : folders(card / "drm"))
            if (folder.filename().string().starts_with("card")) return folder;
        return {};
    }

    /// What holds the clocks back; nullopt: no file tells.
    std::optional<std::vector<std::string>> reasons() const {
        std::optional<std::vector<std::string>> words;
        if (const auto bits = throttle_bits(card_ / "gpu_metrics")) {
            words.emplace();
            for (const ReasonBits& reason : kReasonBits)
                for (unsigned bit = reason.first; bit <= reason.last; ++bit)
                    if (*bits >> bit & 1) add_once(*words, reason.word);
        }
        for (const auto& [folder, prefix] :
            {std::pair{drawing_ / "gt/gt0", "throttle_reason_"}, {card_ / "tile0/gt0/freq0/throttle", "reason_"}})
            for (const ReasonFile& reason : kReasonFiles)
                if (const auto set = number_in(folder / (std::string(prefix) + reason.file))) {
                    if (!words) words.emplace();
                    if (*set != 0) add_once(*words, reason.word);
                }
        return words;
    }

    static constexpr const char* kNoFile = "no file shows it";

    static void read_rows(CardSample& sample, const fs::path& folder, std::span<const Row> rows) {
        for (const Row& row : rows)
            if (auto& number = sample.*row.number; !number)
                if (const auto value = row.read(folder / row.file)) number = *value * row.unit;
    }
    static int generation(double gigatransfers) {
        int number = 1;
        for (const double rate : {5.0, 8.0, 16.0, 32.0, 64.0}) number += gigatransfers >= rate;
        return number;
    }

    fs::path card_, sensors_, drawing_;
    FdinfoUsers users_;
};
} // namespace

OpenedTelemetry open_sysfs(const DeviceInfo& info) {
    fs::path card, sensors;
    if (info.cpu) {
        for (const fs::path& folder : folders(root() / "class/hwmon"))
            if (const auto name = first_line(folder / "name"))
                if (std::find(std::begin(kProcessorSensors), std::end(kProcessorSensors), *name) !=
                    std::end(kProcessorSensors))
                    sensors = folder;
    } else {
        if (info.pci.empty()) return {nullptr, "no PCI address tells which files are this card's"};
        card = root() / "bus/pci/devices" / info.pci;
        if (const auto found = folders(card / "hwmon"); !found.empty()) sensors = found.front();
    }
    auto telemetry = std::make_unique<SysfsTelemetry>(card, sensors);
    if (telemetry->now(nullptr).empty())
        return {nullptr,
            fmt::format("sysfs shows no clock, power or temperature of {}", info.cpu ? "this processor" : info.pci)};
    return {std::move(telemetry), ""};
}

} // namespace sonde
