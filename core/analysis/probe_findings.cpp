// Findings of probes, held to their controls.
#include "core/analysis/probe_findings.h"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include "core/analysis/findings.h"
#include "core/base/text.h"
#include "core/probes/probe.h"

namespace sonde {

namespace {
constexpr double kProof = 0.5; // of a level's lines: where so many are evicted, no control must tell that the level is
                               // the right one

/// All but levels, which the card's view names, and what follows from them.
std::vector<Finding> own_findings(const Curve& curve) {
    const Probe* probe = find_probe(curve.series->id.probe);
    if (!probe || curve.disturbed || has_levels(curve.series->id)) return {};
    try {
        std::vector<Finding> found = findings_of(*probe, *curve.series, *curve.device);
        std::erase_if(
            found, [](const Finding& finding) { return finding.kind == "level" || finding.kind == "derived"; });
        return found;
    } catch (const std::exception&) { // an option that is missing or has another word
        return {};
    }
}

void hold_to_control(Finding& finding, const Curve& curve, const Card& card) {
    const Probe* probe = find_probe(curve.series->id.probe);
    const auto id = probe && probe->control ? probe->control(finding) : std::nullopt;
    if (!id || !finding.value) return;
    const auto control = std::ranges::find_if(card.curves, [&](const Curve& each) { return each.series->id == *id; });
    const bool measured = control != card.curves.end() && !control->findings.empty();
    const bool inconclusive =
        measured && std::ranges::any_of(control->findings, [](const Finding& each) { return !each.value; });
    if (inconclusive || (!measured && *finding.value <= kProof))
        finding = finding_of(*curve.series,
            Conclusion::inconclusive(fmt::format("its control {}: {}",
                inconclusive ? "is inconclusive" : "was not measured", options_text(id->options))),
            finding.name, finding.unit, nullptr);
}
} // namespace

void conclude(Card& card) {
    for (Curve& curve : card.curves) curve.findings = own_findings(curve);
    std::vector<std::vector<Finding>> held; // each against what the others found by themselves
    for (const Curve& curve : card.curves) {
        held.push_back(curve.findings);
        for (Finding& finding : held.back()) hold_to_control(finding, curve, card);
    }
    for (std::size_t i = 0; i < held.size(); ++i) card.curves[i].findings = std::move(held[i]);
}

} // namespace sonde
