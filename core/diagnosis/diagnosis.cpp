// The list of rules, and how a statement is written.
#include "core/diagnosis/diagnosis.h"

#include <algorithm>
#include <array>
#include <set>

#include "core/diagnosis/rules.h"
#include "core/diagnosis/words.h"

namespace sonde {

std::span<const Rule* const> all_rules() {
    static constexpr std::array kRules{&card_in_use, &faster_than_peak, &l1_not_reached, &smaller_l1, &option_moves_l1,
        &cache_in_parts, &mean_of_two_kinds, &extra_cycles, &constant_is_global, &one_cache_two_paths, &uniform_apart,
        &lanes_differ, &lanes_apart, &scratchpad_limit, &host_memory, &tlb_reach, &l1_by_scratchpad, &evicts_as_own,
        &bandwidth_apart, &consecutive_apart, &random_apart, &loads_not_bytes, &operation_apart, &operation_rates_apart,
        &reruns_apart, &roundings, &instruction_caches, &alternating_instructions, &kinds_in_turn, &denormals_flushed,
        &steps_removed, &clock_under_load, &cooperative_beside_mma, &wgmma_beside_mma, &sparse_beside_dense,
        &zeros_as_integers, &library_beside, &workload_bound, &slow_fills, &dram_rates_apart, &data_compressed,
        &atomics_apart, &transfers_take_turns, &copies_by_address, &copies_on_device, &derived_cycles, &launches_apart,
        &one_workgroup, &core_scratchpad, &limit_unlike_reported, &memory_in_segments, &atomic_cache_control,
        &load_moved, &buffer_elsewhere, &reported_cache, &faster_than_l2, &copies_from_cache, &interrupted,
        &timers_disagree, &clock_moved, &cap_contradicted, &cut_short, &series_failed, &series_unstable};
    return kRules;
}

Json to_json(const Statement& statement) {
    const SeriesId& first = statement.from.at(0).series;
    Json json{{"type", "finding"}, {"kind", statement.kind}, {"name", statement.rule}, {"title", statement.title},
        {"probe", first.probe}, {"device", first.device}, {"api", statement.api}, {"card", statement.card},
        {"path", first.path}, {"options", first.options}, {"text", statement.text}, {"evidence", statement.evidence},
        {"from", statement.from}};
    const CardFact& fact = statement.fact;
    json["subject"] = statement.subject;
    json["conditions"] = statement.conditions;
    json["about"] = slots_json(fact.subject);
    json["times"] = fact.effect;
    if (const CauseWords& cause = words_of(fact.cause); fact.cause != Cause::none)
        json["cause"] = {{"name", cause.name}, {"shown_by", cause.shown_by}};
    json["notes"] = fact.notes;
    json["table"] = to_json(fact.grid);
    return json;
}

Statements diagnose(const Card& card) {
    Card unique = card;
    std::set<SeriesId> seen;
    std::erase_if(unique.curves, [&](const Curve& curve) { return !seen.insert(curve.series->id).second; });
    Statements statements;
    for (const Rule* rule : all_rules()) {
        const std::size_t before = statements.size();
        rule->apply(unique, statements);
        for (std::size_t i = before; i < statements.size(); ++i) {
            statements[i].rule = rule->name;
            statements[i].kind = rule->kind;
            statements[i].card = card.id;
            const Wording& words = words_of(rule->name);
            statements[i].title = words.title;
            statements[i].subject = filled(words.subject.name, statements[i].fact.subject);
            statements[i].conditions = filled(words.subject.conditions, statements[i].fact.subject);
            statements[i].fact.grid.name = rule->name;
            statements[i].text = fact_line(statements[i].fact, words);
        }
    }
    std::stable_sort(statements.begin(), statements.end(), [](const Statement& a, const Statement& b) {
        const auto rank = [](const Statement& each) { return is_void(each) ? 0 : is_doubt(each) ? 1 : 2; };
        return rank(a) != rank(b) ? rank(a) < rank(b) : a.effect > b.effect;
    });
    return statements;
}

} // namespace sonde
