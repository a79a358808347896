// Widths of a terminal, and the SGR sequences of ECMA-48.
#include "core/base/terminal.h"

#include <algorithm>
#include <cstdlib>
#include <string>

#include <fmt/format.h>

#include "core/base/native.h"
#include "core/base/text.h"

namespace sonde {

namespace {
constexpr std::size_t kUsual = 80, kNarrowest = 40, kWidest = 400;
Colors chosen = Colors::automatic;
bool whole_lines = false;

bool shows_styles(native::Stream stream) {
    const char* none = std::getenv("NO_COLOR");
    if (chosen != Colors::automatic) return chosen == Colors::always;
    return !(none && *none) && native::has_styles(stream);
}

std::size_t columns_of(native::Stream stream) {
    std::size_t columns = native::columns(stream);
    if (const char* told = std::getenv("COLUMNS"); columns == 0 && told) columns = std::strtoul(told, nullptr, 10);
    return columns == 0 ? kUsual : std::clamp(columns, kNarrowest, kWidest);
}
} // namespace

std::size_t text_columns() { return columns_of(native::output); }
std::size_t error_columns() { return columns_of(native::errors); }

void keep_error_lines_whole() { whole_lines = true; }

std::string error_lines(std::string_view text, std::size_t begun) {
    const bool broken = !whole_lines && (native::is_terminal(native::errors) || std::getenv("COLUMNS")) &&
                        error_columns() < kWidest; // the widest is a script's, which wants whole lines
    return wrapped(text, broken ? error_columns() : std::string::npos, 4, begun);
}

std::span<const char* const> enum_names(Colors) {
    static constexpr const char* kNames[] = {"auto", "always", "never"};
    return kNames;
}

void use_colors(Colors colors) { chosen = colors; }

std::string styled(Style style, std::string_view text, bool to_errors) {
    if (text.empty() || !shows_styles(to_errors ? native::errors : native::output)) return std::string(text);
    constexpr const char* kCodes[] = {"1", "1;33", "1;31"}; // bold; with yellow; with red
    return fmt::format("\033[{}m{}\033[0m", kCodes[static_cast<int>(style)], text);
}

} // namespace sonde
