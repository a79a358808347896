// Number formats and the table.
#include "core/base/text.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <utf8proc.h>

#include "core/base/error.h"

namespace sonde {

namespace {

struct Scaled {
    std::string number;
    std::string_view unit;
};

/// Three significant digits of what is 1 or more, or 0: no exponent, no zeros behind the point.
std::string three_digits(double value) { return std::abs(value) < 999.5 ? fmt::format("{:.3g}", value) : fmt::format("{:.0f}", value); }

Scaled scaled_bytes(double bytes) {
    constexpr std::array<std::string_view, 7> units{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    std::size_t unit = 0;
    while (std::abs(bytes) >= 1023.5 && unit + 1 < units.size()) { // what would be printed as 1024 is 1 of the next unit
        bytes /= 1024;
        ++unit;
    }
    return {unit == 0 ? fmt::format("{:.0f}", bytes) : three_digits(bytes), units[unit]};
}

struct CodePoint {
    utf8proc_int32_t value;
    std::size_t bytes;
};

/// The code point at the start of `text` (not empty); a malformed one is its first byte alone.
CodePoint next_code_point(std::string_view text) {
    CodePoint point{};
    const auto length = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()), static_cast<utf8proc_ssize_t>(text.size()), &point.value);
    if (length <= 0) return {static_cast<unsigned char>(text[0]), 1};
    point.bytes = static_cast<std::size_t>(length);
    return point;
}

/// What moves a terminal's cursor, breaks a line, or turns the direction of the text behind it.
bool steers(utf8proc_int32_t value) {
    const bool control = value < 0x20 || (value >= 0x7f && value < 0xa0);
    return control || (value >= 0x2028 && value <= 0x202e) || (value >= 0x2066 && value <= 0x2069);
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

std::vector<std::string> split(std::string_view text, char separator) {
    std::vector<std::string> parts;
    for (std::size_t at = 0; at <= text.size(); at += parts.back().size() + 1) parts.emplace_back(text.substr(at, std::min(text.find(separator, at), text.size()) - at));
    return parts;
}

std::string wrapped(std::string_view text, std::size_t columns, std::size_t indent) {
    std::string out, line;
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
    return out;
}

std::string format_bytes(double bytes) {
    if (!std::isfinite(bytes)) return "-";
    const Scaled scaled = scaled_bytes(bytes);
    return fmt::format("{} {}", scaled.number, scaled.unit);
}

std::string format_byte_range(double low, double high) {
    if (!std::isfinite(low) || !std::isfinite(high)) return format_bytes(low) + "-" + format_bytes(high);
    const Scaled from = scaled_bytes(low), to = scaled_bytes(high);
    if (from.unit != to.unit) return fmt::format("{} {}-{} {}", from.number, from.unit, to.number, to.unit);
    if (from.number == to.number) return fmt::format("{} {}", to.number, to.unit);
    return fmt::format("{}-{} {}", from.number, to.number, to.unit);
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

std::size_t display_width(std::string_view text) {
    std::size_t width = 0;
    while (!text.empty()) {
        const CodePoint point = next_code_point(text);
        width += steers(point.value) ? 1 : static_cast<std::size_t>(utf8proc_charwidth(point.value)); // 1 is the '?' that stands for it
        text.remove_prefix(point.bytes);
    }
    return width;
}

Table::Table(std::vector<std::string> header, std::vector<Align> align) : header_(std::move(header)), align_(std::move(align)) {
    for (std::string& title : header_) title = printable(title);
    align_.resize(header_.size(), Align::left);
}

void Table::add_row(std::vector<std::string> cells) {
    if (cells.size() > header_.size()) throw Error(fmt::format("a row of {} cells in a table of {} columns", cells.size(), header_.size()));
    for (std::string& cell : cells) cell = printable(cell);
    cells.resize(header_.size());
    rows_.push_back(std::move(cells));
}

std::string Table::str() const {
    std::vector<std::size_t> widths(header_.size());
    const auto widen = [&](const std::vector<std::string>& cells) {
        for (std::size_t i = 0; i < cells.size(); ++i) widths[i] = std::max(widths[i], display_width(cells[i]));
    };
    widen(header_);
    for (const auto& row : rows_) widen(row);

    std::string out;
    const auto write = [&](const std::vector<std::string>& cells) {
        std::string line;
        for (std::size_t i = 0; i < cells.size(); ++i) {
            const std::string padding(widths[i] - display_width(cells[i]), ' ');
            line += i == 0 ? "" : "  ";
            line += align_[i] == Align::right ? padding + cells[i] : cells[i] + padding;
        }
        while (!line.empty() && line.back() == ' ') line.pop_back();
        out += line + '\n';
    };
    if (std::any_of(header_.begin(), header_.end(), [](const std::string& title) { return !title.empty(); })) write(header_);
    for (const auto& row : rows_) write(row);
    return out;
}

std::string Table::markdown() const {
    const auto line = [](const std::vector<std::string>& cells) { return fmt::format("| {} |\n", fmt::join(cells, " | ")); };
    std::string out = line(header_) + line(std::vector<std::string>(header_.size(), "---"));
    for (const auto& row : rows_) out += line(row);
    return out;
}

} // namespace sonde
