// Names of levels, and what a latency curve says of memory.
#include "core/analysis/level_findings.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/analysis/findings.h"
#include "core/analysis/levels.h"
#include "core/analysis/refinement.h"
#include "core/base/statistics.h"
#include "core/base/text.h"
#include "core/data/footprints.h"
#include "core/device/path.h"

namespace sonde {

namespace {
constexpr double kOfCache = 1.25; // times what the system reports of a processor's cache: its level ends no further
constexpr double kOfEdge = 1.25;  // times a level's end: half of the rise behind an edge lies no further
constexpr std::size_t kProcessorCaches =
    3; // what is behind an L3 is DRAM, though a guest may be told of a larger L3 than its share

/// Whether a curve that ends flat ends in memory, rather than where the path or the API ends: far past every cache that
/// is known.
bool ends_in_memory(const Series& series, const DeviceInfo& device, std::size_t levels) {
    const Path* path = find_path(series.id.path);
    if (!path || path->stage != Stage::nothing || path->space == Space::constant || path->space == Space::push ||
        series.points.empty())
        return false;
    if (device.cpu && levels > kProcessorCaches) return true;
    return series.points.back().x >= 2 * std::max(static_cast<double>(device.cache_bytes), 16e6);
}

/// The last footprint of a level whose latency is about its own, where the curve does not end at an edge.
double last_flat(const Series& series, const Finding& level) {
    constexpr double kFlat = 1.1; // times
    double last = level.x.empty() ? level.capacity_bytes->first : level.x.front();
    for (const Point& point : series.points)
        if (point.x <= level.capacity_bytes->first && point.median.value_or(INFINITY) <= kFlat * *level.value)
            last = std::max(last, point.x);
    return last;
}

std::string text_of(const Finding& finding, const std::string& unit) {
    std::string text = fmt::format("{} takes {:.4g} {}", finding.name, finding.value.value_or(0), unit);
    if (finding.cycles) text += fmt::format(" ({} cycles)", format_fixed(*finding.cycles, 1));
    const auto& [on, off] = *finding.capacity_bytes;
    if (finding.tlb_beyond_bytes)
        text += fmt::format(", to {}; slower beyond (TLB)", format_bytes(*finding.tlb_beyond_bytes));
    if (finding.rises_to_bytes)
        return text + fmt::format(" to {}, then rises without a sure plateau to {}: no edge that is a capacity",
                          format_bytes(on), format_bytes(*finding.rises_to_bytes));
    text += off ? fmt::format(" and holds {}", format_byte_range(on, *off))
                : fmt::format(", to the end of the curve at {}", format_bytes(on));
    return text;
}
} // namespace

void number_levels(std::vector<Finding>& levels, int first) {
    constexpr double kHidesOne = 16; // times the end of a level
    int number = first - 1;
    bool known = true; // how many there are before
    const Finding* before = nullptr;
    for (Finding& level : levels) {
        if (level.level == LevelName::dram()) continue;
        const bool counts = !before || level.is_sure();
        if (before && counts && !level.x.empty())
            known = known && level.x.front() <=
                                 kHidesOne * before->capacity_bytes->second.value_or(before->capacity_bytes->first);
        LevelName name = LevelName::cache(number + 1);
        name.unsure = !counts || !known;
        level.set_level(std::move(name));
        if (counts) ++number, before = &level;
    }
}

std::optional<ReportedCache> cache_that_holds(const DeviceInfo& device, double bytes) {
    if (!device.cpu || device.cache_levels.empty()) return std::nullopt;
    for (std::size_t i = 0; i < device.cache_levels.size(); ++i)
        if (const auto reported = static_cast<double>(device.cache_levels[i]); bytes <= kOfCache * reported)
            return ReportedCache{LevelName::cache(static_cast<int>(i) + 1), reported};
    return ReportedCache{LevelName::dram(), INFINITY};
}

bool hides_l2(const Series& series, const DeviceInfo& device) {
    const auto& levels = series.evidence.levels;
    const auto behind = levels.size() > 1 ? cache_that_holds(device, levels[1].on_bytes) : std::nullopt;
    return behind && (behind->level == LevelName::cache(3) || behind->level == LevelName::dram() ||
                         cache_that_holds(device, levels[0].on_bytes)->level != LevelName::cache(1));
}

/// Where a gradual rise behind it ends.
static std::optional<double> gradual_rise(const Series& series, const Finding& last) {
    const double on = last.capacity_bytes->first;
    const std::optional<double> off = last.capacity_bytes->second;
    const auto curve = curve_of(series);
    if (!off || curve.empty()) return std::nullopt;
    const double half = std::sqrt(*last.value * curve.back().y);
    const auto risen = std::find_if(
        curve.begin(), curve.end(), [&](const CurvePoint& point) { return point.x > on && point.y >= half; });
    return risen != curve.end() && risen->x > kOfEdge * *off ? std::optional(curve.back().x) : std::nullopt;
}

void end_in_rise(const Series& series, Finding& last) {
    last.rises_to_bytes = gradual_rise(series, last);
    if (last.rises_to_bytes) last.capacity_bytes->first = last_flat(series, last);
}

namespace {
/// The curve with the least of its own value and those of other allocations at each footprint. Curves differ by the
/// allocation between the levels' ends; the least is what the card can do, and why others take longer is not known.
/// Only of allocations that were asked at all footprints there.
std::vector<CurvePoint> least_of_allocations(const Series& series) {
    std::vector<CurvePoint> curve = curve_of(series);
    const std::vector<double> between = sizes_between_ends(curve);
    for (const OtherAllocation& other : series.evidence.other_allocations) {
        const auto has = [&](double bytes) {
            return std::ranges::find(other.points, bytes, &FootprintLatency::bytes) != other.points.end();
        };
        if (between.empty() || !std::ranges::all_of(between, has)) continue; // asked at edges alone
        for (CurvePoint& point : curve)
            for (const FootprintLatency& there : other.points)
                if (there.bytes == point.x && there.ns > 0) point.y = std::min(point.y, there.ns);
    }
    return curve;
}

struct CurveWithLevels {
    std::vector<CurvePoint> curve;
    std::vector<Level> levels;
};

/// The series' own or, where that shows more sure levels, the least of several allocations.
CurveWithLevels levels_of_allocations(const Series& series) {
    CurveWithLevels own{curve_of(series), {}};
    own.levels = find_levels(own.curve);
    if (series.evidence.other_allocations.empty()) return own;
    CurveWithLevels least{least_of_allocations(series), {}};
    least.levels = find_levels(least.curve);
    const auto sure = [](const CurveWithLevels& each) {
        return std::ranges::count_if(each.levels, [](const Level& level) { return level.confidence >= kSureEnough; });
    };
    return sure(least) > sure(own) ? least : own;
}
} // namespace

/// Whether footprints were asked for that begin where a nearest level may have ended: then nothing tells which level
/// comes first. Of a processor the caches that the system reports do.
static bool begins_behind_a_level(const Series& series, const DeviceInfo& device) {
    constexpr double kWithinNearest = 32 * 1024; // bytes
    return option::footprint.asked(series.id.options) && device.cache_levels.empty() && !series.points.empty() &&
           series.points.front().x > kWithinNearest;
}

std::vector<Finding> level_findings(const Series& series, const DeviceInfo& device, int first) {
    if (begins_behind_a_level(series, device)) return {};
    const auto [curve, levels] = levels_of_allocations(series);
    const bool memory = ends_in_memory(series, device, levels.size());
    std::vector<Finding> findings;
    for (std::size_t i = 0; i < levels.size(); ++i) {
        const Level& level = levels[i];
        std::vector<double> cycles;
        for (const Point& point : series.points) {
            const auto least = std::ranges::find(curve, point.x, &CurvePoint::x);
            if (point.cycles && least != curve.end() && std::ranges::count(level.sizes, point.x) > 0)
                cycles.push_back(*point.cycles * least->y / *point.median);
        }
        Finding finding{.kind = "level",
            .value = level.latency,
            .cycles = cycles.empty() ? std::nullopt : std::optional(median(cycles)),
            .capacity_bytes = std::pair{level.capacity_on, level.capacity_off},
            .tlb_beyond_bytes = device.cpu ? std::nullopt : level.tlb_beyond,
            .confidence = level.confidence,
            .x = level.sizes};
        if (memory && i > 0 && !level.capacity_off) finding.set_level(LevelName::dram());
        if (i + 1 == levels.size()) end_in_rise(series, finding);
        findings.push_back(finding_of(series, std::move(finding)));
    }
    number_levels(findings, first);
    for (Finding& finding : findings)
        if (const auto known = cache_that_holds(device, finding.capacity_bytes->first)) finding.set_level(known->level);
    for (Finding& finding : findings) finding.text = text_of(finding, series.unit);
    return findings;
}

std::vector<Finding> latency_findings(const Series& series, const DeviceInfo& device) {
    std::vector<Finding> findings = level_findings(series, device);
    if (findings.size() < 2 || findings.back().level != LevelName::dram()) return findings;
    const Finding& memory = findings.back();
    const auto found = std::find_if(
        findings.rbegin(), findings.rend(), [](const Finding& level) { return level.level != LevelName::dram(); });
    if (found == findings.rend()) return findings;
    const Finding cache = *found;
    Finding behind{.kind = "derived",
        .name = "DRAM behind " + cache.name,
        .value = *memory.value - *cache.value,
        .confidence = std::min(memory.confidence, cache.confidence),
        .x = cache.x};
    if (memory.cycles && cache.cycles) behind.cycles = *memory.cycles - *cache.cycles;
    behind.x.insert(behind.x.end(), memory.x.begin(), memory.x.end());
    behind.text = fmt::format("memory is {:.4g} {}{} behind {}", *behind.value, series.unit,
        behind.cycles ? fmt::format(" ({:.1f} cycles)", *behind.cycles) : "", cache.name);
    findings.push_back(finding_of(series, std::move(behind)));
    return findings;
}

} // namespace sonde
