// The table of rules, and how a statement is written.
#include "core/diagnosis/diagnosis.h"

#include <array>
#include <set>

#include "core/diagnosis/rules.h"

namespace sonde {

namespace {
constexpr std::array kRules{
    Rule{"no_first_level", "path", "Does a path pass by the first level where another reaches it?", no_first_level},
    Rule{"smaller_first_level", "path", "Does an API get a smaller first level than another?", smaller_first_level},
    Rule{"option_moves_first_level", "path", "Does an option change where the first level ends?", option_moves_first_level},
    Rule{"extra_cycles", "path", "Does an API take the same cycles more at every level of a path?", extra_cycles},
    Rule{"constant_is_global", "path", "Is what an API calls constant memory the global path?", constant_is_global},
    Rule{"one_cache_two_paths", "path", "Do texture units and global loads end their levels at the same footprints?", one_cache_two_paths},
    Rule{"uniform_apart", "path", "Does an address that is the same in all lanes take another way?", uniform_apart},
    Rule{"scratchpad_limit", "path", "Do APIs give a workgroup different amounts of scratchpad?", scratchpad_limit},
    Rule{"host_memory", "path", "Where does each API's host memory lie, by its latency?", host_memory},
    Rule{"bandwidth_apart", "path", "Does one API carry twice of another on the same path?", bandwidth_apart},
    Rule{"buffer_elsewhere", "suspect", "Did a buffer of the device land in the system's memory?", buffer_elsewhere},
    Rule{"reported_cache", "suspect", "Does the driver report a cache size at which the curve has no edge?", reported_cache},
    Rule{"faster_than_bus", "suspect", "Is a figure higher than the memory's bus can carry?", faster_than_bus},
    Rule{"timers_disagree", "suspect", "Do the host's clock and the device's timer disagree?", timers_disagree},
    Rule{"clock_moved", "suspect", "Did the core's clock move?", clock_moved},
    Rule{"series_failed", "suspect", "Is something missing because it failed?", series_failed},
};
} // namespace

std::span<const Rule> all_rules() { return kRules; }

Json to_json(const Statement& statement) {
    const SeriesId& first = statement.from.at(0).series;
    Json from = Json::array();
    for (const Source& source : statement.from)
        from.push_back({{"probe", source.series.probe}, {"device", source.series.device}, {"path", source.series.path}, {"options", source.series.options}, {"x", source.x}});
    return {{"type", "finding"}, {"kind", statement.kind}, {"name", statement.rule}, {"probe", first.probe}, {"device", first.device},
            {"api", statement.api}, {"card", statement.card}, {"path", first.path}, {"options", first.options},
            {"text", statement.text}, {"evidence", statement.evidence}, {"from", from}};
}

std::vector<Statement> diagnose(const Card& card) {
    Card unique = card;
    std::set<SeriesId> seen;
    std::erase_if(unique.curves, [&](const Curve& curve) { return !seen.insert(curve.series->id).second; });
    std::vector<Statement> statements;
    for (const Rule& rule : all_rules()) {
        const std::size_t before = statements.size();
        rule.apply(unique, statements);
        for (std::size_t i = before; i < statements.size(); ++i) {
            statements[i].rule = rule.name;
            statements[i].kind = rule.kind;
            statements[i].card = card.id;
        }
    }
    return statements;
}

} // namespace sonde
