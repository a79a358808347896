// Fields that may be missing or of another kind.
#include "core/base/json.h"

#include <cmath>

#include <fmt/format.h>

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
