// The table of rules, and how a statement is written.
#include "core/diagnosis/diagnosis.h"

#include <array>
#include <set>

#include "core/diagnosis/rules.h"

namespace sonde {

namespace {
constexpr std::array kRules{
    Rule{"no_first_level", "path", "A path without the first level", no_first_level},
    Rule{"smaller_first_level", "path", "A smaller first level", smaller_first_level},
    Rule{"option_moves_first_level", "path", "An option moves the first level", option_moves_first_level},
    Rule{"cache_in_parts", "path", "Two levels that are one cache", cache_in_parts},
    Rule{"extra_cycles", "path", "The same cycles more at every level", extra_cycles},
    Rule{"constant_is_global", "path", "Constant memory that is the global path", constant_is_global},
    Rule{"one_cache_two_paths", "path", "Textures and loads as if of one cache", one_cache_two_paths},
    Rule{"uniform_apart", "path", "Another way for uniform addresses", uniform_apart},
    Rule{"scratchpad_limit", "path", "Scratchpad limits differ", scratchpad_limit},
    Rule{"host_memory", "path", "Where host memory lies", host_memory},
    Rule{"translation_apart", "path", "Translation reaches less far", translation_apart},
    Rule{"scratchpad_takes_first_level", "path", "Scratchpad in use, and what is left of the first level", scratchpad_takes_first_level},
    Rule{"bandwidth_apart", "path", "One path, bandwidths far apart", bandwidth_apart},
    Rule{"stores_slower", "path", "Stores reach the memory less fast", stores_slower},
    Rule{"atomics_joined", "path", "Additions that a compiler joins", atomics_joined},
    Rule{"bus_takes_turns", "path", "The bus's directions take turns", bus_takes_turns},
    Rule{"launches_apart", "path", "Kernels that cost more to start", launches_apart},
    Rule{"core_scratchpad", "path", "A core's scratchpad differs", core_scratchpad},
    Rule{"room_unlike_said", "path", "Room that is not what the driver names", room_unlike_said},
    Rule{"memory_in_segments", "path", "Memory in segments", memory_in_segments},
    Rule{"buffer_elsewhere", "suspect", "A buffer in the system's memory", buffer_elsewhere},
    Rule{"reported_cache", "suspect", "A reported cache that the curve does not show", reported_cache},
    Rule{"faster_than_bus", "suspect", "Faster than the bus", faster_than_bus},
    Rule{"copies_from_cache", "suspect", "Copies that a cache answered", copies_from_cache},
    Rule{"timers_disagree", "suspect", "Timers disagree", timers_disagree},
    Rule{"clock_moved", "suspect", "The clock moved", clock_moved},
    Rule{"series_failed", "suspect", "A series failed", series_failed},
};
} // namespace

std::span<const Rule> all_rules() { return kRules; }

Json to_json(const Statement& statement) {
    const SeriesId& first = statement.from.at(0).series;
    Json from = Json::array();
    for (const CitedSeries& source : statement.from) from.push_back(source_json(source.series, source.x));
    return {{"type", "finding"},    {"kind", statement.kind},   {"name", statement.rule}, {"title", statement.title},
            {"probe", first.probe}, {"device", first.device},   {"api", statement.api},   {"card", statement.card},
            {"path", first.path},   {"options", first.options}, {"text", statement.text}, {"evidence", statement.evidence},
            {"from", from}};
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
            statements[i].title = rule.title;
            statements[i].card = card.id;
        }
    }
    return statements;
}

} // namespace sonde
