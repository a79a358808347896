// The headline table, and the statements above and below it.
#include "core/report/summary.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/analysis/few_points.h"
#include "core/base/grouped.h"
#include "core/base/text.h"
#include "core/diagnosis/card_grid.h"
#include "core/diagnosis/diagnosis.h"
#include "core/diagnosis/instruments_grid.h"
#include "core/diagnosis/overview.h"
#include "core/diagnosis/pair_grid.h"
#include "core/diagnosis/rules.h"
#include "core/diagnosis/words.h"
#include "core/report/equal_cards.h"
#include "core/report/grid_html.h"
#include "core/report/html.h"
#include "core/report/memory_map.h"
#include "core/report/pairs_html.h"

namespace sonde {

namespace {
/// Levels that may be none.
std::string few_points_html(const Card& card) {
    std::string html;
    for (const std::string& line : few_points_lines(card))
        html += fmt::format("<p class=\"note\">{}</p>\n", escaped(line));
    return html;
}

/// The tables that `sonde diagnose` prints.
std::string tables_html(const Card& card) {
    return "<div class=\"tables\">" + grid_html(levels_grid(card), "Levels by API") +
           grid_html(arithmetic_grid(card), "Arithmetic and matrix units") +
           grid_html(instruments_grid(card), "Instruments") + "</div>\n" + few_points_html(card);
}

/// How many times the figures are those of another card through the same API.
std::string ratios_html(const Card& card, const Card& base, const std::string& label) {
    const SharedRows rows = shared_rows({&card, &base});
    const Grid own = levels_grid(card, rows), other = levels_grid(base, rows);
    std::vector<std::optional<std::size_t>> alike;
    for (const std::string& id : own.columns) {
        const auto same = std::ranges::find_if(
            other.columns, [&](const std::string& each) { return base.device(each)->api == card.device(id)->api; });
        alike.push_back(same == other.columns.end()
                            ? std::nullopt
                            : std::optional(static_cast<std::size_t>(same - other.columns.begin())));
    }
    const std::string table = grid_html(ratios(own, other, alike), "Ratios");
    return table.empty() ? "" : fmt::format("<h4>Ratio to {}</h4>\n", escaped(label)) + table;
}

/// `number`: as `sonde diagnose` counts it.
std::string statement_html(const Statement& statement, std::size_t number) {
    std::string evidence;
    for (const std::string& line : statement.evidence) evidence += "<li><code>" + escaped(line) + "</code></li>";
    std::string explained(words_of(statement.rule).explained);
    if (!explained.empty()) explained = "<p>" + escaped(explained) + "</p>\n";
    std::string table = grid_html(statement.fact.grid, std::string(statement.title));
    for (const std::string& note : statement.fact.notes) table += "<p>" + escaped(note) + "</p>\n";
    return fmt::format(
        "<li><details class=\"statement{}\" data-rule=\"{}\"><summary><span class=\"number\">{}</span><b>{}</b> <span "
        "class=\"text\">{}</span></summary>{}{}<ul class=\"why\">{}</ul></details></li>\n",
        is_doubt(statement) ? " suspect" : "", escaped(statement.rule), number, escaped(statement.title),
        escaped(statement.text), explained, table, evidence);
}

/// The doubts, or all others, under a heading; those beyond the first few open on a click.
std::string statements_html(const Statements& statements, bool doubts, const char* heading) {
    constexpr std::size_t kFirst = 8;
    std::vector<std::string> items;
    for (std::size_t i = 0; i < statements.size(); ++i)
        if (is_doubt(statements[i]) == doubts) items.push_back(statement_html(statements[i], i + 1));
    if (items.empty()) return "";
    const auto list = [](std::span<const std::string> some) {
        return fmt::format("<ul class=\"statements\">\n{}</ul>\n", fmt::join(some, ""));
    };
    const auto first = std::span(items).first(std::min(items.size(), kFirst)),
               rest = std::span(items).subspan(first.size());
    std::string html = fmt::format("<h4>{}</h4>\n{}", heading, list(first));
    if (!rest.empty())
        html +=
            fmt::format("<details class=\"rest\"><summary>{} more</summary>\n{}</details>\n", rest.size(), list(rest));
    return html;
}

constexpr const char* kNotes = // how the tables and maps are read
    "<p class=\"note\">Tables: a load by pointer, and what indexing adds; a level ends between the last footprint "
    "measured inside it and the first one outside. Rates of all cores: median of reads inside the level, from a "
    "quarter of its size on; in brackets what a core gets in a clock. The peak is what a driver reports of the DRAM. "
    "As global: the path is that of global memory; unsure: not told apart from the next level.</p>\n"
    "<p class=\"note\">Map: levels that a load through the named path hits, each box with the nearer levels inside. "
    "Width is size, height is latency, both logarithmic, on one scale for all "
    "APIs of a card. A paler edge spans from the last footprint inside a level to the first one outside.</p>\n";

/// `base`: the card with levels that comes first, which others are compared with, and its name.
std::string card_html(const Card& card, std::span<const Run> runs, const std::map<std::string, std::size_t>& colours,
    const Card& base, const std::string& base_label) {
    const Statements statements = diagnose(card);
    const std::string profile = card.curves.empty() ? "" : text_field(runs[card.curves.front().run].header, "profile");
    return fmt::format("<p class=\"card\">{}</p>\n", escaped(card_line(card, profile))) +
           statements_html(statements, true, "Doubts") + tables_html(card) +
           (&card != &base ? ratios_html(card, base, base_label) : "") + memory_map_html(card, colours) +
           (&card == &base && !card.level_names.empty() ? kNotes : "") +
           statements_html(statements, false, "Findings") +
           (statements.empty() ? "<p class=\"note\">No rule of the diagnosis found a difference between APIs or paths, "
                                 "or a doubt.</p>\n"
                               : "");
}
/// What an administrator knows cards by: "#2 cuda:1 0000:00:07.0", with the number of the card's label.
std::vector<std::string> places_of(std::span<const Card> cards) {
    std::vector<std::string> places;
    places.reserve(cards.size());
    std::map<std::string, std::size_t> seen;
    for (const Card& card : cards) {
        std::string place = fmt::format("#{}", ++seen[card.name]);
        if (!card.devices.empty()) place += " " + card.devices[0]->id;
        const auto told =
            std::ranges::find_if(card.devices, [](const DeviceRecord* device) { return !device->pci.empty(); });
        if (told != card.devices.end()) place += " " + (*told)->pci;
        places.push_back(std::move(place));
    }
    return places;
}

/// Equal cards: which is slow, the medians of all, where they differ; the map and findings of the first one; then each
/// card, folded.
std::string equal_cards_html(const EqualCards& equal, std::span<const Run> runs,
    const std::map<std::string, std::size_t>& colours, const Card& base, const std::string& base_label) {
    constexpr std::size_t kMost = 30; // rows of what differs
    const Card& first = *equal.cards[0];
    const Statements statements = diagnose(first);
    const std::string profile =
        first.curves.empty() ? "" : text_field(runs[first.curves.front().run].header, "profile");
    std::string html = fmt::format("<p class=\"card\">{}</p>\n", escaped(card_line(first, profile))) +
                       statements_html(statements, true, "Doubts");
    for (const Statement& doubt : further_doubts(equal, statements))
        html += fmt::format("<p class=\"warning\">{}</p>\n", escaped(doubt.text));
    html += "<h4>Cards, by the worst number of each</h4>\n" + grid_html(rank_grid(equal), "Rank of cards");
    if (const std::string differ = grid_html(differences_grid(equal, kMost), "What differs between cards");
        !differ.empty())
        html += "<h4>What differs beyond the noise</h4>\n" + differ;
    html += "<h4>Medians, in brackets from the least to the greatest card</h4>\n<div class=\"tables\">" +
            grid_html(medians_grid(equal, [](const Card& card) { return levels_grid(card); }), "Levels by API") +
            grid_html(medians_grid(equal, arithmetic_grid), "Arithmetic and matrix units") + "</div>\n" +
            fmt::format("<h4>{}</h4>\n", escaped(equal.names[0])) + memory_map_html(first, colours) + kNotes +
            statements_html(statements, false, "Findings");
    for (std::size_t i = 0; i < equal.cards.size(); ++i)
        html +=
            fmt::format("<details class=\"rest\"><summary>{} <span class=\"id\">{}</span></summary>\n{}</details>\n",
                escaped(equal.names[i]), escaped(equal.cards[i]->id),
                card_html(*equal.cards[i], runs, colours, base, base_label));
    return html;
}
} // namespace

std::string title_of(std::span<const Card> cards) {
    constexpr std::size_t kEach = 3;
    if (cards.size() <= kEach) return fmt::format("{}", fmt::join(labels_of(cards), ", "));
    std::vector<std::string> names, texts;
    names.reserve(cards.size());
    for (const Card& card : cards) names.push_back(printable(card.name.empty() ? card.id : card.name));
    for (const auto& alike : grouped(names, [](const std::string& name) { return name; }))
        texts.push_back(alike.size() == 1 ? alike[0] : fmt::format("{} {}", alike.size(), alike[0]));
    return fmt::format("{}", fmt::join(texts, ", "));
}

std::vector<std::string> labels_of(std::span<const Card> cards) {
    std::map<std::string, std::size_t> cards_of_name, before;
    for (const Card& card : cards) ++cards_of_name[card.name];
    std::vector<std::string> labels;
    labels.reserve(cards.size());
    for (const Card& card : cards) {
        const std::string name = printable(card.name.empty() ? card.id : card.name);
        labels.push_back(cards_of_name[card.name] > 1 ? fmt::format("{} #{}", name, ++before[card.name]) : name);
    }
    return labels;
}

std::string subtitle_of(std::span<const Card> cards, std::span<const Run> runs) {
    std::set<std::string> apis, dates;
    std::size_t series = 0;
    for (const Run& run : runs) {
        if (const std::string started = text_field(run.header, "started"); !started.empty())
            dates.insert(started.substr(0, 10)); // another tool may not tell
    }
    for (const Card& card : cards) {
        series += card.curves.size();
        for (const Curve& curve : card.curves) apis.insert(curve.series->api);
    }
    return fmt::format("{} series of {} run{} through {}{}{}{}.", series, runs.size(), runs.size() == 1 ? "" : "s",
        fmt::join(apis, ", "), dates.empty() ? "" : ", measured ", fmt::join(dates, ", "),
        cards.size() > 1 ? fmt::format("; {} cards", cards.size()) : "");
}

std::string summary_html(std::span<const Card> cards, std::span<const Run> runs) {
    std::string html;
    const std::vector<std::string> labels = labels_of(cards);
    const auto colours = device_colours(cards);
    std::size_t base = 0;
    while (base + 1 < cards.size() && cards[base].level_names.empty()) ++base;
    for (const EqualCards& equal : equal_cards(runs, cards, places_of(cards))) {
        if (equal.cards.size() >= kCardsOfABlock) {
            html += fmt::format("<h3>{} equal cards, {}</h3>\n", equal.cards.size(), escaped(equal.cards[0]->name));
            html += equal_cards_html(equal, runs, colours, cards[base], labels[base]);
            continue;
        }
        for (const Card* card : equal.cards) {
            if (cards.size() > 1)
                html += fmt::format("<h3>{}<span class=\"id\">{}</span></h3>\n",
                    escaped(labels[static_cast<std::size_t>(card - cards.data())]), escaped(card->id));
            html += card_html(*card, runs, colours, cards[base], labels[base]);
        }
    }
    for (const CardPairs& pairs : pairs_of(cards)) html += pairs_html(pairs);
    return html;
}

} // namespace sonde
