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
    /// To a width of at least `least`, about its middle.
    void widen(double least) {
        const double middle = (low + high) / 2;
        if (high - low >= least) return;
        low = middle - least / 2;
        high = middle + least / 2;
    }
    /// 0..cells-1; the middle where the range is a single value.
    std::size_t cell(double value, std::size_t cells) const {
        if (!(high > low)) return cells / 2;
        return static_cast<std::size_t>(std::lround((value - low) / (high - low) * static_cast<double>(cells - 1)));
    }
};

bool drawable(const std::pair<double, double>& point) {
    return point.first > 0 && point.second > 0 && std::isfinite(point.first) && std::isfinite(point.second);
}

constexpr std::size_t kLabel = 8; // columns of a label of the y axis

/// The multiples of `step` within a range.
std::vector<double> multiples(double low, double high, double step) {
    std::vector<double> all;
    for (double k = std::ceil(low / step * (1 - 1e-9)); k * step <= high * (1 + 1e-9); ++k) all.push_back(k * step);
    return all;
}

/// 1, 2 or 5 times a power of ten, at least `least`.
double round_step(double least) {
    const double ten = std::pow(10, std::floor(std::log10(least)));
    for (const double factor : {1.0, 2.0, 5.0})
        if (factor * ten >= least) return factor * ten;
    return 10 * ten;
}
} // namespace

std::vector<double> round_numbers(double low, double high, std::size_t most, bool bytes) {
    const double base = bytes ? 2 : 10;
    const double powers = std::log(high / low) / std::log(base);
    if (powers < (bytes ? 2 : 0.7))
        return multiples(low, high, round_step((high - low) / static_cast<double>(most) * (1 - 1e-9)));
    std::vector<double> all;
    const auto take = [&](double factor, double power) {
        const double number = factor * std::pow(base, power);
        if (number >= low * (1 - 1e-9) && number <= high * (1 + 1e-9)) all.push_back(number);
    };
    const double first = std::floor(std::log(low) / std::log(base)),
                 apart = std::max(1.0, std::ceil(powers / static_cast<double>(most)));
    const bool between = !bytes && powers * 3 <= static_cast<double>(most) + 1;
    for (double power = apart > 1 ? std::ceil(first / apart) * apart : first; power <= first + powers + 1;
         power += apart)
        for (const double factor : between ? std::vector{1.0, 2.0, 5.0} : std::vector{1.0}) take(factor, power);
    return all.size() > 1 ? all : multiples(low, high, round_step((high - low) / static_cast<double>(most)));
}

std::string format_digits(double value, int digits) {
    const double size = std::abs(value);
    return size >= std::pow(10, digits) && size < 1e12 ? fmt::format("{:.0f}", value)
                                                       : fmt::format("{:.{}g}", value, digits);
}

std::string plot_log_log(const std::vector<PlotCurve>& curves, const std::string& x_unit, const std::string& y_unit,
    std::size_t columns, std::size_t height) {
    Range xs, ys;
    for (const PlotCurve& curve : curves)
        for (const auto& point : curve.points)
            if (drawable(point)) {
                xs.take(std::log2(point.first));
                ys.take(std::log2(point.second));
            }
    if (!(xs.low < xs.high)) return "";
    ys.widen(1); // a factor of 2: what scatters by less is flat

    const std::size_t cells = columns - kLabel - 2;
    std::vector<std::string> rows(height, std::string(cells, ' '));
    for (const PlotCurve& curve : curves)
        for (const auto& point : curve.points) {
            if (!drawable(point)) continue;
            char& cell =
                rows[height - 1 - ys.cell(std::log2(point.second), height)][xs.cell(std::log2(point.first), cells)];
            cell = cell == ' ' || cell == curve.glyph ? curve.glyph : '*';
        }

    std::vector<std::string> labels(height);
    for (const double tick : round_numbers(std::exp2(ys.low), std::exp2(ys.high), 5, false))
        labels[height - 1 - ys.cell(std::log2(tick), height)] = format_digits(tick);
    std::string text;
    for (std::size_t row = 0; row < height; ++row)
        text += fmt::format("{:>{}} {}{}\n", labels[row], kLabel, labels[row].empty() ? "|" : "+",
            rows[row].substr(0, rows[row].find_last_not_of(' ') + 1));
    const bool bytes = x_unit == "bytes";
    std::string line(cells, '-'), axis(columns + 12, ' ');
    std::size_t free = 0; // where the label before ends
    for (const double tick :
        round_numbers(std::exp2(xs.low), std::exp2(xs.high), std::max<std::size_t>(2, cells / 12), bytes)) {
        const std::size_t at = xs.cell(std::log2(tick), cells);
        const std::string label = bytes ? format_bytes(tick) : format_digits(tick);
        const std::size_t begin =
            std::min(kLabel + 2 + at - std::min(kLabel + 2 + at, label.size() / 2), columns - label.size());
        line[at] = '+';
        if (begin < free) continue;
        axis.replace(begin, label.size(), label);
        free = begin + label.size() + 1;
    }
    text += fmt::format("{:>{}} +{}\n", y_unit, kLabel, line);
    text += axis.substr(0, axis.find_last_not_of(' ') + 1) + "\n";
    std::string legend;
    for (const PlotCurve& curve : curves)
        legend += fmt::format("{}{} {}", legend.empty() ? "" : "   ", curve.glyph, curve.label);
    const std::string indent(kLabel + 2, ' ');
    return text + indent + wrapped(legend + "   (* several)", columns - kLabel - 2, kLabel + 2);
}

} // namespace sonde
