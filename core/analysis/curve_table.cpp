// The reader of tables: finds the columns of sizes and latencies and their units, and reads each row.
#include "core/analysis/curve_table.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/text.h"

namespace sonde {

namespace {

constexpr std::size_t kLongestLine = 64 << 10;
constexpr std::size_t kMostRows = 1'000'000;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool between_digits(std::string_view text, std::size_t i) {
    return i > 0 && i + 1 < text.size() && is_digit(text[i - 1]) && is_digit(text[i + 1]);
}

/// Decimal commas as points, where they can be nothing else: in quotes, or in a line whose columns semicolons separate.
/// A line that does not begin with a number is left as it is.
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
    if (twice || (comma && point))
        throw UsageError(fmt::format("{}: it is not clear which of '.' and ',' is the decimal mark", where));
    return text;
}

/// The columns of a line: by bars where it has any (Markdown), else by semicolons, else by commas, else by tabs, else
/// by blanks, where a unit belongs to the number before it.
std::vector<std::string> cells_of(std::string_view line) {
    line = trimmed(line);
    if (line.starts_with('|')) line = trimmed(line, " \t\r|");
    std::vector<std::string> cells;
    for (const char separator : {'|', ';', ',', '\t'}) {
        if (line.find(separator) == std::string_view::npos) continue;
        for (const std::string& cell : split(line, separator)) cells.emplace_back(trimmed(cell, " \t\r\v\f\""));
        if (separator == '\t') std::erase(cells, "");
        else if (cells.back().empty()) cells.pop_back(); // a separator at the end
        return cells;
    }
    for (; !line.empty(); line = trimmed(line)) {
        const std::string_view word = line.substr(0, line.find_first_of(kBlanks));
        line.remove_prefix(word.size());
        const auto before = cells.empty() ? std::nullopt : leading_number(cells.back());
        if (before && before->rest.empty() && (find_size_unit(word) || find_latency_unit(word))) cells.back() += word;
        else cells.emplace_back(trimmed(word, "\""));
    }
    return cells;
}

/// A title's unit: the last of its words that `find` knows.
template <class Find> auto unit_in(std::string_view title, Find find) {
    decltype(find(title)) unit;
    while (!(title = trimmed(title, " _()[],:-")).empty()) {
        const std::string_view word = title.substr(0, title.find_first_of(" _()[],:-"));
        title.remove_prefix(word.size());
        if (const auto found = find(word)) unit = found;
    }
    return unit;
}

/// "GB/s" of "Bandwidth (GB/s)": one word in brackets at the end; empty where there is none.
std::string_view bracketed(std::string_view title) {
    const std::size_t open = title.find_last_of("([");
    if (open == std::string_view::npos || title.find_last_of(")]") != title.size() - 1) return {};
    const std::string_view word = title.substr(open + 1, title.size() - open - 2);
    return word.find(' ') == std::string_view::npos ? word : std::string_view();
}

/// "|---|:--:|" of Markdown.
bool is_rule(std::string_view line) {
    return line.find('-') != std::string_view::npos && line.find('|') != std::string_view::npos &&
           line.find_first_not_of("|-: \t\r") == std::string_view::npos;
}

class TableReader {
public:
    TableReader(const CurveText& text, const CurveFormat& format) : text_(text), format_(format) {}

