// Series whose points are their result, as tables.
#pragma once
#include <vector>

#include "core/analysis/card_view.h"
#include "core/facts/grid.h"

namespace sonde {

/// Curves of the card that `diagnose` tells by their points.
Curves told_by_points(const Card&);
/// For each probe, path and pattern of access a table: a row for each series, medians at some of its places, and what
/// else tells series apart.
std::vector<Grid> point_grids(const Curves&);

} // namespace sonde
