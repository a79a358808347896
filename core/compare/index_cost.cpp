#include "core/compare/index_cost.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "core/data/shared_options.h"
#include "core/device/path.h"
#include "core/probes/probe.h"

namespace sonde {

namespace {
constexpr double kSameLoad = 0.02;   // ln: loads by pointer are the same instruction
constexpr double kWorthwhile = 0.05; // of a load within L1: an index that costs less explains nothing

/// L1 on a path, where both sides have a value of it.
const Comparison* nearest_level(const std::vector<Comparison>& comparisons, std::string_view path) {
    const auto found = std::ranges::find_if(comparisons, [&](const Comparison& each) {
        return each.question.probe == kLatency.name && each.question.path == path && each.question.options.empty() &&
               each.kind == Kind::level && each.item == LevelName::cache(1).text() && each.a.value && each.b.value;
    });
    return found == comparisons.end() ? nullptr : &*found;
}

bool is_load_by_index(const Comparison& comparison) {
    const Probe* probe = find_probe(comparison.question.probe);
    const bool of_latency =
        probe && probe->unit == "ns" && !probe->by_cycles && !option::operation.asked(comparison.question.options);
    const bool value =
        comparison.kind == Kind::level || comparison.kind == Kind::point || comparison.kind == Kind::edge;
    const Path* path = find_path(comparison.question.path);
    const bool by_index = path && path->space == Space::global && path->stage == Stage::nothing;
    return of_latency && value && by_index && comparison.a.value && comparison.low;
}
} // namespace

std::optional<IndexCost> index_cost(const std::vector<Comparison>& comparisons) {
    const Comparison *by_index = nearest_level(comparisons, "global"),
                     *by_pointer = nearest_level(comparisons, "global.pointer");
    if (!by_index || !by_pointer || by_index->unit != by_pointer->unit) return std::nullopt;
    if (std::abs(std::log(*by_pointer->b.value / *by_pointer->a.value)) > kSameLoad) return std::nullopt;
    const IndexCost cost{
        *by_index->a.value - *by_pointer->a.value, *by_index->b.value - *by_pointer->b.value, by_index->unit};
    return std::abs(cost.more()) > kWorthwhile * *by_pointer->a.value ? std::optional(cost) : std::nullopt;
}

void explain_by_index(std::vector<Comparison>& comparisons) {
    std::map<std::pair<std::string, std::string>, std::vector<Comparison>> pairs;
    for (const Comparison& each : comparisons) pairs[{each.a.label, each.b.label}].push_back(each);
    std::map<std::pair<std::string, std::string>, std::optional<IndexCost>> costs;
    for (const auto& [labels, of_pair] : pairs) costs[labels] = index_cost(of_pair);
    for (Comparison& each : comparisons) {
        const auto& cost = costs[{each.a.label, each.b.label}];
        if (!cost || !each.differs || !is_load_by_index(each) || each.unit != cost->unit) continue;
        const double ratio = 1 + cost->more() / *each.a.value;
        if (ratio >= *each.low && ratio <= *each.high) each.by_index = cost->more();
    }
}

} // namespace sonde
