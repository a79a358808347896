// Figures without footprints, put where the report's own levels are.
#include "core/report/overlay.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "core/data/footprints.h"
#include "core/probes/probe.h"
#include "core/report/html.h"

namespace sonde {

namespace {
constexpr const char* kPath = "global";

/// The first curve through the card's memory, whose levels say where figures belong.
const Curve* measure_of(std::span<const Card> cards) {
    for (const Card& card : cards)
        for (const Curve& curve : card.curves)
            if (curve.usable() && kLatency.measured(curve.series->id) && curve.series->id.path == kPath &&
                is_plain(curve.series->id.options) && curve.levels.size() > 1)
                return &curve;
    return nullptr;
}

std::string figure_html(const PublishedFigure& figure) {
    const std::string text = escaped(figure.text()), about = escaped(figure.title);
    const std::string titled = fmt::format("<span title=\"{}; no address known\">{}</span>", about, text);
    return fmt::format("{} <span class=\"id\">{}</span>",
        figure.url.empty()
            ? titled
            : fmt::format("<a href=\"{}\" title=\"{}\" rel=\"noreferrer\">{}</a>", escaped(figure.url), about, text),
        escaped(figure.method == "unknown" ? "method unknown" : figure.method));
}

/// What one device's figures say of each level, which may be several: from the lowest to the highest.
struct Overlay {
    std::string title, url, unit;
    std::map<const Finding*, std::pair<double, double>> levels;
};
} // namespace

Json overlay_of(std::span<const Card> cards, const std::vector<PublishedFigure>& figures) {
    const Curve* measure = measure_of(cards);
    std::vector<Overlay> overlays;
    for (const PublishedFigure& figure : figures) {
        const bool latency = figure.apart.empty() && figure.question.probe == kLatency.name &&
                             figure.question.path == kPath && (figure.unit == "cycles" || figure.unit == "ns");
        const Finding* level = latency && measure ? measure->seen_as(figure.level) : nullptr;
        if (!level || !std::isfinite(figure.low) || !std::isfinite(figure.high)) continue;
        auto found = std::find_if(overlays.begin(), overlays.end(),
            [&](const Overlay& each) { return each.title == figure.device && each.unit == figure.unit; });
        if (found == overlays.end())
            found = overlays.insert(overlays.end(), Overlay{figure.device, figure.url, figure.unit, {}});
        const auto [entry, made] = found->levels.try_emplace(level, figure.low, figure.high);
        if (!made)
            entry->second = {std::min(entry->second.first, figure.low), std::max(entry->second.second, figure.high)};
    }
    Json list = Json::array();
    for (const Overlay& overlay : overlays) {
        Json marks = Json::array();
        for (const auto& [level, range] : overlay.levels)
            marks.push_back(
                {{"level", measure->level_names[static_cast<std::size_t>(level - measure->levels.data())].text()},
                    {"from", level->x.front()}, {"to", level->capacity_bytes->first}, {"low", range.first},
                    {"high", range.second}});
        list.push_back({{"probe", kLatency.name}, {"title", overlay.title}, {"url", overlay.url},
            {"unit", overlay.unit}, {"marks", marks}});
    }
    return list;
}

std::string published_html(std::span<const PublishedFigure> figures, bool open) {
    std::vector<std::string> devices;
    std::map<std::string, std::map<std::string, std::string>> rows; // by what it is, by device
    for (const PublishedFigure& figure : figures) {
        if (std::find(devices.begin(), devices.end(), figure.device) == devices.end()) devices.push_back(figure.device);
        std::string& cell = rows[figure.question.text() + ": " + figure.item()][figure.device];
        cell += (cell.empty() ? "" : "<br>") + figure_html(figure);
    }
    if (rows.empty()) return "";
    const bool published =
        std::none_of(figures.begin(), figures.end(), [](const PublishedFigure& figure) { return figure.measured; });
    const char* title = published ? "Published figures" : "Figures of other sources";
    std::string heads = "<td></td>", body;
    for (const std::string& device : devices) heads += fmt::format("<th scope=\"col\">{}</th>", escaped(device));
    for (const auto& [what, cells] : rows) {
        body += fmt::format("<tr><th scope=\"row\">{}</th>", escaped(what));
        for (const std::string& device : devices)
            body += fmt::format("<td>{}</td>", cells.contains(device) ? cells.at(device) : "");
        body += "</tr>\n";
    }
    return fmt::format("<details class=\"facts\"{}><summary>{}: {}</summary>\n<div class=\"scroll\" tabindex=\"0\" "
                       "role=\"region\" aria-label=\"{}\"><table class=\"headline\">\n<thead><tr>{}</tr></thead>\n"
                       "<tbody>\n{}</tbody></table></div>\n<p class=\"note\">As their sources print them, with the "
                       "method of each; figures of different methods are not comparable.</p></details>\n",
        open ? " open" : "", title, figures.size(), title, heads, body);
}

} // namespace sonde
