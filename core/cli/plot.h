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

/// Round numbers from `low` to `high` (above 0), for the ticks of a logarithmic axis: about `most`, at least one.
/// bytes: powers of two where there are several.
std::vector<double> round_numbers(double low, double high, std::size_t most, bool bytes);

/// Lines of text of so many columns, each ending in a newline; curves on one spot show '*'. Empty where the points have
/// no two places on the x axis. `x_unit`: "bytes" or none.
std::string plot_log_log(const std::vector<PlotCurve>& curves, const std::string& x_unit, const std::string& y_unit,
    std::size_t columns = 80, std::size_t height = 16);

} // namespace sonde
