// The fields of the lines of a results file besides series and findings.
#pragma once
#include <tuple>

#include "core/base/fields.h"
#include "core/data/results.h"
#include "core/device/device_fields.h"

namespace sonde {

template <> inline constexpr auto fields_of<Asked> =
    std::tuple{Field{"probes", &Asked::probes, "none: all", "", Presence::lenient},
        Field{"devices", &Asked::devices, "none: all", "", Presence::lenient},
        Field{"paths", &Asked::paths, "none: all", "", Presence::lenient},
        Field{"options", &Asked::options, "values asked for, by option", "", Presence::lenient},
        Field{"seconds", &Asked::seconds, "of the whole run; 0: the profile's", R"({"minimum": 0})", Presence::lenient},
        Field{"dispatch_limit_ms", &Asked::dispatch_limit_ms, "no dispatch lasts longer", R"({"minimum": 0})",
            Presence::lenient},
        Field{"seed", &Asked::seed, "of chains and data", "", Presence::lenient}};

template <> inline constexpr auto fields_of<AbsentApi> = std::tuple{
    Field{"api", &AbsentApi::api, "its name"}, Field{"reason", &AbsentApi::reason, "why", R"({"minLength": 1})"}};

template <> inline constexpr auto fields_of<ImportedFrom> =
    std::tuple{Field{"tool", &ImportedFrom::tool, "name and version", R"({"minLength": 1})"},
        Field{"file", &ImportedFrom::file, "that the tool wrote"},
        where_known("left_out", &ImportedFrom::left_out, "how many of its figures are in no series, and why")};

template <> inline constexpr auto fields_of<DeviceRecord> = std::apply(
    [](const auto& id, const auto& api, const auto&... others) {
        return std::tuple{KindField{"type", "device"}, id, api,
            Field{"card", &DeviceRecord::card, "physical card, the same through all APIs", R"({"minLength": 1})"},
            others...};
    },
    fields_of<DeviceInfo>);

template <> inline constexpr auto fields_of<RunLine> = std::tuple{KindField{"type", "run"},
    Field{"format", &RunLine::format, "of such files", R"({"enum": [2]})"}, Field{"sonde", &RunLine::sonde, "version"},
    where_known("started", &RunLine::started, "UTC; of what another tool measured only where it tells", kUtc),
    Field{"host", &RunLine::host, "system, processor, memory", R"({"type": "object"})"},
    Field{"command", &RunLine::command, "as typed"}, Field{"profile", &RunLine::profile, "how thorough"},
    Field{"selection", &RunLine::asked, "what was asked for", "", Presence::lenient},
    Field{"absent", &RunLine::absent, "APIs without devices"},
    where_known("imported", &RunLine::imported, "the tool that measured, where it was not Sonde")};

template <> inline constexpr auto fields_of<ResumeLine> = std::tuple{KindField{"type", "resume"},
    Field{"resumed", &ResumeLine::resumed, "UTC", kUtc}, Field{"command", &ResumeLine::command, "as typed"}};

template <> inline constexpr auto fields_of<EndLine> =
    std::tuple{KindField{"type", "end"}, Field{"finished", &EndLine::finished, "UTC"},
        Field{"series", &EndLine::series, "how many, by how they ended",
            R"({"type": "object", "required": ["ok", "unsupported", "failed", "unstable"],)"
            R"( "additionalProperties": {"type": "integer", "minimum": 0}})"}};

} // namespace sonde