    FileCurve read() {
        FileCurve curve;
        std::vector<std::string> comment;
        bool header_seen = false;
        for (std::size_t i = 0; i < text_.lines.size(); ++i) {
            where_ = text_.where(i);
            if (text_.lines[i].size() > kLongestLine)
                throw UsageError(
                    fmt::format("{}: longer than {} characters; a row of a table is shorter", where_, kLongestLine));
            const std::string_view content = text_.lines[i].substr(0, text_.lines[i].find('#'));
            const std::vector<std::string> cells = cells_of(with_points(content, where_));
            if (cells.empty()) {
                if (content.size() < text_.lines[i].size()) comment = cells_of(trimmed(text_.lines[i], " \t\r#"));
                continue;
            }
            if (is_rule(content)) continue;
            if (!chosen_ && !header_seen && !leading_number(cells[std::min(first_read(), cells.size() - 1)])) {
                titles_ = cells;
                header_seen = true;
                continue;
            }
            if (!chosen_) {
                if (!header_seen) titles_ = comment;
                if (titles_.size() != cells.size())
                    header_ = fmt::format("{}", fmt::join(std::exchange(titles_, {}), " ")); // titles of several words
                choose(cells.size());
            }
            if (curve.points.size() == kMostRows)
                throw UsageError(fmt::format("{}: more than {} rows", where_, kMostRows));
            curve.points.push_back(point_of(cells, content));
        }
        curve.unit = latency_unit_.unit;
        if (!decimal_unit_.empty() && format_.size_unit.empty())
            curve.note = fmt::format("sizes in {0}: powers of 1000; --size-unit {1} makes them powers of 1024",
                decimal_unit_, std::string(1, decimal_unit_[0]) + "iB");
        return curve;
    }

private:
    /// The column that holds a number in each row, as far as it is known before the header is.
    std::size_t first_read() const {
        const auto asked = leading_number(format_.x);
        return asked && asked->value >= 1 && asked->value < 1e6 ? static_cast<std::size_t>(asked->value) - 1 : 0;
    }

    /// By its number, or by its title, with or without the unit behind it.
    std::size_t column(const std::string& asked, const char* option, std::size_t count) const {
        for (std::size_t i = 0; i < titles_.size(); ++i)
            if (titles_[i] == asked ||
                trimmed(std::string_view(titles_[i]).substr(0, titles_[i].find_first_of("(["))) == asked)
                return i;
        const auto number = leading_number(asked);
        if (number && number->rest.empty() && number->value >= 1 && number->value <= static_cast<double>(count) &&
            number->value == std::floor(number->value))
            return static_cast<std::size_t>(number->value) - 1;
        throw UsageError(
            fmt::format("{}: {} {}: no such column; there are {}{}", where_, option, text_for_message(asked), count,
                titles_.empty() ? "" : ": " + text_for_message(fmt::format("{}", fmt::join(titles_, ", ")))));
    }

    /// The one column whose title has a unit that `find` knows.
    template <class Find> std::optional<std::size_t> only(Find find) const {
        std::optional<std::size_t> found;
        for (std::size_t i = 0; i < titles_.size(); ++i) {
            if (!unit_in(titles_[i], find)) continue;
            if (found) return std::nullopt;
            found = i;
        }
        return found;
    }

    template <class Find>
    auto unit_of(std::size_t column, const std::string& asked, Find find, const char* what, const char* option) const {
        const std::string_view title = column < titles_.size() ? titles_[column] : header_;
        auto unit = asked.empty() ? unit_in(title, find) : find(asked);
        if (!unit && !titles_.empty() && !bracketed(title).empty())
            throw UsageError(fmt::format(
                "{}: '{}' is no unit of {}; choose another column with --x and --y, or name the unit with {}",
                text_.name, text_for_message(bracketed(title)), what, option));
        return unit;
    }

    void choose(std::size_t count) {
        count_ = count;
        std::optional<std::size_t> x = only(find_size_unit), y = only(find_latency_unit);
        if (!format_.x.empty()) x = column(format_.x, "--x", count);
        if (!format_.y.empty()) y = column(format_.y, "--y", count);
        if (count <= 2) {
            if (!x) x = y == 0U ? 1 : 0;
            if (!y) y = 1 - *x;
        }
        if (!x || !y)
            throw UsageError(fmt::format(
                "{}: {} columns; name the one of sizes and the one of latencies by number or title, as in --x 1 --y {}",
                where_, count, count));
        if (*x == *y)
            throw UsageError(
                fmt::format("{}: one column cannot be both size and latency; name the two with --x and --y", where_));
        x_ = *x, y_ = *y, chosen_ = true;
        size_unit_ = unit_of(x_, format_.size_unit, find_size_unit, "size", "--size-unit").value_or(1);
        latency_unit_ = unit_of(y_, format_.latency_unit, find_latency_unit, "latency", "--latency-unit")
                            .value_or(LatencyUnit{"ns"});
    }

