// The list of probes.
#include "core/probes/probes.h"

#include <array>

namespace sonde {

namespace {
constexpr std::array<const Probe*, 33> kProbes{&kLatency, &kBandwidth, &kStream, &kLine, &kTlb, &kAssociativity, &kL1PerCore, &kSharing, &kCoreSharing, &kCoreDistance, &kCarveout, &kSaturation, &kBanks, &kOccupancy, &kCoalescing, &kMix, &kSegments, &kSegmentLatency, &kChannels, &kLoadedLatency, &kBandwidthLatency, &kCoreToCore, &kAtomics, &kOperationProbe, &kRate, &kCoIssue, &kClockRead, &kDivergence, &kCodeSize, &kSustained, &kTransfer, &kLaunch, &kLimits};
} // namespace

std::span<const Probe* const> all_probes() { return kProbes; }

const Probe* find_probe(std::string_view name) {
    const auto found = std::ranges::find(kProbes, name, &Probe::name);
    return found == kProbes.end() ? nullptr : *found;
}

const Probe& probe_named(std::string_view name) {
    if (const Probe* probe = find_probe(name)) return *probe;
    throw Error(fmt::format("there is no probe '{}'", name));
}

std::vector<Finding> findings_of(const Probe& probe, const Series& series, const DeviceInfo& device) {
    if (!probe.findings || (series.status != Status::ok && series.status != Status::unstable)) return {};
    if (const std::string& none = series.evidence.none_seen; !none.empty()) return {finding_of(series, {.name = "levels", .text = none})};
    return probe.findings(series, device);
}

std::vector<std::string> names_of_probes() {
    std::vector<std::string> names;
    names.reserve(kProbes.size());
    for (const Probe* probe : kProbes) names.emplace_back(probe->name);
    return names;
}

std::vector<std::string_view> every_path() {
    std::vector<std::string_view> names;
    names.reserve(all_paths().size());
    for (const Path& path : all_paths()) names.push_back(path.name);
    return names;
}

Choice<const Path*> other_path(const std::vector<std::string_view>& names) {
    Choice<const Path*> choice{"other_path", {}};
    for (const std::string_view name : names) choice.words.emplace_back(name, &path_named(name));
    return choice;
}

} // namespace sonde
