#include "core/analysis/few_points.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace sonde {

namespace {
constexpr std::size_t kFewPoints = 3;

bool are_few(std::size_t points, bool slower_by_tlb) { return points > 0 && points <= kFewPoints && !slower_by_tlb; }
} // namespace

bool has_few_points(const Level& level) { return are_few(level.sizes.size(), level.tlb_beyond.has_value()); }
bool has_few_points(const Finding& level) { return are_few(level.x.size(), level.tlb_beyond_bytes.has_value()); }

std::string few_points_text(const std::vector<std::string>& names) {
    return names.empty() ? ""
                         : fmt::format("{}: {} points or fewer: {}, or part of one rise; more sizes would tell",
                               fmt::join(names, ", "), kFewPoints, names.size() == 1 ? "a level" : "a level each");
}

std::vector<std::string> few_points_lines(const Card& card) {
    std::vector<std::string> lines;
    for (const Curve& curve : card.curves) {
        const SeriesId& id = curve.series->id;
        if (!has_levels(id)) continue;
        std::vector<std::string> names;
        for (std::size_t i = 0; i < curve.levels.size(); ++i)
            if (has_few_points(curve.levels[i])) names.push_back(curve.level_names[i].text());
        const std::string options = options_text(id.options);
        if (!names.empty())
            lines.push_back(fmt::format(
                "{} {}{}{}: {}", id.device, id.path, options.empty() ? "" : " ", options, few_points_text(names)));
    }
    return lines;
}

} // namespace sonde