    CurvePoint point_of(const std::vector<std::string>& cells, std::string_view line) {
        const bool choice = !format_.x.empty() || !format_.y.empty();
        const auto size = x_ < cells.size() ? leading_number(cells[x_]) : std::nullopt;
        if (!size)
            throw UsageError(fmt::format("{}: '{}' is no size", where_,
                text_for_message(choice && x_ < cells.size() ? cells[x_] : trimmed(line))));
        const std::string_view doubtful = size->rest.substr(size->rest.find_last_of(kBlanks) + 1);
        if (!doubtful.empty() && leading_number(doubtful) && x_ + 1 < cells.size())
            throw UsageError(fmt::format(
                "{}: '{}' may be one number or two; separate the columns by semicolons, or write decimals with a point",
                where_, text_for_message(fmt::format("{},{}", doubtful, cells[x_ + 1]))));
        const auto unit = size->rest.empty() ? std::optional(size_unit_) : own_unit(size->rest);
        if (!unit && size->value == 0 && (size->rest.starts_with('x') || size->rest.starts_with('X')))
            throw UsageError(fmt::format(
                "{}: '0{}': a hexadecimal size; write it as a decimal number", where_, text_for_message(size->rest)));
        if (!unit) throw UsageError(fmt::format("{}: '{}' is no unit of size", where_, text_for_message(size->rest)));
        const double bytes = memory_size(size->value * *unit, where_);
        if (y_ >= cells.size()) throw UsageError(fmt::format("{}: a size without a latency", where_));
        const auto latency = leading_number(cells[y_]);
        const auto own =
            latency && !latency->rest.empty() ? find_latency_unit(latency->rest) : std::optional(latency_unit_);
        if (own && own->unit != latency_unit_.unit)
            throw UsageError(
                fmt::format("{}: '{}' is in {}, the column in {}; name the column's unit with --latency-unit {}",
                    where_, text_for_message(cells[y_]), own->unit, latency_unit_.unit, own->unit));
        if (!latency || !own)
            throw UsageError(fmt::format("{}: '{}' is no latency", where_, text_for_message(cells[y_])));
        if (!choice && cells.size() > count_)
            throw UsageError(fmt::format("{}: {} columns where the first row has {}; name the two with --x and --y",
                where_, cells.size(), count_));
        return {bytes, positive_value(latency->value, "latency", where_) * own->factor};
    }

    /// The unit behind a size. KB is what most tools call 1024 bytes, and some 1000: the unit that was asked for
    /// decides.
    std::optional<double> own_unit(std::string_view name) {
        const auto unit = find_size_unit(name), asked = find_size_unit(format_.size_unit);
        const bool decimal = unit && is_decimal(*unit), binary = asked && *asked > 1 && !is_decimal(*asked);
        if (decimal) decimal_unit_ = fmt::format("{}B", static_cast<char>(std::toupper(name[0])));
        return decimal && binary ? std::optional(std::exp2(10 * std::round(std::log2(*unit) / 10))) : unit;
    }
    static bool is_decimal(double unit) { return unit > 1 && std::fmod(unit, 1000) == 0; }

    const CurveText& text_;
    const CurveFormat& format_;
    std::string decimal_unit_;        // KB, MB or GB, where a size has it
    std::string where_;               // the line at hand
    std::vector<std::string> titles_; // of the columns; where there are not as many, the line that they stand in:
    std::string header_;
    bool chosen_ = false;
    std::size_t count_ = 0, x_ = 0, y_ = 1;
    double size_unit_ = 1; // bytes
    LatencyUnit latency_unit_;
};

} // namespace

FileCurve read_table(const CurveText& text, const CurveFormat& format) { return TableReader(text, format).read(); }

} // namespace sonde
