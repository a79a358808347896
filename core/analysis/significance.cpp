// Distributions, variances, tests.
#include "core/analysis/significance.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace sonde {

namespace {
constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr double kNearlyInfinite = 1e6; // degrees of freedom
constexpr double kUnexplained = 0.01;

/// Derivatives of ln gamma: upwards by recurrence to 8, from there the asymptotic series (Abramowitz and Stegun 6.3.6, 6.3.18; 6.4.6, 6.4.12).
double digamma(double x) {
    double sum = 0;
    for (; x < 8; x += 1) sum -= 1 / x;
    const double r = 1 / (x * x);
    return sum + std::log(x) - 0.5 / x - r * (1.0 / 12 - r * (1.0 / 120 - r / 252));
}

double trigamma(double x) {
    double sum = 0;
    for (; x < 8; x += 1) sum += 1 / (x * x);
    const double r = 1 / (x * x);
    return sum + 1 / x + r / 2 + r / x * (1.0 / 6 - r * (1.0 / 30 - r / 42));
}

/// trigamma falls from infinity to 0: bisection of ln x.
double trigamma_inverse(double y) {
    double low = std::log(1e-8), high = std::log(1e8);
    for (int i = 0; i < 100; ++i) {
        const double middle = (low + high) / 2;
        (trigamma(std::exp(middle)) > y ? low : high) = middle;
    }
    return std::exp((low + high) / 2);
}

/// The continued fraction of the incomplete beta function (Abramowitz and Stegun 26.5.8) from its front, by Lentz's method.
double beta_fraction(double x, double a, double b) {
    double c = 1, d = 1 / (1 - (a + b) * x / (a + 1)), value = d;
    for (int m = 1; m < 500; ++m) {
        double before = value;
        for (const double term : {m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)), -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))}) {
            d = 1 / (1 + term * d);
            c = 1 + term / c;
            value *= c * d;
        }
        if (std::abs(value - before) < 1e-14 * std::abs(value)) break;
    }
    return value;
}

/// Regularized: I_x(a, b). `rest`: 1 - x, given because it may be too small to see in x.
double incomplete_beta(double x, double rest, double a, double b) {
    if (x <= 0) return 0;
    if (rest <= 0) return 1;
    const double front = std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) + b * std::log(rest));
    return x < (a + 1) / (a + b + 2) ? front * beta_fraction(x, a, b) / a : 1 - front * beta_fraction(rest, b, a) / b;
}
/// Chance of a ratio of variances as large as this or larger: the upper tail of F.
double ratio_tail(const Variance& above, const Variance& below) {
    const double freedom = std::min(below.freedom, kNearlyInfinite), weighted = above.freedom * above.value / below.value;
    return incomplete_beta(freedom / (freedom + weighted), weighted / (freedom + weighted), freedom / 2, above.freedom / 2);
}
} // namespace

double mean(std::span<const double> values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

Variance variance(std::span<const double> values) {
    if (values.size() < 2) return {};
    const double middle = mean(values), freedom = static_cast<double>(values.size() - 1);
    double sum = 0;
    for (const double value : values) sum += (value - middle) * (value - middle);
    return {sum / freedom, freedom};
}

Variance variance_prior(std::span<const Variance> variances) {
    std::vector<double> logs, expected_spreads, plain;
    for (const Variance& one : variances) {
        if (!(one.freedom > 0) || !(one.value > 0)) continue;
        logs.push_back(std::log(one.value) - digamma(one.freedom / 2) + std::log(one.freedom / 2));
        expected_spreads.push_back(trigamma(one.freedom / 2));
        plain.push_back(one.value);
    }
    if (logs.size() < 3) return {};
    const double excess = variance(logs).value - mean(expected_spreads);
    if (excess <= 0) return {mean(plain), kInfinite};
    const double half = trigamma_inverse(excess);
    return {std::exp(mean(logs) + digamma(half) - std::log(half)), 2 * half};
}

Variance moderated(const Variance& own, const Variance& prior) {
    if (own.freedom > 0 && prior.freedom > 0 && own.value > prior.value && ratio_tail(own, prior) < kUnexplained) return own;
    if (prior.freedom >= kNearlyInfinite) return {prior.value, kInfinite};
    const double freedom = own.freedom + prior.freedom;
    if (!(freedom > 0)) return {};
    return {(own.freedom * own.value + prior.freedom * prior.value) / freedom, freedom};
}

double student_tail(double t, double freedom) {
    if (!(freedom > 0)) return 1;
    if (freedom >= kNearlyInfinite) return std::erfc(std::abs(t) / std::sqrt(2.0));
    const double square = t * t;
    return incomplete_beta(freedom / (freedom + square), square / (freedom + square), freedom / 2, 0.5);
}

double student_quantile(double chance, double freedom) {
    if (!(freedom > 0) || !(chance > 0)) return kInfinite;
    double low = 0, high = 1;
    while (student_tail(high, freedom) > chance && high < 1e12) high *= 2;
    for (int i = 0; i < 80; ++i) {
        const double middle = (low + high) / 2;
        (student_tail(middle, freedom) > chance ? low : high) = middle;
    }
    return (low + high) / 2;
}

double Difference::chance() const {
    if (error > 0) return student_tail(value / error, freedom);
    return 1;
}

Difference welch(double mean_a, const Variance& a, std::size_t count_a, double mean_b, const Variance& b, std::size_t count_b, double known) {
    const double of_a = a.value / static_cast<double>(count_a), of_b = b.value / static_cast<double>(count_b), total = of_a + of_b + known;
    double weight = 0;
    if (a.freedom > 0) weight += of_a * of_a / a.freedom;
    if (b.freedom > 0) weight += of_b * of_b / b.freedom;
    const bool unknown = !(a.freedom > 0) || !(b.freedom > 0);
    return {mean_b - mean_a, std::sqrt(total), unknown ? 0 : weight > 0 ? total * total / weight : kInfinite};
}

std::vector<double> holm_levels(std::span<const double> chances, double level) {
    std::vector<std::size_t> order(chances.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t i, std::size_t k) { return chances[i] < chances[k]; });
    std::vector<double> levels(chances.size());
    double current = 0;
    bool failed = false;
    for (std::size_t rank = 0; rank < order.size(); ++rank) {
        if (!failed) current = level / static_cast<double>(order.size() - rank);
        levels[order[rank]] = current;
        failed = failed || chances[order[rank]] > current;
    }
    return levels;
}

} // namespace sonde
