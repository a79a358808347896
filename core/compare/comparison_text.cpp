// Comparisons in words and as JSON.
#include "core/compare/comparison_text.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/base/statistics.h"
#include "core/base/text.h"

namespace sonde {

namespace {
std::string percent(double ratio) { return fmt::format("{:.1f}", std::abs(ratio - 1) * 100); }

/// "slower", "more": what a ratio above or below 1 means.
std::string_view direction(const Comparison& comparison, double ratio) {
    if (comparison.rate) return ratio > 1 ? "more" : "less";
    return ratio > 1 ? "slower" : "faster";
}

std::string bytes_text(std::pair<double, double> range) {
    if (!std::isfinite(range.second)) return fmt::format("over {}", format_bytes(range.first));
    return range.first > 0 ? format_byte_range(range.first, range.second) : fmt::format("up to {}", format_bytes(range.second));
}

/// Four digits, no exponent.
std::string value_text(double value) { return std::abs(value) < 1000 ? fmt::format("{:.4g}", value) : fmt::format("{:.0f}", value); }

std::string range_text(const Comparison& comparison, std::pair<double, double> range) {
    if (comparison.kind == Kind::capacity && comparison.unit == "bytes") return bytes_text(range);
    const std::string low = value_text(range.first), high = value_text(range.second);
    if (!std::isfinite(range.second)) return fmt::format("over {} {}", low, comparison.unit);
    if (!(range.first > 0)) return fmt::format("up to {} {}", high, comparison.unit);
    return low == high ? fmt::format("{} {}", low, comparison.unit) : fmt::format("{}-{} {}", low, high, comparison.unit);
}

std::string stand_text(const Comparison& comparison, const Measured& stand) {
    if (stand.range) return range_text(comparison, *stand.range);
    if (!stand.value) return "?";
    return comparison.kind == Kind::levels ? fmt::format("{:.0f}", *stand.value) : fmt::format("{} {}", value_text(*stand.value), comparison.unit);
}

/// "51.3 % slower (50.9 to 51.7 %)"; a capacity is larger or smaller by its ranges, a number of levels speaks for itself.
std::string effect_text(const Comparison& comparison) {
    if (comparison.kind == Kind::levels) return "";
    if (comparison.kind == Kind::capacity) return *comparison.low > 1 ? "larger" : "smaller";
    const bool more = *comparison.ratio > 1;
    return fmt::format("{} % {} ({} to {} %)", percent(*comparison.ratio), direction(comparison, *comparison.ratio), percent(more ? *comparison.low : *comparison.high),
                       percent(more ? *comparison.high : *comparison.low));
}

/// The figure that comes nearest to what was measured.
const PublishedFigure& nearest_figure(const Comparison& comparison) {
    const bool above = *comparison.ratio < 1; // the measured value is above all of them
    return above ? *std::max_element(comparison.figures.begin(), comparison.figures.end(), [](const auto& a, const auto& b) { return a.high < b.high; })
                 : *std::min_element(comparison.figures.begin(), comparison.figures.end(), [](const auto& a, const auto& b) { return a.low < b.low; });
}

std::string published_text(const Comparison& comparison) {
    const PublishedFigure& nearest = nearest_figure(comparison);
    const std::size_t count = comparison.figures.size();
    std::string text = fmt::format("    {}: {}; published {} ({} figure{})", comparison.item, stand_text(comparison, comparison.a), stand_text(comparison, comparison.b), count,
                                   count > 1 ? "s" : "");
    if (comparison.kind != Kind::capacity) text += fmt::format(", {} % {}", percent(1 / *comparison.ratio), *comparison.ratio < 1 ? "above" : "below");
    text += fmt::format("\n      nearest: {}, {}", printable(nearest.device), printable(nearest.title));
    return text + (nearest.url.empty() ? "" : ", ") + printable(nearest.url) + "\n";
}

Json stand_json(const Measured& stand) { return stand.range ? Json{number_or_null(stand.range->first), number_or_null(stand.range->second)} : number_or_null(stand.value); }
} // namespace

void print_differences(const std::vector<Comparison>& comparisons, std::ostream& out) {
    std::string pair, question;
    Table table({"", "", "", "", ""});
    bool rows = false;
    const auto flush = [&] {
        if (rows) out << table.str();
        table = Table({"", "", "", "", ""});
        rows = false;
    };
    for (const Comparison& comparison : comparisons) {
        if (!comparison.differs) continue;
        const std::string of_pair = fmt::format("{}\n  against {}\n", printable(comparison.a.label), printable(comparison.b.label));
        if (of_pair != pair || comparison.question.text() != question) flush();
        if (of_pair != pair) {
            out << (pair.empty() ? "" : "\n") << of_pair;
            question.clear();
        }
        if (comparison.question.text() != question) out << "  " << printable(comparison.question.text()) << "\n";
        pair = of_pair;
        question = comparison.question.text();
        if (!comparison.figures.empty()) {
            out << published_text(comparison);
            continue;
        }
        table.add_row({"   ", comparison.item, stand_text(comparison, comparison.a), "-> " + stand_text(comparison, comparison.b), effect_text(comparison)});
        rows = true;
    }
    flush();
}

void print_summary(const std::vector<Comparison>& comparisons, std::ostream& out) {
    std::vector<double> seen;
    std::size_t differences = 0, one_block = 0;
    for (const Comparison& comparison : comparisons) {
        differences += comparison.differs;
        one_block += comparison.one_block();
        if (comparison.chance) seen.push_back(std::max(kLeastEffect, *comparison.high / *comparison.ratio - 1));
    }
    const std::size_t rest = comparisons.size() - differences;
    if (differences == 0 && rest > 0) out << fmt::format("no difference beyond the noise in {} comparisons", rest);
    else if (rest > 0) out << fmt::format("\nno difference beyond the noise in the other {} comparison{}", rest, rest == 1 ? "" : "s");
    if (rest > 0) out << (seen.empty() ? "\n" : fmt::format("; in half of all a difference of {:.1f} % would have shown\n", median(seen) * 100));
    if (one_block > 0) out << fmt::format("one block: judged with a declared run-to-run noise of {:g} % or more; --profile standard measures it\n", kOneBlockNoise * 100);
}

Json to_json(const Comparison& comparison) {
    Json row = {{"what", comparison.what()}, {"a", stand_json(comparison.a)}, {"b", stand_json(comparison.b)}, {"ratio", number_or_null(comparison.ratio)},
                {"interval", comparison.low ? Json{number_or_null(comparison.low), number_or_null(comparison.high)} : Json(nullptr)}, {"differs", comparison.differs},
                {"unit", comparison.unit}, {"of", {{"a", comparison.a.label}, {"b", comparison.b.label}}}, {"chance", number_or_null(comparison.chance)}};
    for (const auto& [side, stand] : {std::pair{"a", &comparison.a}, std::pair{"b", &comparison.b}})
        if (!stand->units.empty()) row["noise"][side] = {{"unit", stand->of_runs ? "run" : "block"}, {"count", stand->units.size()}};
    if (!comparison.note.empty()) row["note"] = comparison.note;
    if (comparison.one_block()) row["declared_noise"] = kOneBlockNoise;
    for (const PublishedFigure& figure : comparison.figures)
        row["published"].push_back({{"device", figure.device}, {"value", {figure.printed_low, figure.printed_high}}, {"title", figure.title}, {"url", figure.url}});
    return row;
}

} // namespace sonde
