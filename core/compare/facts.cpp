// Which of a file's own findings are compared, and how such an item is called.
#include "core/compare/side.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace sonde {

namespace {
/// Kinds of findings that are numbers of their own, and how an item of it is called; {}: the finding's name.
struct FactKind {
    std::string_view kind, text;
};
constexpr std::array kFactKinds{
    FactKind{"line", "line of {}"},     FactKind{"fetch", "fetched on a miss of {}"}, FactKind{"tlb", "reach of {}"},      FactKind{"banks", "banks"},
    FactKind{"limits", "limit of {}"},     FactKind{"l1-per-core", "caches of {}"},       FactKind{"core-sharing", "cores at {}"}, FactKind{"associativity", "ways of {}"},
    FactKind{"segments", "{} segment"},
};

const FactKind* fact_kind(std::string_view kind) {
    const auto found = std::find_if(kFactKinds.begin(), kFactKinds.end(), [&](const FactKind& each) { return each.kind == kind; });
    return found == kFactKinds.end() ? nullptr : &*found;
}

/// Where a segment ends is a fact, how fast it is a curve's value; chunks that are all alike are no segments.
bool is_fact(const Finding& finding) {
    if (!fact_kind(finding.kind) || !finding.is_sure() || !(finding.value > 0.0)) return false;
    return finding.kind != "segments" || ((finding.name == "fast" || finding.name == "slow") && finding.capacity_bytes);
}

FoundFact fact_from(const Finding& finding) {
    if (const auto& bounds = finding.capacity_bytes; bounds && bounds->second) return {finding.kind, finding.name, "bytes", {bounds->first, *bounds->second}};
    return {finding.kind, finding.name, finding.unit, {*finding.value, *finding.value}};
}

std::vector<FoundFact> facts_in(const DeviceRun& recording, const SeriesKey& question) {
    const SeriesId asked{question.probe, recording.device->id, question.path, question.options};
    std::vector<FoundFact> facts;
    for (const Json& line : recording.run->findings) {
        if (text_field(line, "probe") != asked.probe || text_field(line, "path") != asked.path) continue;
        if (const auto finding = finding_from(line); finding && finding->series == asked && is_fact(*finding)) facts.push_back(fact_from(*finding));
    }
    return facts;
}
} // namespace

std::string FoundFact::item() const { return fmt::format(fmt::runtime(fact_kind(kind)->text), name); }

std::vector<FoundFact> facts_of(const Side& side, const SeriesKey& question) {
    std::vector<FoundFact> facts = facts_in(side.recordings.at(0), question);
    for (std::size_t i = 1; i < side.recordings.size(); ++i) {
        const std::vector<FoundFact> others = facts_in(side.recordings[i], question);
        std::erase_if(facts, [&](FoundFact& fact) {
            const auto same = std::find_if(others.begin(), others.end(), [&](const FoundFact& other) { return other.same(fact); });
            if (same != others.end()) fact.range = {std::min(fact.range.first, same->range.first), std::max(fact.range.second, same->range.second)};
            return same == others.end();
        });
    }
    return facts;
}

} // namespace sonde
