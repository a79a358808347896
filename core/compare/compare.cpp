// Two subjects, or one and what is published; and the judgement.
#include "core/compare/compare.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "core/analysis/findings.h"
#include "core/analysis/significance.h"
#include "core/analysis/structure.h"
#include "core/analysis/traffic.h"
#include "core/base/statistics.h"
#include "core/compare/compare_items.h"
#include "core/data/footprints.h"
#include "core/data/shared_options.h"
#include "core/probes/probe.h"

namespace sonde {

const char* to_text(Kind kind) {
    constexpr std::array kNames{"level", "point", "edge", "capacity", "levels"};
    return kNames[static_cast<std::size_t>(kind)];
}

namespace {
constexpr double kLeastDeviation =
    1e-4; // nobody's clock resolves less: a variance of 0 is a counter that was not looked at closely

/// The level that the band is about. Others count those of a path that is none of the card's memory: L1 of constants.
const Finding* level_of_band(const Replicates& answer, const LevelName& name) {
    if (const Finding* level = level_named(answer, name)) return level;
    const Path* path = find_path(answer.question.path);
    if (!path || family_of(*path) <= Family::peer) return nullptr;
    for (std::size_t i = 0; i < answer.levels.size(); ++i)
        if (name == LevelName::cache(static_cast<int>(i) + 1)) return &answer.levels[i];
    return nullptr;
}

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
    AsPublished{"Gop/s", View::ns, false, "Gop/s"},
    AsPublished{"cycles", View::cycles, false, "cycles"},
    AsPublished{"B/clk/core", View::per_clock, false, "B/clk/core"},
    AsPublished{"B/clk", View::per_clock, true, "B/clk/core"},
    AsPublished{"op/clk/core", View::per_clock, false, "op/clk/core"},
    AsPublished{"op/clk", View::per_clock, true, "op/clk/core"},
};

constexpr std::string_view kUntold = "default"; // a published option: the series has none of that name

/// A TLB is the same whatever path's loads fill it.
bool states(const SeriesKey& question, const SeriesKey& published) {
    return question.probe == published.probe &&
           (question.path == published.path || probe_named(question.probe).any_path) &&
           std::all_of(published.options.begin(), published.options.end(), [&](const auto& option) {
               const OptionName name{option.first};
               return name.asked(question.options) ? name.word(question.options) == option.second
                                                   : option.second == kUntold;
           });
}

/// What a band says: a range of what is published; one value that another tool measured, which is one block of a run.
Measured stand_of(const PublishedRange& band, const std::string& label, double run_noise, bool judged) {
    if (!band.figures.front().measured || !judged)
        return {.label = label, .range = std::pair{band.low, band.high}, .figures = band.figures};
    if (band.unit == "bytes") return {.label = label, .units = {}, .count = 1, .range = std::pair{band.low, band.high}};
    const double value = std::sqrt(band.low * band.high);
    return {.label = label, .units = {std::log(value)}, .run_noise = run_noise, .count = 1, .value = value};
}

Comparison beside(const Replicates& answer, const PublishedRange& band, const std::string& label, std::string item,
    Kind kind, Measured own) {
    Measured other = stand_of(band, label, own.run_noise, band.apart.empty());
    return {.question = answer.question,
        .item = std::move(item),
        .unit = band.unit,
        .kind = kind,
        .rate = kind == Kind::level && answer.rate,
        .a = std::move(own),
        .b = std::move(other),
        .apart = band.apart};
}

/// Where a level ends, or a conclusion that stands alone: what has no view.
std::optional<Comparison> size_item(
    const Side& a, const SeriesKey& question, const PublishedRange& band, const std::string& label) {
    const Replicates answer = replicates_of(a, question, View::ns);
    if (answer.units.empty()) return std::nullopt;
    const Finding* level = probe_named(question.probe).x.axis == Axis::footprint && band.unit == "bytes"
                               ? level_of_band(answer, band.level)
                               : nullptr;
    if (const auto range = level ? capacity_range(answer, *level) : std::nullopt)
        return beside(answer, band, label, "capacity of " + band.place, Kind::capacity, measured_range(answer, *range));
    for (const FoundFact& fact : facts_of(a, question))
        if (fact.name == band.place && fact.unit == band.unit)
            return beside(answer, band, label, fact.item, Kind::capacity, measured_range(answer, fact.range));
    return std::nullopt;
}

/// Where no latency names a rate's levels, a curve that begins where an L1 may have ended has no first one.
const Finding* level_of_card(const Replicates& answer, const LevelName& name) {
    constexpr double kWithinFirst = 32 * 1024;
    const bool named = !answer.rate || answer.by_latency || name == LevelName::dram() ||
                       answer.units.front().begin()->first <= kWithinFirst;
    return named ? level_of_band(answer, name) : nullptr;
}

/// What a miss of that TLB costs, block by block.
std::optional<Measured> miss_cost(const Replicates& answer, const FigurePlace& tlb) {
    Measured own = measured_at(answer, {});
    own.units.clear();
    for (const LogCurve& unit : answer.units) {
        std::vector<CurvePoint> curve;
        for (const auto& [x, value] : unit) curve.push_back({x, std::exp(value)});
        const std::vector<TranslationLevel> levels = translation_levels(curve);
        for (std::size_t i = 0; i < levels.size(); ++i)
            if (tlb == FigurePlace{FigurePlace::Kind::tlb, static_cast<double>(i + 1)})
                own.units.push_back(std::log(levels[i].cost));
    }
    if (own.units.empty()) return std::nullopt;
    own.value = std::exp(mean(own.units));
    return own;
}

/// How long an operation takes that depends on the one before: a finding of the series' first point.
std::optional<Comparison> latency_item(
    const Side& a, const SeriesKey& question, const PublishedRange& band, const std::string& label) {
    const Replicates answer = replicates_of(a, question, View::ns);
    std::optional<std::pair<double, double>> range;
    for (const DeviceRun& recording : a.recordings) {
        const Curve* curve = recording.curve(question);
        for (const Finding& found : curve ? curve->findings : std::vector<Finding>()) {
            if (found.name != latency_finding(option::operation.word(question.options)) || !found.cycles) continue;
            range = range ? std::pair(std::min(range->first, *found.cycles), std::max(range->second, *found.cycles))
                          : std::pair(*found.cycles, *found.cycles);
        }
    }
    if (answer.units.empty() || !range) return std::nullopt;
    return beside(answer, band, label, band.place, Kind::capacity, measured_range(answer, *range));
}

/// The question's level, or place on its axis, beside the band; nullopt where the file does not have it in the band's
/// unit.
std::optional<Comparison> band_item(
    const Side& a, const SeriesKey& question, const PublishedRange& band, const std::string& label) {
    if (band.where.kind == FigurePlace::Kind::latency && band.unit == "cycles")
        return latency_item(a, question, band, label);
    const auto as = std::find_if(
        kAsPublished.begin(), kAsPublished.end(), [&](const AsPublished& each) { return each.unit == band.unit; });
    if (as == kAsPublished.end()) return size_item(a, question, band, label);
    const Replicates answer = replicates_of(a, question, as->view);
    if (answer.units.empty() || answer.unit != as->own) return std::nullopt;
    if (role_of({question.probe, "", question.path, question.options}) == Role::translation) {
        auto own = miss_cost(answer, band.where);
        return own ? std::optional(
                         beside(answer, band, label, band.figures.front().item(), Kind::level, std::move(*own)))
                   : std::nullopt;
    }
    const bool footprint = probe_named(question.probe).x.axis == Axis::footprint;
    const Finding* level = footprint ? level_of_card(answer, band.level) : nullptr;
    const auto places = level ? std::optional(level->x) : footprint ? std::nullopt : places_at(answer, band.where);
    if (!places) return std::nullopt;
    Measured own = measured_at(answer, *places);
    if (as->of_card && !a.device().cores) return std::nullopt;
    const double factor = as->of_card ? a.device().cores : 1;
    for (double& unit : own.units) unit += std::log(factor);
    if (own.value) *own.value *= factor;
    return beside(answer, band, label, band.place, Kind::level, std::move(own));
}

Variance variance_of(const Measured& stand) {
    Variance own = variance(stand.units);
    if (own.freedom > 0) own.value = std::max(own.value, kLeastDeviation * kLeastDeviation);
    return own;
}

/// What the variances of one side's items of one probe and kind say about each other, and the most freedom that this
/// can have.
struct Prior {
    Variance all;
    double most = 0;
};
using AlikeItems = std::tuple<std::string, std::string, Kind>;
using Priors = std::map<AlikeItems, Prior>;

AlikeItems alike(const Measured& stand, const Comparison& comparison) {
    return {stand.label, comparison.question.probe, comparison.kind};
}

/// Where the blocks of all items rise and fall together, their variances are one variance seen often: with correlation
/// r, n items say as much as n / (1 + (n - 1) r). The mean r of all pairs follows from the length of the sum of their
/// deviations, each of length 1.
double separate_items(const std::vector<const Measured*>& items) {
    std::map<std::size_t, std::vector<double>> sums; // by how many blocks there are
    for (const Measured* item : items) {
        std::vector<double>& sum = sums[item->units.size()];
        sum.resize(item->units.size());
        const double middle = mean(item->units),
                     length = std::sqrt(variance(item->units).value * static_cast<double>(item->units.size() - 1));
        for (std::size_t i = 0; i < sum.size() && length > 0; ++i) sum[i] += (item->units[i] - middle) / length;
    }
    const auto count = static_cast<double>(items.size());
    double together = -count;
    for (const auto& [blocks, sum] : sums)
        for (const double part : sum) together += part * part;
    return count / (1 + std::max(together, 0.0) / count);
}

Priors priors_of(const std::vector<Comparison>& comparisons) {
    std::map<AlikeItems, std::vector<const Measured*>> groups;
    for (const Comparison& comparison : comparisons)
        for (const Measured* stand : {&comparison.a, &comparison.b})
            if (stand->units.size() > 1) groups[alike(*stand, comparison)].push_back(stand);
    Priors priors;
    for (const auto& [group, items] : groups) {
        std::vector<Variance> variances;
        double freedom = 0;
        for (const Measured* item : items) variances.push_back(variance_of(*item)), freedom += variances.back().freedom;
        const auto count = static_cast<double>(items.size());
        priors[group] = {variance_prior(variances), freedom / count * separate_items(items)};
    }
    return priors;
}

/// The variance that blocks of one run cannot show, which comes on top; runs show it themselves.
double unseen(const Measured& stand) { return stand.of_runs || stand.learned ? 0 : stand.run_noise * stand.run_noise; }

/// Of one value: what was learned, or is declared, of a single block or run; else its own, moderated. A few runs that
/// happen to agree do not prove less noise than runs are known to have.
Variance known_variance(const Measured& stand, const Comparison& comparison, const Priors& priors) {
    if (stand.learned) // of a card whose samples scatter more than those of the recorded ones, at least as much
        return {std::pow(std::max(stand.learned->deviation, stand.scatter), 2) + std::pow(stand.noise_of_place, 2),
            std::numeric_limits<double>::infinity()};
    if (stand.one_block())
        return {std::pow(std::max(kOneBlockNoise, 2 * stand.run_noise), 2), std::numeric_limits<double>::infinity()};
    const Variance own = variance_of(stand);
    const Prior& prior = priors.at(alike(stand, comparison));
    Variance known = moderated(own, prior.all);
    known.freedom = std::min(known.freedom, std::max(own.freedom, prior.most));
    if (stand.of_runs) known.value = std::max(known.value, stand.run_noise * stand.run_noise);
    return known;
}

/// The largest variance that so few values leave possible: its upper limit of 95 % (chi-square after Wilson and
/// Hilferty 1931).
double largest_possible(const Variance& variance) {
    const double spread = 2 / (9 * variance.freedom);
    return variance.value / std::pow(std::max(0.15, 1 - spread - 1.645 * std::sqrt(spread)), 3);
}

/// Welch's, with the degrees of freedom that are left if the blocks' noise is as large as possible: few that happen to
/// agree, beside a noise from run to run that is known, do not prove that they have none.
Difference difference_of_means(double mean_a, const Variance& a, std::size_t count_a, double mean_b, const Variance& b,
    std::size_t count_b, double known) {
    Difference difference = welch(mean_a, a, count_a, mean_b, b, count_b, known);
    const Difference noisy = welch(
        mean_a, {largest_possible(a), a.freedom}, count_a, mean_b, {largest_possible(b), b.freedom}, count_b, known);
    difference.freedom = std::min(difference.freedom, noisy.freedom);
    return difference;
}

constexpr Variance kExact{0, std::numeric_limits<double>::infinity()};

/// The distance from the mean of `a` to the nearest end of the range that is published; 0 inside.
Difference from_band(const Measured& a, const Variance& of_a, std::pair<double, double> band) {
    const double middle = mean(a.units), low = std::log(std::max(band.first, 1e-300)), high = std::log(band.second);
    return difference_of_means(middle, of_a, a.units.size(), std::clamp(middle, low, high), kExact, 1, unseen(a));
}

std::optional<Difference> difference_of(const Comparison& comparison, const Priors& priors) {
    const Measured &a = comparison.a, &b = comparison.b;
    if (a.units.empty() || (b.units.empty() && !b.range)) return std::nullopt;
    const Variance of_a = known_variance(a, comparison, priors);
    if (b.range) return from_band(a, of_a, *b.range);
    return difference_of_means(mean(a.units), of_a, a.units.size(), mean(b.units),
        known_variance(b, comparison, priors), b.units.size(), unseen(a) + unseen(b));
}

bool large(double ratio, double least) { return std::abs(std::log(ratio)) >= std::log1p(least); }

/// The range within which it lies, where one block is no measure of how far that moves.
std::pair<double, double> widened(const Measured& stand) {
    const double by = stand.learned       ? std::exp(stand.learned->beyond / 2)
                      : stand.one_block() ? 1 + 2 * kOneBlockNoise
                                          : 1;
    return {stand.range->first / by, stand.range->second * by};
}

void judge_ranges(Comparison& comparison, double least) {
    const auto a = widened(comparison.a), b = widened(comparison.b);
    comparison.low = b.first / a.second;
    comparison.high = b.second / a.first;
    const bool bounded = std::isfinite(a.second) && std::isfinite(b.second) && a.first > 0 &&
                         b.first > 0; // published figures may be "over" or "up to" one
    comparison.ratio =
        bounded ? std::sqrt(*comparison.low * *comparison.high) : std::clamp(1.0, *comparison.low, *comparison.high);
    comparison.differs = *comparison.low >= 1 + least || *comparison.high <= 1 / (1 + least);
}

void judge_levels(Comparison& comparison) {
    if (comparison.a.value && comparison.b.value) comparison.differs = *comparison.a.value != *comparison.b.value;
    else comparison.levels_vary = comparison.not_comparable.empty();
}

/// Single values of other tools' files, on either side or on both.
void add_figures(const Side& a, const Side& b, std::vector<Comparison>& out) {
    const std::vector<PublishedRange> of_a = bands_of(figures_of(a)), of_b = bands_of(figures_of(b));
    const auto add = [&](std::vector<Comparison> more) {
        std::move(more.begin(), more.end(), std::back_inserter(out));
    };
    add(compare_with_published(a, of_b, b.label));
    add(compare_with_published(b, of_a, a.label));
    add(compare_published(of_a, of_b, {a.label, b.label}));
}

/// Curves of another tool to which the other side has nothing alike: by other loads, or on another path.
void note_unlike(const Side& imported, const std::vector<SeriesKey>& others, std::vector<std::string>& notes) {
    for (const DeviceRun& recording : imported.recordings)
        for (const Series& series : recording.run->series) {
            const SeriesKey question{series.id.probe, series.id.path, series.id.options};
            const bool curve = series.evidence.source && !series.points.empty() &&
                               series.id.device == recording.device->id && recording.compares(question);
            if (curve && std::find(others.begin(), others.end(), question) == others.end())
                notes.push_back(
                    fmt::format("{} of {} is not compared: the other side has no series of this path and these options",
                        question.text(), series.evidence.source->tool));
        }
}
} // namespace

