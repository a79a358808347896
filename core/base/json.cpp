// Fields that may be missing or of another kind.
#include "core/base/json.h"

#include <cmath>

namespace sonde {

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
