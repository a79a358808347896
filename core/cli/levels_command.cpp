// The command `levels`.
#include "core/cli/commands.h"

#include <fmt/format.h>

#include "core/analysis/level_findings.h"
#include "core/base/text.h"
#include "core/data/finding.h"

namespace sonde {

namespace {

Json json_of(const Level& level) {
    return {{"latency", level.latency}, {"capacity_bytes", Json::array({level.capacity_on, number_or_null(level.capacity_off)})}, {"confidence", level.confidence},
            {"points", level.sizes.size()}};
}

std::string table_of(const std::vector<Level>& levels, const std::string& unit) {
    Table table({"level", "latency", "capacity", "confidence", "points"},
                {Align::left, Align::right, Align::left, Align::left, Align::right});
    for (std::size_t i = 0; i < levels.size(); ++i) {
        const Level& level = levels[i];
        const std::string capacity = level.capacity_off ? format_byte_range(level.capacity_on, *level.capacity_off)
                                                        : fmt::format("beyond {}", format_bytes(level.capacity_on));
        table.add_row({level_name(levels, i, true), fmt::format("{:.1f} {}", level.latency, unit), capacity, fmt::format("{:.2f}", level.confidence),
                       fmt::format("{}", level.sizes.size())});
    }
    return table.str();
}

} // namespace

int levels_command(const LevelsOptions& options, std::ostream& out) {
    const std::vector<Level> levels = find_levels(read_curve_file(options.file, options.format));
    if (options.json) {
        Json array = Json::array();
        for (const Level& level : levels) array.push_back(json_of(level));
        return print_json(array, out);
    }
    out << (levels.empty() ? "no level: the curve is flat nowhere\n" : table_of(levels, options.format.latency_unit));
    return 0;
}

} // namespace sonde
