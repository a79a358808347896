// sonde doctor: the checks' rows, problems first, on one screen.
#include "core/cli/commands.h"

#include <algorithm>
#include <filesystem>
#include <ostream>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "core/base/grouped.h"
#include "core/base/terminal.h"
#include "core/base/text.h"
#include "core/run/ask_driver.h"

namespace sonde {

namespace {
constexpr std::size_t kIndent = 9; // the width of "PROBLEM" and two spaces
constexpr std::size_t kNamed = 3;  // subjects of one row; of more the first, and how many

/// Of rows with the same `found`; "" where that names the subject itself, or there is one only.
std::string subjects_of(const std::vector<CheckRow>& rows) {
    std::vector<std::string> names;
    for (const CheckRow& row : rows)
        if (!row.names_subject && !row.subject.empty()) names.push_back(row.subject);
    return names.size() > kNamed ? fmt::format("{} and {} more", names[0], names.size() - 1)
                                 : fmt::format("{}", fmt::join(names, ", "));
}

std::size_t count_of(const std::vector<CheckRow>& rows, CheckState state) {
    return static_cast<std::size_t>(
        std::count_if(rows.begin(), rows.end(), [&](const CheckRow& row) { return row.state == state; }));
}

/// What is not as it should be: what was found, and below it what to do. Equal rows of several subjects are one.
void show_findings(const std::vector<CheckRow>& rows, std::size_t columns, std::ostream& out) {
    for (const auto& group :
        grouped(rows, [](const CheckRow& row) { return std::tuple(row.check, row.state, row.found, row.mend); })) {
        const CheckRow& row = group[0];
        if (row.state == CheckState::ok) continue;
        const char* label =
            row.state == CheckState::problem ? "PROBLEM" : enum_names(row.state)[static_cast<std::size_t>(row.state)];
        const std::string subjects = subjects_of(group);
        out << wrapped(printable(fmt::format("{:<{}}{}{}{}: {}", label, kIndent, row.check, subjects.empty() ? "" : " ",
                           subjects, row.found)),
            columns, kIndent);
        if (!row.mend.empty())
            out << wrapped(printable(fmt::format("{:<{}}{}", "mend", kIndent, row.mend)), columns, kIndent);
    }
}

/// What is as it should be: a line for each check.
void show_healthy(const std::vector<CheckRow>& rows, std::size_t columns, std::ostream& out) {
    std::vector<CheckRow> healthy;
    std::copy_if(rows.begin(), rows.end(), std::back_inserter(healthy),
        [](const CheckRow& row) { return row.state == CheckState::ok; });
    for (const auto& of_check : grouped(healthy, [](const CheckRow& row) { return row.check; })) {
        std::vector<std::string> said;
        for (const auto& alike : grouped(of_check, [](const CheckRow& row) { return row.found; })) {
            const std::string subjects = subjects_of(alike);
            if (alike[0].subject_is_path) // its name is enough
                for (const CheckRow& row : alike)
                    said.push_back(std::filesystem::path(row.subject).filename().string());
            else said.push_back(subjects.empty() ? alike[0].found : fmt::format("{} ({})", alike[0].found, subjects));
        }
        out << wrapped(printable(fmt::format("{:<{}}{}: {}", "ok", kIndent, of_check[0].check, fmt::join(said, ", "))),
            columns, kIndent);
    }
}

Surroundings surroundings_of(const Fleet& fleet, const DoctorOptions& options) {
    Surroundings surroundings{.root = options.root};
    for (const auto& device : fleet.devices()) surroundings.devices.push_back(device.info);
    for (const auto& absence : fleet.absent())
        if (absence.driver.empty()) // of one driver its own row tells
            surroundings.absent.push_back({absence.api, absence.reason, absence.failed});
    surroundings.ask = [&](std::string_view question, const std::string& argument) {
        return ask_driver(own_program(), question, argument, options.silence_seconds);
    };
    return surroundings;
}
} // namespace

int doctor_command(const Fleet& fleet, std::span<const Check> checks, const DoctorOptions& options, std::ostream& out) {
    const Surroundings surroundings = surroundings_of(fleet, options);
    std::vector<CheckRow> rows;
    for (const Check check : checks) {
        const auto found = check(surroundings);
        rows.insert(rows.end(), found.begin(), found.end());
    }
    const auto place = [](const CheckRow& row) { return std::pair(row.state, !row.cause); };
    std::stable_sort(
        rows.begin(), rows.end(), [&](const CheckRow& a, const CheckRow& b) { return place(a) < place(b); });
    const std::size_t problems = count_of(rows, CheckState::problem);
    if (options.json) print_json(rows, out);
    else {
        const std::size_t columns = text_columns();
        show_findings(rows, columns, out);
        show_healthy(rows, columns, out);
        out << (problems == 0 ? "No problem was found.\n"
                              : fmt::format("{} problem{}; the first may be the cause of others.\n", problems,
                                    problems == 1 ? "" : "s"));
    }
    return problems == 0 ? 0 : 1;
}

} // namespace sonde
