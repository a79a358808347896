// A curve as numbers: latency by footprint, and whatever else a probe measures by something.
#pragma once
#include <span>
#include <vector>

#include "core/data/series.h"

namespace sonde {

struct CurvePoint {
    double x = 0, y = 0;
};

/// A series' medians.
std::vector<CurvePoint> curve_of(const Series&);
/// The same at the series' median clock, where its points count the core's cycles: a clock that falls for some points
/// makes no step.
std::vector<CurvePoint> curve_at_one_clock(const Series&);

/// Ascending in x, one point per x (the median), and only those of which both are positive and finite.
std::vector<CurvePoint> merge_points(std::span<const CurvePoint> curve);

/// log2 of x and the natural logarithm of y, of points as merge_points() gives them.
std::vector<CurvePoint> log_points(std::span<const CurvePoint> curve);

} // namespace sonde
