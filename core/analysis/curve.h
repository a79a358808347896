// A curve as numbers.
#pragma once
#include <span>
#include <vector>

namespace sonde {

/// Latency of a dependent load while walking `bytes` of memory, in any unit (the same for all points of a curve).
struct CurvePoint {
    double bytes = 0;
    double latency = 0;
};

/// Sorted by size, one point per size (the median), and only those that are positive and finite.
std::vector<CurvePoint> merge_points(std::span<const CurvePoint> curve);

} // namespace sonde
