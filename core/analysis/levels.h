// From a latency curve to the levels of a memory hierarchy. Pure functions.
#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "core/analysis/curve.h"

namespace sonde {

/// A plateau of the curve. The knee lies between `capacity_on` and `capacity_off`; it is where the curve leaves the
/// plateau, which for hashed or not fully associative caches is below the nominal capacity, and it is not corrected
/// towards that.
struct Level {
    double latency = 0;     // in the curve's unit: middle of the level's points (Hodges-Lehmann, of the logarithm)
    double capacity_on = 0; // bytes: the last footprint measured that is on the level
    std::optional<double> capacity_off; // bytes: the first one off it; nullopt where the curve ends on the level
    std::optional<double>
        tlb_beyond; // bytes: the last footprint at this latency, where the same level is slower behind it: TLB misses
    double confidence = 0; // 0..1: share of reruns, each without a random quarter of the points, that find the level
                           // again (latency within 5 %, and a knee that may be the same), times the chance that the
                           // noise leaves its latency within 2 %
    std::vector<double> sizes; // bytes: the footprints that the latency rests on, ascending
};

/// The levels of a curve, in ascending order of latency. Points may be unsorted and repeat a size (the median counts);
/// those that are not positive and finite are left out. Fewer than three sizes have no level. The same points give the
/// same levels, confidence included; with 0 reruns confidence stays 0. No cache is taken to hold 512 MiB: a plateau
/// that ends beyond is DRAM, whatever follows. A curve over fewer than six octaves looks at an edge: it is judged on
/// its own scale, and stairs of that edge are no levels.
///
/// Method: optimal partition of ln latency over log2 footprint into plateaus and ramp points (optimal partitioning:
/// Jackson et al. 2005, "An algorithm for optimal partitioning of data on an interval"), then merges of what drift,
/// noise or a TLB explains: core/analysis/plateaus.h.
std::vector<Level> find_levels(std::span<const CurvePoint> curve, int reruns = 16);

/// Makes one level of two where the second takes less than 1.4 times the first and is not the last: on processors with
/// pages of 4 KiB that is what TLB misses cost in one cache. Not for a card's curves, whose levels may lie as close.
std::vector<Level> without_tlb_steps(std::vector<Level> levels);

} // namespace sonde
