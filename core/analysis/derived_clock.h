// Cycles where an API's kernels read no clock of the core: from a chain of a known operation that another API of the same card counts.
#pragma once
#include <string>
#include <vector>

#include "core/analysis/card_view.h"

namespace sonde {

/// A device's clock by the ns that a step of a dependent operation takes there and the cycles that it takes through another API.
struct DerivedClock {
    const Curve *step = nullptr, *known = nullptr; // series of the probe `operation`
    std::string operation{};
    double ns = 0, cycles = 0; // of a step
    double mhz() const { return cycles / ns * 1e3; }
    std::string text() const; // "a step of fma.f32 takes 4 cycles through cuda:0 and 2 ns here, which is 2000 MHz"
    std::string note() const; // for a reader of cycles with a star
};

/// One for each device without such a clock, as far as the operation was measured there and through an API that counts.
std::vector<DerivedClock> derived_clocks(const Card&);

} // namespace sonde
