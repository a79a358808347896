#pragma once
#include <iosfwd>

#include "core/analysis/card_view.h"
#include "core/diagnosis/statement.h"

namespace sonde {

/// Levels by path and device, operations, matrix forms, series whose points are their result, and what probes found in
/// all series that no statement of `said` tells whole. Whether there is any.
bool show_card_tables(const Card&, const Statements& said, std::ostream& out);

} // namespace sonde
