// How the times of single loads are distributed, and which share of them is as slow as loads beyond the last cache.
// Pure functions.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "core/data/evidence.h"

namespace sonde {

/// `counts` as the clock has them, `nothing` of them between two reads without a load.
LoadTimes binned(std::uint64_t footprint_bytes, std::span<const std::uint32_t> counts, double nothing, double bin);
/// What that share of the loads takes at the most; loads lie evenly within their bin. 0 where there are none.
double time_of(const LoadTimes&, double share);
/// Share of the loads that take so long or longer.
double share_from(const LoadTimes&, double counts);

/// Loads whose times fall into two groups, with few between them.
struct TwoKinds {
    double share;          // of all loads, the faster ones
    double faster, slower; // median of either
};
/// nullopt: one group, or one of two has less than a fifth of the loads, or is so wide that its median stands for
/// little.
std::optional<TwoKinds> two_kinds(const LoadTimes&);

/// "30 % of loads"; of about half, which bins of a histogram round, "about half of the loads".
std::string share_of_loads(double share);

/// Share of the loads that take the median of another footprint's, or longer. `last`: beyond the last cache, where the
/// fastest loads may take no longer than a farther part of that cache. nullopt: one of the two has no loads.
std::optional<double> as_slow_as_median(const LoadTimes& at, const LoadTimes& last);
/// Share of the loads that take as long as the faster kind of another footprint's (its tenth of least time left out),
/// or longer. nullopt: that one's loads are of one kind, or one of the two has no loads.
std::optional<double> as_slow_as_faster_kind(const LoadTimes& at, const LoadTimes& last);

} // namespace sonde
