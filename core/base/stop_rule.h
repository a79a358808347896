// The rule that says when there are enough samples.
#pragma once
#include <cstddef>
#include <span>

namespace sonde {

/// Enough samples: at least `at_least`, and the median known to `target`; or `at_most` reached.
struct StopRule {
    std::size_t at_least = 3, at_most = 9;
    double target = 0.01;
    bool finished(std::span<const double> values) const;
    /// True when the samples ended at `at_most` without reaching the target.
    bool missed(std::span<const double> values) const;
};

} // namespace sonde
