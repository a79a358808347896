// Lines, numbers and units of curve files.
#include "core/analysis/curve_text.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <map>

#include <fmt/format.h>

#include "core/base/error.h"

namespace sonde {

namespace {
constexpr double kLargestSize = 0x1p60; // bytes; the analysis takes time by the square of the octaves
constexpr std::size_t kMostShown = 40;  // characters of a bad field in a message
constexpr std::size_t kMostRanges = 6;  // of lines in a message

void append_utf8(std::string& text, std::uint32_t code) {
    const auto byte = [&](std::uint32_t value) { text += static_cast<char>(value); };
    if (code < 0x80) return byte(code);
    if (code < 0x800) byte(0xc0 | code >> 6);
    else {
        if (code < 0x10000) byte(0xe0 | code >> 12);
        else byte(0xf0 | code >> 18), byte(0x80 | (code >> 12 & 0x3f));
        byte(0x80 | (code >> 6 & 0x3f));
    }
    byte(0x80 | (code & 0x3f));
}

/// `high`: which byte of two comes first.
std::string from_utf16(std::string_view bytes, bool high_first) {
    constexpr std::uint32_t kReplacement = 0xfffd;
    const auto unit = [&](std::size_t at) {
        const auto first = static_cast<unsigned char>(bytes[at]), second = static_cast<unsigned char>(bytes[at + 1]);
        return static_cast<std::uint32_t>(high_first ? first << 8 | second : second << 8 | first);
    };
    std::string text;
    for (std::size_t at = 0; at + 1 < bytes.size(); at += 2) {
        const std::uint32_t code = unit(at), next = at + 3 < bytes.size() ? unit(at + 2) : 0;
        const bool leads = code >> 10 == 0x36, follows = next >> 10 == 0x37;
        if (leads && follows) append_utf8(text, 0x10000 + ((code & 0x3ff) << 10 | (next & 0x3ff))), at += 2;
        else append_utf8(text, code >> 11 == 0x1b ? kReplacement : code);
    }
    return text;
}

/// A text's first characters are ASCII, so that in UTF-16 each second byte is a zero.
std::optional<bool> zeros_of_utf16(std::string_view bytes) {
    constexpr std::size_t kLooked = 64;
    if (bytes.size() < 4 || bytes.size() % 2 != 0) return std::nullopt;
    std::size_t zeros[2] = {0, 0};
    const std::size_t looked = std::min(kLooked, bytes.size());
    for (std::size_t at = 0; at < looked; ++at) zeros[at % 2] += bytes[at] == 0;
    if (zeros[0] == looked / 2 && zeros[1] == 0) return true;
    if (zeros[1] == looked / 2 && zeros[0] == 0) return false;
    return std::nullopt;
}

/// "[node3] " where every line that is not blank begins with it; "" for none.
std::string prefix_of(std::string_view text) {
    std::string prefix;
    for (std::size_t end = 0; !text.empty(); text.remove_prefix(std::min(end, text.size() - 1) + 1)) {
        const std::string_view line = text.substr(0, end = text.find('\n'));
        if (trimmed(line).empty()) continue;
        const std::size_t close = line.find("] ");
        if (prefix.empty() && (line[0] != '[' || close == std::string_view::npos)) return "";
        if (prefix.empty()) prefix = line.substr(0, close + 2);
        if (!line.starts_with(prefix) && line != trimmed(prefix)) return "";
    }
    return prefix;
}
} // namespace

std::string plain_text(std::string_view bytes) {
    std::string text;
    if (bytes.starts_with("\xff\xfe")) text = from_utf16(bytes.substr(2), false);
    else if (bytes.starts_with("\xfe\xff")) text = from_utf16(bytes.substr(2), true);
    else if (const auto high_first = zeros_of_utf16(bytes)) text = from_utf16(bytes, *high_first);
    else text = bytes.substr(bytes.starts_with("\xef\xbb\xbf") ? 3 : 0);
    const std::string prefix = prefix_of(text);
    if (prefix.empty()) return text;
    std::string without;
    for (std::string_view rest = text; !rest.empty();) {
        const std::size_t end = rest.find('\n');
        const std::string_view line = rest.substr(0, end);
        without += line.starts_with(prefix) ? line.substr(prefix.size()) : std::string_view();
        if (end == std::string_view::npos) break;
        without += '\n';
        rest.remove_prefix(end + 1);
    }
    return without;
}

std::string lower_case(std::string_view text) {
    std::string out(text);
    for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return out;
}

std::string UnreadLines::text(const CurveText& of) const {
    if (lines_.empty()) return "";
    std::string ranges;
    std::size_t count = 0;
    for (std::size_t i = 0; i < lines_.size() && count < kMostRanges; ++count) {
        std::size_t end = i + 1;
        while (end < lines_.size() && lines_[end] == lines_[end - 1] + 1) ++end;
        ranges += fmt::format("{}{}", count ? ", " : "", lines_[i] + 1);
        if (end - i > 1) ranges += fmt::format("-{}", lines_[end - 1] + 1);
        i = end;
        if (i < lines_.size() && count + 1 == kMostRanges) ranges += ", ...";
    }
    return fmt::format("{} line{} of {} not used: {} ('{}'{})", lines_.size(), lines_.size() == 1 ? "" : "s",
        of.lines.size(), ranges, text_for_message(trimmed(of.lines[lines_.front()])), lines_.size() > 1 ? ", ..." : "");
}

std::string CurveText::where(std::size_t line) const { return fmt::format("{}, line {}", name, line + 1); }

CurveText lines_of(std::string_view rest, const std::string& name) {
    CurveText text{name, {}};
    for (std::size_t end = 0; !rest.empty(); rest.remove_prefix(std::min(end, rest.size() - 1) + 1))
        text.lines.push_back(rest.substr(0, end = rest.find('\n')));
    return text;
}

std::optional<double> find_size_unit(std::string_view name) {
    static const std::map<std::string, double, std::less<>> kUnits{{"b", 1}, {"byte", 1}, {"bytes", 1}, {"kb", 1e3},
        {"mb", 1e6}, {"gb", 1e9}, {"k", 0x1p10}, {"kib", 0x1p10}, {"m", 0x1p20}, {"mib", 0x1p20}, {"g", 0x1p30},
        {"gib", 0x1p30}};
    const auto found = kUnits.find(lower_case(name));
    return found == kUnits.end() ? std::nullopt : std::optional(found->second);
}

std::optional<LatencyUnit> find_latency_unit(std::string_view name) {
    static const std::map<std::string, LatencyUnit, std::less<>> kUnits{{"ns", {"ns", 1}}, {"us", {"ns", 1e3}},
        {"\u00b5s", {"ns", 1e3}}, {"ms", {"ns", 1e6}}, {"nanoseconds", {"ns", 1}}, {"cycles", {"cycles", 1}},
        {"cycle", {"cycles", 1}}, {"clocks", {"cycles", 1}}, {"clk", {"cycles", 1}}};
    const auto found = kUnits.find(lower_case(name));
    return found == kUnits.end() ? std::nullopt : std::optional(found->second);
}

std::string_view trimmed(std::string_view text, std::string_view of) {
    const std::size_t first = text.find_first_not_of(of);
    return first == std::string_view::npos ? std::string_view()
                                           : text.substr(first, text.find_last_not_of(of) - first + 1);
}

bool is_blank(std::string_view line) {
    return std::none_of(line.begin(), line.end(),
        [](char c) { return static_cast<unsigned char>(c) >= 0x80 || std::isalnum(static_cast<unsigned char>(c)); });
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
