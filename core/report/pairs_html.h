#pragma once
#include <string>

#include "core/diagnosis/pair_grid.h"

namespace sonde {

/// Cards of a machine pair by pair: what joins them, what is slow, and the tables.
std::string pairs_html(const CardPairs&);

} // namespace sonde
