// Which findings are compared, and how such an item is called.
#include "core/compare/side.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/probes/probe.h"

namespace sonde {

namespace {
FoundFact fact_from(const Finding& finding, const ComparedFinding& as) {
    const auto& bounds = finding.capacity_bytes;
    const auto cost = std::ranges::find_if(finding.rows, [](const FindingRow& row) { return row.unit == "ns"; });
    const bool bytes = bounds && bounds->second;
    return {.kind = finding.kind,
        .name = finding.name,
        .unit = bytes ? "bytes" : finding.unit,
        .item = fmt::format(fmt::runtime(as.item), finding.name),
        .range = bytes ? std::pair(bounds->first, *bounds->second) : std::pair(*finding.value, *finding.value),
        .cost = cost == finding.rows.end() ? std::nullopt : std::optional(cost->value)};
}

std::vector<FoundFact> facts_in(const DeviceRun& recording, const SeriesKey& question) {
    const std::vector<ComparedFinding>& compared = probe_named(question.probe).compared;
    const Curve* curve = recording.curve(question);
    std::vector<FoundFact> facts;
    if (!curve) return facts;
    for (const Finding& finding : curve->findings) {
        if (!finding.is_sure() || !(finding.value > 0.0)) continue;
        const auto as = std::ranges::find(compared, finding.kind, &ComparedFinding::kind);
        if (as != compared.end() && (!as->is_one || as->is_one(finding))) facts.push_back(fact_from(finding, *as));
    }
    return facts;
}
} // namespace

std::vector<FoundFact> facts_of(const Side& side, const SeriesKey& question) {
    std::vector<FoundFact> facts = facts_in(side.recordings.at(0), question);
    for (std::size_t i = 1; i < side.recordings.size(); ++i) {
        const std::vector<FoundFact> others = facts_in(side.recordings[i], question);
        std::erase_if(facts, [&](FoundFact& fact) {
            const auto same =
                std::find_if(others.begin(), others.end(), [&](const FoundFact& other) { return other.same(fact); });
            if (same != others.end())
                fact.range = {
                    std::min(fact.range.first, same->range.first), std::max(fact.range.second, same->range.second)};
            return same == others.end();
        });
    }
    return facts;
}

} // namespace sonde
