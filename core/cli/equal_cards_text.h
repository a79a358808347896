// Cards of one model and the same drivers, for a terminal.
#pragma once
#include <iosfwd>

#include "core/cli/commands.h"
#include "core/report/equal_cards.h"

namespace sonde {

/// Of several cards: the median of each number, and what lies between the least and the greatest; doubts of all; then
/// what differs beyond the noise, a row each with a column for each card.
void show_equal_cards(const Run&, const EqualCards&, const DiagnoseOptions&, std::ostream& out);

} // namespace sonde
