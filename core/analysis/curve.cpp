// Series to points.
#include "core/analysis/curve.h"

#include <cmath>
#include <map>

#include "core/base/statistics.h"

namespace sonde {

std::vector<CurvePoint> curve_of(const Series& series) {
    std::vector<CurvePoint> curve;
    for (const Point& point : series.points)
        if (point.median) curve.push_back({point.x, *point.median});
    return curve;
}

std::vector<CurvePoint> curve_at_one_clock(const Series& series) {
    const std::vector<double> clocks = clocks_of(series);
    if (clocks.size() < series.points.size() || clocks.empty()) return curve_of(series);
    const double usual = median(clocks);
    std::vector<CurvePoint> curve;
    for (const Point& point : series.points)
        if (point.median) curve.push_back({point.x, *point.median * *point.clock_mhz / usual});
    return curve;
}

std::vector<CurvePoint> merge_points(std::span<const CurvePoint> curve) {
    std::map<double, std::vector<double>> values;
    for (const auto& [x, y] : curve)
        if (std::isfinite(x) && std::isfinite(y) && x > 0 && y > 0) values[x].push_back(y);
    std::vector<CurvePoint> points;
    points.reserve(values.size());
    for (const auto& [x, list] : values) points.push_back({x, median(list)});
    return points;
}

std::vector<CurvePoint> log_points(std::span<const CurvePoint> curve) {
    std::vector<CurvePoint> out;
    for (const auto& [x, y] : curve) out.push_back({std::log2(x), std::log(y)});
    return out;
}

} // namespace sonde
