// JSON as it is used everywhere, and fields that a file may lack.
#pragma once
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "core/base/json_fwd.h"

namespace sonde {

/// What a text says; where it is no JSON, a value that is neither object nor array nor anything else. Reading and
/// writing are compiled here alone: in each file that does it they take the compiler two seconds.
Json read_json(std::string_view text);
enum class JsonForm { line, ascii, indented };
/// One line, one of ASCII alone, or lines indented by two; bytes that are no UTF-8 are replaced.
std::string json_text(const Json&, JsonForm = JsonForm::line);
/// A field that should be a string; "" where it is missing or something else.
std::string text_field(const Json& object, const char* name);
/// A field that should be a number; 0 where it is missing or something else.
double number_field(const Json& object, const char* name);
Json number_or_null(const std::optional<double>&); // null also where the number is not finite: JSON has no word for it

/// An enum with names has a function `std::span<const char* const> enum_names(T)` beside it, by its values.
template <class T>
concept HasNames = requires(T value) {
    enum_names(value);
};

} // namespace sonde

namespace nlohmann {
template <sonde::HasNames T> struct adl_serializer<T, void> {
    static void to_json(sonde::Json& json, const T& from) { json = enum_names(from)[static_cast<std::size_t>(from)]; }
};
template <> struct adl_serializer<std::map<double, double>, void> {
    static void to_json(sonde::Json& json, const std::map<double, double>& from);
    static void from_json(const sonde::Json& json, std::map<double, double>& into);
};
template <class T> struct adl_serializer<std::optional<T>, void> {
    static void to_json(sonde::Json& json, const std::optional<T>& from) {
        json = from ? sonde::Json(*from) : sonde::Json(nullptr);
    }
    static void from_json(const sonde::Json& json, std::optional<T>& into) {
        into = json.is_null() ? std::nullopt : std::optional(json.get<T>());
    }
};
} // namespace nlohmann
