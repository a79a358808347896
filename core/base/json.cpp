// Fields that may be missing or of another kind.
#include "core/base/json.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "core/base/broken_json.h"
#include "core/base/error.h"
#include "core/base/text.h"

namespace sonde {

Json read_json(std::string_view text) { return Json::parse(text, nullptr, false); }

std::string json_text(const Json& value, JsonForm form) {
    return value.dump(
        form == JsonForm::indented ? 2 : -1, ' ', form == JsonForm::ascii, Json::error_handler_t::replace);
}

Json number_or_null(const std::optional<double>& value) {
    return value && std::isfinite(*value) ? Json(*value) : Json(nullptr);
}

namespace {
template <class Value> Value field(const Json& object, const char* name, bool (Json::*is_one)() const noexcept) {
    const auto found = object.is_object() ? object.find(name) : object.end();
    return found != object.end() && ((*found).*is_one)() ? found->get<Value>() : Value{};
}
} // namespace

std::string text_field(const Json& object, const char* name) {
    return field<std::string>(object, name, &Json::is_string);
}
double number_field(const Json& object, const char* name) { return field<double>(object, name, &Json::is_number); }

std::string broken_json_text(std::string_view text) {
    try {
        if (!Json::parse(text).is_discarded()) return "whole";
    } catch (const Json::parse_error& error) {
        const std::size_t at = std::min(error.byte > 0 ? error.byte - 1 : 0, text.size());
        const std::string_view before = text.substr(0, at);
        const std::size_t line_begin = before.rfind('\n') + 1; // 0 where there is none
        const auto line = std::count(before.begin(), before.end(), '\n') + 1;
        return fmt::format("line {}, column {}: {}", line, at - line_begin + 1,
            text.find_first_not_of(" \t\r\n", at) == std::string_view::npos
                ? "the JSON ends in the middle; copy the file anew"
                : "the JSON is broken here; mend it, or let the tool write it anew");
    } catch (const Json::exception&) {
    }
    return "no JSON";
}

bool is_broken_document(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos || text[first] != '{' || text.substr(first).starts_with("{\"type\""))
        return false;
    const std::string_view document = text.substr(first);
    return !read_json(document.substr(0, document.find('\n'))).is_object() &&
           !read_json(with_words_for_numbers(document)).is_object();
}

std::string with_words_for_numbers(std::string_view text) {
    constexpr std::string_view kInNumber = "+-.0123456789";
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        const char c = text[at];
        std::size_t end = at + 1;
        if (c == '"') {
            while (end < text.size() && text[end] != '"') end += text[end] == '\\' ? 2 : 1;
            end = std::min(end + 1, text.size());
            out += text.substr(at, end - at);
        } else if (std::isalpha(static_cast<unsigned char>(c)) || kInNumber.find(c) != std::string_view::npos) {
            while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) ||
                                            kInNumber.find(text[end]) != std::string_view::npos))
                ++end;
            const std::string_view word = text.substr(at, end - at);
            double value = 0;
            const auto [rest, error] = std::from_chars(word.data(), word.data() + word.size(), value);
            const bool no_number = error == std::errc::result_out_of_range ||
                                   (error == std::errc() && rest == word.data() + word.size() && !std::isfinite(value));
            out += no_number ? fmt::format("\"{}\"", std::isnan(value) ? "nan" : "inf") : std::string(word);
        } else out += c;
        at = end;
    }
    return out;
}

} // namespace sonde

namespace nlohmann {

void adl_serializer<std::map<double, double>>::to_json(sonde::Json& json, const std::map<double, double>& from) {
    json = sonde::Json::object();
    for (const auto& [x, value] : from) json[fmt::format("{}", x)] = value;
}

void adl_serializer<std::map<double, double>>::from_json(const sonde::Json& json, std::map<double, double>& into) {
    for (const auto& [text, value] : json.get<std::map<std::string, double>>()) {
        const auto x = sonde::number_of<double>(text);
        if (!x) throw sonde::Error(fmt::format("'{}' where a number should be", text));
        into[*x] = value;
    }
}

} // namespace nlohmann
