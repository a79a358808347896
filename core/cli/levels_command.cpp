// The command `levels`.
#include "core/cli/commands.h"

#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/analysis/few_points.h"
#include "core/base/terminal.h"
#include "core/base/text.h"
#include "core/data/finding.h"
#include "core/facts/grid.h"

namespace sonde {

namespace {

constexpr double kMemory = 32e6; // bytes: a curve that ends flat beyond ends in DRAM

struct NamedLevel {
    std::string name;
    Level level;
};

/// Those of a curve, or those that its tool found instead.
std::vector<NamedLevel> levels_of_curve(const FileCurve& curve) {
    std::vector<Level> levels = curve.levels.empty() ? find_levels(curve.points) : curve.levels;
    if (curve.levels.empty() && curve.small_pages) levels = without_tlb_steps(std::move(levels));
    const bool memory = !curve.points.empty() && curve.points.back().x >= kMemory;
    std::vector<NamedLevel> named;
    for (std::size_t i = 0; i < levels.size(); ++i) {
        const std::size_t number = i + curve.first_level;
        const LevelName own = memory && number > 1 && !levels[i].capacity_off
                                  ? LevelName::dram()
                                  : LevelName::cache(static_cast<int>(number));
        named.push_back({curve.levels.empty() ? own.text() : curve.level_names[i], levels[i]});
    }
    return named;
}

Json json_of(const FileCurve& curve, const NamedLevel& named) {
    const Level& level = named.level;
    return {{"curve", curve.core.empty() ? curve.name : fmt::format("{}, {}", curve.core, curve.name)},
        {"name", named.name}, {"latency", level.latency}, {"unit", curve.unit},
        {"capacity_bytes", Json::array({level.capacity_on, number_or_null(level.capacity_off)})},
        {"tlb_beyond_bytes", number_or_null(level.tlb_beyond)}, {"confidence", number_or_null(level.confidence)},
        {"points", level.sizes.size()}};
}

Grid grid_of_levels(const std::vector<NamedLevel>& levels, const FileCurve& curve) {
    Grid grid{.name = "levels",
        .corner = "level",
        .columns = {"latency", "capacity", "confidence", "points"},
        .sections = {{}},
        .unit_by = UnitBy::cell};
    for (const auto& [name, level] : levels) {
        GridRow row{name, {quantity_in(level.latency, curve.unit).value_or(Quantity{level.latency, Unit::ns}),
                              level.capacity_on > 0 || level.capacity_off
                                  ? Cell(open_range(level.capacity_on, level.capacity_off, Unit::bytes))
                                  : Cell()}};
        row.cells.push_back(std::isfinite(level.confidence) ? Cell(Quantity{level.confidence, Unit::share}) : Cell());
        if (curve.levels.empty()) row.cells.push_back(Quantity{static_cast<double>(level.sizes.size()), Unit::count});
        grid.sections[0].rows.push_back(std::move(row));
    }
    return grid;
}

/// The names of levels that rest on few points.
std::vector<std::string> short_levels(const std::vector<NamedLevel>& levels, const FileCurve& curve) {
    std::vector<std::string> names;
    for (const auto& [name, level] : levels)
        if (curve.levels.empty() && has_few_points(level)) names.push_back(name);
    return names;
}

/// What the table alone would not say.
void print_remarks(const std::vector<NamedLevel>& levels, const FileCurve& curve, std::ostream& out) {
    for (const auto& [name, level] : levels)
        if (level.tlb_beyond)
            out << fmt::format("{}: latency rises again beyond {}: TLB{}\n", name, format_bytes(*level.tlb_beyond),
                level.capacity_off ? ", or another cache" : "");
    if (const std::string text = few_points_text(short_levels(levels, curve)); !text.empty()) out << text << '\n';
    if (!curve.note.empty()) out << curve.note << '\n';
}

} // namespace

int levels_command(const LevelsOptions& options, std::ostream& out, std::ostream& errors) {
    const std::vector<FileCurve> curves = read_curve_file(options.file, options.format);
    Json array = Json::array();
    for (const std::string& sentence : curves.front().left_out)
        errors << error_lines(printable(fmt::format("{}: {}", options.file, sentence)));
    for (const FileCurve& curve : curves) {
        const std::vector<NamedLevel> levels = levels_of_curve(curve);
        if (options.json) {
            for (const NamedLevel& level : levels) array.push_back(json_of(curve, level));
            continue;
        }
        if (&curve != &curves.front()) out << '\n';
        if (!curve.tool.empty())
            out << curve.tool << (curve.core.empty() ? "" : ", " + curve.core)
                << (curve.name.empty() ? "" : ", " + curve.name) << '\n';
        out << (levels.empty() ? "no level: the curve is flat nowhere\n"
                               : grid_text(grid_of_levels(levels, curve), text_columns()));
        print_remarks(levels, curve, out);
    }
    return options.json ? print_json(array, out) : 0;
}

} // namespace sonde
