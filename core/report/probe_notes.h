// What a page tells of its probes, and how it draws them: no script knows a probe by its name.
#pragma once
#include <span>

#include "core/data/results.h"

namespace sonde {

/// Probe -> {"question","explanation","chart","axis"}, for each in the runs; what x is and the unit are every series' own. A probe that this version does not know is a curve.
Json probe_notes(std::span<const Run> runs);

} // namespace sonde
