// The words that rules share.
#include "core/diagnosis/rules.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "core/analysis/findings.h"
#include "core/analysis/learned_noise.h"
#include "core/analysis/significance.h"
#include "core/base/text.h"
#include "core/data/footprints.h"
#include "core/diagnosis/terms.h"

namespace sonde {

namespace {
std::string evidence_line(const Curve& curve) {
    const Series& series = *curve.series;
    std::string line = series.id.text() + ":";
    for (std::size_t i = 0; i < curve.levels.size(); ++i) {
        Finding own = curve.levels[i];
        const auto edges = std::exchange(own.edge_bytes, std::nullopt);
        line += fmt::format("{} {} {}", i ? "," : "", curve.level_names[i].text(), level_text(own));
        if (edges)
            line += fmt::format(
                " ({} over the paths of {})", format_byte_range(edges->first, edges->second), series.id.device);
    }
    if (curve.levels.empty() && !series.points.empty())
        line += fmt::format(" {} points to {}", series.points.size(),
            series.x.unit == "bytes" ? format_bytes(series.points.back().x)
                                     : fmt::format("{:g} {}", series.points.back().x, series.x.name));
    const KernelEvidence kernel = series.evidence.kernel.value_or(KernelEvidence());
    if (!kernel.load.instruction.empty()) line += "; " + kernel.load.instruction;
    if (!kernel.step_instructions.empty()) line += "; a step: " + step_instructions_text(kernel.step_instructions);
    return line;
}
} // namespace

Statement statement(const Curves& about) {
    Statement result{.evidence = texts_of(about, [](const Curve* curve) { return evidence_line(*curve); })};
    for (const Curve* curve : about) result.from.push_back({curve->series->id, {}});
    if (!about.empty()) result.api = about[0]->series->api;
    return result;
}

bool cites(const Statements& statements, const SeriesId& series) {
    return std::any_of(statements.begin(), statements.end(), [&](const Statement& each) {
        return std::any_of(
            each.from.begin(), each.from.end(), [&](const CitedSeries& cited) { return cited.series == series; });
    });
}

Curves curves_of(const Card& card, const Probe& probe) {
    Curves found;
    for (const Curve& curve : card.curves)
        if (curve.usable() && curve.path && probe.measured(curve.series->id)) found.push_back(&curve);
    return found;
}

Curves plain_curves(const Card& card, const Probe& probe, std::string_view path) {
    Curves found = curves_of(card, probe);
    std::erase_if(found, [&](const Curve* curve) {
        return !is_plain(curve->series->id.options) || (!path.empty() && curve->series->id.path != path);
    });
    return found;
}

const Curve* plain_curve(const Card& card, const Probe& probe, const std::string& device, std::string_view path) {
    for (const Curve* curve : plain_curves(card, probe, path))
        if (device_text(curve) == device) return curve;
    return nullptr;
}

Curves curves_with(const Card& card, const Probe& probe, std::string_view path, const Options& options) {
    Curves found;
    for (const Curve* curve : curves_of(card, probe)) {
        const bool asked = curve->series->id.options.has_all(options);
        const bool known = std::any_of(
            found.begin(), found.end(), [&](const Curve* other) { return device_text(other) == device_text(curve); });
        if (asked && !known && curve->series->id.path == path) found.push_back(curve);
    }
    return found;
}

bool is_strided(const Curve& curve) {
    const SeriesId& id = curve.series->id;
    return kCoalescing.measured(id) && id.options.size() == 2 && option::width.asked(id.options) &&
           option::pattern.is(id.options, AccessPattern::stride);
}

std::string path_text(const Curve& curve) {
    return filled(label::on_path, {{"path", curve.series->id.path}, {"options", curve.series->id.options}});
}

std::vector<CurvePoint> points_of(const Curve& curve) {
    std::vector<CurvePoint> points = curve_of(*curve.series);
    std::erase_if(points, [](const CurvePoint& point) { return !(point.y > 0); });
    return points;
}

double value_at(const Curve& curve, double x) {
    const auto found = std::ranges::find(curve.series->points, x, &Point::x);
    return found == curve.series->points.end() ? 0 : found->median.value_or(0);
}

bool runs_for_most(const Series& series) {
    constexpr double kMost = 0.5;
    if (!series.evidence.seconds) return true; // the file does not tell
    double ns = 0;
    for (const Point& point : series.points)
        for (const Sample& sample : point.samples) ns += sample.host_ns;
    return ns > kMost * *series.evidence.seconds * 1e9;
}

double highest_of(const Curve& curve) {
    double most = 0;
    for (const Point& point : curve.series->points) most = std::max(most, point.median.value_or(0));
    return most;
}

std::vector<TranslationLevel> translation_of(const Card& card, const Curve* of) {
    const Curve* tlb = plain_curve(card, kTlb, device_text(of), "global.pointer");
    return tlb ? translation_levels(curve_at_one_clock(*tlb->series)) : std::vector<TranslationLevel>();
}

std::vector<Curves> latency_by_path(const Card& card) {
    Curves curves = curves_of(card, kLatency);
    std::set<std::string> plain;
    for (const Curve* curve : curves)
        if (is_plain(curve->series->id.options)) plain.insert(curve->series->id.path);
    std::erase_if(curves, [&](const Curve* curve) {
        return !curve->series->id.options.empty() &&
               (!has_levels(curve->series->id) || plain.contains(curve->series->id.path));
    });
    return grouped(
        curves, [](const Curve* curve) { return std::pair(curve->series->id.path, curve->series->id.options); });
}

Ranked sorted(Ranked list) {
    std::stable_sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    return list;
}

double ratio_of(const Ranked& list) { return list.size() > 1 ? list.front().first / list.back().first : 1; }

bool apart(const Ranked& list, double times) { return list.size() > 1 && ratio_of(list) >= times; }

double runs_apart(const Curve& curve, double x) {
    const SeriesId& id = curve.series->id;
    const bool one_block = blocks_of(*curve.series) == 1;
    const auto learned =
        one_block && !curve.device->cpu ? learned_noise(id.probe, "point", "") : std::optional<LearnedNoise>();
    const Probe* probe = find_probe(id.probe);
    const double own = probe ? probe->noise_at(id.path, id.options, x) : 0,
                 deviation = learned     ? learned->deviation
                             : one_block ? std::max(kOneBlockNoise, 2 * own)
                                         : own;
    return std::exp(1.96 * std::sqrt(2) * deviation);
}

std::vector<Ranked> unranked_groups(const Ranked& list) {
    std::vector<Ranked> groups;
    double lowest = 0;
    for (const auto& [value, curve] : list) {
        const auto point = std::ranges::find_if(
            curve->series->points, [&, number = value](const Point& each) { return each.median == number; });
        const bool known = point != curve->series->points.end();
        const double half = std::sqrt(runs_apart(*curve, known ? point->x : 0)),
                     low = (known ? point->low.value_or(value) : value) / half,
                     high = (known ? point->high.value_or(value) : value) * half;
        if (groups.empty() || high < lowest) groups.push_back({{value, curve}}), lowest = low;
        else groups.back().emplace_back(value, curve), lowest = std::min(lowest, low);
    }
    return groups;
}

bool differ(const Ranked& list, double times) { return apart(list, times) && unranked_groups(list).size() > 1; }

Curves curves_in(const Ranked& list) {
    Curves curves;
    for (const auto& [value, curve] : list) curves.push_back(curve);
    return curves;
}

std::pair<double, double> latencies(const Finding& a, const Finding& b) {
    return a.cycles && b.cycles ? std::pair{*a.cycles, *b.cycles} : std::pair{a.value.value_or(0), b.value.value_or(0)};
}

double on(const Finding& level) { return level.capacity_bytes->first; }
double off(const Finding& level) { return level.capacity_bytes->second.value_or(INFINITY); }

bool ends_meet(const Finding& a, const Finding& b, double slack) {
    return on(a) < off(b) * slack && on(b) < off(a) * slack;
}

std::string latency_text(const Finding& level) {
    const double number = level.cycles.value_or(level.value.value_or(0));
    return fmt::format("{} {}", format_fixed(number, number < 200 ? 1 : 0), level.cycles ? "cycles" : level.unit);
}

std::string level_text(const Finding& level) {
    return fmt::format("{} to {}", latency_text(level), capacity_text(level));
}

namespace {
constexpr double kMoved = 1.04, kFallen = 1.15; // times the latency of a level

double latency_of(const Finding& level) { return level.cycles.value_or(level.value.value_or(0)); }
double time_at(const Point& point, const Finding& like) {
    return (like.cycles ? point.cycles : point.median).value_or(0);
}
} // namespace

std::optional<double> risen(const Curve& curve, const Finding& last) {
    if (last.capacity_bytes->second || last.tlb_beyond_bytes || curve.series->points.empty()) return std::nullopt;
    const double at_end = time_at(curve.series->points.back(), last);
    return at_end > kMoved * latency_of(last) ? std::optional(at_end) : std::nullopt;
}

std::optional<double> fallen(const Curve& curve, const Finding& last) {
    const auto& points = curve.series->points;
    const auto reached = std::ranges::find_if(
        points, [&](const Point& point) { return time_at(point, last) * kMoved >= latency_of(last); });
    if (last.capacity_bytes->second || last.tlb_beyond_bytes || reached == points.end()) return std::nullopt;
    double least = latency_of(last);
    for (auto point = reached; point != points.end(); ++point)
        if (const double time = time_at(*point, last); time > 0) least = std::min(least, time);
    return least * kFallen < latency_of(last) ? std::optional(least) : std::nullopt;
}

std::string rate_text(double gigabytes) { return format_si(gigabytes * 1e9, "B/s"); }

const std::string& device_text(const Curve* curve) { return curve->series->id.device; }

std::optional<double> value_between(const Series& series, double x) {
    const Point *below = nullptr, *above = nullptr;
    for (const Point& point : series.points) {
        if (!point.median || !(*point.median > 0)) continue;
        if (point.x <= x) below = &point;
        if (point.x >= x && !above) above = &point;
    }
    if (!below || !above) return std::nullopt;
    if (below == above) return below->median;
    const double share = std::log(x / below->x) / std::log(above->x / below->x);
    return *below->median * std::pow(*above->median / *below->median, share);
}

} // namespace sonde