/// The view in which a question is compared.
static View view_for(const SeriesKey& question, View asked) {
    return asked == View::ns && probe_named(question.probe).by_cycles ? View::cycles : asked;
}

std::map<std::string, std::set<std::string>> without_view(const Side& a, const Side& b, View view) {
    std::map<std::string, std::set<std::string>> probes;
    const std::vector<SeriesKey> others = questions_of(b);
    for (const SeriesKey& question : questions_of(a)) {
        const View own = view_for(question, view);
        if (own == View::ns || std::ranges::find(others, question) == others.end()) continue;
        for (const Side* side : {&a, &b})
            if (const std::string why = replicates_of(*side, question, own).why_not; !why.empty()) {
                probes[why].insert(question.probe);
                break;
            }
    }
    return probes;
}

std::set<std::string> probes_with_other_kernels(const Side& a, const Side& b) {
    std::set<std::string> probes;
    const auto hashes_of = [](const Side& side, const SeriesKey& question, const auto& hash_of) {
        std::set<std::string> hashes;
        for (const DeviceRun& recording : side.recordings)
            if (const Curve* curve = recording.curve(question); curve && curve->series->evidence.kernel)
                hashes.insert(hash_of(curve->series->evidence));
        return hashes;
    };
    const auto listing = [](const Evidence& evidence) { return evidence.kernel->listing.hash; };
    const auto text = [](const Evidence& evidence) { return evidence.kernel->text_hash; };
    const auto shape = [](const Evidence& evidence) { // not of workgroups, of which there are as many as cores
        const ShapeEvidence own = evidence.shape.value_or(ShapeEvidence{});
        return fmt::format(
            "{}x{}x{}", own.group_size.value_or(0), own.loads_in_flight.value_or(0), own.unroll.value_or(0));
    };
    const auto differ = [&](const SeriesKey& question, const auto& hash_of) -> std::optional<bool> {
        const auto first = hashes_of(a, question, hash_of), second = hashes_of(b, question, hash_of);
        const bool known = !first.empty() && !second.empty() && !first.contains("") && !second.contains("");
        return known ? std::optional(first != second) : std::nullopt;
    };
    for (const SeriesKey& question : questions_of(a))
        if (differ(question, text).value_or(false) && differ(question, listing).value_or(true) &&
            !differ(question, shape).value_or(false)) // trials of launch shapes chose another kernel
            probes.insert(question.probe);
    return probes;
}

