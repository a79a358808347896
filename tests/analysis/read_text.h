// Curves read from text, for the tests of their readers.
#pragma once
#include <cmath>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "core/analysis/curve_file.h"
#include "core/base/error.h"

namespace sonde {

inline std::vector<CurvePoint> read_first(const std::string& text, const CurveFormat& format = {}) {
    std::istringstream in(text);
    return read_curves(in, "curve.csv", format).at(0).points;
}

inline std::vector<FileCurve> read_all(const std::string& text, const CurveFormat& format = {}) {
    std::istringstream in(text);
    return read_curves(in, "curve.csv", format);
}

/// What read_first() complains of; empty where it does not.
inline std::string complaint_of(const std::string& text, const CurveFormat& format = {}) {
    try {
        read_first(text, format);
    } catch (const UsageError& error) {
        return error.what();
    }
    return "";
}

inline bool same_points(const std::vector<CurvePoint>& points, const std::vector<std::pair<double, double>>& expected) {
    if (points.size() != expected.size()) return false;
    for (std::size_t i = 0; i < points.size(); ++i)
        if (std::abs(points[i].x - expected[i].first) > 1e-6 || points[i].y != expected[i].second) return false;
    return true;
}

} // namespace sonde
