// The list of probes, and what is asked of it.
#include "core/probes/probes.h"

#include "core/analysis/findings.h"

namespace sonde {

namespace {
#define SONDE_ADDRESS(name) &name,
constexpr const Probe* kProbes[] = {SONDE_PROBES(SONDE_ADDRESS)};
#undef SONDE_ADDRESS
} // namespace

std::span<const Probe* const> all_probes() { return kProbes; }

const Probe* find_probe(std::string_view name) {
    const auto* const found = std::ranges::find(kProbes, name, &Probe::name);
    return found == std::end(kProbes) ? nullptr : *found;
}

const Probe& probe_named(std::string_view name) {
    if (const Probe* probe = find_probe(name)) return *probe;
    throw Error(fmt::format("there is no probe '{}'", name));
}

Role role_of(const SeriesId& id) {
    const Probe* probe = find_probe(id.probe);
    return probe && probe->role ? probe->role(id.options) : Role::none;
}

bool needs_more_blocks(const Series& series, const DeviceInfo& device) {
    const Probe* probe = find_probe(series.id.probe);
    return probe && probe->structure && device.cpu && blocks_of(series) == 1;
}

std::vector<Finding> findings_of(const Probe& probe, const Series& series, const DeviceInfo& device) {
    if (!probe.findings || (series.status != Status::ok && series.status != Status::unstable)) return {};
    if (const std::string& none = series.evidence.none_seen; !none.empty())
        return {finding_of(series, {.name = "levels", .no_value = NoValue::not_seen, .text = none})};
    if (needs_more_blocks(series, device))
        return {finding_of(series,
            Conclusion::inconclusive("one block; what is built into a processor needs several (--profile standard)"),
            "structure", series.unit, nullptr)};
    return probe.findings(series, device);
}

std::vector<std::string> names_of_probes() {
    std::vector<std::string> names;
    names.reserve(std::size(kProbes));
    for (const Probe* probe : kProbes) names.emplace_back(probe->name);
    return names;
}

std::vector<std::string_view> every_path() {
    std::vector<std::string_view> names;
    names.reserve(all_paths().size());
    for (const Path& path : all_paths())
        if (!path.copied_only) names.push_back(path.name);
    return names;
}

Choice<const Path*> other_path(const std::vector<std::string_view>& names) {
    Choice<const Path*> choice{option::other_path, {}};
    for (const std::string_view name : names) choice.words.emplace_back(name, &path_named(name));
    return choice;
}

} // namespace sonde
