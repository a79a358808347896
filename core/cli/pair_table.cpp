// Pairs of cores: numbers, and what is told of each core.
#include "core/cli/pair_table.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "core/base/statistics.h"
#include "core/base/text.h"
#include "core/probes/probe.h"

namespace sonde {

namespace {
using TimesOfCores = std::map<std::uint32_t, std::vector<double>>;

TimesOfCores times_of_cores(const Series& series) {
    TimesOfCores times;
    for (const Point& point : series.points)
        if (const auto cores = cores_of_pair(series, point.x); cores && point.median)
            for (const std::uint32_t core : {cores->first, cores->second}) times[core].push_back(*point.median);
    return times;
}

/// The group that a core is of, counted from 1.
Cell group_cell(const std::vector<Finding>& findings, std::uint32_t core) {
    for (const Finding& finding : findings)
        for (std::size_t i = 0; i < finding.groups.size() && static_cast<double>(i) < finding.value.value_or(0); ++i)
            if (std::ranges::count(finding.groups[i], core)) return Quantity{static_cast<double>(i + 1), Unit::count};
    return {};
}
} // namespace

std::optional<std::pair<std::uint32_t, std::uint32_t>> cores_of_pair(const Series& series, double x) {
    const Probe* probe = find_probe(series.id.probe);
    const auto& cores = series.evidence.cores.numbers;
    if (!probe || probe->chart != Chart::core_pairs || cores.empty()) return std::nullopt;
    const auto place = index_of(x - 1, cores.size() * cores.size());
    if (!place) return std::nullopt;
    return std::pair(cores[*place / cores.size()], cores[*place % cores.size()]);
}

std::optional<std::string> pair_text(const Series& series, double x) {
    const auto cores = cores_of_pair(series, x);
    return cores ? std::optional(fmt::format("{}-{}", cores->first, cores->second)) : std::nullopt;
}

bool has_many_pairs(const Series& series) {
    const auto paired = std::ranges::count_if(
        series.points, [&](const Point& point) { return cores_of_pair(series, point.x).has_value(); });
    return static_cast<std::size_t>(paired) > series.evidence.cores.numbers.size();
}

Grid grid_by_core(const std::vector<SeriesFindings>& all) {
    Grid grid{.name = "cores",
        .corner = "core",
        .sections = {{}},
        .caption = "Least, median and most of what the pairs of a core take",
        .digits = 4};
    std::vector<TimesOfCores> times;
    std::set<std::uint32_t> cores;
    for (const auto& [series, findings] : all) {
        for (const char* what : {"least", "median", "most", "group"})
            grid.columns.push_back(fmt::format("{} {}", series->id.device, what));
        times.push_back(times_of_cores(*series));
        for (const auto& [core, taken] : times.back()) cores.insert(core);
    }
    for (const std::uint32_t core : cores) {
        GridRow row{std::to_string(core), {}};
        for (std::size_t i = 0; i < all.size(); ++i) {
            const auto taken = times[i].find(core);
            if (taken == times[i].end()) {
                row.cells.insert(row.cells.end(), 4, Cell());
                continue;
            }
            const auto [least, most] = std::ranges::minmax(taken->second);
            for (const double time : {least, median(taken->second), most})
                row.cells.push_back(quantity_in(time, all[i].series->unit).value_or(Quantity{time, Unit::count}));
            row.cells.push_back(group_cell(all[i].findings, core));
        }
        grid.sections[0].rows.push_back(std::move(row));
    }
    return grid;
}

} // namespace sonde
