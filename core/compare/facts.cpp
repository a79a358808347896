// Which of a file's own findings are compared, and how such an item is called.
#include "core/compare/facts.h"

#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>

#include "core/base/error.h"

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
constexpr double kSureEnough = 0.5; // confidence

const FactKind* fact_kind(std::string_view kind) {
    const auto found = std::find_if(kFactKinds.begin(), kFactKinds.end(), [&](const FactKind& each) { return each.kind == kind; });
    return found == kFactKinds.end() ? nullptr : &*found;
}

bool answers(const Json& line, const DeviceRun& recording, const SeriesKey& question) {
    if (text_field(line, "probe") != question.probe || text_field(line, "path") != question.path || text_field(line, "device") != text_field(*recording.device, "id")) return false;
    const auto options = line.find("options");
    if (options == line.end() || !options->is_object() || options->size() != question.options.size()) return false;
    return std::all_of(question.options.begin(), question.options.end(), [&](const auto& option) { return text_field(*options, option.first.c_str()) == option.second; });
}

/// Where a segment ends is a fact, how fast it is a curve's value; chunks that are all alike are no segments.
bool is_fact(const Json& line) {
    if (!fact_kind(text_field(line, "kind")) || (line.contains("confidence") && number_field(line, "confidence") < kSureEnough) || !(number_field(line, "value") > 0)) return false;
    const std::string name = text_field(line, "name");
    return text_field(line, "kind") != "segments" || ((name == "fast" || name == "slow") && line.contains("capacity_bytes"));
}

std::optional<std::pair<double, double>> bounds_of(const Json& line) {
    const auto bounds = line.find("capacity_bytes");
    if (bounds == line.end() || !bounds->is_array() || bounds->size() != 2 || !(*bounds)[0].is_number() || !(*bounds)[1].is_number()) return std::nullopt;
    return std::pair{(*bounds)[0].get<double>(), (*bounds)[1].get<double>()};
}

FoundFact fact_from(const Json& line) {
    const double value = number_field(line, "value");
    const auto bounds = bounds_of(line);
    return {text_field(line, "kind"), text_field(line, "name"), bounds ? "bytes" : text_field(line, "unit"), bounds.value_or(std::pair{value, value})};
}

std::vector<FoundFact> facts_in(const DeviceRun& recording, const SeriesKey& question) {
    std::vector<FoundFact> facts;
    for (const Json& line : recording.run->findings)
        if (line.is_object() && is_fact(line) && answers(line, recording, question)) facts.push_back(fact_from(line));
    return facts;
}
} // namespace

std::string FoundFact::item() const { return fmt::format(fmt::runtime(fact_kind(kind)->text), name); }

std::vector<FoundFact> facts_of(const Side& subject, const SeriesKey& question) {
    std::vector<FoundFact> facts = facts_in(subject.recordings.at(0), question);
    for (std::size_t i = 1; i < subject.recordings.size(); ++i) {
        const std::vector<FoundFact> others = facts_in(subject.recordings[i], question);
        std::erase_if(facts, [&](FoundFact& fact) {
            const auto same = std::find_if(others.begin(), others.end(), [&](const FoundFact& other) { return other.kind == fact.kind && other.name == fact.name && other.unit == fact.unit; });
            if (same == others.end()) return true;
            fact.range = {std::min(fact.range.first, same->range.first), std::max(fact.range.second, same->range.second)};
            return false;
        });
    }
    return facts;
}

} // namespace sonde
