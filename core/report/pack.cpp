// Columns, gzip, base64.
#include "core/report/pack.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <map>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <zlib.h>

#include "core/base/error.h"

namespace sonde {

namespace {
constexpr char kNumber = '\1', kColumn = '\2';

bool key_letter(char c) { return (c >= 'a' && c <= 'z') || c == '_'; }
bool number_letter(char c) { return (c >= '0' && c <= '9') || c == '.' || c == 'e' || c == 'E' || c == '+' || c == '-'; }

/// The key that ends at `at`, where a number begins: text[at - 2 .. at) is `":`. Empty: there is none.
std::string_view key_before(std::string_view text, std::size_t at) {
    if (at < 3 || text[at - 1] != ':' || text[at - 2] != '"') return {};
    std::size_t from = at - 2;
    while (from > 0 && key_letter(text[from - 1])) --from;
    return from > 0 && from < at - 2 && text[from - 1] == '"' ? text.substr(from, at - 2 - from) : std::string_view();
}

struct Column {
    std::string_view key;
    std::vector<std::string_view> numbers;
};

/// The columns in the order in which their keys come first, and the text without their numbers.
std::vector<Column> take_columns(std::string_view text, std::string& rest) {
    std::vector<Column> columns;
    std::map<std::string_view, std::size_t> places;
    for (std::size_t at = 0; at < text.size();) {
        std::size_t end = at;
        const std::string_view key = number_letter(text[at]) ? key_before(text, at) : std::string_view();
        if (key.empty()) {
            rest += text[at++];
            continue;
        }
        while (end < text.size() && number_letter(text[end])) ++end;
        const auto [place, is_new] = places.emplace(key, columns.size());
        if (is_new) columns.push_back({key, {}});
        columns[place->second].numbers.push_back(text.substr(at, end - at));
        rest += kNumber;
        at = end;
    }
    return columns;
}

double float_milliseconds(double whole) { return static_cast<double>(static_cast<float>(whole / 1e6)) * 1e6; }

std::string shortest(double value) {
    std::array<char, 64> buffer;
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::fixed).ptr;
    return {buffer.data(), end};
}

/// The whole number that a token stands for; nullopt: none, or one that would not come back as the same text.
std::optional<std::int64_t> whole_of(std::string_view token, std::string_view ending, bool float_ms) {
    double value = 0;
    const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), value);
    if (error != std::errc() || end != token.data() + token.size() || !(std::abs(value) < 1e15)) return std::nullopt;
    const auto whole = static_cast<std::int64_t>(std::llround(value));
    const std::string again = float_ms ? shortest(float_milliseconds(static_cast<double>(whole))) : fmt::format("{}{}", whole, ending);
    return again == token ? std::optional(whole) : std::nullopt;
}

std::string entries_of(const Column& column, std::size_t lag, std::string_view ending) {
    std::string out = fmt::format("{}{}\n{}\n{}", kColumn, column.key, lag, ending);
    std::array<std::int64_t, 2> before{};
    bool float_ms = false;
    for (std::size_t i = 0; i < column.numbers.size(); ++i) {
        out += '\n';
        auto whole = whole_of(column.numbers[i], ending, float_ms);
        if (!whole && (whole = whole_of(column.numbers[i], ending, !float_ms))) {
            float_ms = !float_ms;
            out += '~';
        }
        if (whole) {
            out += fmt::format("{}", *whole - before[i % lag]);
            before[i % lag] = *whole;
        } else {
            out += fmt::format("'{}", column.numbers[i]);
        }
    }
    return out;
}

/// Samples come in pairs, a short and a long one, so a number's neighbour is often the one before the last.
std::string shortest_entries(const Column& column) {
    std::string best;
    for (const std::size_t lag : {1, 2})
        for (const char* ending : {"", ".0"})
            if (std::string entries = entries_of(column, lag, ending); best.empty() || entries.size() < best.size()) best = std::move(entries);
    return best;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    for (;;) {
        const std::size_t end = text.find(separator);
        parts.push_back(text.substr(0, end));
        if (end == std::string_view::npos) return parts;
        text.remove_prefix(end + 1);
    }
}

std::vector<std::string> numbers_of(const std::vector<std::string_view>& lines) {
    const std::size_t lag = lines[1] == "2" ? 2 : 1;
    std::array<std::int64_t, 2> before{};
    bool float_ms = false;
    std::vector<std::string> numbers;
    for (std::size_t i = 3; i < lines.size(); ++i) {
        std::string_view entry = lines[i];
        if (entry.starts_with('\'')) {
            numbers.emplace_back(entry.substr(1));
            continue;
        }
        if (entry.starts_with('~')) float_ms = !float_ms, entry.remove_prefix(1);
        std::int64_t& whole = before[(i - 3) % lag];
        whole += std::stoll(std::string(entry));
        numbers.push_back(float_ms ? shortest(float_milliseconds(static_cast<double>(whole))) : fmt::format("{}{}", whole, lines[2]));
    }
    return numbers;
}

bool is_utf8(std::string_view text) { // by the library that reads the lines
    try {
        nlohmann::json(std::string(text)).dump();
        return true;
    } catch (const nlohmann::json::exception&) {
        return false;
    }
}
} // namespace

std::string columns_of(std::string_view text) {
    if (text.find(kNumber) != std::string_view::npos || text.find(kColumn) != std::string_view::npos || !is_utf8(text)) return "";
    std::string rest;
    const std::vector<Column> columns = take_columns(text, rest);
    for (const Column& column : columns) rest += shortest_entries(column);
    return rest;
}

std::string text_of_columns(std::string_view columns) {
    const std::vector<std::string_view> parts = split(columns, kColumn);
    std::map<std::string_view, std::pair<std::vector<std::string>, std::size_t>> numbers;
    for (std::size_t i = 1; i < parts.size(); ++i) {
        const std::vector<std::string_view> lines = split(parts[i], '\n');
        numbers[lines[0]] = {numbers_of(lines), 0};
    }
    std::string text;
    for (const char c : parts[0]) {
        if (c != kNumber) {
            text += c;
            continue;
        }
        auto& [column, next] = numbers.at(key_before(text, text.size()));
        text += column.at(next++);
    }
    return text;
}

std::string gzip(std::string_view bytes) {
    z_stream stream{};
    if (deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY) != Z_OK) throw Error("deflateInit2: out of memory");
    std::string out(deflateBound(&stream, bytes.size()), '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream.avail_in = static_cast<uInt>(bytes.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    const int status = deflate(&stream, Z_FINISH);
    out.resize(stream.total_out);
    deflateEnd(&stream);
    if (status != Z_STREAM_END) throw Error(fmt::format("deflate: status {}", status));
    return out;
}

std::string base64(std::string_view bytes) {
    constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string out;
    out.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t at = 0; at < bytes.size(); at += 3) {
        std::uint32_t three = 0;
        for (std::size_t i = 0; i < 3; ++i) three = three << 8 | (at + i < bytes.size() ? static_cast<unsigned char>(bytes[at + i]) : 0u);
        for (std::size_t i = 0; i < 4; ++i) out += at + i <= bytes.size() ? kLetters[three >> (18 - 6 * i) & 63] : '=';
    }
    return out;
}

Packed pack(std::string_view text) {
    const std::string columns = columns_of(text);
    return {!columns.empty(), base64(gzip(columns.empty() ? text : std::string_view(columns)))};
}

} // namespace sonde
