// How long a larger kernel will take to compile, by how long smaller ones took.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>

namespace sonde {

/// Seconds for `next` bytes of code, where `size` took `seconds` and the smaller `size_before` took `seconds_before`
/// (0: nobody tried): by the same power of the size, but between proportion and cube, as small ones scatter.
inline double predicted_seconds(
    std::uint64_t size_before, double seconds_before, std::uint64_t size, double seconds, std::uint64_t next) {
    const auto ratio = [](std::uint64_t larger, std::uint64_t smaller) {
        return static_cast<double>(larger) / static_cast<double>(smaller);
    };
    const double power =
        seconds_before > 0 ? std::log(seconds / seconds_before) / std::log(ratio(size, size_before)) : 1;
    return seconds * std::pow(ratio(next, size), std::clamp(power, 1.0, 3.0));
}

} // namespace sonde
