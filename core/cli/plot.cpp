// Curves in a terminal.
#include "core/cli/plot.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "core/base/text.h"

namespace sonde {

namespace {
struct Range {
    double low = std::numeric_limits<double>::infinity(), high = -std::numeric_limits<double>::infinity();
    void take(double value) {
        low = std::min(low, value);
        high = std::max(high, value);
    }
    /// 0..cells-1; the middle where the range is a single value.
    std::size_t cell(double value, std::size_t cells) const {
        if (!(high > low)) return cells / 2;
        return static_cast<std::size_t>(std::lround((value - low) / (high - low) * static_cast<double>(cells - 1)));
    }
    double at(std::size_t cell, std::size_t cells) const { return low + (high - low) * static_cast<double>(cell) / static_cast<double>(cells - 1); }
};

bool drawable(const std::pair<double, double>& point) {
    return point.first > 0 && point.second > 0 && std::isfinite(point.first) && std::isfinite(point.second);
}
} // namespace

std::string format_digits(double value, int digits) {
    const double size = std::abs(value);
    return size >= std::pow(10, digits) && size < 1e12 ? fmt::format("{:.0f}", value) : fmt::format("{:.{}g}", value, digits);
}

std::string plot_log_log(const std::vector<PlotCurve>& curves, const std::string& x_unit, const std::string& y_unit, std::size_t width, std::size_t height) {
    Range xs, ys;
    for (const PlotCurve& curve : curves)
        for (const auto& point : curve.points)
            if (drawable(point)) {
                xs.take(std::log2(point.first));
                ys.take(std::log2(point.second));
            }
    if (!(xs.low < xs.high)) return "";

    std::vector<std::string> rows(height, std::string(width, ' '));
    for (const PlotCurve& curve : curves)
        for (const auto& point : curve.points) {
            if (!drawable(point)) continue;
            char& cell = rows[height - 1 - ys.cell(std::log2(point.second), height)][xs.cell(std::log2(point.first), width)];
            cell = cell == ' ' || cell == curve.glyph ? curve.glyph : '*';
        }

    std::string text;
    for (std::size_t row = 0; row < height; ++row) {
        const bool labelled = row % 5 == 0 || row + 1 == height;
        const std::string label = labelled ? format_digits(std::exp2(ys.at(height - 1 - row, height))) : "";
        text += fmt::format("{:>8} {}{}\n", label, labelled ? "+" : "|", rows[row].substr(0, rows[row].find_last_not_of(' ') + 1));
    }
    text += fmt::format("{:>8} +{}\n", y_unit, std::string(width, '-'));
    std::string axis(width + 12, ' ');
    for (std::size_t tick = 0; tick < 5; ++tick) {
        const std::size_t at = tick * (width - 1) / 4;
        const double x = std::exp2(xs.at(at, width));
        const std::string label = x_unit == "bytes" ? format_bytes(x) : format_digits(x, 3);
        const std::size_t begin = 10 + at >= label.size() / 2 ? 10 + at - label.size() / 2 : 0;
        axis.replace(begin, label.size(), label);
    }
    text += axis.substr(0, axis.find_last_not_of(' ') + 1) + "\n";
    std::string legend;
    for (const PlotCurve& curve : curves) legend += fmt::format("{}{} {}", legend.empty() ? "" : "   ", curve.glyph, curve.label);
    return text + std::string(10, ' ') + legend + "   (* several)\n";
}

} // namespace sonde
