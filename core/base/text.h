// Numbers and tables as a person reads them in a terminal.
#pragma once
#include <charconv>
#include <concepts>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sonde {

/// A size in binary units, at most four digits: 126976 -> "124 KiB", 1572864 -> "1.5 MiB", 100 -> "100 B".
/// NaN and infinity give "-".
std::string format_bytes(double bytes);
std::string format_bytes(std::integral auto bytes) { return format_bytes(static_cast<double>(bytes)); }
/// The same with more digits.
std::string format_bytes_with(double bytes, int digits);

/// "124-130 KiB"; the unit of the lower end is written only where it differs: "1000 KiB-1.1 MiB".
std::string format_byte_range(double low, double high);

/// The labels of these places, no two of different places alike: as `form(place, digits)` writes them with as few
/// digits as that needs, from 3 on.
std::vector<std::string> distinct_labels(
    std::span<const double> ascending, const std::function<std::string(double place, int digits)>& form);

/// Three significant digits with a decimal prefix: (1.5e9, "B/s") -> "1.5 GB/s", (0.0021, "s") -> "2.1 ms".
/// NaN and infinity give "-".
std::string format_si(double value, std::string_view unit);

/// Whether a unit counts something by the second: "GB/s".
inline bool is_rate(std::string_view unit) { return unit.ends_with("/s"); }

/// With so many decimals; what rounds to zero has no sign: "-0.3", "0.0".
std::string format_fixed(double value, int decimals);

/// Columns a text takes in a terminal: UTF-8 code points, combining marks and joiners count 0, East Asian wide ones and
/// emoji 2. A byte that is not UTF-8 counts 1, and so does what `printable` replaces.
std::size_t display_width(std::string_view text);

/// Control characters (ASCII, C1 in UTF-8 form), line and paragraph separators and bidirectional overrides and isolates
/// become '?': a name from a driver or a file cannot steer a terminal, nor show as what it is not.
std::string printable(std::string_view text);
/// The same of a line, whose columns tabs may set apart and which may end in a carriage return.
std::string printable_line(std::string_view line);

/// `text` with each of its characters as `form` writes it.
template <class Form> std::string rewritten(std::string_view text, Form form) {
    std::string out;
    for (const char c : text) out += form(c);
    return out;
}

/// The number that the whole text is; nullopt: it is none of that type.
template <class Number> std::optional<Number> number_of(std::string_view text) {
    Number value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

/// A field of CSV (RFC 4180): quoted where needed.
std::string csv_field(std::string_view text);

/// What lies between the separators, also where that is nothing.
std::vector<std::string> split(std::string_view text, char separator);

/// The first `count` lines, and how many more there are.
std::string first_lines(const std::string& text, std::size_t count);

/// Lines of at most `columns`, broken at blanks, all but the first indented, each ending in '\n'. `begun`: columns of
/// the first line that hold something already.
std::string wrapped(std::string_view text, std::size_t columns, std::size_t indent, std::size_t begun = 0);

enum class Align { left, right };

/// Aligned columns with two spaces between them, no trailing blanks.
class Table {
public:
    /// Columns without an alignment of their own are left-aligned.
    explicit Table(std::vector<std::string> header, std::vector<Align> align = {});

    /// A row may be shorter than the header; a longer one throws Error. Control characters in a cell are shown as '?',
    /// so that a name that comes from a driver or a file cannot break the table or the terminal.
    void add_row(std::vector<std::string> cells);

    /// Header (omitted where every title is empty) and rows, one line each, each ending in '\n'. Where that is wider
    /// than `columns`, words of left-aligned cells go to further lines; where that is not enough, columns go to further
    /// tables, each beginning with the first column.
    std::string str(std::size_t columns = std::string::npos) const;
    /// The same for a README.
    std::string markdown() const;

private:
    std::vector<std::size_t> widths_within(std::size_t columns) const;
    std::string part(const std::vector<std::size_t>& shown, const std::vector<std::size_t>& widths) const;
    std::vector<std::string> header_;
    std::vector<Align> align_;
    std::vector<std::vector<std::string>> rows_;
};

} // namespace sonde
