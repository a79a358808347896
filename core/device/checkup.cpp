// A row of `sonde doctor` as JSON.
#include "core/device/checkup.h"

#include <tuple>

#include "core/base/fields.h"

namespace sonde {

template <> inline constexpr auto fields_of<CheckRow> = std::tuple{
    Field{"check", &CheckRow::check, "what was looked at: \"vulkan driver\", \"device node\", \"link\", ..."},
    Field{"subject", &CheckRow::subject,
        "the one of its kind: a file, variable, library or PCI address; empty where there is one only"},
    Field{"state", &CheckRow::state,
        "a note is worth knowing and breaks nothing; unknown: what was asked gave no answer"},
    Field{"found", &CheckRow::found, "one sentence"},
    Field{"mend", &CheckRow::mend, "what to do, a command where one does it; empty: nothing"}};

void to_json(Json& json, const CheckRow& from) { fields::write_all(json, from); }
void from_json(const Json& json, CheckRow& into) { fields::read_all(json, into); }

} // namespace sonde
