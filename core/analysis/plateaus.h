// The plateaus of a curve of ln latency over log2 footprint: an optimal partition, then merges and drops of what is no
// level. All points here are such logarithms, as log_points() gives them.
#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "core/analysis/curve.h"

namespace sonde {

/// Points that belong together. Ramps and spikes between them belong to none.
struct Plateau {
    std::vector<std::size_t> points; // indices into the curve, ascending, at least two
    double middle = 0;               // median of y
    double first = 0, last = 0;      // x of the outermost points
};

/// What each point of `plateau` stands for: the octaves from the middle between it and its neighbours on the plateau,
/// at most 0.25. So the many points where an edge was refined do not outvote the plateau.
std::vector<double> weights_of(std::span<const CurvePoint> curve, const Plateau& plateau);

struct WeightedValue {
    double value = 0, weight = 0;
};
/// The value below which half of the weight lies. NaN for no values.
double weighted_median(std::vector<WeightedValue> values);

/// Standard deviation of y from point to point, without the curve's own shape: 1.4826 x median of second differences,
/// each scaled by what pure noise of deviation 1 would give at these distances. Of plateaus of three points two second
/// differences in three have a step in them: above 10 % first differences count where they are less. 0 for fewer than
/// three points.
double noise_of(std::span<const CurvePoint> curve);

/// The same from the points on plateaus only: refinement puts most points where the curve bends, and noise_of() is too
/// high there.
double noise_on(std::span<const CurvePoint> curve, std::span<const Plateau> plateaus);

/// Noise below this is not believed (1.6 %): real curves have structure of that size that is no level.
constexpr double kLeastNoise = 0.016;

/// The indices of the points that are no lone spike: off both neighbours to the same side, while these agree.
std::vector<std::size_t> without_spikes(std::span<const CurvePoint> curve, double noise);

/// Plateaus in ascending order of x and of `middle`. `curve`: ascending in x, no x twice, and not denser than 16 points
/// an octave, or small levels drown in the dense part.
///
/// Two kinds of piece (dynamic programming, every partition is considered): a plateau is a line whose slope is clipped
/// to 0.08 an octave and 0.16 in all and costs its squared residuals in units of the noise plus beta; a ramp point
/// costs a fixed lambda.
std::vector<Plateau> find_plateaus(std::span<const CurvePoint> curve);

/// `plateau` without the points at its ends that belong to the ramps: more than `margin` lower at the beginning, or
/// higher at the end, than the median of the octave that follows or precedes; the worse end goes first. At least half
/// of the weight stays, and three points. `drift`: ln per octave that a point further on may be higher.
Plateau settled(std::span<const CurvePoint> curve, const Plateau& plateau, double margin, double drift = 0);

/// What the plateau rises by in ln per octave: the weighted median over all pairs of its points (Theil 1950, Sen 1968),
/// from 0 to 0.08.
double drift_of(std::span<const CurvePoint> curve, const Plateau& plateau);

/// Median of the y of `plateau` within `octaves` of its beginning or end.
double beginning_of(std::span<const CurvePoint> curve, const Plateau& plateau, double octaves);
double end_of(std::span<const CurvePoint> curve, const Plateau& plateau, double octaves);

} // namespace sonde
