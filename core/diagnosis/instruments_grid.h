// What a card's instruments told in all of its series, as a table.
#pragma once
#include "core/analysis/card_view.h"
#include "core/facts/grid.h"

namespace sonde {

/// A column for each device whose series have telemetry: clocks, power beside its limit, temperature, the share of
/// samples in which each reason held the clocks back, errors of the memory since the run began, the host's link beside
/// its best, and others' processes.
Grid instruments_grid(const Card&);

} // namespace sonde
