// The command `levels`.
#include "core/cli/levels_command.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/analysis/level_findings.h"
#include "core/base/text.h"
#include "core/data/finding.h"

namespace sonde {

namespace {

nlohmann::ordered_json json_of(const Level& level) {
    nlohmann::ordered_json capacity = {level.capacity_on, nullptr};
    if (level.capacity_off) capacity[1] = *level.capacity_off;
    return {{"latency", level.latency}, {"capacity_bytes", capacity}, {"confidence", level.confidence}, {"points", level.sizes.size()}};
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
        nlohmann::ordered_json array = nlohmann::ordered_json::array();
        for (const Level& level : levels) array.push_back(json_of(level));
        out << array.dump(2) << '\n';
    } else if (levels.empty()) {
        out << "no level: the curve is flat nowhere\n";
    } else {
        out << table_of(levels, options.format.latency_unit);
    }
    return 0;
}

} // namespace sonde
