// What a page tells of its probes, and how it draws them: no script knows a probe by its name.
#pragma once
#include <span>

#include "core/data/results.h"

namespace sonde {

/// Probe -> {"question","explanation","chart","axis","x":{"name","unit"},"unit"}, for each in the runs. One that this version does not know is a curve.
Json probe_notes(std::span<const Run> runs);

} // namespace sonde
