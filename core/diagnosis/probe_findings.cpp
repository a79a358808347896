// A file may hold anything: what a probe cannot read yields no finding.
#include "core/diagnosis/probe_findings.h"

#include <algorithm>
#include <stdexcept>

#include "core/analysis/findings.h"
#include "core/diagnosis/rules.h"
#include "core/probes/probe.h"

namespace sonde {

std::vector<Finding> probe_findings(const Series& series, const DeviceInfo& device) {
    const Probe* probe = find_probe(series.id.probe);
    if (!probe) return {};
    try {
        std::vector<Finding> found = findings_of(*probe, series, device);
        std::erase_if(found, [](const Finding& finding) { return finding.kind == "level" || finding.kind == "derived"; });
        return found;
    } catch (const std::exception&) { // an option that is missing or has another word
        return {};
    }
}

namespace {
/// The series without which a finding proves nothing: where loads evict few of a level's lines or none, the path's own must evict them. nullopt: it stands alone.
std::optional<SeriesId> control_of(const Finding& finding) {
    constexpr double kMost = 0.5; // of the lines: so many evicted are proof
    if (!kSharing.measured(finding.series) || finding.value.value_or(1) > kMost) return std::nullopt;
    SeriesId control = finding.series;
    control.options.set(option::other_path, control.path);
    return control;
}

template <class Measured> std::vector<Finding> held_to_control(std::vector<Finding> findings, const Series& series, Measured measured) {
    for (Finding& finding : findings)
        if (const auto control = control_of(finding); control && !measured(*control))
            finding = finding_of(series, Conclusion::inconclusive("its control was not measured: " + options_text(control->options)), finding.name, finding.unit, nullptr);
    return findings;
}
} // namespace

std::vector<Finding> probe_findings(const Curve& curve, const Card& card) {
    return held_to_control(probe_findings(*curve.series, *curve.device), *curve.series, [&](const SeriesId& id) {
        return std::ranges::any_of(card.curves, [&](const Curve& each) { return each.series->id == id && !each.series->points.empty(); });
    });
}

std::vector<Finding> probe_findings(const Series& series, const DeviceInfo& device, const Run& run) {
    return held_to_control(probe_findings(series, device), series, [&](const SeriesId& id) {
        return std::ranges::any_of(run.series, [&](const Series& each) { return each.id == id && !each.points.empty(); });
    });
}

std::string own_text(const Finding& finding) { return finding.text.substr(fmt::format("{} {}: ", finding.series.device, finding.series.path).size()); }

std::vector<SharedFinding> shared_findings(const std::vector<Finding>& findings) {
    std::vector<SharedFinding> shared;
    for (const Finding& finding : findings) {
        const SeriesId& id = finding.series;
        const std::string text = own_text(finding);
        const auto found = std::ranges::find_if(shared, [&](const SharedFinding& each) {
            return each.series.probe == id.probe && each.series.path == id.path && each.series.options == id.options && each.text == text && std::ranges::find(each.devices, id.device) == each.devices.end();
        });
        if (found == shared.end()) shared.push_back({id, text, {id.device}});
        else found->devices.push_back(id.device);
    }
    return shared;
}

} // namespace sonde
