// Whether two handfuls of values differ by more than their noise: moderated Welch test, Holm's correction, intervals.
// Pure functions.
#pragma once
#include <limits>
#include <span>
#include <vector>

namespace sonde {

/// What is taken for the noise of one block: a standard deviation of ln value (or twice the probe's own from run to
/// run, where that is more), and half of what a capacity's edges are moved by. Single blocks of recorded runs differ by
/// 0.8 % at most in latency, by 13 % at one point of 1686 in bandwidth.
constexpr double kOneBlockNoise = 0.03;

/// A variance and what it rests on: 0 degrees of freedom say nothing, infinitely many say everything.
struct Variance {
    double value = 0;
    double freedom = 0;
};

/// Unbiased; of fewer than two values: freedom 0.
double mean(std::span<const double> values);
Variance variance(std::span<const double> values);

/// What the variances of many quantities, measured alike, say about any one of them: the scaled inverse chi-square
/// prior that fits them best (Smyth 2004, "Linear models and empirical Bayes methods for assessing differential
/// expression in microarray experiments", section 6.2). Infinite freedom where they do not differ by more than chance;
/// freedom 0 where there are fewer than three.
Variance variance_prior(std::span<const Variance> variances);

/// The posterior mean: of three blocks a variance is known within a factor of ten, of ten quantities with three blocks
/// each within one of two. One that is larger than the prior can explain (chance below 1 in 100) stays what it is
/// (after Phipson et al. 2016, "Robust hyperparameter estimation protects against hypervariable genes and improves
/// power to detect differential expression").
Variance moderated(const Variance& own, const Variance& prior);

/// Two-sided tail of Student's t: chance of |t| or more. `freedom` may be infinite (the normal distribution).
double student_tail(double t, double freedom);
/// The t whose two-sided tail is `chance`. Infinity without freedom.
double student_quantile(double chance, double freedom);

/// A difference of means with its standard error: Welch 1947, degrees of freedom by Satterthwaite 1946.
struct Difference {
    double value = 0, error = 0, freedom = 0;
    double chance() const; // of a difference as large as this where there is none
};
/// `a`, `b`: variance of one value and how many values, for each side. `known`: a variance of the difference that no
/// value shows.
Difference welch(double mean_a, const Variance& a, std::size_t count_a, double mean_b, const Variance& b,
    std::size_t count_b, double known);

/// Holm 1979, "A simple sequentially rejective multiple test procedure": for each chance the level it has to stay below
/// so that in all of them together a false alarm has the chance `level`. The smallest one gets level/n, the next
/// level/(n-1), ...; from the first that fails on, all have its level. So an interval at that level leaves 0 out
/// exactly where the test rejects (Efird and Nielsen 2008, "A method to compute multiplicity corrected confidence
/// intervals").
std::vector<double> holm_levels(std::span<const double> chances, double level);

} // namespace sonde
