// What the readers of curve files share: lines, numbers, units, and the checks of both. Everything in a file is hostile
// until it is a number.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sonde {

inline constexpr std::string_view kBlanks = " \t\r\v\f";

/// A file's text by lines.
struct CurveText {
    std::string name; // in messages
    std::vector<std::string_view> lines;
    std::string where(std::size_t line) const;
};
CurveText lines_of(std::string_view content, const std::string& name);

/// A file's bytes as UTF-8 with '\n' at the ends of lines: UTF-16 by its byte order mark, or by its zeros, is put into
/// UTF-8, a mark is left out, and so is what a launcher wrote before each line ("[node3] ").
std::string plain_text(std::string_view bytes);

std::string lower_case(std::string_view text);

/// The lines that no reader took.
class UnreadLines {
public:
    void add(std::size_t line) { lines_.push_back(line); }
    bool empty() const { return lines_.empty(); }
    /// "3 lines of 24 were not used: 1, 14-15 ('bench: cpu frequency changed', ...)"; "" for none.
    std::string text(const CurveText&) const;

private:
    std::vector<std::size_t> lines_;
};

/// Bytes in one unit of size; K, M and G alone are binary.
std::optional<double> find_size_unit(std::string_view name);

/// The unit that a latency is told in, and how many of it one `name` is.
struct LatencyUnit {
    std::string unit;
    double factor = 1;
};
std::optional<LatencyUnit> find_latency_unit(std::string_view name);

std::string_view trimmed(std::string_view text, std::string_view of = kBlanks);

/// Whether a line has no letter and no digit: blank, or a rule of dashes.
bool is_blank(std::string_view line);

/// The field for a message: short, and without what a terminal would obey.
std::string text_for_message(std::string_view field);

/// A number at the front of a text, and what follows it. Inf and NaN are numbers here, and refused later by name.
struct LeadingNumber {
    double value = 0;
    std::string_view rest;
};
std::optional<LeadingNumber> leading_number(std::string_view text);

/// The value; throws UsageError where it is not finite or not above 0.
double positive_value(double value, const char* what, const std::string& where);

/// The bytes of a size; throws UsageError where no memory has so many.
double memory_size(double bytes, const std::string& where);

} // namespace sonde
