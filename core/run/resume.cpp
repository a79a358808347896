// What a results file says of its run, held against what is here.
#include "core/run/resume.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/base/names.h"
#include "core/data/profile.h"
#include "core/data/unfinished.h"
#include "core/device/path.h"
#include "core/probes/probe.h"
#include "core/run/device_words.h"

namespace sonde {

Asked asked_of(const RunOptions& options) {
    return {options.probes, options.devices, options.paths, options.options, options.seconds, options.dispatch_limit_ms,
        options.seed};
}

void take_asked(RunOptions& options, const Run& run) {
    if (run.header.contains("imported"))
        throw UsageError(fmt::format("{}: what another tool measured, which no run goes on with; start one with --out",
            options.resume.string()));
    const std::string profile = text_field(run.header, "profile");
    if (options.profile.empty()) options.profile = profile;
    Asked asked;
    try {
        const Json there = run.header.value("selection", Json::object());
        if (!there.is_object()) throw Error("not an object");
        asked = there.get<Asked>();
    } catch (const Error&) {
        throw UsageError(fmt::format("{}: what was asked for is not readable in its header", options.resume.string()));
    }
    if (text_field(run.header, "sonde") == SONDE_VERSION)
        try { // another version, which goes on with nothing here, may know others
            check_names("profile", {profile}, names_of(all_profiles()));
            check_names("probe", asked.probes, names_of_probes());
            check_names("path", asked.paths, names_of(all_paths()));
        } catch (const UsageError& error) {
            throw UsageError(fmt::format("{}: its header asks for an {}", options.resume.string(), error.what()));
        }
    options.probes = asked.probes;
    options.devices = asked.devices;
    options.paths = asked.paths;
    options.options = asked.options;
    if (options.seconds == 0) options.seconds = asked.seconds;
    if (options.seed == 0) options.seed = asked.seed;
    if (!options.dispatch_limit_ms) options.dispatch_limit_ms = asked.dispatch_limit_ms;
}

Run without_cut_short(Run run, double seconds) {
    const Json asked = run.header.value("selection", Json::object());
    const double had = asked.is_object() ? number_field(asked, "seconds") : 0;
    if (had > 0 && seconds > had) std::erase_if(run.series, gives_way);
    return run;
}

std::vector<std::string> differences(const Run& run, const RunOptions& options, const Fleet& fleet) {
    std::vector<std::string> found;
    const auto differs = [&](const std::string& what, const std::string& there, const std::string& here) {
        if (there != here) found.push_back(fmt::format("{} '{}' there, '{}' here", what, there, here));
    };
    differs("sonde", text_field(run.header, "sonde"), SONDE_VERSION);
    differs("profile", text_field(run.header, "profile"), options.profile);
    for (const DeviceRecord& device : run.devices) {
        if (!is_chosen(options.devices, device)) continue;
        const auto here = std::find_if(fleet.devices().begin(), fleet.devices().end(),
            [&](const Fleet::Entry& entry) { return entry.info.id == device.id; });
        if (here == fleet.devices().end()) {
            found.push_back(fmt::format("{} is not here", device.id));
            continue;
        }
        differs(device.id + ": card", device.card, here->info.card);
        differs(device.id + ": name", device.name, here->info.name);
        differs(device.id + ": driver", device.driver, here->info.driver);
    }
    return found;
}

bool is_there(const Run& run, const SeriesId& id) {
    return std::any_of(run.series.begin(), run.series.end(),
        [&](const Series& series) { return series.id == id && series.status != Status::failed; });
}

} // namespace sonde
