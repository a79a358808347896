// Series as JSON.
#include "core/data/series.h"

#include "core/data/series_fields.h"

namespace sonde {

void to_json(Json& json, const Sample& from) { fields::write_all(json, from); }
void from_json(const Json& json, Sample& into) { fields::read_all(json, into); }
void to_json(Json& json, const Series& from) { fields::write_all(json, from); }
void from_json(const Json& json, Series& into) { fields::read_all(json, into); }

} // namespace sonde
