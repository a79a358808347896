// Number formats and the table.
#include "core/base/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <utf8proc.h>

#include "core/base/error.h"
#include "core/base/list_text.h"

namespace sonde {

namespace {

struct Scaled {
    std::string number;
    std::string_view unit;
};

/// "0.0" of "-0.0" and "+0.0".
std::string plain_zero(const std::string& number) {
    const bool zero = number.find_first_not_of("+-0.") == std::string::npos;
    return zero && (number.starts_with('-') || number.starts_with('+')) ? number.substr(1) : number;
}

/// Three significant digits of what is 1 or more, or 0: no exponent, no zeros behind the point.
std::string three_digits(double value, int digits = 3) {
    return plain_zero(std::abs(value) < 999.5 ? fmt::format("{:.{}g}", value, digits)
                                              : fmt::format("{:.{}f}", value, std::max(digits - 4, 0)));
}

Scaled scaled_bytes(double bytes, int digits = 3) {
    constexpr std::array<std::string_view, 7> units{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    std::size_t unit = 0;
    while (std::abs(bytes) >= (digits > 3 ? 1024 : 1023.5) &&
           unit + 1 < units.size()) { // what would be printed as 1024 is 1 of the next unit
        bytes /= 1024;
        ++unit;
    }
    return {unit == 0 ? format_fixed(bytes, 0) : three_digits(bytes, digits), units[unit]};
}

struct CodePoint {
    utf8proc_int32_t value;
    std::size_t bytes;
};

/// The code point at the start of `text` (not empty); a malformed one is its first byte alone.
CodePoint next_code_point(std::string_view text) {
    CodePoint point{};
    const auto length = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
        static_cast<utf8proc_ssize_t>(text.size()), &point.value);
    if (length <= 0) return {static_cast<unsigned char>(text[0]), 1};
    point.bytes = static_cast<std::size_t>(length);
    return point;
}

/// What moves a terminal's cursor, breaks a line, or turns the direction of the text behind it.
bool steers(utf8proc_int32_t value) {
    const bool control = value < 0x20 || (value >= 0x7f && value < 0xa0);
    const bool mark = value == 0x61c || value == 0x200e || value == 0x200f; // of a direction
    return control || mark || (value >= 0x2028 && value <= 0x202e) || (value >= 0x2066 && value <= 0x2069);
}
} // namespace

std::string printable(std::string_view text) {
    std::string out;
    while (!text.empty()) {
        const CodePoint point = next_code_point(text);
        out += steers(point.value) ? "?" : text.substr(0, point.bytes);
        text.remove_prefix(point.bytes);
    }
    return out;
}

std::string printable_line(std::string_view line) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    std::vector<std::string> columns = split(line, '\t');
    for (std::string& column : columns) column = printable(column);
    return fmt::format("{}", fmt::join(columns, "\t"));
}

std::string csv_field(std::string_view text) {
    if (text.find_first_of(",\"\n\r") == std::string_view::npos) return std::string(text);
    return fmt::format("\"{}\"", rewritten(text, [](char c) { return c == '"' ? "\"\"" : std::string(1, c); }));
}

std::vector<std::string> split(std::string_view text, char separator) {
    std::vector<std::string> parts;
    for (std::size_t at = 0; at <= text.size(); at += parts.back().size() + 1)
        parts.emplace_back(text.substr(at, std::min(text.find(separator, at), text.size()) - at));
    return parts;
}

std::string first_lines(const std::string& text, std::size_t count) {
    std::vector<std::string> lines = split(text, '\n');
    std::erase(lines, "");
    if (lines.size() <= count) return text;
    const std::size_t more = lines.size() - count;
    lines.resize(count);
    return fmt::format("{}\n... ({} more lines: sonde show)", fmt::join(lines, "\n"), more);
}

std::string wrapped(std::string_view text, std::size_t columns, std::size_t indent, std::size_t begun_columns) {
    std::string out, line(begun_columns, ' ');
    const auto end_line = [&] {
        out += line + "\n";
        line = std::string(indent, ' ');
    };
    for (const std::string& word : split(text, ' ')) {
        const bool begun = line.find_first_not_of(' ') != std::string::npos;
        if (begun && display_width(line) + 1 + display_width(word) > columns) end_line();
        else if (begun) line += ' ';
        line += word;
    }
    end_line();
    return out.substr(begun_columns);
}

