// The words that rules share.
#include "core/diagnosis/rules.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/base/text.h"

namespace sonde {

namespace {
std::string string_at(const Json& object, const char* pointer) {
    const Json::json_pointer place(pointer);
    return object.contains(place) && object.at(place).is_string() ? object.at(place).get<std::string>() : "";
}

std::string evidence_line(const Curve& curve) {
    std::string line = curve.series->id.text() + ":";
    for (std::size_t i = 0; i < curve.levels.size(); ++i) line += fmt::format("{} {} {}", i ? "," : "", curve.tiers[i], level_text(curve.levels[i]));
    if (curve.levels.empty() && !curve.series->points.empty())
        line += fmt::format(" {} points to {}", curve.series->points.size(),
                            curve.series->x_unit == "bytes" ? format_bytes(curve.series->points.back().x) : fmt::format("{:g} {}", curve.series->points.back().x, curve.series->x_name));
    if (const std::string load = string_at(curve.series->evidence, "/kernel/load/instruction"); !load.empty()) line += "; " + load;
    return line;
}
} // namespace

Statement statement(std::string text, const Curves& curves) {
    Statement result{.text = std::move(text)};
    for (const Curve* curve : curves) {
        result.evidence.push_back(evidence_line(*curve));
        result.from.push_back({curve->series->id, {}});
    }
    if (!curves.empty()) result.api = curves[0]->series->api;
    return result;
}

Curves plain_curves(const Card& card, std::string_view probe, std::string_view path) {
    Curves found;
    for (const Curve& curve : card.curves)
        if (curve.usable() && curve.path && curve.series->id.probe == probe && curve.series->id.options.empty() &&
            (path.empty() || curve.series->id.path == path))
            found.push_back(&curve);
    return found;
}

const Curve* plain_curve(const Card& card, std::string_view probe, const std::string& device, std::string_view path) {
    for (const Curve* curve : plain_curves(card, probe, path))
        if (curve->series->id.device == device) return curve;
    return nullptr;
}

std::vector<std::string> paths_in(const Curves& curves) {
    std::vector<std::string> paths;
    for (const Curve* curve : curves)
        if (std::find(paths.begin(), paths.end(), curve->series->id.path) == paths.end()) paths.push_back(curve->series->id.path);
    return paths;
}

Latencies latencies(const Finding& a, const Finding& b) {
    if (a.cycles && b.cycles) return {*a.cycles, *b.cycles, "cycles"};
    return {a.value.value_or(0), b.value.value_or(0), "ns"};
}

double on(const Finding& level) { return level.capacity_bytes->first; }
double off(const Finding& level) { return level.capacity_bytes->second.value_or(INFINITY); }

bool ends_meet(const Finding& a, const Finding& b, double slack) { return on(a) < off(b) * slack && on(b) < off(a) * slack; }

std::string latency_text(const Finding& level) {
    const double number = level.cycles.value_or(level.value.value_or(0));
    return fmt::format("{:.{}f} {}", number, number < 200 ? 1 : 0, level.cycles ? "cycles" : level.unit);
}

std::string level_text(const Finding& level) { return fmt::format("{} to {}", latency_text(level), capacity_text(level)); }

std::string list_text(const std::vector<std::string>& words) {
    if (words.size() < 2) return words.empty() ? "" : words[0];
    return fmt::format("{} and {}", fmt::join(words.begin(), words.end() - 1, ", "), words.back());
}

std::string devices_text(const Curves& curves) {
    std::vector<std::string> devices;
    for (const Curve* curve : curves) devices.push_back(curve->series->id.device);
    return list_text(devices);
}

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

std::optional<double> evidence_number(const Series& series, const char* pointer) {
    const Json::json_pointer place(pointer);
    if (!series.evidence.contains(place) || !series.evidence.at(place).is_number()) return std::nullopt;
    return series.evidence.at(place).get<double>();
}

} // namespace sonde
