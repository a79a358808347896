#include "core/cli/card_text.h"

#include <algorithm>
#include <ostream>
#include <set>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/analysis/few_points.h"
#include "core/base/terminal.h"
#include "core/base/text.h"
#include "core/cli/card_tables.h"
#include "core/cli/statement_text.h"
#include "core/diagnosis/card_grid.h"
#include "core/diagnosis/difference_grid.h"
#include "core/diagnosis/overview.h"

namespace sonde {

namespace {
constexpr std::size_t kScreen = 40;    // lines of a card on the first screen
constexpr std::size_t kFewestRows = 3; // of what differs, however long the rest is

std::size_t lines_of(const std::string& text) { return static_cast<std::size_t>(std::ranges::count(text, '\n')); }

/// Levels of the table that rest on few points, by device.
std::string few_points_text_of(const Card& card) {
    Card shown = card;
    const std::string path = path_of_loads(card);
    std::erase_if(shown.curves, [&](const Curve& curve) { return curve.series->id.path != path; });
    std::string text;
    for (const std::string& line : few_points_lines(shown)) text += wrapped(printable(line), text_columns(), 4);
    return text;
}

std::string head_text(const Card& card, std::string_view profile) {
    return styled(Style::heading, wrapped(printable(card_line(card, profile)), text_columns(), 0));
}

/// Why nothing below is a figure of the card; before all else.
std::string void_text(const Statements& statements) {
    std::string text;
    for (std::size_t i = 0; i < statements.size(); ++i)
        if (is_void(statements[i])) text += statement_text(statements[i], i, statements[i].text);
    return text;
}

/// Doubts, each in a line; one that takes more is named with its devices.
std::string doubts_text(const Statements& statements) {
    std::string text;
    for (std::size_t i = 0; i < statements.size(); ++i) {
        if (!is_doubt(statements[i]) || is_void(statements[i])) continue;
        const std::string whole = statement_text(statements[i], i, statements[i].text);
        text +=
            lines_of(whole) == 1
                ? whole
                : statement_text(statements[i], i,
                      fmt::format("{} ({})", statements[i].title, fmt::join(statements[i].fact.grid.columns, ", ")));
    }
    return text;
}

std::string tables_text(const Card& card, const Grid& levels) {
    return grid_text(levels, text_columns()) + few_points_text_of(card) +
           grid_text(short_arithmetic_grid(card), text_columns());
}

/// The first rows of what differs, or of what one device alone shows, as many as so many lines hold.
std::string differences_text(const Statements& statements, const std::vector<std::string>& columns, std::size_t lines) {
    const auto all = std::ranges::count_if(statements, [](const Statement& each) { return !is_doubt(each); });
    Grid grid{.name = "differences", .columns = columns, .sections = {differences(statements, columns)}};
    GridSection& section = grid.sections[0];
    for (std::string text;; section.rows.pop_back()) {
        if (section.rows.empty()) return "";
        grid.corner = fmt::format(
            "what {}: {} of {}", columns.size() > 1 ? "differs or stands out" : "stands out", section.rows.size(), all);
        text = grid_text(grid, text_columns());
        if (lines_of(text) <= lines || section.rows.size() <= kFewestRows) return text;
    }
}

/// Where one device alone was measured, and nothing is said of it.
std::string silence_text(const Card& card, const Statements& statements) {
    std::set<std::string> measured;
    for (const Curve& curve : card.curves) measured.insert(curve.series->id.device);
    return statements.empty() && measured.size() == 1
               ? wrapped(fmt::format("Only {} was measured, so no APIs are compared.", *measured.begin()),
                     text_columns(), 0)
               : "";
}
} // namespace

void show_short(const Card& card, std::string_view profile, const Statements& statements, std::ostream& out) {
    const std::size_t above = lines_of(void_text(statements) + head_text(card, profile) + doubts_text(statements));
    Grid levels = levels_grid(card);
    if (above + lines_of(tables_text(card, levels)) + 1 + 1 + kFewestRows > kScreen) // --full has them
        std::erase_if(levels.sections,
            [](const GridSection& section) { return section.title == kTlbReach || section.title == kTlbMiss; });
    show_short(card, profile, statements, tables_text(card, levels), out);
}

void show_short(const Card& card, std::string_view profile, const Statements& statements, const std::string& tables,
    std::ostream& out) {
    const std::string above = void_text(statements) + head_text(card, profile) + doubts_text(statements) + tables;
    const std::size_t taken = lines_of(above) + 1; // and what the command says behind it
    out << above << differences_text(statements, levels_grid(card).columns, kScreen - std::min(kScreen, taken))
        << silence_text(card, statements);
}

void show_full(const Card& card, std::string_view profile, const Statements& statements, std::ostream& out) {
    out << void_text(statements) << head_text(card, profile);
    if (const std::string peak = dram_peak_line(card); !peak.empty()) out << peak << "\n";
    for (const bool doubts : {true, false}) {
        for (std::size_t i = 0; i < statements.size(); ++i)
            if (is_doubt(statements[i]) == doubts && !is_void(statements[i])) show_statement(statements, i, true, out);
        if (doubts) out << tables_text(card, levels_grid(card));
    }
    out << silence_text(card, statements);
    if (!show_card_tables(card, statements, out) && statements.empty())
        out << wrapped("Nothing else is said of these series; their values: sonde show FILE", text_columns(), 4);
}

} // namespace sonde
