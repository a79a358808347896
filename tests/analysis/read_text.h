// Curves read from text, for the tests of their readers.
#pragma once
#include <cmath>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/analysis/curve_file.h"
#include "core/base/error.h"
#include "tests/says.h"

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

/// Whether read_first() complains of that line, of all of it where it is 0, in such words.
inline bool refuses(const std::string& text, int line, const std::string& words, const CurveFormat& format = {}) {
    const std::string complaint = complaint_of(text, format),
                      place = line > 0 ? fmt::format("curve.csv, line {}: ", line) : "curve.csv: ";
    return complaint.starts_with(place) && says(complaint, words);
}

inline bool same_points(const std::vector<CurvePoint>& points, const std::vector<std::pair<double, double>>& expected) {
    if (points.size() != expected.size()) return false;
    for (std::size_t i = 0; i < points.size(); ++i)
        if (std::abs(points[i].x - expected[i].first) > 1e-6 || points[i].y != expected[i].second) return false;
    return true;
}

} // namespace sonde
