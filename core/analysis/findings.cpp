// How findings are made.
#include "core/analysis/findings.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

#include <fmt/format.h>

#include "core/analysis/significance.h"
#include "core/base/statistics.h"
#include "core/base/text.h"

namespace sonde {

namespace {
/// Logarithms of a point's slopes, by the device's timer where there is one.
std::vector<double> values_at(const Series& series, double x) {
    const auto point =
        std::find_if(series.points.begin(), series.points.end(), [&](const Point& each) { return each.x == x; });
    if (point == series.points.end()) return {};
    std::vector<double> values = slopes_ns(point->samples, Timer::device);
    if (values.empty()) values = slopes_ns(point->samples, Timer::host);
    for (double& value : values) value = std::log(value);
    return values;
}

std::optional<double> chance_that_they_differ(const Series& series, const std::pair<double, double>& sides) {
    const auto a = values_at(series, sides.first), b = values_at(series, sides.second);
    if (a.size() < 2 || b.size() < 2) return std::nullopt;
    const Difference difference = welch(mean(a), variance(a), a.size(), mean(b), variance(b), b.size(), 0);
    if (!(difference.error > 0)) return difference.value == 0 ? 0 : 1;
    return 1 - difference.chance();
}
} // namespace

bool is_emulated(const Series& series, std::string_view stand_in) {
    if (stand_in.empty() || !series.evidence.kernel) return false;
    return std::ranges::any_of(
        series.evidence.kernel->step_instructions, [&](const auto& each) { return each.first.starts_with(stand_in); });
}

std::span<const CurvePoint> plateau_around(std::span<const CurvePoint> curve, const CurvePoint& point, double share) {
    const auto apart = [&](const CurvePoint& other) { return std::abs(other.y / point.y - 1) > share; };
    const auto at = curve.begin() + (&point - curve.data());
    return {
        std::find_if(std::make_reverse_iterator(at), curve.rend(), apart).base(), std::find_if(at, curve.end(), apart)};
}

namespace {
/// A point's pairs in the series' unit, of each block that has any.
std::vector<std::vector<double>> samples_by_block(const Series& series, const Point& point) {
    std::map<int, std::vector<Sample>> blocks;
    for (const Sample& sample : point.samples) blocks[sample.block].push_back(sample);
    const Timer timer = series.evidence.timers ? series.evidence.timers->value_from : Timer::host;
    std::vector<std::vector<double>> values;
    for (const auto& [block, samples] : blocks) {
        std::vector<double> own = slopes_ns(samples, timer);
        for (double& value : own) value = is_rate(series.unit) ? 1 / value : value;
        if (!own.empty()) values.push_back(std::move(own));
    }
    return values;
}
} // namespace

std::vector<double> values_by_block(const Series& series, const Point& point) {
    std::vector<double> values;
    for (const std::vector<double>& own : samples_by_block(series, point)) values.push_back(median(own));
    return values;
}

std::optional<std::pair<double, double>> rates_of_blocks(const Series& series, double x) {
    constexpr double kApart = 1.05, kFarApart = 1.2;
    const auto point = std::ranges::find(series.points, x, &Point::x);
    const auto blocks =
        point == series.points.end() ? std::vector<std::vector<double>>() : samples_by_block(series, *point);
    if (blocks.empty()) return std::nullopt;
    const auto middle = [](const std::vector<double>& own) { return median(own); };
    const auto [slow, fast] = std::ranges::minmax_element(blocks, {}, middle);
    const bool parted = std::ranges::max(*slow) < std::ranges::min(*fast); // else samples of one block scatter as much
    return middle(*fast) > (parted ? kApart : kFarApart) * middle(*slow)
               ? std::optional(std::pair(middle(*slow), middle(*fast)))
               : std::nullopt;
}

std::string place_text(const AxisText& axis, double from, double to) {
    if (axis.unit == "bytes") return from < to ? format_byte_range(from, to) : format_bytes(to);
    const auto number = [&](double x) {
        return axis.unit == "%" ? fmt::format("{:.3g}", x) : fmt::format("{:.0f}", x);
    };
    return fmt::format(
        "{}{}{} {}", from < to ? number(from) + " to " : "", number(to), axis.unit == "%" ? " %" : "", axis.name);
}
std::string place_text(const AxisText& axis, double x) { return place_text(axis, x, x); }

const CurvePoint& highest(std::span<const CurvePoint> curve) {
    return *std::max_element(
        curve.begin(), curve.end(), [](const CurvePoint& a, const CurvePoint& b) { return a.y < b.y; });
}

bool is_much_lower(const CurvePoint& rate, const CurvePoint& best) { return rate.y < 0.9 * best.y; }

std::string latency_finding(std::string_view operation) { return fmt::format("{} latency", operation); }

Finding finding_of(const Series& series, Finding found) {
    if (found.kind.empty()) found.kind = series.id.probe;
    if (found.unit.empty()) found.unit = series.unit;
    found.series = series.id;
    found.api = series.api;
    found.card = series.card;
    return found;
}

Finding finding_of(const Series& series, const Conclusion& conclusion, const std::string& name, const std::string& unit,
    const std::function<std::string(double)>& text) {
    std::optional<double> confidence = conclusion.confidence;
    if (const auto differ = conclusion.sides ? chance_that_they_differ(series, *conclusion.sides) : std::nullopt)
        confidence = confidence.value_or(1) * *differ;
    return finding_of(series, {.name = name,
                                  .value = conclusion.value,
                                  .no_value = conclusion.value ? std::nullopt : conclusion.no_value,
                                  .unit = unit,
                                  .confidence = confidence,
                                  .text = !conclusion.value ? conclusion.reason
                                          : text            ? text(*conclusion.value)
                                                            : "",
                                  .x = conclusion.x});
}

Finding told_by_rows(Finding found, std::vector<FindingRow> rows) {
    found.rows = std::move(rows);
    found.text.clear();
    return found;
}

Finding groups_finding(const Series& series, std::string_view who, std::string_view does) {
    const auto found = two_groups(curve_of(series));
    const Conclusion conclusion = found ? Conclusion{.value = found->most - found->least, .sides = found->sides}
                                        : Conclusion::inconclusive(fmt::format("fewer than four {}", who));
    Finding finding = finding_of(series, conclusion, "cores", series.unit, [&](double) {
        const std::size_t all = found->near_cores + found->far_cores;
        if (!found->sides)
            return fmt::format("{} {} {} {:.0f} to {:.0f} {}", all, who, does, found->least, found->most, series.unit);
        return fmt::format("{} of {} {} {} {:.4g} {}, {} in {:.4g} {}", found->near_cores, all, who, does, found->near,
            series.unit, found->far_cores, found->far, series.unit);
    });
    if (!found) return finding;
    const auto counted = [](std::size_t cores) { return static_cast<double>(cores); };
    finding.rows = {{fmt::format("{} asked", who), counted(found->near_cores + found->far_cores), "cores"},
        {"from the fastest to the slowest", found->most - found->least, series.unit},
        {"a load", found->near, series.unit, std::pair(found->least, found->most)}};
    if (found->sides)
        finding.rows.back() = {fmt::format("near {}", who), counted(found->near_cores), "cores"},
        finding.rows.push_back({"a load of a near one", found->near, series.unit}),
        finding.rows.push_back({fmt::format("far {}", who), counted(found->far_cores), "cores"}),
        finding.rows.push_back({"a load of a far one", found->far, series.unit});
    return finding;
}

} // namespace sonde
