// What probes found in series, as a table of devices.
#pragma once
#include <vector>

#include "core/data/finding.h"
#include "core/facts/grid.h"

namespace sonde {

/// A section for each probe, path and options, a row for each number of its findings, a column for each device.
/// Findings without rows are left out.
Grid finding_grid(const std::vector<Finding>&);

} // namespace sonde
