// Which places of a sweep become columns, and what of its options and evidence stands in front of a row and behind it.
#include "core/diagnosis/point_grid.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <functional>
#include <set>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/analysis/findings.h"
#include "core/base/grouped.h"
#include "core/base/text.h"
#include "core/data/shared_options.h"
#include "core/device/matrix_form.h"
#include "core/probes/probe.h"

namespace sonde {

namespace {
constexpr std::size_t kMostPlaces = 9, kPicked = 7; // all places, or so many of more
constexpr double kNear = 0.4;                       // of the distance between picked places
constexpr double kSamePlace = 1.02;                 // times: footprints that APIs round to pieces of their own
constexpr double kAlikeFootprints = 1.2;            // times

bool by_pattern(const Series& series) { return series.x.name == "place" && option::pattern.asked(series.id.options); }
std::string axis_text(const Series& series) {
    return std::string(
        by_pattern(series) ? axis_of(option::pattern.in(series.id.options)) : std::string_view(series.x.name));
}

bool at_place(const Series& series, const CurvePoint& point, double place) {
    return point.x == place || (series.x.unit == "bytes" && std::max(point.x / place, place / point.x) < kSamePlace);
}

std::vector<double> places_in(const Curves& group) {
    std::set<double> all;
    for (const Curve* curve : group)
        for (const CurvePoint& point : curve_of(*curve->series)) {
            const auto next = all.lower_bound(point.x);
            const bool below = next != all.begin() && *std::prev(next) * kSamePlace >= point.x,
                       above = next != all.end() && *next <= point.x * kSamePlace;
            const bool same = curve->series->x.unit == "bytes" && (below || above);
            if (!same) all.insert(point.x);
        }
    return {all.begin(), all.end()};
}

bool has_place(const Series& series, double place) {
    return std::ranges::any_of(
        curve_of(series), [&](const CurvePoint& point) { return at_place(series, point, place); });
}

/// So many of them, by equal ratios, or by equal steps where they begin at zero: near each the one that most series
/// have. The ends of each are among them.
std::vector<double> some_of(const std::vector<double>& places, const Curves& group) {
    const double first = places.front(), last = places.back();
    const auto along = [&](double place) {
        return first > 0 ? std::log(place / first) / std::log(last / first) : (place - first) / (last - first);
    }; // 0 to 1
    std::set<double> some{first, last};
    for (const Curve* curve : group) // a row that ends early shows where
        if (const auto at = std::ranges::find_if(
                places.rbegin(), places.rend(), [&](double place) { return has_place(*curve->series, place); });
            at != places.rend())
            some.insert(*at);
    for (std::size_t i = 1; i + 1 < kPicked; ++i) {
        const double wanted = static_cast<double>(i) / (kPicked - 1);
        const auto worth = [&](double place) {
            const double off = std::abs(along(place) - wanted);
            const auto have =
                std::ranges::count_if(group, [&](const Curve* curve) { return has_place(*curve->series, place); });
            return std::pair(off * (kPicked - 1) < kNear ? have : 0, -off);
        };
        some.insert(*std::ranges::max_element(places, {}, worth));
    }
    return {some.begin(), some.end()};
}

/// Of a workload that counts operations on floating-point numbers these are FLOP.
std::string unit_of(const Series& series) {
    const Operation* operation = operation_of(series.id.options);
    const bool integers = operation && operation->matrix && !operation->matrix->in->is_float();
    const auto& demand = series.evidence.demand;
    const bool counts = !demand.empty() && demand[0].operations == 1;
    return series.unit == "Gop/s" && counts && !integers ? "GFLOP/s" : series.unit;
}

/// The median; of blocks that lie apart the least and the greatest; quartiles that lie far apart stand beside it, or no
/// median stands for them.
Cell median_cell(const Series& series, const CurvePoint& own) {
    constexpr double kNoMedian = 3; // times
    const auto quantity = [&](double value) {
        return quantity_in(value, unit_of(series)).value_or(Quantity{value, Unit::count});
    };
    const auto pair_of = [&](double low, double high) { return std::pair(quantity(low).value, quantity(high).value); };
    Quantity median = quantity(own.y);
    if (const auto blocks = rates_of_blocks(series, own.x)) {
        median.range = pair_of(blocks->first, blocks->second);
        return median;
    }
    const auto point = std::ranges::find(series.points, own.x, &Point::x);
    const double low = point == series.points.end() ? 0 : point->low.value_or(0),
                 high = point == series.points.end() ? 0 : point->high.value_or(0);
    if (low > 0 && high > kNoMedian * low) return Lack::scatters;
    if (low > 0 && high > kWideQuartiles * low) median.quartiles = pair_of(low, high);
    return median;
}

struct PointColumn {
    std::string title;
    std::function<Cell(const Series&)> cell;
};

std::string label_of(const Series& series, double place) {
    const Probe* probe = find_probe(series.id.probe);
    const auto names = probe && probe->places ? probe->places(series.id.options) : std::span<const std::string_view>();
    if (place >= 0 && place < static_cast<double>(names.size()))
        return std::string(names[static_cast<std::size_t>(place)]);
    return series.x.unit == "bytes" ? format_bytes(place) : fmt::format("{:.10g}{}", place, series.x.unit);
}

PointColumn place_column(const Series& like, double place) {
    return {label_of(like, place), [place](const Series& series) {
                for (const CurvePoint& point : curve_of(series))
                    if (at_place(series, point, place)) return median_cell(series, point);
                return Cell();
            }};
}

/// Of shifts by element, where neighbours differ: the first, the least and the greatest, with their places.
std::vector<PointColumn> extreme_columns() {
    const auto at = [](const char* title, auto choose) {
        return PointColumn{title, [choose](const Series& series) {
                               const auto curve = curve_of(series);
                               if (curve.empty()) return Cell();
                               const CurvePoint& point = *choose(curve);
                               Cell cell = median_cell(series, point);
                               if (cell.quantity()) cell.beside = Quantity{point.x, Unit::count};
                               return cell;
                           }};
    };
    return {at("first (at)", [](const auto& curve) { return curve.begin(); }),
        at("lowest (at)", [](const auto& curve) { return std::ranges::min_element(curve, {}, &CurvePoint::y); }),
        at("highest (at)", [](const auto& curve) { return std::ranges::max_element(curve, {}, &CurvePoint::y); })};
}

std::vector<PointColumn> place_columns(const Curves& group) {
    const std::vector<double> all = places_in(group);
    if (all.size() > kMostPlaces && by_pattern(*group[0]->series)) return extreme_columns();
    std::vector<PointColumn> columns;
    for (const double place : all.size() > kMostPlaces ? some_of(all, group) : all)
        columns.push_back(place_column(*group[0]->series, place));
    return columns;
}

/// "" where the series has no such option.
std::string word_of(const Series& series, const std::string& name) {
    const OptionName option{name};
    return option.asked(series.id.options) ? option.word(series.id.options) : "";
}

/// Options of the series by whether all of the group have the same word.
std::vector<std::string> options_that(const Curves& group, bool agree) {
    std::vector<std::string> names;
    std::set<std::string> all;
    for (const Curve* curve : group)
        for (const auto& [name, word] : curve->series->id.options) all.insert(name);
    for (const std::string& name : all) {
        const bool same = std::ranges::all_of(group,
            [&](const Curve* curve) { return word_of(*curve->series, name) == word_of(*group[0]->series, name); });
        if (same == agree) names.push_back(name);
    }
    return names;
}

/// "fetch-add width=4": a number bears its option's name, as does a word that stands alone or that two options have.
std::string options_among(const Curves& group, const Series& series, const std::vector<std::string>& names) {
    std::vector<std::string> words;
    for (const auto& own : series.id.options) {
        const auto has_too = [&](const Curve* curve) {
            return std::ranges::any_of(curve->series->id.options,
                [&](const auto& other) { return other.first != own.first && other.second == own.second; });
        };
        const bool alone = names.size() > 1 && std::isalpha(static_cast<unsigned char>(own.second[0])) &&
                           std::ranges::none_of(group, has_too);
        if (std::ranges::find(names, own.first) != names.end())
            words.push_back(alone ? own.second : fmt::format("{}={}", own.first, own.second));
    }
    return fmt::format("{}", fmt::join(words, " "));
}

/// What is counted as one: "bytes that the lanes asked for".
std::string counted_text(const Series& series) {
    const Probe* probe = find_probe(series.id.probe);
    return probe && !probe->value_of.empty() ? std::string(probe->value_of) : series.evidence.unit_of_work;
}

/// Least and greatest footprint of the group's series, where they have one.
std::optional<std::pair<double, double>> footprints_of(const Curves& group) {
    std::vector<double> bytes;
    for (const Curve* curve : group)
        if (curve->series->evidence.footprint_bytes)
            bytes.push_back(static_cast<double>(*curve->series->evidence.footprint_bytes));
    return bytes.empty() ? std::nullopt : std::optional(std::pair(std::ranges::min(bytes), std::ranges::max(bytes)));
}
/// Else each row says its own.
bool are_alike(const std::pair<double, double>& footprints) {
    return footprints.second < footprints.first * kAlikeFootprints;
}

/// "coalescing global pattern=stride, footprint 30 MiB: bytes that the lanes asked for, by stride".
std::string caption_of(const Curves& group, bool one_place) {
    const Series& first = *group[0]->series;
    const std::string options = options_among(group, first, options_that(group, true));
    const auto footprints = footprints_of(group);
    std::vector<std::string> shown;
    if (const std::string counted = counted_text(first); !counted.empty()) shown.push_back(counted);
    if (!one_place) shown.push_back("by " + axis_text(first));
    const std::string footprint =
        footprints && are_alike(*footprints)
            ? ", footprint " + place_text({"", "bytes"}, footprints->first, footprints->second)
            : "";
    return fmt::format("{} {}{}{}{}{}{}", first.id.probe, first.id.path, options.empty() ? "" : " ", options, footprint,
        shown.empty() ? "" : ": ", fmt::join(shown, ", "));
}

Cell footprint_cell(const Series& series) {
    const auto& bytes = series.evidence.footprint_bytes;
    return bytes ? Cell(Quantity{static_cast<double>(*bytes), Unit::bytes}) : Cell();
}

Cell instruction_cell(const Series& series) {
    const std::string text = atomic_instruction(series);
    return text.empty() ? Cell() : Cell(Instructions{text});
}

Grid grid_of(const Curves& group) {
    std::vector<PointColumn> columns = place_columns(group);
    const bool one_place = columns.size() == 1;
    if (one_place) columns[0].title = "median";
    if (const auto footprints = footprints_of(group); footprints && !are_alike(*footprints))
        columns.push_back({"footprint", footprint_cell});
    if (std::ranges::any_of(group, [](const Curve* curve) { return !atomic_instruction(*curve->series).empty(); }))
        columns.push_back({"instruction", instruction_cell});
    Grid grid{.name = "points", .sections = {{}}, .caption = caption_of(group, one_place)};
    for (const PointColumn& column : columns) grid.columns.push_back(column.title);
    const std::vector<std::string> differing = options_that(group, false);
    for (const Curve* curve : group) {
        const std::string options = options_among(group, *curve->series, differing);
        GridRow row{fmt::format("{}{}{}", options, options.empty() ? "" : " ", curve->series->id.device), {}};
        for (const PointColumn& column : columns) row.cells.push_back(column.cell(*curve->series));
        grid.sections[0].rows.push_back(std::move(row));
    }
    return grid;
}
} // namespace

bool is_told_by_points(const Curve& curve) {
    return curve.usable() && !curve.findings.empty() &&
           std::ranges::all_of(curve.findings, [](const Finding& finding) { return finding.text.empty(); });
}

Curves told_by_points(const Card& card) {
    Curves curves;
    for (const Curve& curve : card.curves)
        if (is_told_by_points(curve)) curves.push_back(&curve);
    return curves;
}

std::vector<Grid> point_grids(const Curves& curves) {
    std::vector<Grid> grids;
    const auto device = [](const Curve* curve) { return std::string_view(curve->series->id.device); };
    for (const Curves& group : grouped(curves, [](const Curve* curve) {
             return std::tuple(curve->series->id.probe, curve->series->id.path, axis_text(*curve->series),
                 curve->series->unit, counted_text(*curve->series));
         })) {
        Curves rows; // devices of one question together
        for (Curves& same : grouped(group, [](const Curve* curve) { return curve->series->id.options; })) {
            std::ranges::stable_sort(same, {}, device);
            rows.insert(rows.end(), same.begin(), same.end());
        }
        grids.push_back(grid_of(rows));
    }
    return grids;
}

} // namespace sonde
