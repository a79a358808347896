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
        std::erase_if(
            found, [](const Finding& finding) { return finding.kind == "level" || finding.kind == "derived"; });
        return found;
    } catch (const std::exception&) { // an option that is missing or has another word
        return {};
    }
}

namespace {
/// `measured`: the series of an id, or nullptr.
template <class Measured>
std::vector<Finding> held_to_control(const Series& series, const DeviceInfo& device, Measured measured) {
    constexpr double kProof =
        0.5; // of a level's lines: where so many are evicted, no control must tell that the level is the right one
    const Probe* probe = find_probe(series.id.probe);
    std::vector<Finding> findings = probe_findings(series, device);
    for (Finding& finding : findings) {
        const auto id = probe && probe->control ? probe->control(finding) : std::nullopt;
        if (!id || !finding.value) continue;
        const Series* control = measured(*id);
        const auto of_control = control ? probe_findings(*control, device) : std::vector<Finding>();
        const bool inconclusive = std::ranges::any_of(of_control, [](const Finding& each) { return !each.value; });
        if (inconclusive || (of_control.empty() && *finding.value <= kProof))
            finding = finding_of(series,
                Conclusion::inconclusive(fmt::format("its control {}: {}",
                    inconclusive ? "is inconclusive" : "was not measured", options_text(id->options))),
                finding.name, finding.unit, nullptr);
    }
    return findings;
}
} // namespace

std::vector<Finding> probe_findings(const Curve& curve, const Card& card) {
    return held_to_control(*curve.series, *curve.device, [&](const SeriesId& id) {
        const auto found = std::ranges::find_if(card.curves, [&](const Curve& each) { return each.series->id == id; });
        return found == card.curves.end() ? nullptr : found->series;
    });
}

std::vector<Finding> probe_findings(const Series& series, const DeviceInfo& device, const Run& run) {
    return held_to_control(series, device, [&](const SeriesId& id) {
        const auto found = std::ranges::find_if(run.series, [&](const Series& each) { return each.id == id; });
        return found == run.series.end() ? nullptr : &*found;
    });
}

std::string own_text(const Finding& finding) {
    return finding.text.substr(fmt::format("{} {}: ", finding.series.device, finding.series.path).size());
}

std::vector<SharedFinding> shared_findings(const std::vector<Finding>& findings) {
    std::vector<SharedFinding> shared;
    for (const Finding& finding : findings) {
        const SeriesId& id = finding.series;
        const std::string text = own_text(finding);
        const auto found = std::ranges::find_if(shared, [&](const SharedFinding& each) {
            return each.series.probe == id.probe && each.series.path == id.path && each.series.options == id.options &&
                   each.text == text && std::ranges::find(each.devices, id.device) == each.devices.end();
        });
        if (found == shared.end()) shared.push_back({id, text, {id.device}});
        else found->devices.push_back(id.device);
    }
    return shared;
}

} // namespace sonde
