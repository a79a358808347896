// The power that a card draws under a load.
#pragma once
#include <algorithm>
#include <vector>

#include "core/data/series.h"

namespace sonde {

/// What the card drew, second by second, where an instrument told it; pauses between dispatches included. The first
/// second's average holds idle time, and is left out where there are others.
struct Power {
    std::vector<double> watts{};
    double joules = 0, work = 0, busy = 0; // `work`: operations or bytes; `busy`: seconds in kernels
    double picojoules() const { return work > 0 ? joules / work * 1e12 : 0; } // of an operation or a byte
    double busy_share() const { return std::min(1.0, busy / static_cast<double>(watts.size())); }
};
/// Of a series whose points are seconds.
Power power_of(const Series&);

} // namespace sonde
