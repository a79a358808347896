// sonde devices, paths, operations, probes.
#include "core/cli/commands.h"

#include <algorithm>
#include <map>
#include <ostream>

#include <fmt/format.h>

#include "core/analysis/imported.h"
#include "core/base/terminal.h"
#include "core/base/text.h"
#include "core/device/matrix_form.h"
#include "core/probes/probe.h"
#include "core/run/device_words.h"
#include "core/run/host_limits.h"

namespace sonde {

namespace {
/// nullopt: supported.
std::optional<std::string> why_not(const std::vector<Support>& rows, std::string_view name) {
    const auto row = std::ranges::find(rows, name, &Support::name);
    if (row == rows.end()) return "its worker does not know it";
    return row->supported ? std::nullopt : std::optional(row->reason);
}

int print_table(Form form, const Table& table, std::ostream& out) {
    out << (form == Form::markdown ? table.markdown() : table.str(text_columns()));
    return 0;
}

/// A name in a README is code.
std::string name_text(Form form, std::string_view name) {
    return fmt::format(fmt::runtime(form == Form::markdown ? "`{}`" : "{}"), name);
}
} // namespace

std::vector<Run> read_runs_and_warn(const std::filesystem::path& file, std::ostream& errors, const ImportAs& as) {
    std::vector<Run> runs = read_runs(file, importer(as));
    for (const Run& run : runs)
        for (const std::string& warning : run.warnings) errors << error_lines(printable(warning));
    return runs;
}

int print_json(const Json& value, std::ostream& out) {
    out << json_text(value, JsonForm::indented) << "\n";
    return 0;
}

int devices_command(const Fleet& fleet, const DevicesOptions& options, std::ostream& out) {
    const Taken taken = taken_of(options.devices, fleet.infos());
    Json list = Json::array();
    Table table({"device", "name", "driver", "cores", "memory", "card"},
        {Align::left, Align::left, Align::left, Align::right, Align::right});
    for (const auto& device : fleet.devices()) {
        const DeviceRecord& info = device.info;
        const bool chosen = is_chosen(taken.words, info);
        if (!chosen && !options.devices.empty()) continue;
        list.push_back({{"id", info.id}, {"api", info.api}, {"card", info.card}, {"name", info.name},
            {"driver", info.driver}, {"software", info.software}});
        for (const Fact& fact : info.facts)
            list.back()["facts"].push_back({{"name", fact.name}, {"value", fact.value}, {"source", fact.source}});
        if (!chosen) list.back()["left_out"] = true;
        if (!chosen) continue;
        table.add_row({info.id, info.name, info.driver, info.cores ? std::to_string(info.cores) : "-",
            format_bytes(info.memory_bytes), info.card});
    }
    std::vector<Fleet::Absence> absent = fleet.absent();
    std::erase_if(absent, [&](const Fleet::Absence& absence) {
        return std::ranges::none_of(
            taken.words, [&](const std::string& word) { return may_choose(word, absence.api); });
    });
    for (const auto& absence : absent) {
        list.push_back({{"api", absence.api}, {absence.failed ? "failed" : "absent", absence.reason}});
        if (!absence.driver.empty()) list.back()["driver"] = absence.driver;
    }
    if (options.form == Form::json) print_json(list, out);
    else {
        print_table(options.form, table, out);
        for (const auto& device : fleet.devices()) {
            if (!options.facts || !is_chosen(taken.words, device.info)) continue;
            out << "\n" << device.info.id << "\n";
            for (const Fact& fact : device.info.facts)
                out << wrapped(printable(fmt::format("{}: {}", fact.name, fact.value)), text_columns(), 4);
        }
        if (const std::string text = left_out_text(taken); !text.empty()) out << wrapped(text, text_columns(), 4);
        if (const std::string text = limits_text(fleet.host()); !text.empty()) out << wrapped(text, text_columns(), 4);
        for (const auto& absence : absent)
            out << wrapped(
                printable(fmt::format("{}: {}: {}", absence.api, absence.failed ? "failed" : "absent", absence.reason)),
                text_columns(), 4);
        if (!absent.empty()) out << wrapped("sonde doctor tells what is missing, and what to do", text_columns(), 4);
    }
    const bool any = std::ranges::any_of(
        fleet.devices(), [&](const Fleet::Entry& device) { return is_chosen(taken.words, device.info); });
    return fleet.failed(taken.words) ? 1 : any || options.devices.empty() ? 0 : 3;
}

namespace {
/// One of the things that a device may have.
struct Listed {
    std::string_view name, about;
};

/// What of `all` each device has, and why not: `of` is where a device's answers stand.
int support_command(const Fleet& fleet, Form form, const std::string& kind, const std::string& about,
    const std::vector<Listed>& all, const std::vector<Support> Fleet::Entry::*of, std::ostream& out) {
    const bool markdown = form == Form::markdown;
    std::vector<std::string> titles{kind};
    std::map<std::pair<std::string, std::string>, std::vector<std::string>> lacking; // by reason and device
    if (markdown) titles.push_back(about);
    std::vector<const Fleet::Entry*> columns; // in Markdown one for each API
    for (const auto& device : fleet.devices()) {
        const std::string title = markdown ? device.info.api : device.info.id;
        if (markdown && std::find(titles.begin(), titles.end(), title) != titles.end()) continue;
        columns.push_back(&device);
        titles.push_back(title);
    }
    std::vector<std::vector<std::string>> rows;
    Json list = Json::array();
    for (const Listed& each : all) {
        std::vector<std::string> row{name_text(form, each.name)};
        if (markdown) row.emplace_back(each.about);
        for (const auto* device : columns) {
            const auto reason = why_not(device->*of, each.name);
            list.push_back({{kind, each.name}, {"device", device->info.id}, {"supported", !reason},
                {"reason", reason.value_or("")}});
            if (reason) lacking[{*reason, device->info.id}].emplace_back(each.name);
            row.push_back(!reason ? "yes" : markdown ? *reason : "no");
        }
        if (markdown && !rows.empty() && std::equal(row.begin() + 1, row.end(), rows.back().begin() + 1))
            rows.back()[0] += ", " + row[0]; // as of matrix forms
        else rows.push_back(std::move(row));
    }
    if (form == Form::json) return print_json(list, out);
    Table table(titles);
    for (auto& row : rows) table.add_row(std::move(row));
    print_table(form, table, out);
    if (!markdown && !lacking.empty()) out << "\n";
    if (!markdown)
        for (const auto& [why, names] : lacking)
            out << wrapped(printable(fmt::format("{} lacks {}: {}", why.second, fmt::join(names, ", "), why.first)),
                text_columns(), 4);
    return 0;
}
} // namespace

int paths_command(const Fleet& fleet, Form form, std::ostream& out) {
    std::vector<Listed> all;
    for (const Path& path : all_paths()) all.push_back({path.name, path.intent});
    return support_command(fleet, form, "path", "asks for", all, &Fleet::Entry::paths, out);
}

int operations_command(const Fleet& fleet, Form form, std::ostream& out) {
    std::vector<Listed> all;
    for (const std::span<const Operation> operations : {all_operations(), all_matrix_forms()})
        for (const Operation& operation : operations) all.push_back({operation.name, operation.step});
    return support_command(fleet, form, "operation", "a step of its chain", all, &Fleet::Entry::operations, out);
}

int probes_command(const std::vector<std::string>& names, Form form, std::ostream& out) {
    if (!names.empty()) return explain_probes(names, form, out);
    Table table({"probe", "question", "unit", "paths"});
    Json list = Json::array();
    for (const Probe* probe : all_probes()) {
        list.push_back({{"name", probe->name}, {"question", probe->question}, {"unit", probe->unit}});
        table.add_row({name_text(form, probe->name), std::string(probe->question), std::string(probe->unit),
            fmt::format("{}", fmt::join(probe->paths, ", "))});
    }
    return form == Form::json ? print_json(list, out) : print_table(form, table, out);
}

} // namespace sonde
