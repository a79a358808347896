// Evidence as JSON.
#include "core/data/evidence.h"

#include <algorithm>

#include "core/data/evidence_fields.h"

namespace sonde {

void to_json(Json& json, const AbsentTelemetry& absent) {
    json = absent.all.empty() ? Json(absent.by_field) : Json(absent.all);
}
void from_json(const Json& json, AbsentTelemetry& absent) {
    if (json.is_string()) json.get_to(absent.all);
    else json.get_to(absent.by_field);
}

void to_json(Json& json, const CoresEvidence& cores) { json = cores.count ? Json(*cores.count) : Json(cores.numbers); }
/// Anything else in a file is left out: a later version's.
void from_json(const Json& json, CoresEvidence& cores) {
    if (json.is_number_unsigned()) cores.count = json.get<std::size_t>();
    else if (json.is_array() &&
             std::all_of(json.begin(), json.end(), [](const Json& number) { return number.is_number_unsigned(); }))
        cores.numbers = json.get<std::vector<std::uint32_t>>();
}

void to_json(Json& json, const LoopIssueEvidence& from) { fields::write_all(json, from); }
void from_json(const Json& json, LoopIssueEvidence& into) { fields::read_all(json, into); }

void to_json(Json& json, const LoadEvidence& from) { fields::write_all(json, from); }
void from_json(const Json& json, LoadEvidence& into) { fields::read_all(json, into); }
void to_json(Json& json, const AtomicEvidence& from) { fields::write_all(json, from); }
void from_json(const Json& json, AtomicEvidence& into) { fields::read_all(json, into); }
void to_json(Json& json, const TelemetryEvidence& from) { fields::write_all(json, from); }
void from_json(const Json& json, TelemetryEvidence& into) { fields::read_all(json, into); }
void to_json(Json& json, const Evidence& from) { fields::write_all(json, from); }
void from_json(const Json& json, Evidence& into) { fields::read_all(json, into); }

} // namespace sonde
