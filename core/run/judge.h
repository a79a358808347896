// Doubt about a series, from what was measured around it.
#pragma once
#include "core/data/series.h"

namespace sonde {

/// What is judged once a series is complete and the card's other series are known: a clock below 90 % of the highest seen on the
/// card, a buffer on `global` that is not device-local, timers that disagree. Changes status and reason.
void judge(Series& series, double highest_clock_mhz);

/// The core's clock during a series: by the points themselves where a kernel's counter told, else before and after; 0: not known.
double typical_clock(const Series& series);

} // namespace sonde
