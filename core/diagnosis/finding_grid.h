// What probes found in series, as a table of devices.
#pragma once
#include <vector>

#include "core/data/finding.h"
#include "core/data/results.h"
#include "core/facts/grid.h"

namespace sonde {

/// A section for each probe, path and options, a row for each number of its findings, a column for each device, in the
/// order of `devices` and of the findings. A finding without a number has none, or unsure where it is inconclusive.
Grid finding_grid(const std::vector<Finding>&, const std::vector<const DeviceRecord*>& devices = {});

} // namespace sonde
