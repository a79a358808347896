// Tests and intervals against SciPy 1.10 (stats.t, stats.f, stats.ttest_ind with equal_var=False, special.polygamma).
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "core/analysis/significance.h"

using namespace sonde;

namespace {
constexpr double kInfinite = std::numeric_limits<double>::infinity();
const std::vector<double> kA{10.1, 9.8, 10.4, 10.0}, kB{11.2, 10.9, 11.9};

doctest::Approx near(double value) { return doctest::Approx(value).epsilon(1e-7); }

Difference difference(const std::vector<double>& a, const std::vector<double>& b, double known = 0) {
    return welch(mean(a), variance(a), a.size(), mean(b), variance(b), b.size(), known);
}

std::vector<double> times(std::vector<double> values, double factor) {
    for (double& value : values) value *= factor;
    return values;
}
} // namespace

TEST_CASE("Student's t: both tails, and the t of a chance") {
    struct Tail {
        double t, freedom, chance;
    };
    for (const auto& [t, freedom, chance] :
        {Tail{0.5, 1, 0.7048327646991336}, {2, 2, 0.1835034190722739}, {2.5, 7.3, 0.039650234665600415},
            {-3, 10, 0.013343655022569565}, {6, 30, 1.3942768767204717e-06}, {1.96, kInfinite, 0.04999579029644087}}) {
        CHECK(student_tail(t, freedom) == near(chance));
        CHECK(student_tail(-t, freedom) == student_tail(t, freedom));
        CHECK(student_quantile(chance, freedom) == near(std::abs(t)));
    }
    CHECK(student_quantile(0.05, 1) == near(12.706204736432102));
    CHECK(student_quantile(0.001, 4) == near(8.610301581379652));
    CHECK(student_tail(3, 0) == 1);
    CHECK(std::isinf(student_quantile(0.05, 0)));
}

TEST_CASE("variance: unbiased, and of one value nothing is known") {
    CHECK(variance(kA).value == near(0.0625));
    CHECK(variance(kA).freedom == 3);
    CHECK(variance(kB).value == near(0.2633333333333335));
    CHECK(variance(std::vector{7.0}).freedom == 0);
}

TEST_CASE("Welch's test: difference, error, freedom and chance") {
    const Difference found = difference(kA, kB);
    CHECK(found.value == near(1.2583333333333346));
    CHECK(found.error == near(0.3215630230262457));
    CHECK(found.freedom == near(2.7179826975578707));
    CHECK(found.chance() == near(0.03539388836612558));
}

TEST_CASE("Welch's test: sides exchanged, other units, more values, noise that no value shows") {
    const Difference found = difference(kA, kB), turned = difference(kB, kA),
                     scaled = difference(times(kA, 1e3), times(kB, 1e3));
    CHECK(turned.value == -found.value);
    CHECK(turned.chance() == near(found.chance()));
    CHECK(scaled.chance() == near(found.chance()));
    std::vector<double> more_a = kA, more_b = kB;
    more_a.insert(more_a.end(), kA.begin(), kA.end()), more_b.insert(more_b.end(), kB.begin(), kB.end());
    CHECK(difference(more_a, more_b).chance() < found.chance());
    CHECK(difference(kA, kB, 0.1).error > found.error);
    CHECK(difference(kA, kB, 1).chance() > found.chance());
    CHECK(difference(kA, {11.2}).chance() == 1); // one value alone tells no variance
    CHECK(difference({5, 5}, {5, 5}).chance() == 1);
}

TEST_CASE("the prior of variances: Smyth's equations, solved by SciPy") {
    const std::vector<double> freedoms{2, 2, 3, 2, 4, 2};
    const auto prior = [&](const std::vector<double>& values) {
        std::vector<Variance> all;
        for (std::size_t i = 0; i < values.size(); ++i) all.push_back({values[i], freedoms[i]});
        return variance_prior(all);
    };
    const Variance apart = prior({0.01, 5, 0.02, 9, 0.5, 30});
    CHECK(apart.value == near(0.15387898116653245));
    CHECK(apart.freedom == near(0.667856359616944));
    const Variance alike = prior({0.8, 1.9, 0.3, 4.2, 1.1, 0.6}); // no more apart than chance
    CHECK(alike.value == near(1.4833333333333334));
    CHECK(std::isinf(alike.freedom));
    CHECK(prior({1, 2}).freedom == 0);
    CHECK(prior({0, 0, 0, 1}).freedom == 0); // a variance of 0 is no information
}

TEST_CASE("a moderated variance lies between its own and the prior, but for one that the prior cannot explain") {
    const Variance prior{1, 10}, between = moderated({4, 2}, prior); // F(4; 2, 10): chance 0.053
    CHECK(between.value == near(1.5));
    CHECK(between.freedom == 12);
    CHECK(moderated({7, 2}, prior).value == near(2)); // chance 0.0126: just within
    CHECK(moderated({9, 2}, prior).value == 9);       // chance 0.0058: just beyond
    CHECK(moderated({9, 2}, prior).freedom == 2);
    CHECK(moderated({0.1, 2}, prior).value == near((0.2 + 10) / 12)); // a smaller one is always drawn up
    CHECK(moderated({0, 0}, prior).value == 1);
    CHECK(moderated({2, 3}, {0, 0}).value == 2);
    CHECK(moderated({2, 3}, {1, kInfinite}).value == 1);
    CHECK(moderated({0, 0}, {0, 0}).freedom == 0);
}

TEST_CASE("Holm: the smallest chance has the strictest level, and behind the first that fails all have its level") {
    const std::vector<double> levels = holm_levels(std::vector{0.01, 0.04, 0.03, 0.005}, 0.05);
    CHECK(levels[3] == near(0.05 / 4));
    CHECK(levels[0] == near(0.05 / 3));
    CHECK(levels[2] == near(0.05 / 2)); // fails
    CHECK(levels[1] == near(0.05 / 2));
    CHECK(holm_levels(std::vector{0.04}, 0.05)[0] == near(0.05));
    CHECK(holm_levels(std::vector<double>{}, 0.05).empty());
}
