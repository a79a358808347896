// Series as JSON.
#include "core/data/series.h"

#include "core/data/series_fields.h"

namespace sonde {

void to_json(Json& json, const Sample& from) { fields::write_all(json, from); }
void from_json(const Json& json, Sample& into) { fields::read_all(json, into); }
void to_json(Json& json, const Series& from) { fields::write_all(json, from); }
void from_json(const Json& json, Series& into) {
    fields::read_all(json, into);
    if (into.ending || !into.doubts.empty()) into.reason.clear(); // which says these
    else translate_reason(into);
}
void to_json(Json& json, const Ending& from) { fields::write_all(json, from); }
void from_json(const Json& json, Ending& into) { fields::read_all(json, into); }
void to_json(Json& json, const Doubt& from) { fields::write_all(json, from); }
void from_json(const Json& json, Doubt& into) { fields::read_all(json, into); }

} // namespace sonde
