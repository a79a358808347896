// The headline table, and the statements above and below it.
#include "core/report/summary.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/statistics.h"
#include "core/base/text.h"
#include "core/diagnosis/diagnosis.h"
#include "core/diagnosis/overview.h"
#include "core/diagnosis/rules.h"
#include "core/report/html.h"
#include "core/report/memory_map.h"

namespace sonde {

namespace {
/// A device's curve through the memory, whose levels the table shows; nullptr: none.
const Curve* latency_curve(const Card& card, const std::string& device) {
    for (const Curve& curve : card.curves)
        if (curve.usable() && curve.series->id == SeriesId{std::string(kLatency.name), device, "global", {}} &&
            !curve.levels.empty())
            return &curve;
    return nullptr;
}

/// While a device's latency was measured, in MHz; 0: not known.
double core_clock(const Card& card, const std::string& device) {
    std::vector<double> clocks;
    for (const Curve& curve : card.curves) {
        if (!curve.usable() || curve.series->id.device != device || !kLatency.measured(curve.series->id)) continue;
        const std::vector<double> more = clocks_of(*curve.series);
        clocks.insert(clocks.end(), more.begin(), more.end());
    }
    return clocks.empty() ? 0 : median(clocks);
}

std::string clock_text(double mhz) { return mhz > 0 ? fmt::format("{:.4g} MHz", mhz) : ""; }

std::string both_units(const Finding& level) {
    const std::string ns = level.value ? fmt::format("{:.3g} ns", *level.value) : "";
    return level.cycles ? fmt::format("{:.{}f} cycles, {}", *level.cycles, *level.cycles < 100 ? 1 : 0, ns) : ns;
}

/// A second; of DRAM in percent of the peak, of a cache what each core gets in a cycle, where that is known.
std::string rate_text(const Card& card, const Curve& latency, const Finding& level, bool dram) {
    const auto rate = read_rate(card, latency, level);
    if (!rate) return "not measured";
    const std::string text = format_si(rate->gigabytes * 1e9, "B/s"), share = share_text(card, *rate, dram);
    return share.empty() ? text : text + ", " + share;
}

using CellText = std::function<std::string(const DeviceRecord& device)>;

/// A row of a table with a cell for each device; none where no cell has a text.
std::string row_html(std::string_view kind, const std::string& title, const std::vector<const DeviceRecord*>& devices,
    const CellText& text) {
    std::string cells;
    bool any = false;
    for (const DeviceRecord* device : devices) {
        const std::string cell = text(*device);
        any |= !cell.empty();
        cells += "<td>" + escaped(cell) + "</td>";
    }
    return any ? fmt::format("<tr class=\"{}\"><th scope=\"row\">{}</th>{}</tr>\n", kind, escaped(title), cells) : "";
}

/// Why a level lacks is said once, beside its latency.
std::string level_rows(const Card& card, const std::vector<const DeviceRecord*>& devices, const std::string& level) {
    const auto cell = [&](const std::function<std::string(const Curve&, const Finding&)>& text) -> CellText {
        return [&card, &level, text](const DeviceRecord& device) -> std::string {
            const Curve* curve = latency_curve(card, device.id);
            const Finding* found = curve ? curve->reached(level) : nullptr;
            return found ? text(*curve, *found) : "";
        };
    };
    const CellText latency = [&, reached = cell([](const Curve&, const Finding& found) { return both_units(found); })](
                                 const DeviceRecord& device) -> std::string {
        const Curve* curve = latency_curve(card, device.id);
        if (!curve) return "not measured";
        return curve->reached(level) ? reached(device) : curve->passes(level) ? "not reached" : "inconclusive";
    };
    return row_html("latency", level + " latency", devices, latency) +
           row_html(
               "more", "size", devices, cell([](const Curve&, const Finding& found) { return capacity_text(found); })) +
           row_html("more", "read rate", devices, cell([&](const Curve& curve, const Finding& found) {
               return rate_text(card, curve, found, level == "DRAM");
           }));
}

std::string framed(const std::vector<const DeviceRecord*>& devices, const char* name, const std::string& rows) {
    std::string heads = "<td></td>";
    for (const DeviceRecord* device : devices) heads += fmt::format("<th scope=\"col\">{}</th>", escaped(device->id));
    return fmt::format("<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{}\"><table "
                       "class=\"headline\">\n<thead><tr>{}</tr></thead>\n<tbody>\n{}</tbody></table></div>\n",
        name, heads, rows);
}

std::string table_html(const Card& card) {
    std::vector<const DeviceRecord*> devices;
    for (const DeviceRecord* device : card.devices)
        if (std::any_of(
                card.curves.begin(), card.curves.end(), [&](const Curve& curve) { return curve.device == device; }))
            devices.push_back(device);
    if (devices.empty()) return "";
    std::string rows = row_html("facts", "driver", devices, [](const DeviceRecord& device) { return device.driver; }) +
                       row_html("facts", "core clock, measured", devices,
                           [&](const DeviceRecord& device) { return clock_text(core_clock(card, device.id)); }) +
                       row_html("facts", "cores", devices,
                           [](const DeviceRecord& device) { return device.cores ? std::to_string(device.cores) : ""; });
    const bool levels = std::any_of(
        devices.begin(), devices.end(), [&](const DeviceRecord* device) { return latency_curve(card, device->id); });
    for (std::size_t i = 0; levels && i < card.level_names.size(); ++i)
        rows += level_rows(card, devices, card.level_names[i]);
    return framed(devices, "Levels by API", rows);
}

/// The device of a card that speaks the same API as one of another card; nullptr: none.
const DeviceRecord* alike(const Card& card, const DeviceRecord& other) {
    for (const DeviceRecord* device : card.devices)
        if (device->api == other.api && latency_curve(card, device->id)) return device;
    return nullptr;
}

/// How many times the figures of each level are those of another card through the same API.
std::string ratios_html(const Card& card, const Card& base, const std::string& label) {
    std::vector<const DeviceRecord*> devices;
    for (const DeviceRecord* device : card.devices)
        if (latency_curve(card, device->id) && alike(base, *device)) devices.push_back(device);
    using Ratio = std::function<std::optional<double>(const Curve&, const Finding&, const Curve&, const Finding&)>;
    const auto cell = [&](const std::string& level, const Ratio& ratio) -> CellText {
        return [&card, &base, level, ratio](const DeviceRecord& device) -> std::string {
            const Curve &own = *latency_curve(card, device.id), &other = *latency_curve(base, alike(base, device)->id);
            const Finding *here = own.reached(level), *there = other.reached(level);
            const auto times = here && there ? ratio(own, *here, other, *there) : std::nullopt;
            return times ? fmt::format("{:.2f}", *times) : "";
        };
    };
    const Ratio latency = [](const Curve&, const Finding& here, const Curve&, const Finding& there) {
        const auto [a, b] = latencies(here, there);
        return std::optional(a / b);
    };
    const Ratio size = [](const Curve&, const Finding& here, const Curve&, const Finding& there) {
        return here.capacity_bytes->second && there.capacity_bytes->second
                   ? std::optional(std::sqrt(on(here) * off(here) / on(there) / off(there)))
                   : std::nullopt;
    };
    const Ratio rate = [&](const Curve& own, const Finding& here, const Curve& other, const Finding& there) {
        const auto a = read_rate(card, own, here), b = read_rate(base, other, there);
        return a && b ? std::optional(a->gigabytes / b->gigabytes) : std::nullopt;
    };
    std::string rows;
    for (const std::string& level : card.level_names)
        rows += row_html("latency", level + " latency", devices, cell(level, latency)) +
                row_html("more", "size", devices, cell(level, size)) +
                row_html("more", "read rate", devices, cell(level, rate));
    return rows.empty() ? "" : fmt::format("<h4>Ratio to {}</h4>\n", escaped(label)) + framed(devices, "Ratios", rows);
}

/// `number`: as `sonde diagnose` counts it.
std::string statement_html(const Statement& statement, std::size_t number) {
    std::string evidence;
    for (const std::string& line : statement.evidence) evidence += "<li><code>" + escaped(line) + "</code></li>";
    return fmt::format(
        "<li><details class=\"statement{}\" data-rule=\"{}\"><summary><span class=\"number\">{}</span><b>{}</b> <span "
        "class=\"text\">{}</span></summary><ul class=\"why\">{}</ul></details></li>\n",
        statement.kind == "suspect" ? " suspect" : "", escaped(statement.rule), number, escaped(statement.title),
        escaped(statement.text), evidence);
}

/// The doubts, or all others, under a heading.
std::string statements_html(const Statements& statements, bool doubts, const char* heading) {
    std::string items;
    for (std::size_t i = 0; i < statements.size(); ++i)
        if ((statements[i].kind == "suspect") == doubts) items += statement_html(statements[i], i + 1);
    return items.empty() ? "" : fmt::format("<h4>{}</h4>\n<ul class=\"statements\">\n{}</ul>\n", heading, items);
}

constexpr const char* kNotes = // how the tables and maps are read
    "<p class=\"note\">Table: levels of the path <code>global</code>. Size: from the last footprint measured inside "
    "the level to the first one outside. Read rate: median of reads by all cores "
    "inside the level, from a quarter of its size on; per core and cycle of the measured clock; the peak is what a "
    "driver reports of the DRAM.</p>\n"
    "<p class=\"note\">Map: levels that a load through the named path hits, each box with the nearer levels inside. "
    "Width is size, height is latency, both logarithmic, on one scale for all "
    "APIs of a card. A paler edge spans from the last footprint inside a level to the first one outside.</p>\n";

/// `base`: the card with levels that comes first, which others are compared with, and its name.
std::string card_html(const Card& card, std::span<const Run> runs, const std::map<std::string, std::size_t>& colours,
    const Card& base, const std::string& base_label) {
    const Statements statements = diagnose(card);
    const std::string profile = card.curves.empty() ? "" : text_field(runs[card.curves.front().run].header, "profile");
    return fmt::format("<p class=\"card\">{}</p>\n", escaped(card_line(card, profile))) +
           statements_html(statements, true, "Doubts") + table_html(card) +
           (&card != &base ? ratios_html(card, base, base_label) : "") + memory_map_html(card, colours) +
           (&card == &base && !card.level_names.empty() ? kNotes : "") +
           statements_html(statements, false, "Findings") +
           (statements.empty() ? "<p class=\"note\">No rule of the diagnosis found a difference between APIs or paths, "
                                 "or a doubt.</p>\n"
                               : "");
}
} // namespace

std::vector<std::string> labels_of(std::span<const Card> cards) {
    std::vector<std::string> labels;
    for (const Card& card : cards) {
        const auto same = [&](const Card& other) { return other.name == card.name; };
        const auto before = std::count_if(&*cards.begin(), &card, same);
        const std::string name = printable(card.name.empty() ? card.id : card.name);
        labels.push_back(
            std::count_if(cards.begin(), cards.end(), same) > 1 ? fmt::format("{} #{}", name, before + 1) : name);
    }
    return labels;
}

std::string subtitle_of(std::span<const Card> cards, std::span<const Run> runs) {
    std::set<std::string> apis, dates;
    std::size_t series = 0;
    for (const Run& run : runs) {
        if (const std::string started = text_field(run.header, "started"); !started.empty())
            dates.insert(started.substr(0, 10)); // another tool may not tell
        series += run.series.size();
        for (const Series& each : run.series) apis.insert(each.api);
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
    for (std::size_t i = 0; i < cards.size(); ++i) {
        if (cards.size() > 1)
            html += fmt::format("<h3>{}<span class=\"id\">{}</span></h3>\n", escaped(labels[i]), escaped(cards[i].id));
        html += card_html(cards[i], runs, colours, cards[base], labels[base]);
    }
    return html;
}

} // namespace sonde