/// Why series of both sides answer one question and are not compared; "": they are.
static std::string why_unlike(const Side& a, const Side& b, const SeriesKey& question) {
    std::set<bool> discard;
    std::set<std::string> too_fast;
    for (const Side* side : {&a, &b})
        for (const DeviceRun& recording : side->recordings) {
            const Curve* curve = recording.curve(question);
            if (!curve) continue;
            if (kTransfer.measured(curve->series->id) && is_copied_from_cache(*curve)) too_fast.insert(side->label);
            const auto& kernel = curve->series->evidence.kernel;
            if (kAtomics.measured(curve->series->id) && kernel && kernel->atomics)
                discard.insert(discards_result(*curve->series));
        }
    if (!too_fast.empty())
        return fmt::format("{}: some sizes are faster than the largest, and than the link carries",
            too_fast.size() > 1 ? "both sides" : *too_fast.begin());
    return discard.size() > 1 ? "the atomic instruction returns a value on one side alone" : "";
}

/// The same question of the other side, or where that has it of other footprints alone, this: both are compared where
/// they have footprints in common. nullptr: there is none, or it answers another question of these.
static const SeriesKey* answered(
    const SeriesKey& question, const std::vector<SeriesKey>& questions, const std::vector<SeriesKey>& others) {
    if (const auto same = std::ranges::find(others, question); same != others.end()) return &*same;
    const auto found = std::ranges::find_if(others, [&](const SeriesKey& other) {
        return other.probe == question.probe && other.path == question.path &&
               without_footprint(other.options) == without_footprint(question.options) &&
               std::ranges::count(questions, other) == 0;
    });
    return found == others.end() ? nullptr : &*found;
}

