// Lines of a results file as JSON.
#include "core/data/results.h"

#include "core/data/results_fields.h"

namespace sonde {

void to_json(Json& json, const Asked& from) { fields::write_all(json, from); }
void from_json(const Json& json, Asked& into) { fields::read_all(json, into); }
void to_json(Json& json, const ImportedFrom& from) { fields::write_all(json, from); }
void from_json(const Json& json, ImportedFrom& into) { fields::read_all(json, into); }
void to_json(Json& json, const DeviceRecord& from) { fields::write_all(json, from); }
void from_json(const Json& json, DeviceRecord& into) {
    fields::read_all(json, into);
    for (const Fact& fact : into.facts) // of Vulkan, in older files
        if (into.pci_id.empty() && fact.name == "vendor and device id") into.pci_id = fact.value;
}
void to_json(Json& json, const RunLine& from) { fields::write_all(json, from); }
void from_json(const Json& json, RunLine& into) { fields::read_all(json, into); }
void to_json(Json& json, const ResumeLine& from) { fields::write_all(json, from); }
void from_json(const Json& json, ResumeLine& into) { fields::read_all(json, into); }
void to_json(Json& json, const EndLine& from) { fields::write_all(json, from); }
void from_json(const Json& json, EndLine& into) { fields::read_all(json, into); }

} // namespace sonde
