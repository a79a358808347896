// A card on a terminal.
#pragma once
#include <iosfwd>
#include <string>
#include <string_view>

#include "core/analysis/card_view.h"
#include "core/diagnosis/statement.h"

namespace sonde {

/// The screen that a person sees first, about 40 lines: the card, doubts, its tables, and the first rows of what
/// differs. `profile`: of the run.
void show_short(const Card&, std::string_view profile, const Statements&, std::ostream& out);
/// The same with other tables, as lines.
void show_short(const Card&, std::string_view profile, const Statements&, const std::string& tables, std::ostream& out);
/// The same with all statements, each with its numbers, and behind them all tables.
void show_full(const Card&, std::string_view profile, const Statements&, std::ostream& out);

} // namespace sonde
