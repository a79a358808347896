// How far each level of the TLB reaches and what its misses cost, as rows of a table.
#pragma once
#include <array>

#include "core/diagnosis/fact_of.h"

namespace sonde {

/// Of these curves of the probe `tlb` the reaches, then the costs of a miss, the nearest level first. In one row stand
/// levels whose misses cost about as much; they are numbered as through the device that has the most.
std::array<PlaceGroup, 2> tlb_levels(const Curves&);
/// Of a card's devices.
std::array<PlaceGroup, 2> tlb_levels(const Card&);

} // namespace sonde
