// What probes conclude from the series of a card, in this version's words, whichever version measured them.
#pragma once
#include "core/analysis/card_view.h"

namespace sonde {

/// Sets `findings` of every curve. A finding that would rest on a control is inconclusive where that was not measured,
/// or is inconclusive itself. None of a series whose options are not this version's: a file may hold anything.
void conclude(Card&);

} // namespace sonde