std::string format_bytes(double bytes) { return format_bytes_with(bytes, 3); }

std::string format_bytes_with(double bytes, int digits) {
    if (!std::isfinite(bytes)) return "-";
    const Scaled scaled = scaled_bytes(bytes, digits);
    return fmt::format("{} {}", scaled.number, scaled.unit);
}

std::string format_byte_range(double low, double high) {
    if (!std::isfinite(low) || !std::isfinite(high)) return format_bytes(low) + "-" + format_bytes(high);
    const Scaled from = scaled_bytes(low), to = scaled_bytes(high);
    if (from.unit != to.unit) return fmt::format("{} {}-{} {}", from.number, from.unit, to.number, to.unit);
    if (from.number == to.number) return fmt::format("{} {}", to.number, to.unit);
    return fmt::format("{}-{} {}", from.number, to.number, to.unit);
}

std::vector<std::string> distinct_labels(
    std::span<const double> ascending, const std::function<std::string(double, int)>& form) {
    constexpr int kMostDigits = 12;
    std::vector<int> digits(ascending.size(), 3);
    std::vector<std::string> labels;
    for (const double place : ascending) labels.push_back(form(place, 3));
    for (bool again = true; again;) {
        again = false;
        for (std::size_t i = 1; i < labels.size(); ++i) {
            if (labels[i] != labels[i - 1] || ascending[i] == ascending[i - 1] ||
                std::max(digits[i - 1], digits[i]) >= kMostDigits)
                continue;
            again = true;
            const int more = std::max(digits[i - 1], digits[i]) + 1;
            for (const std::size_t k : {i - 1, i}) labels[k] = form(ascending[k], digits[k] = more);
        }
    }
    return labels;
}

std::string format_si(double value, std::string_view unit) {
    if (!std::isfinite(value)) return "-";
    constexpr std::array<std::string_view, 11> prefixes{"f", "p", "n", "u", "m", "", "k", "M", "G", "T", "P"};
    std::size_t prefix = 5;
    while (std::abs(value) >= 999.5 && prefix + 1 < prefixes.size()) {
        value /= 1000;
        ++prefix;
    }
    while (value != 0 && std::abs(value) < 0.9995 && prefix > 0) {
        value *= 1000;
        --prefix;
    }
    return fmt::format("{} {}{}", three_digits(value), prefixes[prefix], unit);
}

std::string format_fixed(double value, int decimals) { return plain_zero(fmt::format("{:.{}f}", value, decimals)); }

std::size_t display_width(std::string_view text) {
    std::size_t width = 0;
    while (!text.empty()) {
        const CodePoint point = next_code_point(text);
        width += steers(point.value)
                     ? 1
                     : static_cast<std::size_t>(utf8proc_charwidth(point.value)); // 1 is the '?' that stands for it
        text.remove_prefix(point.bytes);
    }
    return width;
}

Table::Table(std::vector<std::string> header, std::vector<Align> align)
    : header_(std::move(header)), align_(std::move(align)) {
    for (std::string& title : header_) title = printable(title);
    align_.resize(header_.size(), Align::left);
}

void Table::add_row(std::vector<std::string> cells) {
    if (cells.size() > header_.size())
        throw Error(fmt::format("a row of {} cells in a table of {} columns", cells.size(), header_.size()));
    for (std::string& cell : cells) cell = printable(cell);
    cells.resize(header_.size());
    rows_.push_back(std::move(cells));
}

namespace {
constexpr std::size_t kLongWord = 20; // columns; longer words, such as UUIDs, may be broken

/// With a blank in each word that is wider than `columns`.
std::string broken(std::string_view text, std::size_t columns) {
    std::string out;
    std::size_t width = 0;
    while (!text.empty()) {
        const CodePoint point = next_code_point(text);
        const std::string_view bytes = text.substr(0, point.bytes);
        if (bytes == " ") width = 0;
        else if ((width += display_width(bytes)) > columns) out += ' ', width = display_width(bytes);
        out += bytes;
        text.remove_prefix(point.bytes);
    }
    return out;
}

/// Blanks in front of the text are in front of each line.
std::vector<std::string> lines_within(const std::string& text, std::size_t columns) {
    if (display_width(text) <= columns) return {text};
    const std::string indent(std::min(text.find_first_not_of(' '), columns / 2), ' ');
    const std::size_t left = columns - indent.size();
    std::vector<std::string> lines = split(wrapped(broken(text, left), left, 0), '\n');
    lines.pop_back(); // behind the last '\n'
    for (std::string& line : lines) line.insert(0, indent);
    return lines;
}
} // namespace

