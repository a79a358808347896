// The data of the page, and the template filled.
#include "core/report/page.h"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/analysis/derived_clock.h"
#include "core/base/error.h"
#include "core/base/grouped.h"
#include "core/base/text.h"
#include "core/data/shared_options.h"
#include "core/device/matrix_form.h"
#include "core/device/operation.h"
#include "core/diagnosis/finding_grid.h"
#include "core/diagnosis/matrix.h"
#include "core/diagnosis/workloads.h"
#include "core/probes/probe.h"
#include "core/report/equal_cards.h"
#include "core/report/html.h"
#include "core/report/memory_map.h"
#include "core/report/overlay.h"
#include "core/report/pack.h"
#include "core/report/summary.h"

namespace sonde {

struct EmbeddedPage { // report/, written by cmake/embed.cpp
    std::string_view name, text;
};
std::span<const EmbeddedPage> embedded_page();

namespace {
std::string_view part(std::string_view name) {
    for (const EmbeddedPage& file : embedded_page())
        if (file.name == name) return file.text;
    throw Error(fmt::format("{} is not in this executable", name));
}

/// Six digits: what is drawn or told; the files' own text keeps the rest.
double rounded(double number) { return std::strtod(fmt::format("{:.6g}", number).c_str(), nullptr); }

Json rounded_or_null(const std::optional<double>& number) { return number ? Json(rounded(*number)) : Json(nullptr); }

using Clocks = std::vector<DerivedClock>; // of a card

/// By which its ns become cycles where no kernel of it counts any; null: there is none, or some does.
const DerivedClock* clock_of(const Curve& curve, const Clocks& clocks) {
    const Series& series = *curve.series;
    if (series.unit != "ns" ||
        std::ranges::any_of(series.points, [](const Point& point) { return point.cycles.has_value(); }))
        return nullptr;
    const auto found = std::ranges::find_if(clocks, [&](const DerivedClock& clock) {
        return clock.step->run == curve.run && clock.step->series->id.device == series.id.device;
    });
    return found == clocks.end() ? nullptr : &*found;
}

Json level_json(const Finding& level, const DerivedClock* clock) {
    const Json derived =
        clock && level.value && level.unit == "ns" ? Json(rounded(*level.value * clock->mhz() / 1e3)) : Json(nullptr);
    return {{"ns", rounded_or_null(level.value)}, {"cycles", rounded_or_null(level.cycles)}, {"derived", derived},
        {"last_inside", level.capacity_bytes->first}, {"first_outside", rounded_or_null(level.capacity_bytes->second)},
        {"capacity", capacity_text(level)}};
}

Json cell_json(const MatrixCell& cell, const Clocks& clocks) {
    Json json = {{"reach", to_text(cell.reach)}};
    if (cell.level) json["level"] = level_json(*cell.level, cell.curve ? clock_of(*cell.curve, clocks) : nullptr);
    if (const std::string reason = cell.curve ? reason_text(*cell.curve->series) : ""; !reason.empty())
        json["reason"] = reason;
    return json;
}

Json matrix_json(const Matrix& matrix, const Clocks& clocks) {
    Json devices = Json::array(), rows = Json::array();
    for (const DeviceRecord* device : matrix.devices) devices.push_back(device->id);
    for (const MatrixRow& row : matrix.rows) {
        Json cells = Json::array();
        for (const MatrixCell& cell : row.cells) cells.push_back(cell_json(cell, clocks));
        rows.push_back({{"path", row.path}, {"options", options_text(row.options)}, {"level", row.level.text()},
            {"cells", cells}});
    }
    return {{"devices", devices}, {"rows", rows}};
}

/// Whose levels a map shows: a lane's own array is no view of the card's memory.
const char* family_name(const Curve& curve) {
    if (!curve.path) return "";
    return curve.path->stage == Stage::each_lane ? "private" : to_text(family_of(*curve.path));
}

/// What the vendor documents for the rate of an operation at the clock that the card ran at, in the series' unit; null:
/// nothing, or no clock is known.
Json documented_peak(const Card& card, const Curve& curve) {
    const Operation* operation = operation_of(curve.series->id.options);
    const auto best =
        std::ranges::max_element(curve.series->points, {}, [](const Point& point) { return point.median.value_or(0); });
    if (!operation || curve.series->unit != "Gop/s" || option::cores.asked(curve.series->id.options) ||
        best == curve.series->points.end() || !best->clock_mhz || !curve.device->cores)
        return nullptr;
    for (const DeviceRecord* device : card.devices) // any API of the card may name its chip
        if (const auto rate = operation->matrix ? documented_rate(*operation->matrix, device->facts)
                                                : documented_rate(*operation, device->facts))
            return rounded(*rate * curve.device->cores * *best->clock_mhz / 1e3);
    return nullptr;
}

/// The DRAM's peak in GB/s, which is a line among rates of the card's own memory, or an operation's; null: not known,
/// or no such rates.
Json peak_of(const Card& card, const Curve& curve) {
    const Probe* probe = find_probe(curve.series->id.probe);
    if (!probe || probe->peak == Peak::none) return nullptr;
    if (probe->peak == Peak::documented) return documented_peak(card, curve);
    const double peak = card.largest(&DeviceInfo::bus_bytes_per_second) / 1e9;
    return std::string_view(family_name(curve)) == to_text(Family::memory) && peak > 0 ? Json(rounded(peak))
                                                                                       : Json(nullptr);
}

/// What the places of its axis are called; null: they are numbers.
Json places_of(const SeriesId& id) {
    const Probe* probe = find_probe(id.probe);
    const auto names = probe && probe->places ? probe->places(id.options) : std::span<const std::string_view>();
    return names.empty() ? Json(nullptr) : Json(std::vector<std::string>(names.begin(), names.end()));
}

/// `run` and `at`, a line, find the series in the files' texts.
Json series_json(const Card& card, const Curve& curve, const Clocks& clocks) {
    const DerivedClock* clock = clock_of(curve, clocks);
    const Series& series = *curve.series;
    Json levels = Json::array(), found = Json::array(), value, groups; // of cores: the order in which a map is drawn
    for (const Finding& finding : curve.findings) {
        if (!finding.text.empty()) found.push_back(finding.text);
        if (value.is_null() && finding.value)
            value = {{"number", rounded(*finding.value)}, {"unit", finding.unit},
                {"cycles", rounded_or_null(finding.cycles)}};
        if (!finding.groups.empty()) groups = finding.groups;
    }
    for (std::size_t i = 0; i < curve.levels.size(); ++i) {
        levels.push_back(level_json(curve.levels[i], clock));
        levels.back()["name"] = curve.level_names[i].text();
    }
    return {{"run", curve.run}, {"at", series.line}, {"id", series.id.text()}, {"family", family_name(curve)},
        {"probe", series.id.probe}, {"device", series.id.device}, {"api", series.api}, {"path", series.id.path},
        {"options", options_text(series.id.options)}, {"status", to_text(series.status)},
        {"reason", reason_text(series)}, {"unit", series.unit},
        {"derived", clock ? Json{{"mhz", rounded(clock->mhz())}, {"note", clock->note()}} : Json(nullptr)},
        {"peak", peak_of(card, curve)}, {"x_name", series.x.name}, {"x_unit", series.x.unit},
        {"x_places", places_of(series.id)}, {"points", series.points.size()}, {"levels", levels}, {"value", value},
        {"groups", groups}, {"found", found}};
}

Json rooflines_json(const Card& card) {
    Json list = Json::array();
    for (const Roofline& roofline : rooflines_of(card)) {
        Json ceilings = Json::array(), roofs = Json::array(), points = Json::array();
        for (const auto& each : roofline.ceilings)
            ceilings.push_back({{"name", each.name}, {"rate", rounded(each.rate)}});
        for (const auto& each : roofline.roofs) roofs.push_back({{"name", each.name}, {"rate", rounded(each.rate)}});
        for (const auto& each : roofline.points)
            points.push_back({{"name", each.name}, {"x", rounded(each.x)}, {"y", rounded(each.y)}});
        list.push_back({{"device", roofline.device}, {"ceilings", ceilings}, {"roofs", roofs}, {"points", points}});
    }
    return list;
}

/// What probes found, a table for each probe, path and options.
Json found_json(const Card& card) {
    std::vector<Finding> findings;
    for (const Curve& curve : card.curves)
        findings.insert(findings.end(), curve.findings.begin(), curve.findings.end());
    const auto asked = [](const Finding& finding) {
        return std::tuple(finding.series.probe, finding.series.path, finding.series.options);
    };
    Json tables = Json::array();
    for (const std::vector<Finding>& alike : grouped(findings, asked)) {
        const SeriesId& id = alike[0].series;
        const GridTexts texts = texts_of(finding_grid(alike, card.devices));
        tables.push_back({{"probe", id.probe}, {"path", id.path}, {"options", options_text(id.options)},
            {"header", texts.header}, {"rows", texts.rows}});
    }
    return tables;
}

Json card_json(const Card& card, const std::string& label) {
    Json devices = Json::array(), series = Json::array();
    for (const DeviceRecord* device : card.devices) devices.push_back(*device);
    const Clocks clocks = derived_clocks(card);
    for (const Curve& curve : card.curves) series.push_back(series_json(card, curve, clocks));
    return {{"id", card.id}, {"label", label}, {"devices", devices}, {"matrix", matrix_json(matrix_of(card), clocks)},
        {"series", series}, {"found", found_json(card)}, {"rooflines", rooflines_json(card)}};
}

/// What the scripts have to know of a probe; of one that this program does not know they draw plain curves.
Json note_of(const Probe* probe) {
    constexpr const char* kAxes[] = {"footprint", "amount", "place"};
    constexpr const char* kCharts[] = {"curve", "cores", "core_pairs", "memory_map", "facts", "table"};
    if (!probe)
        return {{"question", ""}, {"explanation", ""}, {"chart", kCharts[0]}, {"axis", kAxes[1]}, {"one_path", false}};
    return {{"question", probe->question}, {"explanation", probe->explanation},
        {"chart", kCharts[static_cast<std::size_t>(probe->chart)]},
        {"axis", kAxes[static_cast<std::size_t>(probe->x.axis)]}, {"one_path", probe->paths.size() == 1}};
}

std::string warnings_html(std::span<const PageFile> files, std::span<const Run> runs) {
    std::string html;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        std::vector<std::string> warnings = runs[i].warnings;
        if (runs[i].end.is_null())
            warnings.push_back(files[i].name + ": the run did not finish; this is what it had measured");
        for (const std::string& warning : warnings) html += "<p class=\"warning\">" + escaped(warning) + "</p>\n";
    }
    return html;
}

/// The template with each {{name}} replaced by what `value` gives for it, once: what is put in is not looked at again.
std::string filled(std::string_view text, const std::function<std::string(std::string_view)>& value) {
    std::string out;
    for (;;) {
        const std::size_t from = text.find("{{"), to = text.find("}}", from);
        out += text.substr(0, from);
        if (from == std::string_view::npos || to == std::string_view::npos) return out;
        out += value(text.substr(from + 2, to - from - 2));
        text.remove_prefix(to + 2);
    }
}
} // namespace

