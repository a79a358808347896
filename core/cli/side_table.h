#pragma once
#include <string>

#include "core/base/json_fwd.h"
#include "core/compare/side.h"
#include "core/facts/grid.h"

namespace sonde {

/// Levels and rates of two devices beside each other, of several runs by their medians, with the ratio; both by pointer
/// or both by index. Without rows where neither has any.
Grid side_table(const Side&, const Side&);
/// The table in JSON, with what it is of.
Json side_table_json(const Side&, const Side&);

} // namespace sonde
