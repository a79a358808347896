// What a reader's terminal can show: its width, and styles where it has colours.
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace sonde {

/// Columns of a line: the terminal's that standard output is, else the variable COLUMNS, else 80; at least 40.
std::size_t text_columns();

/// The same of standard error.
std::size_t error_columns();

/// A message for standard error, with a line end: broken at blanks to its width where it is a terminal or COLUMNS is
/// set, all but the first line indented; else, and from 400 columns on, one line. `begun`: columns of the first line
/// that hold something already.
std::string error_lines(std::string_view text, std::size_t begun = 0);
/// Of this process, from now on: whoever reads its lines breaks them.
void keep_error_lines_whole();

/// automatic: on a terminal, unless NO_COLOR is set or TERM is "dumb".
enum class Colors { automatic, always, never };
std::span<const char* const> enum_names(Colors);
/// Of this process, from now on.
void use_colors(Colors);

enum class Style { heading, doubt, failure };
/// `text` in that style where standard output (or, for `to_errors`, standard error) shows styles.
std::string styled(Style style, std::string_view text, bool to_errors = false);

} // namespace sonde
