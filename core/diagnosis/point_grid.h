// Series whose points are their result, as tables.
#pragma once
#include <vector>

#include "core/analysis/card_view.h"
#include "core/facts/grid.h"

namespace sonde {

/// Whether its findings are numbers alone, without a sentence: then its points are its result.
bool is_told_by_points(const Curve&);
/// Those of the card.
Curves told_by_points(const Card&);
/// For each probe, path and pattern of access a table: a row for each series, medians at some of its places, and what
/// else tells series apart.
std::vector<Grid> point_grids(const Curves&);

} // namespace sonde
