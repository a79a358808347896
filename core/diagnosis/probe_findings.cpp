// A file may hold anything: what a probe cannot read yields no finding.
#include "core/diagnosis/probe_findings.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <stdexcept>

#include <fmt/ranges.h>

#include "core/analysis/findings.h"
#include "core/diagnosis/rules.h"
#include "core/probes/probe.h"

namespace sonde {

std::vector<Finding> probe_findings(const Series& series, const DeviceInfo& device) {
    const Probe* probe = find_probe(series.id.probe);
    if (!probe) return {};
    try {
        std::vector<Finding> found = findings_of(*probe, series, device);
        std::erase_if(found, [](const Finding& finding) { return finding.kind == "level" || finding.kind == "derived"; });
        return found;
    } catch (const std::exception&) { // an option that is missing or has another word
        return {};
    }
}

std::string own_text(const Finding& finding) { return finding.text.substr(fmt::format("{} {}: ", finding.series.device, finding.series.path).size()); }

std::string SharedFinding::devices_text() const {
    if (others.empty()) return series.device;
    const std::string but = elsewhere.empty() ? "" : "; farther apart elsewhere, farthest " + list_text(elsewhere);
    if (apart == 0) return fmt::format("{}, {}{}", series.device, fmt::join(others, ", "), but);
    return fmt::format("{}; {} within {:.0f} %{}", series.device, list_text(others), std::ceil(apart * 100), but);
}

namespace {
const Series* series_of(const SeriesId& id, std::span<const Curve> curves) {
    const auto found = std::ranges::find_if(curves, [&](const Curve& curve) { return curve.series->id == id; });
    return found == curves.end() ? nullptr : found->series;
}

/// "strides 1 to 4"; the axis of a pattern is what that varies.
std::string places_text(const Series& series, double from, double to) {
    if (series.x.name != "place" || !option::pattern.asked(series.id.options)) return place_text(series.x, from, to);
    const std::string& pattern = option::pattern.word(series.id.options);
    return from < to ? fmt::format("{}s {:g} to {:g}", pattern, from, to) : fmt::format("{} {:g}", pattern, to);
}

/// Where a rate of the second series lies farthest from the first one's, and with it its neighbours that do so the same way: "vulkan:0 up to 24 % higher at strides 1 to 4"; "" where it
/// does so by less than kPointsApart.
std::string apart_at(const Series& first, const Series& second) {
    if (!first.unit.ends_with("/s")) return "";
    std::vector<CurvePoint> apart; // logarithms of rates' ratios
    for (const CurvePoint& point : curve_of(first))
        if (const auto other = std::ranges::find(second.points, point.x, &Point::x); other != second.points.end() && other->median) apart.push_back({point.x, std::log(*other->median / point.y)});
    if (apart.empty()) return "";
    const auto most = std::ranges::max_element(apart, {}, [](const CurvePoint& point) { return std::abs(point.y); });
    const double sign = std::copysign(1, most->y), least = std::log1p(kPointsApart);
    if (std::abs(most->y) < least) return "";
    const auto nearer = [&](const CurvePoint& point) { return sign * point.y < least; };
    const double from = std::find_if(std::make_reverse_iterator(most), apart.rend(), nearer).base()->x, to = std::prev(std::find_if(most, apart.end(), nearer))->x;
    const std::string by = most->y > std::log(2) ? fmt::format("{:.3g} times as high", std::exp(most->y)) : fmt::format("{:.0f} % {}", 100 * std::abs(std::expm1(most->y)), sign > 0 ? "higher" : "lower");
    return fmt::format("{} {}{} at {}", second.id.device, from < to ? "up to " : "", by, places_text(first, from, to));
}
} // namespace

std::vector<SharedFinding> shared_findings(const std::vector<Finding>& findings, std::span<const Curve> curves) {
    std::vector<SharedFinding> shared;
    for (const Finding& finding : findings) {
        const SeriesId& id = finding.series;
        const std::string text = own_text(finding);
        std::optional<double> apart;
        const auto found = std::ranges::find_if(shared, [&](const SharedFinding& each) {
            if (each.series.probe != id.probe || each.series.path != id.path || each.series.options != id.options) return false;
            if (each.series.device == id.device || std::ranges::find(each.others, id.device) != each.others.end()) return false;
            apart = numbers_apart(each.text, text);
            const Probe* probe = find_probe(id.probe);
            return apart && *apart <= std::max(kAlike, probe ? probe->run_noise : 0);
        });
        if (found == shared.end()) {
            shared.push_back({.series = id, .text = text});
            continue;
        }
        found->others.push_back(id.device);
        found->apart = std::max(found->apart, *apart);
        const Series *first = series_of(found->series, curves), *second = series_of(id, curves);
        if (first && second)
            if (std::string where = apart_at(*first, *second); !where.empty()) found->elsewhere.push_back(std::move(where));
    }
    return shared;
}

} // namespace sonde
