// The reader of curves. Everything in the file is hostile until it is a number.
#include "core/analysis/curve_file.h"

#include <array>
#include <charconv>
#include <cmath>
#include <fstream>
#include <iostream>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "core/base/error.h"

namespace sonde {

namespace {

constexpr std::size_t kMostBytes = std::size_t{64} << 20;
constexpr std::size_t kMostRows = 1'000'000;
constexpr double kLargestSize = 0x1p60; // bytes; the analysis takes time by the square of the octaves
constexpr std::size_t kMostShown = 40;  // characters of a bad field in a message

std::optional<double> find_unit(std::string_view name) {
    static const std::map<std::string_view, double> kUnits{{"B", 1}, {"bytes", 1}, {"KB", 1e3}, {"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9},
                                                           {"K", 0x1p10}, {"k", 0x1p10}, {"KiB", 0x1p10}, {"M", 0x1p20}, {"MiB", 0x1p20}, {"G", 0x1p30}, {"GiB", 0x1p30}};
    const auto found = kUnits.find(name);
    return found == kUnits.end() ? std::nullopt : std::optional(found->second);
}

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }
bool is_separator(char c) { return is_blank(c) || c == ',' || c == ';'; }

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool between_digits(std::string_view text, std::size_t i) { return i > 0 && i + 1 < text.size() && is_digit(text[i - 1]) && is_digit(text[i + 1]); }

/// Decimal commas as points, where they can be nothing else: in quotes, or in a line whose columns semicolons separate. A line that does not
/// begin with a number is left as it is.
std::string with_points(std::string_view content, const std::string& where) {
    std::string text(content);
    const std::size_t first = text.find_first_not_of(" \t\r\"+");
    if (first == std::string::npos || !is_digit(text[first]) || text.find(',') == std::string::npos) return text;
    const bool semicolons = text.find(';') != std::string::npos;
    bool quoted = false, comma_in_field = false, comma = false, point = false, twice = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '"') quoted = !quoted;
        if (text[i] == ';' || text[i] == '"') comma_in_field = false;
        point = point || (text[i] == '.' && between_digits(text, i));
        if (text[i] != ',' || !between_digits(text, i) || !(semicolons || quoted)) continue;
        twice = twice || comma_in_field; // 1,024,000
        comma = comma_in_field = true;
        text[i] = '.';
    }
    if (twice || (comma && point)) throw UsageError(fmt::format("{}: it is not clear which of '.' and ',' is the decimal mark", where));
    return text;
}

/// The field for a message: short, and without what a terminal would obey.
std::string shown(std::string_view field) {
    std::string text(field.substr(0, kMostShown));
    for (char& c : text)
        if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) >= 0x7f) c = '?';
    return field.size() > kMostShown ? text + "..." : text;
}

/// One line, taken apart from left to right.
class Row {
public:
    Row(std::string_view text, std::string where) : rest_(text), where_(std::move(where)) {}

    bool done() {
        skip_blanks();
        return rest_.empty();
    }

    /// A number at the front, or nullopt where there is none. Inf and NaN are numbers here, and refused later by name.
    std::optional<double> number() {
        skip_quote();
        double value = 0;
        const std::string_view digits = rest_.starts_with('+') ? rest_.substr(1) : rest_;
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
        if (error == std::errc::invalid_argument) return std::nullopt;
        if (error == std::errc::result_out_of_range) value = HUGE_VAL;
        rest_ = digits.substr(static_cast<std::size_t>(end - digits.data()));
        return value;
    }

    /// The unit at the front, with or without a blank before it; `fallback` where the next thing is a separator or a number.
    double unit(double fallback) {
        std::string_view ahead = rest_;
        while (!ahead.empty() && is_blank(ahead.front())) ahead.remove_prefix(1);
        std::size_t length = 0;
        while (length < ahead.size() && std::isalpha(static_cast<unsigned char>(ahead[length]))) ++length;
        if (length == 0) return fallback;
        const auto bytes = find_unit(ahead.substr(0, length));
        if (!bytes) { // "1024 nan": not a unit but the next column, which says for itself what is wrong
            if (ahead.data() != rest_.data()) return fallback;
            throw UsageError(fmt::format("{}: '{}' is no unit of size", where_, shown(ahead.substr(0, length))));
        }
        rest_ = ahead.substr(length);
        return *bytes;
    }

    /// To the next column: blanks with at most one comma or semicolon among them. False where no separator is.
    bool next_column() {
        skip_quote();
        const std::size_t before = rest_.size();
        skip_blanks();
        if (!rest_.empty() && is_separator(rest_.front())) rest_.remove_prefix(1);
        skip_blanks();
        return rest_.size() < before;
    }

    /// Whether blanks alone stand before the next column.
    bool at_blank() const {
        const std::size_t next = rest_.find_first_not_of(" \t\r\v\f");
        return next != 0 && next != std::string_view::npos && rest_[next] != ',' && rest_[next] != ';';
    }

