// The list of rules, and how a statement is written.
#include "core/diagnosis/diagnosis.h"

#include <algorithm>
#include <set>

#include "core/diagnosis/comparisons.h"
#include "core/diagnosis/rules.h"
#include "core/diagnosis/words.h"

namespace sonde {

std::span<const Rule* const> all_rules() {
#define SONDE_ADDRESS(name) &name,
    static constexpr const Rule* kRules[] = {SONDE_RULES(SONDE_ADDRESS)};
#undef SONDE_ADDRESS
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
        if (rule->apply) rule->apply(unique, statements);
        else compare(rule->name, unique, statements);
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
        const auto rank = [](const Statement& each) {
            return is_void(each) ? 0 : is_doubt(each) ? 1 : each.fact.only_some ? 2 : 3;
        };
        return rank(a) != rank(b) ? rank(a) < rank(b) : a.effect > b.effect;
    });
    return statements;
}

} // namespace sonde
