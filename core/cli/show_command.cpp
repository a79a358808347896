// Tables and curves of a run.
#include "core/cli/commands.h"

#include <algorithm>
#include <map>
#include <ostream>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "core/analysis/card_view.h"
#include "core/analysis/derived_clock.h"
#include "core/analysis/few_points.h"
#include "core/analysis/imported.h"
#include "core/base/error.h"
#include "core/base/grouped.h"
#include "core/base/names.h"
#include "core/base/terminal.h"
#include "core/base/text.h"
#include "core/cli/pair_table.h"
#include "core/cli/pairs_text.h"
#include "core/cli/plot.h"
#include "core/diagnosis/finding_grid.h"
#include "core/facts/grid.h"
#include "core/probes/probe.h"

namespace sonde {

namespace {
/// By device: the clock by which ns become cycles where none was counted.
struct ClockOfDevice {
    double mhz = 0;
    std::string note; // whence
};
using Clocks = std::map<std::string, ClockOfDevice>;

Clocks clocks_of(const std::vector<Card>& cards) {
    Clocks clocks;
    for (const Card& card : cards)
        for (const DerivedClock& clock : derived_clocks(card))
            clocks[clock.step->series->id.device] = {clock.mhz(), clock.note()};
    return clocks;
}

/// A run, what all of its series say of its cards, and those of them that are shown: a choice changes no number.
struct Shown {
    const Run& run;
    std::vector<Card> cards = cards_of({&run, 1});
    Clocks clocks = clocks_of(cards);
    SeriesWords words{};

