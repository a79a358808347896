// Statistics of a handful of samples, against values that NumPy 1.24 and SciPy 1.10 give.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/statistics.h"

using namespace sonde;

namespace {
const std::vector<double> kValues{3.1, 2.7, 9.4, 4.4, 5.0, 2.2, 8.8};

std::vector<double> times(std::vector<double> values, double factor) {
    for (double& value : values) value *= factor;
    return values;
}
} // namespace

TEST_CASE("quantiles: as numpy.quantile has them") {
    for (const auto& [q, expected] :
        {std::pair{0.0, 2.2}, {0.1, 2.5}, {0.25, 2.9}, {0.5, 4.4}, {0.75, 6.9}, {0.9, 9.04}, {1.0, 9.4}})
        CHECK(quantile(kValues, q) == doctest::Approx(expected).epsilon(1e-12));
    CHECK(median(std::vector{1.0, 4.0}) == 2.5);
    CHECK(median(std::vector{7.0}) == 7);
    CHECK(std::isnan(median(std::vector<double>{})));
    CHECK(quantile(std::vector{1.0, 2.0, 3.0, 4.0}, 0.25) < quantile(std::vector{1.0, 2.0, 3.0, 4.0}, 0.75));
}

TEST_CASE("quantiles do not depend on the order of the values, and scale with them") {
    std::vector<double> turned(kValues.rbegin(), kValues.rend());
    for (const double q : {0.1, 0.25, 0.5, 0.75}) {
        CHECK(quantile(turned, q) == quantile(kValues, q));
        CHECK(quantile(times(kValues, 1e-3), q) == doctest::Approx(1e-3 * quantile(kValues, q)).epsilon(1e-12));
    }
}

TEST_CASE("error of the median: from the median deviation and the root of the number, as a share") {
    const std::vector<double> values{10, 11, 12, 13, 14}; // median 12, median deviation 1
    CHECK(relative_error_of_median(values) == doctest::Approx(1.2533 * 1.4826 / std::sqrt(5.0) / 12).epsilon(1e-12));
    CHECK(relative_error_of_median(times(values, 100)) == doctest::Approx(relative_error_of_median(values)));
    std::vector<double> four_times;
    for (int i = 0; i < 4; ++i) four_times.insert(four_times.end(), values.begin(), values.end());
    CHECK(relative_error_of_median(four_times) == doctest::Approx(relative_error_of_median(values) / 2));
    CHECK(relative_error_of_median(std::vector{3.0, 3.0, 3.0}) == 0);
    for (const auto& none : {std::vector<double>{}, std::vector{5.0}, std::vector{0.0, 0.0}, std::vector{-1.0, -2.0}})
        CHECK(std::isinf(relative_error_of_median(none)));
}

TEST_CASE("an index of a file is a place in its list, or none") {
    CHECK(index_of(0, 3) == 0);
    CHECK(index_of(2, 3) == 2);
    for (const double none : {-1.0, 3.0, 1e300, std::nan("")}) CHECK_FALSE(index_of(none, 3));
    for (const double power : {1.0, 2.0, 1024.0, 0.25}) CHECK(is_power_of_two(power));
    for (const double other : {3.0, 0.0, 1.5, -4.0}) CHECK_FALSE(is_power_of_two(other));
}
