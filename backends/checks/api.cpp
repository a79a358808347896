// What the checks of the APIs do alike.
#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "backends/checks/cards.h"
#include "backends/checks/checks.h"
#include "backends/checks/libraries.h"
#include "core/base/text.h"

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

namespace {
/// The API itself: its devices, or why there are none.
CheckRow api_row(const Surroundings& surroundings, const ApiTables& tables, bool broken_driver) {
    const std::string api(tables.api);
    const ApiAbsence* absence = absence_of(surroundings, api);
    if (!absence) {
        std::vector<std::string> devices;
        for (const DeviceInfo& device : surroundings.devices)
            if (device.api == api) devices.push_back(fmt::format("{} ({})", device.id, device.name));
        return {api, "", CheckState::ok, fmt::format("{}", fmt::join(devices, ", ")), ""};
    }
    const CheckState state = broken_driver ? CheckState::problem : absence_state(surroundings, api);
    if (state == CheckState::note) return {api, "", state, absence->reason, std::string(tables.without_card)};
    std::string mend = absence->failed ? fmt::format("update or remove its driver (rows '{} driver')", api) : "";
    for (const KnownReason& known : tables.reasons)
        if (mend.empty() && absence->reason.find(known.part) != absence->reason.npos) mend = known.mend;
    return {api, "", state, absence->reason, mend};
}

/// The loader's, and with it the API's.
std::vector<CheckRow> loader_rows(const Surroundings& surroundings, const ApiTables& tables, const std::string& check,
    const std::string& library, bool broken_driver) {
    CheckRow loader = library_row(surroundings, check, library, library);
    if (loader.state == CheckState::ok) return {api_row(surroundings, tables, broken_driver), loader};
    if (loader.state == CheckState::problem && absence_state(surroundings, tables.api) == CheckState::note) {
        loader.state = CheckState::note;
        loader.mend = tables.without_card;
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
    for (const auto& [each, value] : set_variables(tables))
        rows.push_back({"variable", each->name, hides ? CheckState::problem : CheckState::note,
            fmt::format("is set to {}: {}", value, each->effect),
            std::string_view(each->name).starts_with("NVIDIA_")
                ? fmt::format("start the container with -e {}=all", each->name)
                : fmt::format("unset {}", each->name)});
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
    const bool broken_driver = std::any_of(
        drivers.begin(), drivers.end(), [](const CheckRow& row) { return row.state == CheckState::problem; });
    std::vector<CheckRow> rows = loader_rows(surroundings, tables, loader_check, loader, broken_driver);
    rows.insert(rows.end(), drivers.begin(), drivers.end());
    add_variable_rows(surroundings, tables, rows);
    return rows;
}

} // namespace sonde
