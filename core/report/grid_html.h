#pragma once
#include <string>

#include "core/facts/grid.h"

namespace sonde {

/// A table that scrolls sideways where it is wider than the page; "" without rows. `name`: for screen readers.
std::string grid_html(const Grid&, const std::string& name);

} // namespace sonde
