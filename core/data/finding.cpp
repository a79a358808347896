// How a finding is read.
#include "core/data/finding.h"

#include <fmt/format.h>

#include "core/base/text.h"

namespace sonde {

std::string capacity_text(const Finding& level) {
    const auto& [inside, outside] = *level.capacity_bytes;
    return outside ? format_byte_range(inside, *outside) : format_bytes(inside) + " (end of the sweep)";
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
    const bool sound = level && level->value > 0.0 && level->capacity_bytes && level->capacity_bytes->first > 0 && level->capacity_bytes->second.value_or(1) > 0 && !level->x.empty();
    return sound ? level : std::nullopt;
}

} // namespace sonde
