#include "core/cli/equal_cards_text.h"

#include <algorithm>
#include <ostream>
#include <string>

#include <fmt/format.h>

#include "core/base/json.h"
#include "core/base/list_text.h"
#include "core/base/terminal.h"
#include "core/base/text.h"
#include "core/cli/card_text.h"
#include "core/compare/comparison_text.h"
#include "core/diagnosis/card_grid.h"
#include "core/diagnosis/diagnosis.h"

namespace sonde {

namespace {
std::string medians_text(const EqualCards& equal, Grid (*make)(const Card&)) {
    return grid_text(medians_grid(equal, make), text_columns());
}

std::string heading_of(const EqualCards& equal) {
    return wrapped(fmt::format("{} equal cards ({}): medians, and in brackets from the least to the greatest in % of "
                               "the median.",
                       equal.cards.size(), list_text(equal.names)),
        text_columns(), 4);
}
} // namespace

void show_equal_cards(const Run& run, const EqualCards& equal, const DiagnoseOptions& options, std::ostream& out) {
    constexpr std::size_t kShown = 6; // differences on the first screen
    const Card& first = *equal.cards[0];
    const Statements statements = diagnose(first);
    const std::string profile = text_field(run.header, "profile");
    std::string tables;
    for (const Statement& doubt : further_doubts(equal, statements))
        tables += wrapped(printable("DOUBT " + doubt.text), text_columns(), 4);
    const bool full = options.full || options.evidence;
    tables += heading_of(equal) + medians_text(equal, levels_grid) + medians_text(equal, short_arithmetic_grid);
    if (full) tables += grid_text(rank_grid(equal), text_columns());
    tables += grid_text(differences_grid(equal, full ? equal.comparisons.size() : kShown), text_columns());
    if (!full) {
        show_short(first, profile, statements, tables, out);
        if (std::ranges::none_of(equal.comparisons, &Comparison::differs)) {
            out << "The cards beside each other:\n";
            print_summary(equal.comparisons, out);
        }
        out << "more: sonde diagnose FILE --full | sonde report FILE\n";
        return;
    }
    show_full(first, profile, statements, out);
    out << "\n" << tables << "\n";
    print_summary(equal.comparisons, out);
}

} // namespace sonde
