// NVIDIA's kernel module against the library of its driver, and what its cards are set to.
#include <algorithm>
#include <cctype>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "backends/backends.h"
#include "backends/checks/cards.h"
#include "backends/checks/checks.h"
#include "backends/checks/libraries.h"
#include "backends/checks/places.h"
#include "core/base/json.h"
#include "core/base/text.h"

namespace sonde {

namespace {
namespace fs = std::filesystem;
constexpr const char* kReboot = "sudo reboot (the driver was updated while its older kernel module runs)";

/// The first word that is a version, "580.159.04"; "": none.
std::string version_in(const std::string& line) {
    for (const std::string& word : split(line, ' ')) {
        const bool digits = word.find_first_not_of("0123456789.") == word.npos;
        if (digits && word.find('.') != word.npos && word.front() != '.') return word;
    }
    return "";
}

CheckRow module_row(const Surroundings& surroundings) {
    std::string module = version_in(line_of(surroundings.root / "proc/driver/nvidia/version"));
    if (module.empty()) module = version_in(line_of(surroundings.root / "sys/module/nvidia/version"));
    const CheckRow row{"kernel module", "nvidia", CheckState::unknown, "", ""};
    if (module.empty() && !is_absent(surroundings, "cuda"))
        return {row.check, row.subject, CheckState::unknown, "no file shows its version", ""};
    if (module.empty())
        return {row.check, row.subject, CheckState::problem, "NVIDIA's kernel module is not loaded",
            "sudo modprobe nvidia; where there is no such module: sudo apt install nvidia-driver (non-free)"};
    const std::string path = text_field(surroundings.ask("library", "libcuda.so.1"), "path"),
                      file = fs::path(path).filename().string();
    const std::string library = file.starts_with("libcuda.so.") ? version_in(file.substr(11)) : "";
    if (library.empty()) return {row.check, row.subject, CheckState::ok, module, ""};
    if (library == module)
        return {row.check, row.subject, CheckState::ok, fmt::format("{}, and so is libcuda", module), ""};
    const std::string found = fmt::format("the kernel module is {}, the library {} ({})", module, library, path);
    if (path.find("compat") != path.npos)
        return {
            row.check, row.subject, CheckState::note, found, "none if it is meant: CUDA's package for older drivers"};
    return {row.check, row.subject, CheckState::problem, found,
        enclosure_of(surroundings)
            ? "take NVIDIA's libraries out of the image: the container toolkit brings those of the machine"
            : kReboot};
}

struct Setting {
    std::optional<bool> CardState::*is_on;
    bool good;
    const char *check, *found, *mend;
};
constexpr Setting kSettings[] = {
    {&CardState::persistence, true, "persistence mode",
        "off: the driver starts anew for each first program, which takes seconds", "sudo nvidia-smi -pm 1"},
    {&CardState::mig, false, "MIG", "on: an API shows slices of the card, Vulkan on most cards none",
        "sudo nvidia-smi -mig 0"},
    {&CardState::ecc, true, "ECC", "off: errors of the memory go unnoticed", "sudo nvidia-smi -e 1, then reboot"}};

/// What holds clocks back, and what that asks for.
struct Throttle {
    std::string_view word;
    CheckState state;
    const char* mend;
};
constexpr Throttle kThrottles[] = {
    {"power cap", CheckState::note, "none needed under load; a higher limit: sudo nvidia-smi -pl WATTS"},
    {"temperature", CheckState::problem, "cool the card: fans, dust, air in the room"},
    {"hardware slowdown", CheckState::problem, "cool the card, and look after its power cables"},
    {"hardware temperature", CheckState::problem, "cool the card: fans, dust, air in the room"},
    {"power brake", CheckState::problem, "look after the power supply, and what else it feeds"}};

void add_clock_rows(const std::string& address, const NvmlCard& card, std::vector<CheckRow>& rows) {
    if (card.throttled_by) {
        const std::vector<std::string>& words = *card.throttled_by;
        std::vector<std::string> said;
        const auto add = [&](const std::string& word, CheckState state, const char* mend) {
            said.push_back(word);
            rows.push_back({"clocks", address, state, fmt::format("throttled now: {}", word), mend});
        };
        for (const Throttle& each : kThrottles)
            if (std::find(words.begin(), words.end(), each.word) != words.end())
                add(std::string(each.word), each.state, each.mend);
        if (said.empty()) rows.push_back({"clocks", address, CheckState::ok, "not throttled", ""});
        if (std::find(words.begin(), words.end(), "application clocks") != words.end())
            rows.push_back({"clocks", address, CheckState::note, "held by a setting (application clocks, or locked)",
                "sudo nvidia-smi -rgc && sudo nvidia-smi -rac"});
    }
    const double application = card.application_mhz.value_or(0), usual = card.default_mhz.value_or(0);
    if (application > 0 && application < usual)
        rows.push_back({"clocks", address, CheckState::note,
            fmt::format("application clock {:.0f} MHz, by default {:.0f} MHz", application, usual),
            "sudo nvidia-smi -rac"});
}
} // namespace

std::vector<CheckRow> nvml_rows(const Surroundings& surroundings, const Json& answer) {
    const std::string absent = text_field(answer, "absent") + text_field(answer, "trouble");
    if (absent.find("version mismatch") != absent.npos) return {{"NVML", "", CheckState::problem, absent, kReboot}};
    if (!absent.empty())
        return {{"NVML", "", CheckState::note, "clocks and settings are unknown: " + absent,
            nvidia_mend(surroundings, "libnvidia-ml1")}};
    std::vector<CheckRow> rows;
    for (const auto& [address, told] : answer.items()) {
        const auto card = told.get<NvmlCard>();
        if (!card.absent.empty()) {
            rows.push_back({"NVML", address, CheckState::unknown, card.absent, ""});
            continue;
        }
        add_clock_rows(address, card, rows);
        for (const Setting& each : kSettings) {
            const std::optional<bool>& on = card.*each.is_on;
            if (!on) continue;
            const bool good = *on == each.good;
            rows.push_back({each.check, address, good ? CheckState::ok : CheckState::note,
                good ? (each.good ? "on" : "off") : each.found, good ? "" : each.mend});
        }
    }
    return rows;
}

std::vector<CheckRow> check_nvidia(const Surroundings& surroundings) {
    std::vector<std::string> addresses;
    for (const PciCard& card : pci_cards(surroundings))
        if (card.vendor == kNvidiaVendor && (card.driver == "nvidia" || !devices_of(surroundings, card).empty()))
            addresses.push_back(card.address);
    if (addresses.empty()) return {}; // the card's row says that its kernel driver is missing
    std::vector<CheckRow> rows{module_row(surroundings)};
    const auto of_cards =
        nvml_rows(surroundings, surroundings.ask("nvml", fmt::format("{}", fmt::join(addresses, ","))));
    rows.insert(rows.end(), of_cards.begin(), of_cards.end());
    return rows;
}

} // namespace sonde
