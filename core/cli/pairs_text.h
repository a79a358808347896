// Cards of a machine pair by pair, for a terminal.
#pragma once
#include <iosfwd>
#include <span>

#include "core/analysis/card_view.h"

namespace sonde {

/// Links, the pairs' tables and what of them is slow. `full`: all ways; else the first one, and what is slow.
void show_pairs(std::span<const Card> cards, bool full, std::ostream& out);

} // namespace sonde
