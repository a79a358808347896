// Two subjects, or one and what is published; and the judgement.
#include "core/compare/compare.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "core/analysis/significance.h"
#include "core/base/statistics.h"
#include "core/compare/compare_items.h"
#include "core/probes/probe.h"

namespace sonde {

namespace {
constexpr double kLeastDeviation = 1e-4;   // nobody's clock resolves less: a variance of 0 is a counter that was not looked at closely
constexpr const char* kOneBlock = "one block is no measure of noise; --profile standard takes three";

/// View and factor that give an answer the unit of a published figure, and the unit that it has then.
struct AsPublished {
    std::string_view unit;
    View view;
    bool of_card; // all cores together
    std::string_view own;
};
constexpr std::array kAsPublished{
    AsPublished{"ns", View::ns, false, "ns"},
    AsPublished{"GB/s", View::ns, false, "GB/s"},
    AsPublished{"cycles", View::cycles, false, "cycles"},
    AsPublished{"B/clk/core", View::per_clock, false, "B/clk/core"},
    AsPublished{"B/clk", View::per_clock, true, "B/clk/core"},
    AsPublished{"op/clk/core", View::per_clock, false, "op/clk/core"},
    AsPublished{"op/clk", View::per_clock, true, "op/clk/core"},
};

bool states(const SeriesKey& question, const SeriesKey& published) {
    return question.probe == published.probe && question.path == published.path &&
           std::all_of(published.options.begin(), published.options.end(), [&](const auto& option) {
               const auto found = question.options.find(option.first);
               return found != question.options.end() && found->second == option.second;
           });
}

Comparison beside(const Replicates& answer, const PublishedRange& band, const std::string& label, std::string item, Kind kind, Measured own) {
    return {.question = answer.question, .item = std::move(item), .unit = band.unit, .kind = kind, .rate = kind == Kind::level && answer.rate, .a = std::move(own),
            .b = {.label = label, .range = std::pair{band.low, band.high}}, .figures = band.figures};
}

/// Where a level ends, or a conclusion that stands alone: what has no view.
std::optional<Comparison> size_item(const Side& a, const SeriesKey& question, const PublishedRange& band, const std::string& label) {
    const Replicates answer = replicates_of(a, question, View::ns);
    if (answer.units.empty()) return std::nullopt;
    const Finding* level = probe_named(question.probe).x.axis == Axis::footprint && band.unit == "bytes" ? level_named(answer, band.level) : nullptr;
    if (const auto range = level ? capacity_range(answer, *level) : std::nullopt) return beside(answer, band, label, "capacity of " + band.level, Kind::capacity, measured_range(answer, *range));
    for (const FoundFact& fact : facts_of(a, question))
        if (fact.name == band.level && fact.unit == band.unit) return beside(answer, band, label, fact.item(), Kind::capacity, measured_range(answer, fact.range));
    return std::nullopt;
}

/// By what the levels of a rate's curve are counted too low, because it begins beyond the nearer ones: how many levels of the card's latency end
/// before it. nullopt: the file has no latency that tells, and the curve begins where an L1 may have ended.
std::optional<std::size_t> levels_before(const Side& a, const Replicates& rate) {
    constexpr double kWithinFirst = 32 * 1024;
    const double begins = rate.units.front().begin()->first;
    const Replicates latency = replicates_of(a, {"latency", "global", {}}, View::ns);
    if (latency.levels.empty()) return begins <= kWithinFirst ? std::optional(std::size_t{0}) : std::nullopt;
    return static_cast<std::size_t>(std::count_if(latency.levels.begin(), latency.levels.end(), [&](const Finding& level) { return level.capacity_bytes->second && *level.capacity_bytes->second < begins; }));
}

/// The level of a curve that the band is about, counted from the card's first one.
const Finding* level_of_card(const Side& a, const Replicates& answer, const std::string& name) {
    if (!answer.rate || name == "DRAM") return level_named(answer, name);
    const auto before = levels_before(a, answer);
    const int number = name.size() == 2 && name[0] == 'L' ? name[1] - '0' : 0;
    if (!before || number <= static_cast<int>(*before)) return nullptr;
    return level_named(answer, fmt::format("L{}", number - static_cast<int>(*before)));
}

/// The question's level, or place on its axis, beside the band; nullopt where the file does not have it in the band's unit.
std::optional<Comparison> band_item(const Side& a, const SeriesKey& question, const PublishedRange& band, const std::string& label) {
    const auto as = std::find_if(kAsPublished.begin(), kAsPublished.end(), [&](const AsPublished& each) { return each.unit == band.unit; });
    if (as == kAsPublished.end()) return size_item(a, question, band, label);
    const Replicates answer = replicates_of(a, question, as->view);
    if (answer.units.empty() || answer.unit != as->own) return std::nullopt;
    const bool footprint = probe_named(question.probe).x.axis == Axis::footprint;
    const Finding* level = footprint ? level_of_card(a, answer, band.level) : nullptr;
    const auto places = level ? std::optional(level->x) : footprint ? std::nullopt : places_named(answer, band.level);
    if (!places) return std::nullopt;
    Measured own = measured_at(answer, *places);
    const double factor = as->of_card ? a.device().cores : 1;
    for (double& unit : own.units) unit += std::log(factor);
    if (own.value) *own.value *= factor;
    return beside(answer, band, label, band.level, Kind::level, std::move(own));
}

Variance variance_of(const Measured& stand) {
    Variance own = variance(stand.units);
    if (own.freedom > 0) own.value = std::max(own.value, kLeastDeviation * kLeastDeviation);
    return own;
}

/// Sides with as many units of one kind have one variance: the test is then hardly moved where they do not (Box 1954, "Some theorems on
/// quadratic forms applied in the study of analysis of variance problems, I"), and what an item's noise is, is known twice as well.
bool balanced(const Comparison& comparison) {
    return comparison.a.units.size() == comparison.b.units.size() && comparison.a.of_runs == comparison.b.of_runs;
}

/// The variances that an item has to be judged by, with whose others they agree or not: one where it is balanced, else one a side.
std::vector<std::pair<std::string, Variance>> variances_of(const Comparison& comparison) {
    const Variance a = variance_of(comparison.a), b = variance_of(comparison.b);
    if (balanced(comparison) && a.freedom > 0) return {{comparison.a.label + "\n" + comparison.b.label, {(a.value + b.value) / 2, a.freedom + b.freedom}}};
    std::vector<std::pair<std::string, Variance>> list;
    if (a.freedom > 0) list.emplace_back(comparison.a.label, a);
    if (b.freedom > 0) list.emplace_back(comparison.b.label, b);
    return list;
}

/// Whose variances say something about each other: those of one side, or pair, in one probe and of one kind.
using AlikeItems = std::tuple<std::string, std::string, Kind>;
using Priors = std::map<AlikeItems, Variance>;

Priors priors_of(const std::vector<Comparison>& comparisons) {
    std::map<AlikeItems, std::vector<Variance>> variances;
    for (const Comparison& comparison : comparisons)
        for (const auto& [whose, own] : variances_of(comparison)) variances[{whose, comparison.question.probe, comparison.kind}].push_back(own);
    Priors priors;
    for (const auto& [group, list] : variances) priors[group] = variance_prior(list);
    return priors;
}

/// The variance that blocks of one run cannot show, which comes on top; runs show it themselves.
double unseen(const Measured& stand) { return stand.of_runs ? 0 : stand.run_noise * stand.run_noise; }
/// A few runs that happen to agree do not prove less noise than runs are known to have.
double least(const Measured& stand) { return stand.of_runs ? stand.run_noise * stand.run_noise : 0; }

/// What an item is judged by: one variance a side, or one for both.
std::vector<Variance> known_variances(const Comparison& comparison, const Priors& priors) {
    std::vector<Variance> known;
    for (const auto& [whose, own] : variances_of(comparison)) {
        known.push_back(moderated(own, priors.at({whose, comparison.question.probe, comparison.kind})));
        known.back().value = std::max({known.back().value, least(comparison.a), least(comparison.b)});
    }
    return known;
}

constexpr Variance kExact{0, std::numeric_limits<double>::infinity()};

/// The distance from the mean of `a` to the nearest end of the range that is published; 0 inside.
Difference from_band(const Measured& a, const Variance& of_a, std::pair<double, double> band) {
    const double middle = mean(a.units), low = std::log(std::max(band.first, 1e-300)), high = std::log(band.second);
    return welch(middle, of_a, a.units.size(), std::clamp(middle, low, high), kExact, 1, unseen(a));
}

std::optional<Difference> difference_of(Comparison& comparison, const Priors& priors) {
    const Measured &a = comparison.a, &b = comparison.b;
    if (a.units.empty() || (b.units.empty() && !b.range)) return std::nullopt;
    const std::vector<Variance> known = known_variances(comparison, priors);
    if (known.empty() || (b.range && a.units.size() < 2)) {
        comparison.note = kOneBlock;
        return std::nullopt;
    }
    if (b.range) return from_band(a, known[0], *b.range);
    const double on_top = unseen(a) + unseen(b);
    if (known.size() == 2) return welch(mean(a.units), known[0], a.units.size(), mean(b.units), known[1], b.units.size(), on_top);
    const double shares = 1 / static_cast<double>(a.units.size()) + 1 / static_cast<double>(b.units.size()); // one variance stands for both sides
    return welch(mean(a.units), {known[0].value * shares, known[0].freedom}, 1, mean(b.units), kExact, 1, on_top);
}

bool large(double ratio) { return std::abs(std::log(ratio)) >= std::log1p(kLeastEffect); }

void judge_capacity(Comparison& comparison) {
    if (comparison.a.count < kEnoughBlocks || (comparison.figures.empty() && comparison.b.count < kEnoughBlocks)) {
        comparison.note = kOneBlock;
        return;
    }
    const auto &a = *comparison.a.range, &b = *comparison.b.range;
    comparison.low = b.first / a.second;
    comparison.high = b.second / a.first;
    comparison.ratio = std::isfinite(b.second) && b.first > 0 ? std::sqrt(*comparison.low * *comparison.high) : std::clamp(1.0, *comparison.low, *comparison.high);
    comparison.differs = *comparison.low >= 1 + kLeastEffect || *comparison.high <= 1 / (1 + kLeastEffect);
}

void judge_levels(Comparison& comparison) {
    if (comparison.a.value && comparison.b.value) comparison.differs = *comparison.a.value != *comparison.b.value;
    else comparison.note = "not every block shows the same levels";
}
} // namespace

std::vector<Comparison> compare(const Side& a, const Side& b, View view, std::vector<std::string>& notes) {
    std::vector<Comparison> out;
    for (const Side* subject : {&a, &b})
        for (std::string& line : unstable_series(*subject)) notes.push_back(std::move(line));
    const std::vector<SeriesKey> others = questions_of(b);
    for (const SeriesKey& question : questions_of(a)) {
        if (std::find(others.begin(), others.end(), question) == others.end()) continue;
        const Replicates of_a = replicates_of(a, question, view), of_b = replicates_of(b, question, view);
        for (const Replicates* answer : {&of_a, &of_b})
            if (!answer->why_not.empty()) notes.push_back(fmt::format("{}, {}: {}", question.probe, answer->side->label, answer->why_not));
        if (of_a.units.empty() || of_b.units.empty()) continue;
        add_items(of_a, of_b, view, out);
    }
    std::sort(notes.begin(), notes.end());
    notes.erase(std::unique(notes.begin(), notes.end()), notes.end());
    return out;
}

std::vector<Comparison> compare_with_published(const Side& a, std::span<const PublishedRange> bands, const std::string& label) {
    std::vector<Comparison> out;
    for (const PublishedRange& band : bands) {
        std::optional<Comparison> best; // of variants that the source does not tell apart, the fastest: sources give what a card can do
        for (const SeriesKey& question : questions_of(a)) {
            if (!states(question, band.question)) continue;
            auto item = band_item(a, question, band, label);
            const bool better = item && (!best || (item->rate && item->a.value > best->a.value));
            if (better) best = std::move(item);
        }
        if (best) out.push_back(std::move(*best));
    }
    return out;
}

void judge(std::vector<Comparison>& comparisons) {
    const std::map<AlikeItems, Variance> priors = priors_of(comparisons);
    std::vector<Comparison*> tested;
    std::vector<Difference> differences;
    std::vector<double> chances;
    for (Comparison& comparison : comparisons) {
        if (comparison.kind == Kind::capacity) judge_capacity(comparison);
        else if (comparison.kind == Kind::levels) judge_levels(comparison);
        else if (const auto difference = difference_of(comparison, priors)) {
            tested.push_back(&comparison);
            differences.push_back(*difference);
            chances.push_back(difference->chance());
        }
    }
    const std::vector<double> levels = holm_levels(chances, kFalseAlarms);
    for (std::size_t i = 0; i < tested.size(); ++i) {
        const double reach = student_quantile(levels[i], differences[i].freedom) * differences[i].error;
        tested[i]->ratio = std::exp(differences[i].value);
        tested[i]->low = std::exp(differences[i].value - reach);
        tested[i]->high = std::exp(differences[i].value + reach);
        tested[i]->chance = chances[i];
        tested[i]->differs = chances[i] <= levels[i] && large(*tested[i]->ratio);
    }
}

} // namespace sonde
