// JSON as it is used everywhere, and fields that a file may lack.
#pragma once
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

namespace sonde {

using Json = nlohmann::ordered_json;

/// A field that should be a string; "" where it is missing or something else.
std::string text_field(const Json& object, const char* name);
/// A field that should be a number; 0 where it is missing or something else.
double number_field(const Json& object, const char* name);
Json number_or_null(const std::optional<double>&); // null also where the number is not finite: JSON has no word for it

} // namespace sonde
