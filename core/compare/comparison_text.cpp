// Comparisons in words and as JSON.
#include "core/compare/comparison_text.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include <fmt/format.h>

#include "core/base/grouped.h"
#include "core/base/statistics.h"
#include "core/base/terminal.h"
#include "core/base/text.h"

namespace sonde {

namespace {
constexpr std::size_t kMostInNoise = 3; // differences named that may be noise
constexpr double kLeastInNoise = 0.1;   // smaller ones are not

std::string percent(double ratio) { return fmt::format("{:.1f}", std::abs(ratio - 1) * 100); }

/// How far a ratio lies from 1, up or down: 2 and 1/2 are both 1.
double effect_of(const Comparison& comparison) { return std::max(*comparison.ratio, 1 / *comparison.ratio) - 1; }

/// Beyond it, up or down, a ratio is told as a multiple.
bool is_multiple(double ratio) { return std::max(ratio, 1 / ratio) > 2.001; }
/// "3.8", "32"
std::string times_text(double ratio) {
    const double times = std::max(ratio, 1 / ratio);
    return fmt::format("{:.{}f}", times, times < 9.95 ? 2 : times < 99.5 ? 1 : 0);
}
/// "51.3 %", "3.76x"
std::string effect_size(double ratio) { return is_multiple(ratio) ? times_text(ratio) + "x" : percent(ratio) + " %"; }

/// "slower", "more": what a ratio above or below 1 means.
std::string_view direction(const Comparison& comparison, double ratio) {
    if (comparison.rate) return ratio > 1 ? "more" : "less";
    return ratio > 1 ? "slower" : "faster";
}

std::string bytes_text(std::pair<double, double> range) {
    if (!std::isfinite(range.second)) return fmt::format("over {}", format_bytes(range.first));
    if (range.first == range.second) return format_bytes(range.first);
    return range.first > 0 ? format_byte_range(range.first, range.second)
                           : fmt::format("up to {}", format_bytes(range.second));
}

/// Four digits, no exponent.
std::string value_text(double value) {
    return std::abs(value) < 1000 ? fmt::format("{:.4g}", value) : fmt::format("{:.0f}", value);
}

std::string range_text(const Comparison& comparison, std::pair<double, double> range) {
    if (comparison.kind == Kind::capacity && comparison.unit == "bytes") return bytes_text(range);
    const std::string low = value_text(range.first), high = value_text(range.second);
    if (!std::isfinite(range.second)) return fmt::format("over {} {}", low, comparison.unit);
    if (!(range.first > 0)) return fmt::format("up to {} {}", high, comparison.unit);
    return low == high ? fmt::format("{} {}", low, comparison.unit)
                       : fmt::format("{}-{} {}", low, high, comparison.unit);
}

/// Figures as they are printed, without what rounding leaves open, where they are printed in the item's unit.
std::pair<double, double> printed_range(const Comparison& comparison, const Measured& stand) {
    std::pair range = *stand.range;
    if (!std::all_of(stand.figures.begin(), stand.figures.end(),
            [&](const PublishedFigure& figure) { return figure.printed_unit == comparison.unit; }))
        return range;
    const auto lower = [](const PublishedFigure& a, const PublishedFigure& b) { return a.printed_low < b.printed_low; };
    const auto higher = [](const PublishedFigure& a, const PublishedFigure& b) {
        return a.printed_high < b.printed_high;
    };
    if (range.first > 0) range.first = std::min_element(stand.figures.begin(), stand.figures.end(), lower)->printed_low;
    if (std::isfinite(range.second))
        range.second = std::max_element(stand.figures.begin(), stand.figures.end(), higher)->printed_high;
    return range;
}

std::string stand_text(const Comparison& comparison, const Measured& stand) {
    if (!stand.figures.empty()) return range_text(comparison, printed_range(comparison, stand));
    if (stand.range) return range_text(comparison, *stand.range);
    if (!stand.value) return "?";
    return comparison.kind == Kind::levels ? fmt::format("{:.0f}", *stand.value)
                                           : fmt::format("{} {}", value_text(*stand.value), comparison.unit);
}

/// "smaller", "32.0x smaller": by the middles of both ranges.
std::string capacity_effect(const Comparison& comparison) {
    const char* which = *comparison.low > 1 ? "larger" : "smaller";
    const auto middle = [](const Measured& stand) {
        return stand.range ? std::sqrt(stand.range->first * stand.range->second) : NAN;
    };
    const double ratio = middle(comparison.b) / middle(comparison.a);
    return std::isfinite(ratio) && ratio > 0 && is_multiple(ratio) ? fmt::format("{} {}", effect_size(ratio), which)
                                                                   : which;
}

/// "51.3 % slower (50.9 to 51.7 %)", "3.76x slower (3.66 to 3.86)"; a capacity is larger or smaller by its ranges, a
/// number of levels speaks for itself.
std::string effect_text(const Comparison& comparison) {
    if (comparison.kind == Kind::levels) return "";
    if (comparison.kind == Kind::capacity) return capacity_effect(comparison);
    const bool more = *comparison.ratio > 1;
    if (!std::isfinite(*comparison.high) || *comparison.low <= 0)
        return fmt::format("at least {} {}", effect_size(*comparison.ratio), direction(comparison, *comparison.ratio));
    const std::string shapes = comparison.same_shapes()
                                   ? ""
                                   : fmt::format("; launch shapes {} and {}", comparison.a.shapes, comparison.b.shapes);
    const auto [least, most] =
        more ? std::pair(*comparison.low, *comparison.high) : std::pair(*comparison.high, *comparison.low);
    const std::string_view which = direction(comparison, *comparison.ratio);
    if (is_multiple(*comparison.ratio))
        return fmt::format(
            "{} {} ({} to {}){}", effect_size(*comparison.ratio), which, times_text(least), times_text(most), shapes);
    return fmt::format(
        "{} % {} ({} to {} %){}", percent(*comparison.ratio), which, percent(least), percent(most), shapes);
}

/// The figure that comes nearest to what was measured.
const PublishedFigure& nearest_figure(const Comparison& comparison) {
    const bool above = *comparison.ratio < 1; // the measured value is above all of them
    const std::vector<PublishedFigure>& figures = comparison.b.figures;
    return above ? *std::max_element(
                       figures.begin(), figures.end(), [](const auto& a, const auto& b) { return a.high < b.high; })
                 : *std::min_element(
                       figures.begin(), figures.end(), [](const auto& a, const auto& b) { return a.low < b.low; });
}

/// A line that begins at a column, and its further ones two columns behind.
std::string line_from(std::size_t column, std::string_view text) {
    return std::string(column, ' ') + wrapped(text, text_columns(), column + 2, column);
}

std::string published_text(const Comparison& comparison) {
    const PublishedFigure& nearest = nearest_figure(comparison);
    const std::size_t count = comparison.b.figures.size();
    std::string text = fmt::format("{}: {}; published {} ({} figure{})", comparison.item,
        stand_text(comparison, comparison.a), stand_text(comparison, comparison.b), count, count > 1 ? "s" : "");
    if (comparison.kind != Kind::capacity)
        text += fmt::format(", {} % {}", percent(1 / *comparison.ratio), *comparison.ratio < 1 ? "above" : "below");
    const std::string source = fmt::format("nearest: {}, {}, {}", printable(nearest.device), printable(nearest.title),
        nearest.url.empty() ? "no address known" : printable(nearest.url));
    return line_from(4, text) + line_from(6, source);
}

/// "core-to-core scratchpad: at workgroups, 65.8 % slower; ...": the largest differences within the noise of their
/// items, of each question without a difference one, where they exceed what half of all comparisons would have shown.
std::string largest_in_noise(const std::vector<Comparison>& comparisons, double shown) {
    std::set<std::string> told;
    for (const Comparison& each : comparisons)
        if (each.differs) told.insert(each.question.text());
    std::vector<const Comparison*> largest;
    for (const Comparison& each : comparisons)
        if (!each.differs && each.chance && effect_of(each) > shown && !told.contains(each.question.text()))
            largest.push_back(&each);
    std::ranges::stable_sort(largest, std::greater(), [](const Comparison* each) { return effect_of(*each); });
    std::vector<std::string> texts;
    for (const auto& of_question : grouped(largest, [](const Comparison* each) { return each->question.text(); })) {
        if (texts.size() == kMostInNoise) break;
        const Comparison& worst = *of_question.front();
        texts.push_back(
            fmt::format("{}: {} {}", worst.what(), effect_size(*worst.ratio), direction(worst, *worst.ratio)));
    }
    return texts.empty() ? ""
                         : fmt::format("largest within the noise, of series without a sure difference: {}",
                               fmt::join(texts, "; "));
}

/// Whether print_differences tells it, and not as a published figure.
bool is_told(const Comparison& comparison) {
    return comparison.differs && !comparison.by_index && comparison.a.figures.empty() && comparison.b.figures.empty();
}

/// Second over first; of ranges by their middles.
std::optional<double> shown_ratio(const Comparison& comparison) {
    if (comparison.ratio && comparison.kind != Kind::capacity) return comparison.ratio;
    if (!comparison.a.range || !comparison.b.range) return std::nullopt;
    const auto middle = [](const Measured& stand) { return std::sqrt(stand.range->first * stand.range->second); };
    const double ratio = middle(comparison.b) / middle(comparison.a);
    return std::isfinite(ratio) && ratio > 0 ? std::optional(ratio) : std::nullopt;
}

/// What the difference is at least, up or down, by the nearer end of its interval.
double least_effect(const Comparison& comparison) {
    if (!comparison.low || !comparison.high) return 0;
    return std::max({0.0, *comparison.low - 1, 1 / *comparison.high - 1});
}

/// "cuda:0" of both sides; "vulkan/cuda" or "cuda:1/cuda:0", as the ratio is; equal cards by their API.
std::string pair_name(const Side& a, const Side& b) {
    const auto is_block = [](const Side& side) {
        return std::ranges::any_of(
            side.recordings, [&](const DeviceRun& recording) { return recording.device->id != side.device().id; });
    };
    const bool by_api = a.device().api != b.device().api || is_block(a) || is_block(b);
    const auto name = [&](const Side& side) { return by_api ? side.device().api : side.device().id; };
    return name(a) == name(b) ? name(a) : fmt::format("{}/{}", name(b), name(a));
}

/// How sure a difference is: where a level of one side has ended and the other's has not, it is the ends that differ.
std::pair<bool, double> sureness(const Comparison& comparison) {
    return {comparison.kind != Kind::edge, least_effect(comparison)};
}

/// Of those told of one question that which differs the most, whatever noise makes of it.
const Comparison& surest_of(const std::vector<const Comparison*>& told) {
    return **std::ranges::max_element(told, {}, [](const Comparison* each) { return sureness(*each); });
}

/// In brackets where noise may be the whole difference.
std::string ratio_text(const Comparison& comparison) {
    const auto ratio = shown_ratio(comparison);
    if (!ratio) return "-";
    return comparison.differs ? fmt::format("{:#.3g}", *ratio) : fmt::format("({:#.3g})", *ratio);
}

Json stand_json(const Measured& stand) {
    return stand.range ? Json{number_or_null(stand.range->first), number_or_null(stand.range->second)}
                       : number_or_null(stand.value);
}
} // namespace

void print_differences(const std::vector<Comparison>& comparisons, std::ostream& out) {
    std::string pair, question;
    Table table({"", "", "", "", ""});
    bool rows = false;
    const auto flush = [&] {
        if (rows) out << table.str(text_columns());
        table = Table({"", "", "", "", ""});
        rows = false;
    };
    for (const Comparison& comparison : comparisons) {
        if (!comparison.differs || comparison.by_index) continue;
        const std::string of_pair =
            line_from(0, printable(comparison.a.label)) + line_from(2, "against " + printable(comparison.b.label));
        if (of_pair != pair || comparison.question.text() != question) flush();
        if (of_pair != pair) {
            out << (pair.empty() ? "" : "\n") << of_pair;
            question.clear();
        }
        if (comparison.question.text() != question) out << line_from(2, printable(comparison.question.text()));
        pair = of_pair;
        question = comparison.question.text();
        if (!comparison.b.figures.empty() && comparison.a.figures.empty()) {
            out << published_text(comparison);
            continue;
        }
        table.add_row({"   ", comparison.item, stand_text(comparison, comparison.a),
            "-> " + stand_text(comparison, comparison.b), effect_text(comparison)});
        rows = true;
    }
    flush();
}

std::size_t count_differences(const std::vector<Comparison>& comparisons) {
    return static_cast<std::size_t>(
        std::ranges::count_if(comparisons, [](const Comparison& each) { return each.differs && !each.by_index; }));
}

void print_surest_differences(const std::vector<Comparison>& comparisons, const Pairs& pairs, std::ostream& out) {
    std::vector<const Comparison*> told;
    for (const Comparison& each : comparisons)
        if (is_told(each)) told.push_back(&each);
    if (told.empty()) return;
    auto questions = grouped(told, [](const Comparison* each) { return each->question.text(); });
    const std::size_t all = questions.size();
    std::ranges::stable_sort(
        questions, std::greater(), [](const auto& of_question) { return sureness(surest_of(of_question)); });
    if (all > kMostOneByOne) questions.resize(kMostOneByOne);
    const bool one = pairs.size() == 1; // whose numbers have room beside the ratio
    std::vector<std::string> header{"the surest differences"};
    if (one) header.insert(header.end(), {"first", "second", "ratio"});
    for (const auto& [a, b] : pairs)
        if (!one) header.push_back(pair_name(*a, *b));
    std::vector<Align> align(header.size(), Align::right);
    align[0] = Align::left;
    Table table(std::move(header), std::move(align));
    for (const auto& of_question : questions) {
        const Comparison& surest = surest_of(of_question);
        const bool by_unit = !one && surest.kind != Kind::levels; // else the numbers have it
        std::vector<std::string> row{by_unit ? fmt::format("{}, {}", surest.what(), surest.unit) : surest.what()};
        if (one)
            row.insert(row.end(), {stand_text(surest, surest.a), stand_text(surest, surest.b), ratio_text(surest)});
        for (const auto& pair : pairs) {
            if (one) continue;
            const auto same = std::ranges::find_if(comparisons, [&](const Comparison& each) {
                return each.a.label == pair.first->label && each.b.label == pair.second->label &&
                       each.question == surest.question && each.item == surest.item;
            });
            row.push_back(same == comparisons.end() ? "-" : ratio_text(*same));
        }
        table.add_row(std::move(row));
    }
    out << table.str(text_columns())
        << wrapped(fmt::format("ratio: {}; in brackets: within the noise. One of each series, {} of {}; --full tells "
                               "all {} differences",
                       one ? "second over first" : "as its column's head has it", questions.size(), all, told.size()),
               text_columns(), 0);
}

void print_by_index(const std::vector<Comparison>& comparisons, const Pairs& pairs, std::ostream& out) {
    std::vector<const Comparison*> explained;
    for (const Comparison& each : comparisons)
        if (each.by_index) explained.push_back(&each);
    for (const auto& of_pair :
        grouped(explained, [](const Comparison* each) { return std::pair(each->a.label, each->b.label); })) {
        std::vector<std::string> probes;
        for (const auto& of_probe : grouped(of_pair, [](const Comparison* each) { return each->question.probe; }))
            probes.push_back(fmt::format("{} {}", of_probe[0]->question.probe, of_probe.size()));
        const Comparison& first = *of_pair[0];
        const auto pair = std::ranges::find_if(pairs, [&](const auto& each) {
            return each.first->label == first.a.label && each.second->label == first.b.label;
        });
        const std::string name = pair == pairs.end() ? "" : pair_name(*pair->first, *pair->second) + ", ";
        out << line_from(2, fmt::format("{}loads by index: {} {} {} each, of the code beside the load; differences: {}",
                                name, value_text(std::abs(*first.by_index)), first.unit,
                                *first.by_index > 0 ? "more" : "less", fmt::join(probes, ", ")));
    }
}

void print_apart(const std::vector<Comparison>& comparisons, std::ostream& out) {
    std::string pair;
    for (const Comparison& comparison : comparisons) {
        if (comparison.apart.empty()) continue;
        const std::string of_pair =
            "\n" + line_from(0, fmt::format("{}, against {}: other method, not comparable",
                                    printable(comparison.a.label), printable(comparison.b.label)));
        if (of_pair != pair) out << of_pair;
        pair = of_pair;
        const std::size_t count = comparison.b.figures.size();
        out << line_from(
            2, fmt::format("{}: {}; {}{} ({} figure{}: {})", printable(comparison.what()),
                   stand_text(comparison, comparison.a), comparison.b.figures.front().measured ? "" : "published ",
                   stand_text(comparison, comparison.b), count, count == 1 ? "" : "s", comparison.apart));
    }
}

void print_summary(const std::vector<Comparison>& comparisons, std::ostream& out) {
    std::vector<double> seen;
    std::size_t differences = 0, declared = 0, learned = 0, not_judged = 0, rest = 0;
    for (const Comparison& comparison : comparisons) {
        if (!comparison.apart.empty()) continue;
        if (comparison.noise_unknown()) {
            ++not_judged;
            continue;
        }
        rest += !comparison.differs;
        differences += comparison.differs;
        declared += comparison.declared();
        learned += comparison.one_block() && !comparison.declared();
        if (comparison.chance) seen.push_back(std::max(kLeastEffect, *comparison.high / *comparison.ratio - 1));
    }
    std::string text;
    const char* noise = declared > 0 && declared == rest + differences ? "declared noise" : "noise";
    if (rest > 0)
        text = differences == 0 ? fmt::format("no difference beyond the {} in {} comparisons", noise, rest)
                                : fmt::format("no difference beyond the {} in the other {} comparison{}", noise, rest,
                                      rest == 1 ? "" : "s");
    if (rest > 0 && !seen.empty())
        text += fmt::format("; in half of all a difference of {:.1f} % would have shown", median(seen) * 100);
    if (!text.empty()) out << (differences == 0 ? "" : "\n") << wrapped(text, text_columns(), 0);
    if (const std::string largest =
            seen.empty() ? "" : largest_in_noise(comparisons, std::max(kLeastInNoise, median(seen)));
        !largest.empty())
        out << wrapped(printable(largest), text_columns(), 4);
    if (not_judged > 0)
        out << wrapped(
            fmt::format(
                "{} of a processor not judged: one block, whose noise nothing tells; --profile standard measures it",
                not_judged),
            text_columns(), 0);
    if (learned > 0)
        out << wrapped(fmt::format("{} with one block on a side: judged with the noise of recorded runs", learned),
            text_columns(), 0);
    if (declared > 0)
        out << wrapped(
            fmt::format("{} with one block on a side: judged with a declared run-to-run noise of {:g} % or more; "
                        "--profile standard measures "
                        "it",
                declared, kOneBlockNoise * 100),
            text_columns(), 0);
}

Json to_json(const Comparison& comparison) {
    Json row = {{"what", comparison.what()}, {"probe", comparison.question.probe}, {"kind", to_text(comparison.kind)},
        {"item", comparison.item}, {"a", stand_json(comparison.a)}, {"b", stand_json(comparison.b)},
        {"ratio", number_or_null(comparison.ratio)},
        {"interval",
            comparison.low ? Json{number_or_null(comparison.low), number_or_null(comparison.high)} : Json(nullptr)},
        {"differs", comparison.differs}, {"by_index", number_or_null(comparison.by_index)}, {"unit", comparison.unit},
        {"of", {{"a", comparison.a.label}, {"b", comparison.b.label}}}, {"chance", number_or_null(comparison.chance)}};
    for (const auto& [side, stand] : {std::pair{"a", &comparison.a}, std::pair{"b", &comparison.b}})
        if (!stand->units.empty())
            row["noise"][side] = {{"unit", stand->of_runs ? "run" : "block"}, {"count", stand->units.size()}};
    if (!comparison.same_shapes()) row["launch_shapes"] = {{"a", comparison.a.shapes}, {"b", comparison.b.shapes}};
    if (!comparison.not_comparable.empty()) row["note"] = "not comparable: " + comparison.not_comparable;
    if (comparison.noise_unknown()) row["note"] = "not judged: one block of a processor";
    if (comparison.levels_vary) row["note"] = "not every block shows the same levels";
    if (comparison.declared()) row["declared_noise"] = kOneBlockNoise;
    if (!comparison.apart.empty()) row["apart"] = comparison.apart;
    for (const auto& [field, stand] : {std::pair{"published_a", &comparison.a}, std::pair{"published", &comparison.b}})
        for (const PublishedFigure& figure : stand->figures)
            row[field].push_back({{"device", figure.device}, {"value", {figure.printed_low, figure.printed_high}},
                {"unit", figure.printed_unit}, {"method", figure.method}, {"title", figure.title},
                {"url", figure.url}});
    return row;
}

} // namespace sonde
