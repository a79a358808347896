// The name of JSON, for headers that only pass it on: core/base/json.h is what makes and reads it.
#pragma once
#include <nlohmann/json_fwd.hpp>

namespace sonde {

using Json = nlohmann::ordered_json;

} // namespace sonde
