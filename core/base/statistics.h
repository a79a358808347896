// Robust statistics of a handful of samples.
#pragma once
#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace sonde {

/// Quantile q in 0..1 by linear interpolation between order statistics (Hyndman and Fan, type 7). NaN for no values.
double quantile(std::span<const double> values, double q);
double median(std::span<const double> values);

/// Standard error of the median relative to the median, from the median absolute deviation
/// (normal: sigma = 1.4826 MAD, error of the median = 1.2533 sigma / sqrt(n)). Infinity below two values or for a
/// median of 0.
double relative_error_of_median(std::span<const double> values);

/// A number of a file as a place in a list of `count`; nullopt: it is none.
inline std::optional<std::size_t> index_of(double number, std::size_t count) {
    return number >= 0 && number < static_cast<double>(count) ? std::optional(static_cast<std::size_t>(number))
                                                              : std::nullopt;
}

inline bool is_power_of_two(double number) {
    int exponent = 0;
    return std::frexp(number, &exponent) == 0.5;
}

} // namespace sonde
