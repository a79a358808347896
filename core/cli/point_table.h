// Series whose points are their result, as tables.
#pragma once
#include <string>

#include "core/analysis/card_view.h"

namespace sonde {

/// For each probe, path and pattern of access a table under a line that names unit and axis: a row for each series,
/// medians at some of its places, and what else tells series apart. `columns`: of a line. "" where there are none.
std::string point_tables(const Curves&, std::size_t columns);

} // namespace sonde
