// A card's tables behind its first screen: every path's levels, every operation, every matrix form.
#pragma once
#include "core/diagnosis/arithmetic.h"
#include "core/diagnosis/matrix.h"
#include "core/facts/grid.h"

namespace sonde {

/// A section for each path and its options: what a load takes at each level, where the level ends, or to where its
/// sweep goes.
Grid paths_grid(const Matrix&);
/// Of each operation the latency in a dependent chain, the highest rate of the card with its share of what the vendor
/// documents per clock and core, the clock that a matrix form's kernel counted, and the instructions of one.
Grid operations_grid(std::string name, const Card&, const ArithmeticTable&);

} // namespace sonde
