// Distributions, variances, tests.
#include "core/analysis/significance.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <boost/math/distributions/fisher_f.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/trigamma.hpp>

namespace sonde {

namespace {
using namespace boost::math;
constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr double kNearlyInfinite = 1e6; // degrees of freedom
constexpr double kUnexplained = 0.01;

/// Nothing here throws: without an answer it is NaN or infinity. And no long double, whose functions older C libraries
/// lack.
using Quiet = policies::policy<policies::domain_error<policies::ignore_error>,
    policies::pole_error<policies::ignore_error>, policies::overflow_error<policies::ignore_error>,
    policies::evaluation_error<policies::ignore_error>, policies::promote_double<false>>;
using Student = students_t_distribution<double, Quiet>;

double digamma_of(double x) { return digamma(x, Quiet()); }
double trigamma_of(double x) { return trigamma(x, Quiet()); }

/// trigamma falls from infinity to 0: bisection of ln x.
double trigamma_inverse(double y) {
    double low = std::log(1e-8), high = std::log(1e8);
    for (int i = 0; i < 100; ++i) {
        const double middle = (low + high) / 2;
        (trigamma_of(std::exp(middle)) > y ? low : high) = middle;
    }
    return std::exp((low + high) / 2);
}

/// Chance of a ratio of variances as large as this or larger.
double ratio_tail(const Variance& above, const Variance& below) {
    return cdf(complement(fisher_f_distribution<double, Quiet>(above.freedom, std::min(below.freedom, kNearlyInfinite)),
        above.value / below.value));
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
        logs.push_back(std::log(one.value) - digamma_of(one.freedom / 2) + std::log(one.freedom / 2));
        expected_spreads.push_back(trigamma_of(one.freedom / 2));
        plain.push_back(one.value);
    }
    if (logs.size() < 3) return {};
    const double excess = variance(logs).value - mean(expected_spreads);
    if (excess <= 0) return {mean(plain), kInfinite};
    const double half = trigamma_inverse(excess);
    return {std::exp(mean(logs) + digamma_of(half) - std::log(half)), 2 * half};
}

Variance moderated(const Variance& own, const Variance& prior) {
    if (own.freedom > 0 && prior.freedom > 0 && own.value > prior.value && !(ratio_tail(own, prior) >= kUnexplained))
        return own; // also where the ratio has no end
    if (prior.freedom >= kNearlyInfinite) return {prior.value, kInfinite};
    const double freedom = own.freedom + prior.freedom;
    if (!(freedom > 0)) return {};
    return {(own.freedom * own.value + prior.freedom * prior.value) / freedom, freedom};
}

double student_tail(double t, double freedom) {
    return freedom > 0 ? 2 * cdf(complement(Student(freedom), std::abs(t))) : 1;
}

double student_quantile(double chance, double freedom) {
    return freedom > 0 && chance > 0 ? quantile(complement(Student(freedom), std::min(chance, 1.0) / 2)) : kInfinite;
}

double Difference::chance() const {
    if (error > 0) return student_tail(value / error, freedom);
    return 1;
}

Difference welch(double mean_a, const Variance& a, std::size_t count_a, double mean_b, const Variance& b,
    std::size_t count_b, double known) {
    const double of_a = a.value / static_cast<double>(count_a), of_b = b.value / static_cast<double>(count_b),
                 total = of_a + of_b + known;
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
