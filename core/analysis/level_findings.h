// The levels of a latency series as findings.
#pragma once
#include <string>
#include <vector>

#include "core/analysis/levels.h"
#include "core/data/finding.h"
#include "core/device/device.h"

namespace sonde {

/// Sizes of a curve below which an edge would lie anywhere between two of them.
inline constexpr std::size_t kFewestForLevels = 10;

/// "L1", "L2", ..., and "DRAM" for the one that the curve ends on where levels come before it and it is no limit of the API.
/// A level behind the first that is not sure takes no number, as it may be none: "L2?".
std::string level_name(const std::vector<Level>& levels, std::size_t index, bool ends_in_memory);

/// Where a gradual rise behind a curve's last level ends: at the largest footprint, if no plateau follows and half of the rise, in logarithms, lies well beyond the level's end.
std::optional<double> gradual_rise(const Series&, const Finding& last);

/// The levels of a latency series. `device`: tells the largest cache known.
std::vector<Finding> level_findings(const Series&, const DeviceInfo& device);
/// Those, and how much farther memory is than the last cache, where the curve shows both.
std::vector<Finding> latency_findings(const Series&, const DeviceInfo& device);

} // namespace sonde
