#include "core/cli/card_text.h"

#include <ostream>
#include <set>
#include <string>

#include <fmt/format.h>

#include "core/base/terminal.h"
#include "core/base/text.h"
#include "core/cli/card_tables.h"
#include "core/cli/statement_text.h"
#include "core/diagnosis/card_grid.h"
#include "core/diagnosis/overview.h"

namespace sonde {

namespace {
constexpr std::size_t kMostLines = 10; // of doubts, and of other statements

/// Doubts, or the others: on the first screen as many as fit. How many are shown.
std::size_t show_statements(const Statements& statements, bool doubts, bool full, std::ostream& out) {
    std::size_t lines = 0, shown = 0;
    for (std::size_t i = 0; i < statements.size(); ++i) {
        if (is_doubt(statements[i]) != doubts) continue;
        if (!full && (lines += statements[i].text.size() / text_columns() + 1) > kMostLines) continue;
        show_statement(statements, i, full, out);
        ++shown;
    }
    return shown;
}

void show_grids(const Card& card, std::ostream& out) {
    for (const Grid& grid : {levels_grid(card), arithmetic_grid(card), matrix_grid(card)})
        out << grid_text(grid, text_columns());
}

/// How many statements are shown.
std::size_t show_head(
    const Card& card, std::string_view profile, const Statements& statements, bool full, std::ostream& out) {
    out << styled(Style::heading, wrapped(printable(card_line(card, profile)), text_columns(), 0));
    std::size_t shown = show_statements(statements, true, full, out);
    show_grids(card, out);
    shown += show_statements(statements, false, full, out);
    std::set<std::string> measured;
    for (const Curve& curve : card.curves) measured.insert(curve.series->id.device);
    if (statements.empty() && measured.size() == 1)
        out << wrapped(
            fmt::format("Only {} was measured, so no APIs are compared.", *measured.begin()), text_columns(), 0);
    return shown;
}
} // namespace

void show_short(const Card& card, std::string_view profile, const Statements& statements, std::string_view others,
    std::ostream& out) {
    const std::size_t shown = show_head(card, profile, statements, false, out);
    if (shown < statements.size()) out << fmt::format("{} more {}.\n", statements.size() - shown, others);
}

void show_full(const Card& card, std::string_view profile, const Statements& statements, std::ostream& out) {
    const bool told = show_head(card, profile, statements, true, out) > 0;
    if (!show_card_tables(card, statements, out) && !told)
        out << wrapped("Nothing else is said of these series; their values: sonde show FILE", text_columns(), 4);
}

} // namespace sonde
