// What a probe concludes from one series of a file, in this version's words, whichever version measured it.
#pragma once
#include <vector>

#include "core/data/finding.h"

namespace sonde {

/// All but levels, which the card's view names, and what follows from them. None for a series whose options are not this version's.
std::vector<Finding> probe_findings(const Series&, const DeviceInfo&);

} // namespace sonde
