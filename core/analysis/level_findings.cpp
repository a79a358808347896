// Names of levels, and what a latency curve says of memory.
#include "core/analysis/level_findings.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/base/statistics.h"
#include "core/base/text.h"
#include "core/device/path.h"

namespace sonde {

namespace {
/// Whether a curve that ends flat ends in memory, rather than where the path or the API ends: far past every cache that is known.
bool ends_in_memory(const Series& series, const Json& device) {
    const Path* path = find_path(series.id.path);
    if (!path || path->stage != Stage::nothing || path->space == Space::constant || path->space == Space::push || series.points.empty()) return false;
    return series.points.back().x >= 2 * std::max(number_field(device, "cache_bytes"), 16e6);
}

std::string text_of(const Finding& finding) {
    std::string text = fmt::format("{} {}: {} takes {:.4g} {}", finding.series.device, finding.series.path, finding.name, finding.value.value_or(0), finding.unit);
    if (finding.cycles) text += fmt::format(" ({:.1f} cycles)", *finding.cycles);
    const auto& [on, off] = *finding.capacity_bytes;
    text += off ? fmt::format(" and holds {}", format_byte_range(on, *off)) : fmt::format(", to the end of the curve at {}", format_bytes(on));
    return text;
}
} // namespace

std::string level_name(const std::vector<Level>& levels, std::size_t index, bool memory) {
    return memory && index > 0 && !levels[index].capacity_off ? "DRAM" : fmt::format("L{}", index + 1);
}

std::vector<Finding> level_findings(const Series& series, const Json& device) {
    std::vector<CurvePoint> curve;
    for (const Point& point : series.points)
        if (point.median) curve.push_back({point.x, *point.median});
    const std::vector<Level> levels = find_levels(curve);
    const bool memory = ends_in_memory(series, device);
    std::vector<Finding> findings;
    for (std::size_t i = 0; i < levels.size(); ++i) {
        const Level& level = levels[i];
        std::vector<double> cycles;
        for (const Point& point : series.points)
            if (point.cycles && std::find(level.sizes.begin(), level.sizes.end(), point.x) != level.sizes.end()) cycles.push_back(*point.cycles);
        Finding finding{.kind = "level", .name = level_name(levels, i, memory), .series = series.id, .api = series.api, .card = series.card,
                        .value = level.latency, .unit = series.unit, .cycles = cycles.empty() ? std::nullopt : std::optional(median(cycles)),
                        .capacity_bytes = std::pair{level.capacity_on, level.capacity_off}, .confidence = level.confidence, .text = "", .x = level.sizes};
        finding.text = text_of(finding);
        findings.push_back(std::move(finding));
    }
    return findings;
}

std::vector<Finding> latency_findings(const Series& series, const Json& device) {
    std::vector<Finding> findings = level_findings(series, device);
    if (findings.size() < 2 || findings.back().name != "DRAM") return findings;
    const Finding &cache = findings[findings.size() - 2], &memory = findings.back();
    Finding behind = memory;
    behind.kind = "derived";
    behind.name = "DRAM behind " + cache.name;
    behind.capacity_bytes.reset();
    behind.value = *memory.value - *cache.value;
    if (memory.cycles && cache.cycles) behind.cycles = *memory.cycles - *cache.cycles;
    behind.confidence = std::min(memory.confidence, cache.confidence);
    behind.x.insert(behind.x.begin(), cache.x.begin(), cache.x.end());
    behind.text = fmt::format("{} {}: memory is {:.4g} {}{} behind {}", series.id.device, series.id.path, *behind.value, behind.unit,
                              behind.cycles ? fmt::format(" ({:.1f} cycles)", *behind.cycles) : "", cache.name);
    findings.push_back(std::move(behind));
    return findings;
}

} // namespace sonde
