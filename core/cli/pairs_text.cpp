#include "core/cli/pairs_text.h"

#include <ostream>
#include <string>

#include "core/base/terminal.h"
#include "core/base/text.h"
#include "core/diagnosis/pair_grid.h"

namespace sonde {

void show_pairs(std::span<const Card> cards, bool full, std::ostream& out) {
    for (CardPairs& pairs : pairs_of(cards)) {
        out << "\n" << styled(Style::heading, wrapped("Between the cards, " + pairs.api, text_columns(), 0));
        for (const LinkKind& kind : pairs.links) out << wrapped(printable(text_of(kind)), text_columns(), 4);
        if (!full && pairs.grid.sections.size() > 1) pairs.grid.sections.resize(1);
        if (!pairs.grid.empty()) out << grid_text(pairs.grid, text_columns());
        for (const SlowPair& slow : pairs.slow) out << wrapped(printable("SLOW " + text_of(slow)), text_columns(), 4);
        if (!pairs.together.empty()) out << grid_text(pairs.together, text_columns());
    }
}

} // namespace sonde