    bool shows(const Series& series) const { return is_chosen(words, series, run); }
    std::vector<const Series*> series() const {
        std::vector<const Series*> all;
        for (const Series& each : run.series)
            if (shows(each)) all.push_back(&each);
        return all;
    }
};

/// A card whose times no API turns into cycles, with each one's reason; empty: one counts them, or there is no time to
/// turn.
std::string no_cycles_text(const Shown& shown, const Card& card) {
    std::vector<std::string> reasons;
    for (const DeviceRecord* device : card.devices) {
        if (device->core_cycles) return "";
        if (std::ranges::none_of(shown.series(), [&](const Series* series) {
                return series->id.device == device->id && series->unit == "ns" && !series->points.empty();
            }))
            continue;
        reasons.push_back(device->clock.empty()
                              ? fmt::format("kernels of {} read no clock", device->id)
                              : fmt::format("what kernels of {} read counts time, not the core's cycles: {}",
                                    device->id, device->clock));
    }
    return reasons.empty() ? "" : fmt::format("no cycles of {}: {}", card.name, fmt::join(reasons, "; "));
}

/// Series that belong into one table: the same question, path and options on one card.
using Group = std::vector<const Series*>;

std::vector<Group> groups_of(const Shown& shown) {
    return grouped(shown.series(), [](const Series* series) {
        return std::tuple(series->id.probe, series->id.path, series->id.options, series->card);
    });
}

Quantity quantity_of_show(double value, const Series& series) {
    return quantity_in(value, series.unit).value_or(Quantity{value, Unit::count});
}

/// Cycles that no kernel counted are derived from ns.
std::optional<Quantity> cycles_beside(
    std::optional<double> counted, std::optional<double> ns, const Clocks& clocks, const Series& series) {
    if (counted) return Quantity{*counted, Unit::cycles};
    const auto clock = clocks.find(series.id.device);
    if (!ns || clock == clocks.end() || series.unit != "ns") return std::nullopt;
    return Quantity{.value = *ns * clock->second.mhz / 1e3, .unit = Unit::cycles, .derived = true};
}

Cell point_cell(const Point& point, const Clocks& clocks, const Series& series) {
    if (!point.median) return {};
    Quantity median = quantity_of_show(*point.median, series);
    if (point.low && point.high) // else another tool's
        median.quartiles = {quantity_of_show(*point.low, series).value, quantity_of_show(*point.high, series).value};
    return {median, cycles_beside(series.unit == "ns" ? point.cycles : std::nullopt, point.median, clocks, series)};
}

/// What stands at the head of a row: a size, a number, or two cores of a pair by their own numbers. No two are alike.
std::vector<std::string> row_labels(const Series& series, std::span<const double> xs) {
    const bool bytes = series.x.unit == "bytes";
    return distinct_labels(xs, [&](double x, int digits) {
        if (auto cores = pair_text(series, x)) return *std::move(cores);
        return bytes ? format_bytes_with(x, digits) : fmt::format("{:.{}g}", x, digits + 3);
    });
}

const Point* point_in(const Series& series, const std::vector<double>& xs) {
    const auto point =
        std::ranges::find_if(series.points, [&](const Point& each) { return std::ranges::count(xs, each.x) > 0; });
    return point == series.points.end() ? nullptr : &*point;
}

/// What each row holds of all series: sizes that differ by less than a thousandth are one, as where an API rounds to
/// pieces of its own, unless a series has both.
std::vector<std::vector<double>> rows_of(const Group& group) {
    constexpr double kAlike = 1.001;
    std::set<double> sizes;
    for (const Series* series : group)
        for (const Point& point : series->points) sizes.insert(point.x);
    std::vector<std::vector<double>> rows;
    for (const double x : sizes) {
        const bool alike = !rows.empty() && group[0]->x.unit == "bytes" && x < rows.back()[0] * kAlike;
        if (alike && std::ranges::none_of(group, [&](const Series* series) {
                return point_in(*series, rows.back()) && point_in(*series, {x});
            }))
            rows.back().push_back(x);
        else rows.push_back({x});
    }
    return rows;
}

Grid points_grid(const Group& group, const Clocks& clocks) {
    const bool spread = std::ranges::any_of(group, [](const Series* series) {
        return std::ranges::any_of(series->points, [](const Point& point) { return point.low && point.high; });
    });
    Grid grid{.name = "points",
        .corner = group[0]->x.name,
        .sections = {{}},
        .caption = spread ? "Median ± half the interquartile range" : "Value",
        .digits = 4};
    for (const Series* series : group) grid.columns.push_back(series->id.device);
    const std::vector<std::vector<double>> rows = rows_of(group);
    std::vector<double> xs;
    xs.reserve(rows.size());
    for (const std::vector<double>& row : rows) xs.push_back(row[0]);
    const std::vector<std::string> labels = row_labels(*group[0], xs);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        GridRow row{labels[i], {}};
        for (std::size_t k = 0; k < group.size(); ++k)
            if (const Point* point = point_in(*group[k], rows[i])) {
                row.cells.resize(k);
                row.cells.push_back(point_cell(*point, clocks, *group[k]));
            }
        grid.sections[0].rows.push_back(std::move(row));
    }
    return grid;
}

/// What begins at 0, and what goes by place, is no curve on logarithmic axes; of a room to be found only its end is of
/// interest.
bool is_curve(const Group& group) {
    const std::string& probe = group[0]->id.probe;
    if (const Probe* known = find_probe(probe); known && known->x.axis == Axis::place) return false;
    return std::none_of(group.begin(), group.end(),
        [](const Series* series) { return !series->points.empty() && series->points.front().x <= 0; });
}

void show_curves(const Group& group, std::ostream& out) {
    if (!is_curve(group)) return;
    std::vector<PlotCurve> curves;
    std::set<char> used;
    for (const Series* series : group) {
        char glyph = series->api.empty() ? '?' : series->api[0];
        while (!used.insert(glyph).second) glyph = static_cast<char>(glyph == 'z' ? '0' : glyph + 1);
        PlotCurve curve{glyph, printable(series->id.device), {}};
        for (const Point& point : series->points)
            if (point.median) curve.points.emplace_back(point.x, *point.median);
        if (!curve.points.empty()) curves.push_back(std::move(curve));
    }
    if (const std::string plot = plot_log_log(curves, group[0]->x.unit, printable(group[0]->unit), text_columns());
        !plot.empty())
        out << "\n" << plot;
}

/// Each series with what follows from it.
std::vector<SeriesFindings> findings_of(const Shown& shown, const Group& group) {
    std::vector<SeriesFindings> all;
    for (const Card& card : shown.cards)
        for (const Curve& curve : card.curves)
            if (std::ranges::find(group, curve.series) != group.end()) all.push_back({curve.series, curve.findings});
    return all;
}

/// Single values of another tool, under the heading of their series.
Grid figures_of(const Shown& shown, const Group& group) {
    std::vector<Finding> figures = figures_in(shown.run);
    std::erase_if(figures, [&](const Finding& figure) {
        return std::ranges::none_of(group, [&](const Series* series) { return series->id == figure.series; });
    });
    Grid grid = figures_grid(figures);
    for (GridSection& section : grid.sections) section.title.clear();
    return grid;
}

/// Findings that are numbers alone, under the heading of their series.
Grid table_of(const std::vector<SeriesFindings>& found) {
    std::vector<Finding> numbers;
    for (const SeriesFindings& of_series : found)
        for (const Finding& finding : of_series.findings)
            if (finding.text.empty()) numbers.push_back(finding);
    Grid grid = finding_grid(numbers);
    grid.caption = "Findings";
    for (GridSection& section : grid.sections) section.title.clear();
    return grid;
}

void show_group(const Shown& shown, const Group& group, std::ostream& out) {
    const std::string options = options_text(group[0]->id.options);
    out << "\n"
        << styled(Style::heading, wrapped(printable(fmt::format("== {} {}{}{}  [{}]", group[0]->id.probe,
                                              group[0]->id.path, options.empty() ? "" : " ", options, group[0]->card)),
                                      text_columns(), 4));
    for (const Series* series : group)
        if (const std::string reason = reason_text(*series); !reason.empty() || series->status != Status::ok) {
            const std::string text =
                wrapped(printable(fmt::format("{} {}: {}", series->id.device,
                            series->status == Status::ok ? "note" : to_text(series->status), reason)),
                    text_columns(), 4);
            out << (series->status == Status::ok
                        ? text
                        : styled(series->status == Status::failed ? Style::failure : Style::doubt, text));
        }
    const std::vector<SeriesFindings> found = findings_of(shown, group);
    if (std::ranges::any_of(group, [](const Series* series) { return has_many_pairs(*series); }))
        out << grid_text(grid_by_core(found), text_columns())
            << wrapped("What each pair takes: --csv", text_columns(), 4);
    else out << grid_text(points_grid(group, shown.clocks), text_columns());
    show_curves(group, out);
    out << grid_text(figures_of(shown, group), text_columns());
    if (const Grid table = table_of(found); !table.empty()) out << "\n" << grid_text(table, text_columns());
    for (const auto& [series, findings] : found)
        for (const Finding& finding : findings)
            if (!finding.text.empty())
                out << wrapped(printable(finding.line()), text_columns(), 4); // levels stand in their table
}

GridRow level_row(const std::string& name, const Finding& level, const Clocks& clocks, const Series& series) {
    const Quantity latency = quantity_in(level.value.value_or(0), level.unit).value_or(Quantity{});
    const auto bytes = [](std::optional<double> number) {
        return number ? Cell(Quantity{*number, Unit::bytes}) : Cell();
    };
    std::vector<Cell> cells{{latency, cycles_beside(level.cycles, level.value, clocks, series)}, Cell(),
        level.confidence ? Cell(Quantity{*level.confidence, Unit::share}) : Cell()};
    if (level.edge_bytes) cells[1] = open_range(level.edge_bytes->first, level.edge_bytes->second, Unit::bytes);
    else if (level.capacity_bytes)
        cells[1] = open_range(level.capacity_bytes->first, level.capacity_bytes->second, Unit::bytes);
    if (level.tlb_beyond_bytes || level.rises_to_bytes) cells.push_back(bytes(level.tlb_beyond_bytes));
    if (level.rises_to_bytes) cells.push_back(bytes(level.rises_to_bytes));
    return {name, std::move(cells)};
}

/// A section for each series that is shown; the card's others decide which columns there are, too.
Grid levels_shown(const Shown& shown, const Card& card) {
    Grid grid{.name = "levels",
        .columns = {"latency", "ends at", "confidence", "slower beyond, by the TLB", "rises without a plateau to"}};
    std::size_t columns = 0;
    for (const Curve& curve : card.curves) {
        const SeriesId& id = curve.series->id;
        const std::string options = options_text(id.options);
        GridSection section{fmt::format("{} {}{}{}", id.device, id.path, options.empty() ? "" : " ", options), {}};
        for (std::size_t i = 0; i < curve.levels.size(); ++i) {
            section.rows.push_back(
                level_row(curve.level_names[i].text(), curve.levels[i], shown.clocks, *curve.series));
            columns = std::max(columns, section.rows.back().cells.size());
        }
        if (shown.shows(*curve.series)) grid.sections.push_back(std::move(section));
    }
    grid.columns.resize(columns);
    return grid;
}

void show_levels(const Shown& shown, const Card& card, std::ostream& out) {
    const Grid grid = levels_shown(shown, card);
    if (grid.empty()) return;
    out << "\n"
        << styled(Style::heading,
               wrapped(printable(fmt::format("== levels of {}  [{}]", card.name, card.id)), text_columns(), 4))
        << grid_text(grid, text_columns());
    Card chosen = card;
    std::erase_if(chosen.curves, [&](const Curve& curve) { return !shown.shows(*curve.series); });
    for (const std::string& line : few_points_lines(chosen)) out << wrapped(printable(line), text_columns(), 4);
}

std::string csv_number(const std::optional<double>& value) { return value ? fmt::format("{}", *value) : ""; }

void show_csv(const Shown& shown, std::ostream& out) {
    for (const Series* each : shown.series())
        for (const Point& point : each->points) {
            const Series& series = *each;
            const std::string fields[] = {series.id.probe, series.id.device, series.api, series.card, series.id.path,
                options_text(series.id.options), to_text(series.status), series.x.name, csv_number(point.x),
                series.x.unit, csv_number(point.median), csv_number(point.low), csv_number(point.high), series.unit,
                csv_number(point.cycles), csv_number(point.clock_mhz)};
            for (const std::string& field : fields) out << csv_field(field) << ",";
            out << point.samples.size() / 2 << "," << pair_text(series, point.x).value_or("") << "\n";
        }
}
/// The words of the command. Throws UsageError where a probe's name is another file's.
SeriesWords words_of(const ShowOptions& options) {
    SeriesWords words = options.series;
    for (const std::string& probe : options.probes) {
        if (std::error_code unknown; !find_probe(probe) && std::filesystem::is_regular_file(probe, unknown))
            throw UsageError(
                fmt::format("show takes one file, and '{}' is a second; compare and report take several", probe));
        words.probes.push_back(probe);
    }
    return words;
}

/// Those that have a series; of a run without any all.
void show_devices(const Shown& shown, std::ostream& out) {
    const Group series = shown.series();
    for (const DeviceRecord& device : shown.run.devices)
        if (series.empty() ||
            std::ranges::any_of(series, [&](const Series* each) { return each->id.device == device.id; }))
            out << wrapped(
                printable(fmt::format("{:<12} {} ({})", device.id, device.name, device.driver)), text_columns(), 13);
}

void show_run(const Shown& shown, std::ostream& out) {
    const Run& run = shown.run;
    const std::string source = source_text(run);
    if (!source.empty())
        out << wrapped(
            printable(fmt::format(
                "values of {}, not measured by Sonde; of a single value the tool does not tell its place on an axis",
                source)),
            text_columns(), 4);
    else
        out << fmt::format("sonde {}, started {}, profile {}\n", printable(text_field(run.header, "sonde")),
            printable(text_field(run.header, "started")), printable(text_field(run.header, "profile")));
    show_devices(shown, out);
    for (const auto& [device, clock] : shown.clocks) out << wrapped(printable(clock.note), text_columns(), 4);
    for (const Card& card : shown.cards)
        if (const std::string text = source.empty() ? no_cycles_text(shown, card) : ""; !text.empty())
            out << wrapped(printable(text), text_columns(), 4);
    for (const Card& card : shown.cards) show_levels(shown, card, out);
    for (const Group& group : groups_of(shown)) show_group(shown, group, out);
    std::vector<Card> cards = shown.cards;
    leave_out(cards, shown.words, {&run, 1});
    show_pairs(cards, true, out);
    if (run.end.is_null()) out << "\nThe run did not finish: this is what it had measured.\n";
}
} // namespace

int show_command(const ShowOptions& options, std::ostream& out, std::ostream& errors) {
    const std::vector<Run> runs = read_runs_and_warn(options.file, errors, options.as);
    const SeriesWords words = words_of(options);
    check_choice(words, pointers_to(runs), options.file.string());
    if (options.csv)
        out << "probe,device,api,card,path,options,status,x_name,x,x_unit,median,low,high,unit,cycles,clock_mhz,pairs,"
               "cores\n";
    for (std::size_t i = 0; i < runs.size(); ++i) {
        if (!options.csv && i > 0) out << "\n";
        const Shown shown{.run = runs[i], .words = words};
        options.csv ? show_csv(shown, out) : show_run(shown, out);
    }
    return 0;
}

} // namespace sonde