Json page_data(
    std::span<const PageFile> files, std::span<const Run> runs, std::span<const Card> seen, const Json& published) {
    Json run_list = Json::array(), cards = Json::array(), probes = Json::object();
    for (std::size_t i = 0; i < files.size(); ++i)
        run_list.push_back({{"file", files[i].name}, {"bytes", files[i].text.size()}, {"header", runs[i].header},
            {"end", runs[i].end}});
    for (const Card& card : seen)
        for (const Curve& curve : card.curves)
            if (const std::string& probe = curve.series->id.probe; !probes.contains(probe))
                probes[probe] = note_of(find_probe(probe));
    const std::vector<std::string> labels = labels_of(seen);
    std::vector<bool> shown(seen.size(), true); // of many equal cards the first alone
    for (const std::vector<std::size_t>& equal : groups_of_equal(seen))
        for (std::size_t i = 1; i < equal.size() && equal.size() >= kCardsOfABlock; ++i) shown[equal[i]] = false;
    for (std::size_t i = 0; i < seen.size(); ++i) {
        cards.push_back(card_json(seen[i], labels[i]));
        cards.back()["shown"] = static_cast<bool>(shown[i]);
    }
    return {{"runs", run_list}, {"cards", cards}, {"colours", device_colours(seen)}, {"probes", probes},
        {"published", published}};
}

