// Cycles where an API's kernels read no clock of the core: from a chain of a known operation that another API of the
// same card counts.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/analysis/card_view.h"

namespace sonde {

/// Steps in the loop at which a series of the probe `operation` shows the latency: the loop's own instructions are less
/// than one percent, and its code still lies in a core's caches.
inline constexpr std::uint32_t kLatencySteps = 512;
/// The point of those steps, or where there is none that of most; null: there are no points.
const Point* latency_point(const Series&);

/// A device's clock by the ns that a step of a dependent operation takes there and the cycles that it takes through
/// another API.
struct DerivedClock {
    const Curve *step = nullptr, *known = nullptr; // series of the probe `operation`
    std::string operation{};
    double ns = 0, cycles = 0; // of a step
    double mhz() const { return cycles / ns * 1e3; }
    std::string note() const; // for a reader of cycles with a star
};

/// One for each device without such a clock, as far as the operation was measured there and through an API that counts.
std::vector<DerivedClock> derived_clocks(const Card&);

} // namespace sonde
