// How a finding is written and read.
#include "core/data/finding.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/base/statistics.h"
#include "core/base/text.h"
#include "core/device/path.h"

namespace sonde {

Json to_json(const Finding& finding) {
    const auto& id = finding.series;
    Json line = {{"type", "finding"}, {"kind", finding.kind}, {"probe", id.probe}, {"device", id.device}, {"api", finding.api},
                 {"card", finding.card}, {"path", id.path}, {"options", id.options}, {"name", finding.name},
                 {"value", number_or_null(finding.value)}, {"unit", finding.unit}, {"cycles", number_or_null(finding.cycles)}};
    if (finding.capacity_bytes) line["capacity_bytes"] = {finding.capacity_bytes->first, number_or_null(finding.capacity_bytes->second)};
    if (finding.confidence) line["confidence"] = *finding.confidence;
    line["text"] = finding.text;
    line["from"] = Json::array({source_json(id, finding.x)});
    return line;
}

Json source_json(const SeriesId& id, const std::vector<double>& x) {
    return {{"probe", id.probe}, {"device", id.device}, {"path", id.path}, {"options", id.options}, {"x", x}};
}

std::string capacity_text(const Finding& level) {
    const auto& [inside, outside] = *level.capacity_bytes;
    return outside ? format_byte_range(inside, *outside) : fmt::format("{} and more", format_bytes(inside));
}

std::optional<Finding> level_from(const Json& line) {
    if (text_field(line, "kind") != "level") return std::nullopt;
    try {
        const Json& from = line.at("from").at(0);
        Finding finding{.kind = "level", .name = line.at("name"),
                        .series = {line.at("probe"), line.at("device"), line.at("path"), from.at("options").get<std::map<std::string, std::string>>()},
                        .api = text_field(line, "api"), .card = line.at("card"), .value = line.at("value").get<double>(), .unit = line.at("unit"),
                        .text = line.at("text"), .x = from.at("x").get<std::vector<double>>()};
        if (line.at("cycles").is_number()) finding.cycles = line["cycles"].get<double>();
        if (line.contains("confidence")) finding.confidence = line["confidence"].get<double>();
        const Json& capacity = line.at("capacity_bytes");
        finding.capacity_bytes = std::pair{capacity.at(0).get<double>(), capacity.at(1).is_null() ? std::nullopt : std::optional(capacity[1].get<double>())};
        const bool sound = *finding.value > 0 && finding.capacity_bytes->first > 0 && finding.capacity_bytes->second.value_or(1) > 0 && !finding.x.empty();
        return sound ? std::optional(finding) : std::nullopt;
    } catch (const Json::exception&) {
        return std::nullopt; // of another version, or of another tool: the series itself tells
    }
}

} // namespace sonde
