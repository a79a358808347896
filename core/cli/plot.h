// Curves in a terminal: log-log, one glyph per curve.
#pragma once
#include <string>
#include <utility>
#include <vector>

namespace sonde {

struct PlotCurve {
    char glyph;
    std::string label;
    std::vector<std::pair<double, double>> points; // x > 0, y > 0; others are left out
};

/// So many digits, or all before the point; an exponent only from a million million on.
std::string format_digits(double value, int digits = 4);

/// Lines of text, each ending in a newline; curves on one spot show '*'. Empty where the points have no two places on the x axis.
/// `x_unit`: "bytes" or none.
std::string plot_log_log(const std::vector<PlotCurve>& curves, const std::string& x_unit, const std::string& y_unit, std::size_t width = 72, std::size_t height = 16);

} // namespace sonde