std::vector<std::size_t> Table::widths_within(std::size_t columns) const {
    std::vector<std::size_t> widths(header_.size()), narrowest(header_.size());
    const auto widen = [&](const std::vector<std::string>& cells) {
        for (std::size_t i = 0; i < cells.size(); ++i) {
            widths[i] = std::max(widths[i], display_width(cells[i]));
            for (const std::string& word : align_[i] == Align::left ? split(cells[i], ' ') : std::vector{cells[i]})
                narrowest[i] = std::max(narrowest[i], display_width(word));
        }
    };
    widen(header_);
    for (const auto& row : rows_) widen(row);
    std::size_t all = 2 * (widths.size() - 1);
    for (const std::size_t width : widths) all += width;
    const auto shrink = [&] { // a column at a time from the widest cell that has words to break
        for (; all > columns; --all) {
            std::size_t widest = widths.size();
            for (std::size_t i = 0; i < widths.size(); ++i)
                if (widths[i] > narrowest[i] && (widest == widths.size() || widths[i] > widths[widest])) widest = i;
            if (widest == widths.size()) return false;
            --widths[widest];
        }
        return true;
    };
    if (shrink()) return widths;
    const std::vector<std::size_t> whole_words = widths;
    for (std::size_t i = 0; i < widths.size(); ++i)
        if (align_[i] == Align::left) narrowest[i] = std::min(narrowest[i], kLongWord);
    return shrink() ? widths : whole_words;
}

std::string Table::part(const std::vector<std::size_t>& shown, const std::vector<std::size_t>& widths) const {
    std::string out;
    const auto write = [&](const std::vector<std::string>& cells) {
        std::vector<std::vector<std::string>> lines(cells.size());
        std::size_t height = 1;
        for (const std::size_t i : shown) {
            lines[i] = lines_within(cells[i], widths[i]);
            height = std::max(height, lines[i].size());
        }
        for (std::size_t k = 0; k < height; ++k) {
            std::string line;
            for (const std::size_t i : shown) {
                const std::string cell = k < lines[i].size() ? lines[i][k] : "",
                                  padding(widths[i] - std::min(widths[i], display_width(cell)), ' ');
                line += i == shown[0] ? "" : "  ";
                line += align_[i] == Align::right ? padding + cell : cell + padding;
            }
            out += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
        }
    };
    if (std::any_of(header_.begin(), header_.end(), [](const std::string& title) { return !title.empty(); }))
        write(header_);
    for (const auto& row : rows_) write(row);
    return out;
}

std::string Table::str(std::size_t columns) const {
    const std::vector<std::size_t> widths = widths_within(columns);
    std::string out;
    for (std::size_t next = 1; next < std::max<std::size_t>(header_.size(), 2);) {
        std::vector<std::size_t> shown{0};
        std::size_t all = widths[0];
        while (next < header_.size() && (shown.size() == 1 || all + 2 + widths[next] <= columns)) {
            all += 2 + widths[next];
            shown.push_back(next++);
        }
        out += (out.empty() ? "" : "\n") + part(shown, widths);
        if (header_.size() == 1) break;
    }
    return out;
}

std::string Table::markdown() const {
    const auto line = [](const std::vector<std::string>& cells) {
        std::string row = "|";
        for (const std::string& cell : cells) {
            row += ' ';
            for (const char c : cell) row += c == '|' ? "\\|" : std::string(1, c); // or it would end the cell
            row += " |";
        }
        return row + "\n";
    };
    std::string out = line(header_) + line(std::vector<std::string>(header_.size(), "---"));
    for (const auto& row : rows_) out += line(row);
    return out;
}

std::string list_text(const std::vector<std::string>& words) {
    if (words.size() < 2) return words.empty() ? "" : words[0];
    return fmt::format("{} and {}", fmt::join(words.begin(), words.end() - 1, ", "), words.back());
}

} // namespace sonde
