// Numbers that are the same with every standard library.
#pragma once
#include <cmath>
#include <numbers>
#include <random>

struct Random {
    std::mt19937_64 bits;
    /// Box and Muller: std::normal_distribution differs from library to library.
    double normal() {
        const auto uniform = [&] { return (static_cast<double>(bits() >> 11) + 0.5) / 9007199254740992.0; };
        return std::sqrt(-2 * std::log(uniform())) * std::cos(2 * std::numbers::pi * uniform());
    }
};
