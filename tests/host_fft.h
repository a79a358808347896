// Transforms on the host, for libraries that are pretended.
#pragma once
#include <complex>
#include <cstddef>
#include <numbers>
#include <vector>

namespace sonde {

/// In place; `points` is a power of two. Back: divided by their number.
inline void host_transform(std::complex<float>* points, std::size_t count, bool back) {
    std::vector<std::complex<double>> from(points, points + count), to(count);
    for (std::size_t stride = 1, half = count / 2; half; stride *= 2, half /= 2) { // Stockham's order, by radix 2
        for (std::size_t p = 0; p < half; ++p) {
            const std::complex<double> turn = std::polar(
                1.0, (back ? 1 : -1) * std::numbers::pi * static_cast<double>(p) / static_cast<double>(half));
            for (std::size_t q = 0; q < stride; ++q) {
                const std::complex<double> a = from[q + stride * p], b = from[q + stride * (p + half)];
                to[q + stride * 2 * p] = a + b, to[q + stride * (2 * p + 1)] = (a - b) * turn;
            }
        }
        from.swap(to);
    }
    for (std::size_t i = 0; i < count; ++i)
        points[i] = std::complex<float>(back ? from[i] / static_cast<double>(count) : from[i]);
}

} // namespace sonde
