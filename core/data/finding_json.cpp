// Findings as JSON.
#include "core/data/finding.h"

#include "core/data/finding_fields.h"

namespace sonde {

void to_json(Json& json, const CitedSeries& from) { fields::write_all(json, from); }
void from_json(const Json& json, CitedSeries& into) { fields::read_all(json, into); }
void to_json(Json& json, const FindingRow& from) { fields::write_all(json, from); }
void from_json(const Json& json, FindingRow& into) { fields::read_all(json, into); }
void to_json(Json& json, const Finding& from) {
    fields::write_all(json, from);
    if (!from.text.empty()) json["text"] = from.line();
}

/// A file's text names the place, too.
static std::string text_of_line(const Finding& finding, const std::string& line) {
    const std::string place = finding.place();
    return line.starts_with(place) ? line.substr(place.size()) : line;
}

void from_json(const Json& json, Finding& into) {
    fields::read_all(json, into);
    into.text = text_of_line(into, into.text);
    if (into.kind == "level") into.level = level_name_of(into.name);
}

std::optional<Finding> finding_from(const Json& line) {
    try {
        return line.get<Finding>();
    } catch (const Error&) {
        return std::nullopt; // of another version, or of another tool: the series itself tells
    }
}

std::optional<Finding> level_from(const Json& line) {
    if (text_field(line, "kind") != "level") return std::nullopt;
    auto level = finding_from(line);
    const bool sound = level && level->value > 0.0 && level->capacity_bytes && level->capacity_bytes->first > 0 &&
                       level->capacity_bytes->second.value_or(1) > 0 && !level->x.empty();
    return sound ? level : std::nullopt;
}

} // namespace sonde
