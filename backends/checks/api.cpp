// What the checks of the APIs do alike.
#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "backends/checks/cards.h"
#include "backends/checks/checks.h"
#include "backends/checks/libraries.h"
#include "backends/checks/places.h"
#include "core/base/grouped.h"
#include "core/base/text.h"
#include "core/device/doubles.h"

namespace sonde {

namespace {
const ApiAbsence* absence_of(const Surroundings& surroundings, std::string_view api) {
    const auto found = std::find_if(surroundings.absent.begin(), surroundings.absent.end(),
        [&](const ApiAbsence& each) { return each.api == api; });
    return found == surroundings.absent.end() ? nullptr : &*found;
}
} // namespace

std::optional<std::string> variable(const char* name) {
    const char* value = std::getenv(name);
    return value ? std::optional<std::string>(value) : std::nullopt;
}

bool is_absent(const Surroundings& surroundings, std::string_view api) {
    return absence_of(surroundings, api) != nullptr;
}

CheckState absence_state(const Surroundings& surroundings, std::string_view api) {
    const ApiAbsence* absence = absence_of(surroundings, api);
    return (absence && absence->failed) || has_card_for(surroundings, api) ? CheckState::problem : CheckState::note;
}

std::string mend_without_card(const Surroundings& surroundings, const ApiTables& tables) {
    std::error_code none;
    const std::string nvidias = nvidia_mend(surroundings, "nvidia-driver");
    if (tables.processors) return std::string(tables.without_card);
    if (has_wsl_gpu(surroundings)) return fmt::format("where Windows has a card of NVIDIA's: {}", nvidias);
    if (in_wsl(surroundings))
        return "Windows gives this WSL no GPU (no /dev/dxg): it takes WSL 2, a driver of Windows' for it, and wsl "
               "--update";
    if (!std::filesystem::exists(surroundings.root / "sys/bus/pci", none))
        return fmt::format("the PCI bus cannot be seen here; where it has a card of NVIDIA's: {}", nvidias);
    return std::string(tables.without_card);
}

namespace {
/// The API itself: its devices, or why there are none.
CheckRow api_row(const Surroundings& surroundings, const ApiTables& tables, const std::vector<CheckRow>& drivers) {
    const auto opened = [](const CheckRow& row) {
        return row.state == CheckState::ok || (row.state == CheckState::note && row.subject_is_path);
    };
    const bool broken_driver = std::any_of(
        drivers.begin(), drivers.end(), [](const CheckRow& row) { return row.state == CheckState::problem; });
    const bool installed = std::any_of(drivers.begin(), drivers.end(), opened);
    const std::string api(tables.api);
    const ApiAbsence* absence = absence_of(surroundings, api);
    if (!absence) {
        std::vector<std::string> devices;
        for (const DeviceInfo& device : surroundings.devices)
            if (device.api == api) devices.push_back(fmt::format("{} ({})", device.id, device.name));
        return {api, "", CheckState::ok, fmt::format("{}", fmt::join(devices, ", ")), ""};
    }
    const CheckState state = broken_driver ? CheckState::problem : absence_state(surroundings, api);
    if (state == CheckState::note)
        return {api, "", state, absence->reason,
            installed ? fmt::format("the rows '{} driver' say what each lacks", api)
                      : mend_without_card(surroundings, tables)};
    std::string mend = absence->failed ? fmt::format("update or remove its driver (rows '{} driver')", api) : "";
    for (const CheckRow& row : drivers)
        if (row.check == "variable" && row.state == CheckState::problem)
            mend = fmt::format("see the row of variable {}", row.subject);
    for (const KnownReason& known : tables.reasons)
        if (mend.empty() && absence->reason.find(known.part) != absence->reason.npos) mend = known.mend;
    return {api, "", state, absence->reason, mend};
}

/// The loader's, and with it the API's.
std::vector<CheckRow> loader_rows(const Surroundings& surroundings, const ApiTables& tables, const std::string& check,
    const std::string& library, const std::vector<CheckRow>& drivers) {
    CheckRow loader =
        library_row(surroundings, check, library, fmt::format("{} {}", library, tables.loader_symbol), {}, "exports");
    if (loader.state == CheckState::ok) return {api_row(surroundings, tables, drivers), loader};
    const bool is_here = steered_folder(library) || folder_beside_the_path(surroundings, library);
    if (loader.state == CheckState::problem && !is_here &&
        absence_state(surroundings, tables.api) == CheckState::note) {
        loader.state = CheckState::note;
        loader.mend = mend_without_card(surroundings, tables);
        loader.cause = false;
    }
    return {loader};
}

/// The variables that are set, and their values, cut where they are long.
std::vector<std::pair<const Variable*, std::string>> set_variables(const ApiTables& tables) {
    constexpr std::size_t kLongest = 48;
    std::vector<std::pair<const Variable*, std::string>> set;
    for (const Variable& each : tables.variables) {
        const auto value = variable(each.name);
        if (!value || (value->empty() && !each.empty_counts)) continue;
        const auto words = split(each.harmless, ' ');
        if (!each.harmless.empty() && std::any_of(words.begin(), words.end(),
                                          [&](const std::string& word) { return value->find(word) != value->npos; }))
            continue;
        set.emplace_back(&each, value->empty()             ? "nothing"
                                : value->size() > kLongest ? value->substr(0, kLongest - 3) + "..."
                                                           : *value);
    }
    return set;
}

/// The variables that are set: a problem where the API shows nothing.
void add_variable_rows(const Surroundings& surroundings, const ApiTables& tables, std::vector<CheckRow>& rows) {
    const bool hides =
        is_absent(surroundings, tables.api) && (tables.processors || has_card_for(surroundings, tables.api));
    const bool explained = std::any_of(rows.begin(), rows.end(), [](const CheckRow& row) { return row.cause; });
    for (const auto& [each, value] : set_variables(tables)) {
        const auto of_it = [name = each->name](
                               const CheckRow& row) { return row.check == "variable" && row.subject == name; };
        if (std::any_of(rows.begin(), rows.end(), of_it)) continue; // what is wrong with it is said
        rows.push_back({.check = "variable",
            .subject = each->name,
            .state = hides ? CheckState::problem : CheckState::note,
            .found = fmt::format("is set to {}: {}", value, each->effect),
            .mend = std::string_view(each->name).starts_with("NVIDIA_")
                        ? fmt::format("start the container with -e {}=all", each->name)
                        : fmt::format("unset {}", each->name),
            .cause = hides && !explained});
    }
}

/// Devices that are there twice, and the drivers' files that name one library.
void add_double_rows(const Surroundings& surroundings, const ApiTables& tables, const std::vector<CheckRow>& drivers,
    std::vector<CheckRow>& rows) {
    std::vector<std::string> files;
    for (const auto& of_library : grouped(drivers, [](const CheckRow& row) { return row.found; }))
        if (of_library.size() > 1 && of_library[0].state == CheckState::ok)
            for (const CheckRow& row : of_library) files.push_back(row.subject);
    for (const DeviceInfo& device : surroundings.devices) {
        const std::string first = first_of_double(device);
        if (device.api != tables.api || first.empty()) continue;
        rows.push_back(
            {"device", device.id, CheckState::note, fmt::format("{} once more; a run takes it only by its id", first),
                files.empty() ? "leave one of its drivers' files"
                              : fmt::format("leave one of these, which name one library: {}", fmt::join(files, ", "))});
    }
}
} // namespace

Opened naming_variables(Opened opened, const ApiTables& tables) {
    if (opened.devices.empty())
        for (const auto& [each, value] : set_variables(tables))
            opened.absent += fmt::format("; {} is set to {}", each->name, value);
    return opened;
}

std::vector<CheckRow> api_rows(const Surroundings& surroundings, const ApiTables& tables,
    const std::string& loader_check, const std::string& loader, const std::vector<CheckRow>& drivers) {
    std::vector<CheckRow> rows = loader_rows(surroundings, tables, loader_check, loader, drivers);
    rows.insert(rows.end(), drivers.begin(), drivers.end());
    add_variable_rows(surroundings, tables, rows);
    add_double_rows(surroundings, tables, drivers, rows);
    return rows;
}

} // namespace sonde
