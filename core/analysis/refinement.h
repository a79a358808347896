// Which footprint to measure next, so that few sizes tell where a hierarchy's levels end.
#pragma once
#include <optional>
#include <span>
#include <vector>

#include "core/analysis/curve.h"

namespace sonde {

/// The sizes to start with: about 1.2 per octave from `smallest` to `largest` bytes, both included, each a multiple of
/// `granule` bytes. Throws Error unless 0 < granule and 0 < smallest <= largest.
std::vector<double> coarse_sizes(double smallest, double largest, double granule);

/// The footprint whose measurement says most about the levels' edges, or nullopt when every edge is known to
/// `tolerance` (capacity_off / capacity_on - 1), no jump between neighbours can hide a level any more, and every level
/// has points enough for its latency. At most 59 sizes are asked for in all, the coarse ones included, the widest gaps
/// first. Sizes are multiples of `granule` within `smallest`..`largest`. Feed the result back and ask again; a size
/// that cannot be measured has to end the loop, or lower `largest`.
std::optional<double> next_size(
    std::span<const CurvePoint> measured, double tolerance, double smallest, double largest, double granule);

/// The curve's points that lie on no edge of a level behind the first: what another allocation has in common with it.
/// Where no level but the first one ends, all of them.
std::vector<CurvePoint> away_from_edges(std::span<const CurvePoint> curve);
/// Footprints of the curve from shortly before its second level ends to where its last one begins: what they take
/// may differ by the allocation. Ascending as in the curve; none of a curve of fewer than three levels.
std::vector<double> sizes_between_ends(std::span<const CurvePoint> curve);

} // namespace sonde
