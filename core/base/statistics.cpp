// Robust statistics.
#include "core/base/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sonde {

double quantile(std::span<const double> values, double q) {
    if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
    std::vector<double> sorted(values.begin(), values.end());
    std::sort(sorted.begin(), sorted.end());
    const double at = q * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(at);
    const std::size_t above = std::min(below + 1, sorted.size() - 1);
    return std::lerp(sorted[below], sorted[above], at - static_cast<double>(below));
}

double median(std::span<const double> values) { return quantile(values, 0.5); }

double relative_error_of_median(std::span<const double> values) {
    const double middle = median(values);
    if (values.size() < 2 || !(middle > 0)) return std::numeric_limits<double>::infinity();
    std::vector<double> deviations;
    for (const double value : values) deviations.push_back(std::abs(value - middle));
    return 1.2533 * 1.4826 * median(deviations) / std::sqrt(static_cast<double>(values.size())) / middle;
}

} // namespace sonde
