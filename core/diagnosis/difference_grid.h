// What differs, a row for each statement: the first screen's last table.
#pragma once
#include <string>
#include <vector>

#include "core/diagnosis/statement.h"
#include "core/facts/grid.h"

namespace sonde {

/// Of statements that are no doubts, in their order, the number that each tells first, under these columns (devices):
/// "[3] TLB reach". Those whose first row has no number are left out.
GridSection differences(const Statements&, const std::vector<std::string>& columns);

} // namespace sonde
