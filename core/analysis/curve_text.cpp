// Lines, numbers and units of curve files.
#include "core/analysis/curve_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "core/base/error.h"

namespace sonde {

namespace {
constexpr double kLargestSize = 0x1p60; // bytes; the analysis takes time by the square of the octaves
constexpr std::size_t kMostShown = 40;  // characters of a bad field in a message
} // namespace

std::string CurveText::where(std::size_t line) const { return fmt::format("{}, line {}", name, line + 1); }

CurveText lines_of(std::string_view rest, const std::string& name) {
    CurveText text{name, {}};
    for (std::size_t end = 0; !rest.empty(); rest.remove_prefix(std::min(end, rest.size() - 1) + 1))
        text.lines.push_back(rest.substr(0, end = rest.find('\n')));
    return text;
}

std::optional<double> find_size_unit(std::string_view name) {
    static const std::map<std::string_view, double> kUnits{{"B", 1}, {"byte", 1}, {"bytes", 1}, {"Bytes", 1},
        {"KB", 1e3}, {"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"K", 0x1p10}, {"k", 0x1p10}, {"KiB", 0x1p10},
        {"M", 0x1p20}, {"MiB", 0x1p20}, {"G", 0x1p30}, {"GiB", 0x1p30}};
    const auto found = kUnits.find(name);
    return found == kUnits.end() ? std::nullopt : std::optional(found->second);
}

std::optional<LatencyUnit> find_latency_unit(std::string_view name) {
    static const std::map<std::string_view, LatencyUnit> kUnits{{"ns", {"ns", 1}}, {"us", {"ns", 1e3}},
        {"\u00b5s", {"ns", 1e3}}, {"ms", {"ns", 1e6}}, {"nanoseconds", {"ns", 1}}, {"cycles", {"cycles", 1}},
        {"cycle", {"cycles", 1}}, {"clocks", {"cycles", 1}}, {"clk", {"cycles", 1}}};
    const auto found = kUnits.find(name);
    return found == kUnits.end() ? std::nullopt : std::optional(found->second);
}

std::string_view trimmed(std::string_view text, std::string_view of) {
    const std::size_t first = text.find_first_not_of(of);
    return first == std::string_view::npos ? std::string_view()
                                           : text.substr(first, text.find_last_not_of(of) - first + 1);
}

std::string text_for_message(std::string_view field) {
    std::string text(field.substr(0, kMostShown));
    for (char& c : text)
        if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) >= 0x7f) c = '?';
    return field.size() > kMostShown ? text + "..." : text;
}

std::optional<LeadingNumber> leading_number(std::string_view text) {
    if (text.starts_with('+')) text.remove_prefix(1);
    LeadingNumber number;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number.value);
    if (error == std::errc::invalid_argument) return std::nullopt;
    if (error == std::errc::result_out_of_range) number.value = HUGE_VAL;
    number.rest = trimmed(text.substr(static_cast<std::size_t>(end - text.data())));
    return number;
}

double positive_value(double value, const char* what, const std::string& where) {
    if (!std::isfinite(value)) throw UsageError(fmt::format("{}: the {} is not a finite number", where, what));
    if (value <= 0) throw UsageError(fmt::format("{}: the {} must be above 0, it is {}", where, what, value));
    return value;
}

double memory_size(double value, const std::string& where) {
    const double bytes = positive_value(value, "size", where);
    if (bytes < 1 || bytes > kLargestSize)
        throw UsageError(
            fmt::format("{}: no memory has {:g} bytes (--size-unit names the unit of sizes)", where, bytes));
    return bytes;
}

} // namespace sonde