    /// "1,25" where columns are separated by blanks: a decimal comma, or two columns?
    bool at_doubtful_comma() const { return rest_.size() > 1 && rest_[0] == ',' && is_digit(rest_[1]); }

    /// Nothing but a separator or the end may follow a number ("12x" is none).
    bool at_field_end() {
        skip_quote();
        return rest_.empty() || is_separator(rest_.front());
    }

    std::string_view rest() const { return rest_; }
    const std::string& where() const { return where_; }

private:
    void skip_blanks() {
        while (!rest_.empty() && is_blank(rest_.front())) rest_.remove_prefix(1);
    }
    void skip_quote() {
        if (!rest_.empty() && rest_.front() == '"') rest_.remove_prefix(1);
    }
    std::string_view rest_;
    std::string where_;
};

double positive(double value, const char* what, const Row& row) {
    if (!std::isfinite(value)) throw UsageError(fmt::format("{}: the {} is not a finite number", row.where(), what));
    if (value <= 0) throw UsageError(fmt::format("{}: the {} must be above 0, it is {}", row.where(), what, value));
    return value;
}

CurvePoint point_of(Row& row, double size, double size_unit) {
    const double bytes = positive(size * row.unit(size_unit), "size", row);
    if (bytes < 1 || bytes > kLargestSize) throw UsageError(fmt::format("{}: no memory has {:g} bytes", row.where(), bytes));
    const bool blanks = row.at_blank();
    if (!row.next_column() || row.done()) throw UsageError(fmt::format("{}: a size without a latency", row.where()));
    const std::string_view field = row.rest();
    const auto latency = row.number();
    if (!latency || !row.at_field_end()) throw UsageError(fmt::format("{}: '{}' is no latency", row.where(), shown(field.substr(0, field.find_first_of(" \t\r,;")))));
    if (blanks && row.at_doubtful_comma()) throw UsageError(fmt::format("{}: '{}' may be one number or two; separate the columns by semicolons, or write decimals with a point", row.where(), shown(field.substr(0, field.find_first_of(" \t\r;")))));
    return {bytes, positive(*latency, "latency", row)};
}

} // namespace

double bytes_in(std::string_view unit) {
    if (const auto bytes = find_unit(unit)) return *bytes;
    throw UsageError(fmt::format("'{}' is no unit of size; use B, KB, KiB, MB, MiB, GB or GiB", shown(unit)));
}

std::vector<CurvePoint> read_curve(std::istream& in, const std::string& name, const CurveFormat& format) {
    const double size_unit = bytes_in(format.size_unit);
    if (format.latency_unit != "ns" && format.latency_unit != "cycles") {
        throw UsageError(fmt::format("'{}' is no unit of latency; use ns or cycles", shown(format.latency_unit)));
    }
    std::string text;
    std::array<char, 65536> piece;
    while (in.read(piece.data(), piece.size()), in.gcount() > 0) {
        text.append(piece.data(), static_cast<std::size_t>(in.gcount()));
        if (text.size() > kMostBytes) throw UsageError(fmt::format("{}: more than {} MiB; a curve is smaller", name, kMostBytes >> 20));
    }
    if (in.bad()) throw UsageError(fmt::format("{}: cannot be read", name));

    std::vector<CurvePoint> points;
    bool header_seen = false;
    std::string_view rest = text;
    if (rest.starts_with("\xef\xbb\xbf")) rest.remove_prefix(3); // a byte order mark, as spreadsheets write it
    for (std::size_t line = 1; !rest.empty(); ++line) {
        const std::size_t end = rest.find('\n');
        std::string_view content = rest.substr(0, end);
        rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
        content = content.substr(0, content.find('#'));
        const std::string where = fmt::format("{}, line {}", name, line), text_of_line = with_points(content, where);
        Row row(text_of_line, where);
        if (row.done()) continue;
        const auto size = row.number();
        if (!size) {
            if (header_seen || !points.empty()) throw UsageError(fmt::format("{}: '{}' is no size", row.where(), shown(row.rest())));
            header_seen = true;
            continue;
        }
        if (points.size() == kMostRows) throw UsageError(fmt::format("{}: more than {} rows", row.where(), kMostRows));
        points.push_back(point_of(row, *size, size_unit));
    }
    std::vector<CurvePoint> merged = merge_points(points);
    if (merged.size() < 3) throw UsageError(fmt::format("{}: {} sizes; a curve needs at least 3", name, merged.size()));
    return merged;
}

std::vector<CurvePoint> read_curve_file(const std::string& path, const CurveFormat& format) {
    if (path == "-") return read_curve(std::cin, "stdin", format);
    std::ifstream file(path, std::ios::binary);
    if (!file) throw UsageError(fmt::format("{}: cannot be opened", path));
    return read_curve(file, path, format);
}

} // namespace sonde
