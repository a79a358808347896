// sonde devices, paths, probes.
#include "core/cli/list_command.h"

#include <algorithm>
#include <ostream>

#include <fmt/format.h>

#include "core/base/text.h"
#include "core/probes/probe.h"

namespace sonde {

namespace {
std::string field(const Fleet::Entry& device, const char* name) { return device.record.info.at(name).get<std::string>(); }

/// nullopt: supported.
std::optional<std::string> why_not(const Fleet::Entry& device, std::string_view path) {
    for (const Json& row : device.record.paths)
        if (row.at("path") == path) return row.at("supported").get<bool>() ? std::nullopt : std::optional(row.at("reason").get<std::string>());
    return "its worker does not know this path";
}

void print_markdown(const std::vector<std::string>& header, const std::vector<std::vector<std::string>>& rows, std::ostream& out) {
    const auto line = [&](const std::vector<std::string>& cells) { out << fmt::format("| {} |\n", fmt::join(cells, " | ")); };
    line(header);
    line(std::vector<std::string>(header.size(), "---"));
    for (const auto& row : rows) line(row);
}

std::string joined(const std::vector<std::string_view>& words) { return fmt::format("{}", fmt::join(words, ", ")); }
} // namespace

int devices_command(const Fleet& fleet, Form form, std::ostream& out) {
    const int code = fleet.devices().empty() && fleet.failed() ? 1 : 0;
    if (form == Form::json) {
        Json list = Json::array();
        for (const auto& device : fleet.devices())
            list.push_back({{"id", device.record.id()}, {"api", device.record.api()}, {"card", device.card}, {"name", field(device, "name")},
                            {"driver", field(device, "driver")}, {"software", device.record.info.at("software")}});
        for (const auto& absence : fleet.absent()) list.push_back({{"api", absence.api}, {absence.failed ? "failed" : "absent", absence.reason}});
        out << list.dump(2) << "\n";
        return code;
    }
    Table table({"device", "name", "driver", "cores", "memory", "card"}, {Align::left, Align::left, Align::left, Align::right, Align::right});
    for (const auto& device : fleet.devices())
        table.add_row({device.record.id(), field(device, "name"), field(device, "driver"), device.record.info.value("cores", Json(0)).dump(),
                       format_bytes(device.record.info.value("memory_bytes", 0.0)), device.card});
    out << table.str();
    for (const auto& absence : fleet.absent()) out << fmt::format("{}: {}: {}\n", absence.api, absence.failed ? "failed" : "absent", absence.reason);
    return code;
}

int paths_command(const Fleet& fleet, Form form, std::ostream& out) {
    if (form == Form::json) {
        Json list = Json::array();
        for (const Path& path : all_paths())
            for (const auto& device : fleet.devices()) {
                const auto reason = why_not(device, path.name);
                list.push_back({{"path", path.name}, {"device", device.record.id()}, {"supported", !reason}, {"reason", reason.value_or("")}});
            }
        out << list.dump(2) << "\n";
        return 0;
    }
    std::vector<std::string> header{"path", "asks for"};
    std::vector<const Fleet::Entry*> columns;
    for (const auto& device : fleet.devices()) {
        const bool another = std::any_of(columns.begin(), columns.end(), [&](const auto* column) { return column->record.api() == device.record.api(); });
        if (form == Form::markdown && another) continue;
        columns.push_back(&device);
        header.push_back(form == Form::markdown ? device.record.api() : device.record.id());
    }
    std::vector<std::vector<std::string>> rows;
    for (const Path& path : all_paths()) {
        std::vector<std::string> row{form == Form::markdown ? fmt::format("`{}`", path.name) : std::string(path.name), std::string(path.intent)};
        for (const auto* device : columns) row.push_back(why_not(*device, path.name).value_or("yes"));
        rows.push_back(row);
    }
    if (form == Form::markdown) {
        print_markdown(header, rows, out);
        return 0;
    }
    header.erase(header.begin() + 1);
    Table table(header);
    std::vector<std::string> reasons;
    for (auto& row : rows) {
        row.erase(row.begin() + 1);
        for (std::size_t i = 1; i < row.size(); ++i)
            if (row[i] != "yes") {
                reasons.push_back(fmt::format("{} on {}: {}", row[0], header[i], row[i]));
                row[i] = "no";
            }
        table.add_row(row);
    }
    out << table.str();
    for (const std::string& reason : reasons) out << reason << "\n";
    return 0;
}

int probes_command(Form form, std::ostream& out) {
    std::vector<std::vector<std::string>> rows;
    Json list = Json::array();
    for (const Probe* each : all_probes()) {
        const Probe& probe = *each;
        list.push_back({{"name", probe.name}, {"question", probe.question}, {"unit", probe.unit}});
        rows.push_back({form == Form::markdown ? fmt::format("`{}`", probe.name) : std::string(probe.name), std::string(probe.question), std::string(probe.unit), joined(probe.paths)});
    }
    const std::vector<std::string> header{"probe", "question", "unit", "paths"};
    if (form == Form::json) out << list.dump(2) << "\n";
    else if (form == Form::markdown) print_markdown(header, rows, out);
    else {
        Table table(header);
        for (auto& row : rows) table.add_row(row);
        out << table.str();
    }
    return 0;
}

} // namespace sonde