std::vector<Comparison> compare(const Side& a, const Side& b, View view, std::vector<std::string>& notes) {
    std::vector<Comparison> out;
    for (const Side* subject : {&a, &b})
        for (std::string& line : unstable_series(*subject)) notes.push_back(std::move(line));
    const std::vector<SeriesKey> others = questions_of(b);
    const std::vector<SeriesKey> questions = questions_of(a);
    for (const SeriesKey& question : questions) {
        const SeriesKey* other = answered(question, questions, others);
        if (!other) continue;
        const View own = view_for(question, view);
        const Replicates of_a = replicates_of(a, question, own), of_b = replicates_of(b, *other, own);
        if (of_a.units.empty() || of_b.units.empty()) continue;
        if (const std::string why = why_unlike(a, b, question); !why.empty()) {
            notes.push_back(fmt::format("{} {}: not comparable: {}", a.device().id, question.text(), why));
            continue;
        }
        add_items(of_a, of_b, view, out);
    }
    add_figures(a, b, out);
    note_unlike(a, others, notes);
    note_unlike(b, questions_of(a), notes);
    for (const Comparison& comparison : out)
        if (!comparison.not_comparable.empty())
            notes.push_back(
                fmt::format("{}: not comparable: {}", comparison.question.text(), comparison.not_comparable));
    std::sort(notes.begin(), notes.end());
    notes.erase(std::unique(notes.begin(), notes.end()), notes.end());
    return out;
}

