// Fields that may be missing or of another kind.
#include "core/base/json.h"

#include <cmath>

namespace sonde {

Json number_or_null(const std::optional<double>& value) { return value && std::isfinite(*value) ? Json(*value) : Json(nullptr); }

std::string text_field(const Json& object, const char* name) {
    if (!object.is_object()) return "";
    const auto found = object.find(name);
    return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

double number_field(const Json& object, const char* name) {
    if (!object.is_object()) return 0;
    const auto found = object.find(name);
    return found != object.end() && found->is_number() ? found->get<double>() : 0;
}

bool flag_field(const Json& object, const char* name) {
    if (!object.is_object()) return false;
    const auto found = object.find(name);
    return found != object.end() && found->is_boolean() && found->get<bool>();
}

} // namespace sonde
