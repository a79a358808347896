// What the probes of a page ask.
#pragma once
#include <span>

#include "core/data/results.h"

namespace sonde {

/// Probe -> its question, for those in the runs that this version knows.
Json questions_of(std::span<const Run> runs);

} // namespace sonde
