// The headline table and the statements.
#include "core/report/summary.h"

#include <algorithm>
#include <functional>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/statistics.h"
#include "core/base/text.h"
#include "core/diagnosis/diagnosis.h"
#include "core/diagnosis/overview.h"

namespace sonde {

namespace {
/// A device's curve through the memory, whose levels the table shows; nullptr: none.
const Curve* latency_curve(const Card& card, const std::string& device) {
    for (const Curve& curve : card.curves)
        if (curve.usable() && curve.series->id == SeriesId{"latency", device, "global", {}} && !curve.levels.empty()) return &curve;
    return nullptr;
}

std::string clock_text(const Curve* curve) {
    const std::vector<double> clocks = curve ? clocks_of(*curve->series) : std::vector<double>{};
    return clocks.empty() ? "" : fmt::format("{:.4g} MHz", median(clocks));
}

std::string latency_text(const Finding& level) {
    const std::string ns = level.value ? fmt::format("{:.3g} ns", *level.value) : "";
    return level.cycles ? fmt::format("{:.{}f} cycles, {}", *level.cycles, *level.cycles < 100 ? 1 : 0, ns) : ns;
}

std::string rate_text(const Card& card, const Curve& latency, const Finding& level) {
    const auto rate = read_rate(card, latency, level);
    return rate ? format_si(rate->gigabytes * 1e9, "B/s") : "not measured";
}

using CellText = std::function<std::string(const DeviceRecord& device)>;

/// A row of a table with a cell for each device; none where no cell has a text.
std::string row_html(std::string_view kind, const std::string& title, const std::vector<const DeviceRecord*>& devices, const CellText& text) {
    std::string cells;
    bool any = false;
    for (const DeviceRecord* device : devices) {
        const std::string cell = text(*device);
        any |= !cell.empty();
        cells += "<td>" + escaped(cell) + "</td>";
    }
    return any ? fmt::format("<tr class=\"{}\"><th scope=\"row\">{}</th>{}</tr>\n", kind, escaped(title), cells) : "";
}

std::string level_rows(const Card& card, const std::vector<const DeviceRecord*>& devices, const std::string& level) {
    const auto cell = [&](const std::function<std::string(const Curve&, const Finding&)>& text) -> CellText {
        return [&card, &level, text](const DeviceRecord& device) -> std::string {
            const Curve* curve = latency_curve(card, device.id);
            if (!curve) return "not measured";
            const Finding* found = curve->reached(level);
            return found ? text(*curve, *found) : curve->passes(level) ? "not reached" : "inconclusive";
        };
    };
    return row_html("latency", level + " latency", devices, cell([](const Curve&, const Finding& found) { return latency_text(found); })) +
           row_html("more", "capacity", devices, cell([](const Curve&, const Finding& found) { return capacity_text(found); })) +
           row_html("more", "rate", devices, cell([&card](const Curve& curve, const Finding& found) { return rate_text(card, curve, found); }));
}

std::string table_html(const Card& card) {
    std::vector<const DeviceRecord*> devices;
    for (const DeviceRecord* device : card.devices)
        if (std::any_of(card.curves.begin(), card.curves.end(), [&](const Curve& curve) { return curve.device == device; })) devices.push_back(device);
    if (devices.empty()) return "";
    std::string rows = row_html("facts", "driver", devices, [](const DeviceRecord& device) { return device.driver; }) +
                       row_html("facts", "core clock, measured", devices, [&](const DeviceRecord& device) { return clock_text(latency_curve(card, device.id)); }) +
                       row_html("facts", "cores", devices, [](const DeviceRecord& device) { return device.cores ? std::to_string(device.cores) : ""; });
    const bool levels = std::any_of(devices.begin(), devices.end(), [&](const DeviceRecord* device) { return latency_curve(card, device->id); });
    for (std::size_t i = 0; levels && i < card.level_names.size(); ++i) rows += level_rows(card, devices, card.level_names[i]);
    std::string heads = "<td></td>";
    for (const DeviceRecord* device : devices) heads += fmt::format("<th scope=\"col\">{}</th>", escaped(device->id));
    return fmt::format("<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Levels by API\"><table class=\"headline\">\n<thead><tr>{}</tr></thead>\n<tbody>\n{}</tbody></table></div>\n{}",
                       heads, rows, levels ? "<p class=\"note\">Levels of the path <code>global</code>. Capacity: from the last footprint measured inside the level to the first one outside. "
                                             "Rate: median of reads by all cores inside the level, from a quarter of its capacity on.</p>\n" : "");
}

std::string statement_html(const Statement& statement) {
    const bool doubt = statement.kind == "suspect";
    std::string evidence;
    for (const std::string& line : statement.evidence) evidence += "<li><code>" + escaped(line) + "</code></li>";
    return fmt::format("<li><details class=\"statement{}\" data-rule=\"{}\"><summary>{}<b>{}</b><span class=\"text\">{}</span></summary><ul class=\"why\">{}</ul></details></li>\n",
                       doubt ? " suspect" : "", escaped(statement.rule), doubt ? "<span class=\"kind\">doubtful</span>" : "", escaped(statement.title), escaped(statement.text), evidence);
}

std::string statements_html(const Card& card) {
    const Statements statements = diagnose(card);
    if (statements.empty()) return "<p class=\"note\">No rule of the diagnosis found a difference between APIs or paths, or a doubt.</p>\n";
    std::string html = "<ul class=\"statements\">\n";
    for (const Statement& statement : statements) html += statement_html(statement);
    return html + "</ul>\n";
}
} // namespace

std::string escaped(std::string_view text) {
    constexpr std::string_view kMarkup = "&<>\"'";
    return rewritten(text, [&](char c) { return kMarkup.find(c) == kMarkup.npos ? std::string(1, c) : fmt::format("&#{};", static_cast<int>(c)); });
}

std::vector<std::string> labels_of(std::span<const Card> cards) {
    std::vector<std::string> labels;
    for (const Card& card : cards) {
        const auto same = [&](const Card& other) { return other.name == card.name; };
        const auto before = std::count_if(&*cards.begin(), &card, same);
        const std::string& name = card.name.empty() ? card.id : card.name;
        labels.push_back(std::count_if(cards.begin(), cards.end(), same) > 1 ? fmt::format("{} #{}", name, before + 1) : name);
    }
    return labels;
}

std::string subtitle_of(std::span<const Card> cards, std::span<const Run> runs) {
    std::set<std::string> apis, dates;
    std::size_t series = 0;
    for (const Run& run : runs) {
        dates.insert(text_field(run.header, "started").substr(0, 10));
        series += run.series.size();
        for (const Series& each : run.series) apis.insert(each.api);
    }
    return fmt::format("{} series of {} run{} through {}, measured {}{}.", series, runs.size(), runs.size() == 1 ? "" : "s", fmt::join(apis, ", "), fmt::join(dates, ", "),
                       cards.size() > 1 ? fmt::format("; {} cards", cards.size()) : "");
}

std::string summary_html(std::span<const Card> cards) {
    std::string html;
    const std::vector<std::string> labels = labels_of(cards);
    for (std::size_t i = 0; i < cards.size(); ++i) {
        if (cards.size() > 1) html += fmt::format("<h3>{}<span class=\"id\">{}</span></h3>\n", escaped(labels[i]), escaped(cards[i].id));
        html += table_html(cards[i]) + statements_html(cards[i]);
    }
    return html;
}

} // namespace sonde
