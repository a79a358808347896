// The levels of a latency series as findings.
#pragma once
#include <string>
#include <vector>

#include "core/data/finding.h"
#include "core/device/device.h"

namespace sonde {

/// Sizes of a curve below which an edge would lie anywhere between two of them.
inline constexpr std::size_t kFewestForLevels = 10;

/// Names a curve's levels in their order: L1, L2, ...; one that is called DRAM keeps that. A level behind the
/// first that is not sure takes no number from others, as it may be none. The number of one that begins so far
/// behind the end of the one before it that another may lie between is in doubt, too, and so are all behind it.
/// `first`: the number that the curve begins with.
void number_levels(std::vector<Finding>& levels, int first = 1);

/// Of a processor, the nearest cache that holds so many bytes by what the system reports; DRAM without an end where
/// none does, nullopt where it reports none.
struct ReportedCache {
    LevelName level;
    double bytes = 0;
};
std::optional<ReportedCache> cache_that_holds(const DeviceInfo&, double bytes);

/// Whether the levels that a structure probe found of a processor have none behind L1 before the reported L3, so that
/// the time of an L1 miss is not known.
bool hides_l2(const Series&, const DeviceInfo&);
inline constexpr const char* kNoMiss = "the walk of this series did not tell L2 apart, so that an L1 miss has no time";

/// Sets `rises_to_bytes` of a curve's last level to the last footprint, if no plateau follows and latency reaches the
/// geometric mean of the level's and the curve's last well beyond the level's edge. The level then ends at its last
/// footprint within 10 % of its latency.
void end_in_rise(const Series&, Finding& last);

/// The levels of a latency series. `device`: tells the largest cache known. `first`: as above.
std::vector<Finding> level_findings(const Series&, const DeviceInfo& device, int first = 1);
/// Those, and how much farther memory is than the last cache, where the curve shows both.
std::vector<Finding> latency_findings(const Series&, const DeviceInfo& device);

} // namespace sonde