std::vector<Comparison> compare_with_published(
    const Side& a, std::span<const PublishedRange> bands, const std::string& label) {
    std::vector<Comparison> out;
    for (const PublishedRange& band : bands) {
        std::optional<Comparison>
            best; // of variants that the source does not tell apart, the fastest: sources give what a card can do
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

std::vector<Comparison> compare_published(std::span<const PublishedRange> a, std::span<const PublishedRange> b,
    const std::pair<std::string, std::string>& labels) {
    std::vector<Comparison> out;
    for (const PublishedRange& one : a)
        for (const PublishedRange& other : b) {
            const bool same = one.question == other.question && one.place == other.place && one.unit == other.unit &&
                              one.apart == other.apart;
            if (!same || (!one.apart.empty() && one.apart != one.figures.front().method))
                continue; // not two of which nothing is known
            const Probe& probe = probe_named(one.question.probe);
            out.push_back({.question = one.question,
                .item = one.figures.front().item(),
                .unit = one.unit,
                .kind = one.unit == "bytes" ? Kind::capacity : Kind::level,
                .rate = probe.measure() == Measure::steps_per_time,
                .a = stand_of(one, labels.first, probe.run_noise, true),
                .b = stand_of(other, labels.second, probe.run_noise, true),
                .apart = {}});
        }
    return out;
}

/// How far two blocks have to lie apart to be farther than all recorded ones, and two runs of several at an edge, whose
/// blocks may all lie to one side of it; 0: nothing was recorded.
static double beyond_recorded(const Comparison& comparison) {
    double most = 0;
    for (const Measured* side : {&comparison.a, &comparison.b})
        for (const auto& known : {side->learned, side->edge})
            if (known) most = std::max(most, known->beyond);
    return most;
}

void judge(std::vector<Comparison>& comparisons, double least) {
    const Priors priors = priors_of(comparisons);
    std::vector<Comparison*> tested;
    std::vector<Difference> differences;
    std::vector<double> chances;
    for (Comparison& comparison : comparisons) {
        if (!comparison.apart.empty() || comparison.noise_unknown()) continue;
        if (comparison.a.range && comparison.b.range) judge_ranges(comparison, least);
        else if (comparison.kind == Kind::levels) judge_levels(comparison);
        else if (const auto difference = difference_of(comparison, priors)) {
            tested.push_back(&comparison);
            differences.push_back(*difference);
            chances.push_back(difference->chance());
        }
    }
    const std::vector<double> levels = holm_levels(chances, kFalseAlarms);
    for (std::size_t i = 0; i < tested.size(); ++i) {
        const double by_chance = student_quantile(levels[i], differences[i].freedom) * differences[i].error,
                     reach = std::max(by_chance, beyond_recorded(*tested[i]));
        tested[i]->ratio = std::exp(differences[i].value);
        tested[i]->low = std::exp(differences[i].value - reach);
        tested[i]->high = std::exp(differences[i].value + reach);
        tested[i]->chance = chances[i];
        tested[i]->differs = std::abs(differences[i].value) >= reach && large(*tested[i]->ratio, least);
    }
}

} // namespace sonde