std::string script_json(const Json& data) {
    return rewritten(json_text(data, JsonForm::ascii),
        [](char c) { return c == '<' || c == '>' || c == '&' ? fmt::format("\\u{:04x}", c) : std::string(1, c); });
}

std::string page_html(std::span<const PageFile> files, std::span<const Run> runs, std::span<const Card> cards,
    const std::string& nonce, const std::vector<PublishedFigure>& published) {
    const std::map<std::string_view, std::function<std::string()>> parts{
        {"title",
            [&] {
                return cards.empty() ? (published.empty() ? "Sonde" : "Published figures") : escaped(title_of(cards));
            }},
        {"subtitle",
            [&] { return runs.empty() ? "No run: what others have published." : escaped(subtitle_of(cards, runs)); }},
        {"summary",
            [&] {
                return warnings_html(files, runs) + summary_html(cards, runs) + published_html(published, runs.empty());
            }},
        {"version", [] { return std::string(SONDE_VERSION); }},
        {"nonce", [&] { return nonce; }},
        {"style", [] { return std::string(part("report/page.css")); }},
        {"data", [&] { return script_json(page_data(files, runs, cards, overlay_of(cards, published))); }},
        {"raw",
            [&] {
                std::string raw;
                for (const PageFile& file : files)
                    raw += fmt::format("<script type=\"text/plain\" class=\"raw\">{}</script>\n", pack(file.text));
                return raw;
            }},
        {"scripts",
            [&] {
                std::string scripts;
                for (const EmbeddedPage& file : embedded_page())
                    if (file.name.ends_with(".js"))
                        scripts += fmt::format("<script nonce=\"{}\">\n{}</script>\n", nonce, file.text);
                return scripts;
            }},
    };
    return filled(part("report/page.html"), [&](std::string_view name) { return parts.at(name)(); });
}

} // namespace sonde
