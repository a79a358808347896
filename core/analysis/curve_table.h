// Reads a table of sizes and latencies from text.
#pragma once
#include "core/analysis/curve_file.h"
#include "core/analysis/curve_text.h"

namespace sonde {

/// The table's curve, points in the order of the rows. Throws UsageError as read_curves does.
FileCurve read_table(const CurveText&, const CurveFormat&);

} // namespace sonde
