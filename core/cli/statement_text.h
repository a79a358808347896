// What the diagnosis states, on a terminal.
#pragma once
#include <iosfwd>
#include <string>

#include "core/diagnosis/statement.h"

namespace sonde {

/// "[3] ...", "DOUBT [1] ..." or "VOID [1] ...", by its place in the list.
std::string statement_text(const Statement&, std::size_t index, const std::string& text);
/// The same of its own text, by its place in the list; with `table` the numbers and notes of a fact below it.
void show_statement(const Statements&, std::size_t index, bool table, std::ostream& out);
/// One whole: its title, what its kind is, its numbers, the series that it rests on, and the command that measures them
/// again.
void show_whole(const Statements&, std::size_t index, std::ostream& out);
/// The series behind all of them, with load instructions.
void show_evidence(const Statements&, std::ostream& out);

} // namespace sonde
