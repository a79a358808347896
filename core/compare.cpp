// Which items are compared, and the judgement.
#include "core/compare.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "core/estimate.h"
#include "core/significance.h"
#include "core/text.h"

namespace sonde {

namespace {
constexpr double kFirstRung = 4096, kRungStep = 16;
constexpr double kNearRung = 1.19;         // a footprint within a quarter of an octave stands for the rung
constexpr std::size_t kLevelPoints = 3;    // fewer footprints common to two levels do not make a level
constexpr double kLeastDeviation = 1e-4;   // nobody's clock resolves less: a variance of 0 is a counter that was not looked at closely

const Finding* level_named(const Answer& answer, const std::string& name) {
    const auto found = std::find_if(answer.levels.begin(), answer.levels.end(), [&](const Finding& level) { return level.name == name; });
    return found == answer.levels.end() ? nullptr : &*found;
}

std::pair<double, double> footprints_of(const Finding& level) { return {level.x.front(), level.x.back()}; }

std::vector<double> within(const std::vector<double>& footprints, std::pair<double, double> range) {
    std::vector<double> inside;
    std::copy_if(footprints.begin(), footprints.end(), std::back_inserter(inside), [&](double x) { return x >= range.first && x <= range.second; });
    return inside;
}

/// How steep the curve is between two footprints, in ln per ln: median of the units.
double steepness(const Answer& answer, double first, double last) {
    std::vector<double> slopes;
    for (const LogCurve& unit : answer.units) {
        const auto from = unit.find(first), to = unit.find(last);
        if (from != unit.end() && to != unit.end() && first < last) slopes.push_back(std::abs((to->second - from->second) / std::log(last / first)));
    }
    return slopes.empty() ? 0 : median(slopes);
}

double noise_from_run_to_run(double steepness) { return std::hypot(kRunNoise, kRunShift * steepness); }

Stand stand_of(const std::string& label, const Answer& answer, const std::vector<double>& footprints) {
    Stand stand{.label = label, .units = unit_values(answer, footprints), .of_runs = answer.of_runs};
    stand.run_noise = noise_from_run_to_run(footprints.empty() ? 0 : steepness(answer, footprints.front(), footprints.back()));
    if (!stand.units.empty()) stand.value = std::exp(mean(stand.units));
    return stand;
}

/// Footprints that every unit of both sides has.
std::vector<double> shared_footprints(const Answer& a, const Answer& b) {
    std::map<double, std::size_t> seen;
    for (const Answer* answer : {&a, &b})
        for (const LogCurve& unit : answer->units)
            for (const auto& [x, value] : unit) ++seen[x];
    std::vector<double> footprints;
    for (const auto& [x, times] : seen)
        if (times == a.units.size() + b.units.size()) footprints.push_back(x);
    return footprints;
}

/// Two answers to one question.
struct Pair {
    const Subject &a, &b;
    const Question& question;
    const Answer &of_a, &of_b;
    std::vector<double> shared = shared_footprints(of_a, of_b);

    Comparison item(Kind kind, std::string name, std::string unit) const {
        return {.question = question, .item = std::move(name), .unit = std::move(unit), .kind = kind, .rate = of_a.rate,
                .a = {.label = a.label}, .b = {.label = b.label}};
    }
    /// Between two footprints; on the shared ones, where there are enough, for refinement puts a point here in one run and there in another.
    Comparison values(Kind kind, std::string name, std::pair<double, double> range, const Finding& on_a, const Finding& on_b) const {
        std::vector<double> both = within(shared, range);
        const bool enough = both.size() >= kLevelPoints;
        return values(kind, std::move(name), enough ? both : within(on_a.x, range), enough ? both : within(on_b.x, range));
    }
    Comparison values(Kind kind, std::string name, const std::vector<double>& in_a, const std::vector<double>& in_b) const {
        Comparison comparison = item(kind, std::move(name), of_a.unit);
        comparison.a = stand_of(a.label, of_a, in_a);
        comparison.b = stand_of(b.label, of_b, in_b);
        return comparison;
    }
};

/// The footprints that both have on the level, so that a point more on one side's edge changes nothing. nullopt: too few.
std::optional<std::pair<double, double>> common_footprints(const Finding& a, const Finding& b) {
    const auto in_a = footprints_of(a), in_b = footprints_of(b);
    const std::pair both{std::max(in_a.first, in_b.first), std::min(in_a.second, in_b.second)};
    const bool enough = within(a.x, both).size() >= kLevelPoints && within(b.x, both).size() >= kLevelPoints;
    return enough ? std::optional(both) : std::nullopt;
}

void add_level(const Pair& pair, const Finding& a, const Finding& b, bool with_capacity, std::vector<Comparison>& out) {
    const auto both = common_footprints(a, b);
    const auto in_a = footprints_of(a);
    const std::vector<double> there = within(pair.shared, in_a);
    if (!both && pair.shared.size() >= kLevelPoints) { // one grid, cut otherwise
        const std::string name = fmt::format("from {} to {}", format_bytes(in_a.first), format_bytes(in_a.second));
        if (there.size() >= kLevelPoints) out.push_back(pair.values(Kind::level, name, there, there));
        return;
    }
    out.push_back(both ? pair.values(Kind::level, a.name, *both, a, b) : pair.values(Kind::level, a.name, a.x, b.x));
    if (!with_capacity) return;
    Comparison capacity = pair.item(Kind::capacity, "capacity of " + a.name, "bytes");
    capacity.a.range = capacity_range(pair.of_a, a);
    capacity.b.range = capacity_range(pair.of_b, b);
    if (capacity.a.range && capacity.b.range) out.push_back(std::move(capacity));
}

void add_levels(const Pair& pair, bool with_sizes, std::vector<Comparison>& out) {
    for (const Finding& a : pair.of_a.levels)
        if (const Finding* b = level_named(pair.of_b, a.name)) add_level(pair, a, *b, with_sizes, out);
    if (!with_sizes) return;
    Comparison levels = pair.item(Kind::levels, "levels", "");
    if (const auto number = agreed_levels(pair.of_a)) levels.a.value = static_cast<double>(*number);
    if (const auto number = agreed_levels(pair.of_b)) levels.b.value = static_cast<double>(*number);
    out.push_back(std::move(levels));
}

bool on_common_level(const Pair& pair, double x) {
    const auto holds = [&](const Finding& level) { return x >= level.x.front() && x <= level.x.back(); };
    return std::any_of(pair.of_a.levels.begin(), pair.of_a.levels.end(), [&](const Finding& level) {
        const Finding* other = level_named(pair.of_b, level.name);
        return other && holds(level) && holds(*other);
    });
}

void add_points(const Pair& pair, std::vector<Comparison>& out) {
    const std::vector<double>& footprints = pair.shared;
    if (footprints.empty()) return;
    for (double rung = kFirstRung; rung <= footprints.back() * kNearRung; rung *= kRungStep) {
        const auto distance = [&](double footprint) { return std::abs(std::log(footprint / rung)); };
        const auto x = std::min_element(footprints.begin(), footprints.end(), [&](double p, double q) { return distance(p) < distance(q); });
        if (distance(*x) > std::log(kNearRung) || on_common_level(pair, *x)) continue;
        Comparison point = pair.values(Kind::point, "at " + format_bytes(*x), std::vector{*x}, std::vector{*x});
        const double before = x == footprints.begin() ? *x : *std::prev(x), after = std::next(x) == footprints.end() ? *x : *std::next(x);
        for (const auto& [stand, answer] : {std::pair{&point.a, &pair.of_a}, std::pair{&point.b, &pair.of_b}})
            stand->run_noise = noise_from_run_to_run(std::max(steepness(*answer, before, *x), steepness(*answer, *x, after)));
        out.push_back(std::move(point));
    }
}

double number_of(const Json& object, const char* key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_number() ? found->get<double>() : 0;
}

/// View and factor that give an answer the unit of a published figure.
std::optional<std::pair<View, double>> view_for(const std::string& unit, double cores) {
    if (unit == "ns" || unit == "GB/s" || unit == "bytes") return std::pair{View::ns, 1.0};
    if (unit == "cycles") return std::pair{View::cycles, 1.0};
    if (unit == "B/clk/core") return std::pair{View::per_clock, 1.0};
    if (unit == "B/clk") return std::pair{View::per_clock, cores};
    return std::nullopt;
}

bool states(const Question& question, const Question& published) {
    return question.probe == published.probe && question.path == published.path &&
           std::all_of(published.options.begin(), published.options.end(), [&](const auto& option) {
               const auto found = question.options.find(option.first);
               return found != question.options.end() && found->second == option.second;
           });
}

/// The question's level beside the band; nullopt where the file does not have it in the band's unit.
std::optional<Comparison> band_item(const Subject& a, const Question& question, const PublishedBand& band, const std::string& label) {
    const auto view = view_for(band.unit, number_of(*a.recordings[0].device, "cores"));
    if (!view) return std::nullopt;
    const Answer answer = answer_of(a, question, view->first);
    const Finding* level = level_named(answer, band.level);
    const bool capacity = band.unit == "bytes";
    if (!level || answer.units.empty() || (!capacity && band.unit != "B/clk" && answer.unit != band.unit)) return std::nullopt;
    Comparison comparison{.question = question, .item = capacity ? "capacity of " + band.level : band.level, .unit = band.unit,
                          .kind = capacity ? Kind::capacity : Kind::level, .rate = answer.rate,
                          .a = {.label = a.label}, .b = {.label = label}, .figures = band.figures};
    comparison.b.range = std::pair{band.low, band.high};
    if (capacity) {
        comparison.a.range = capacity_range(answer, *level);
        return comparison.a.range ? std::optional(comparison) : std::nullopt;
    }
    comparison.a = stand_of(a.label, answer, level->x);
    for (double& unit : comparison.a.units) unit += std::log(view->second);
    if (comparison.a.value) *comparison.a.value *= view->second;
    return comparison;
}

Variance variance_of(const Stand& stand) {
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
using Group = std::tuple<std::string, std::string, Kind>;
using Priors = std::map<Group, Variance>;

Priors priors_of(const std::vector<Comparison>& comparisons) {
    std::map<Group, std::vector<Variance>> variances;
    for (const Comparison& comparison : comparisons)
        for (const auto& [whose, own] : variances_of(comparison)) variances[{whose, comparison.question.probe, comparison.kind}].push_back(own);
    Priors priors;
    for (const auto& [group, list] : variances) priors[group] = variance_prior(list);
    return priors;
}

/// The variance that blocks of one run cannot show, which comes on top; runs show it themselves.
double unseen(const Stand& stand) { return stand.of_runs ? 0 : stand.run_noise * stand.run_noise; }
/// A few runs that happen to agree do not prove less noise than runs are known to have.
double least(const Stand& stand) { return stand.of_runs ? stand.run_noise * stand.run_noise : 0; }

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
Difference from_band(const Stand& a, const Variance& of_a, std::pair<double, double> band) {
    const double middle = mean(a.units), low = std::log(std::max(band.first, 1e-300)), high = std::log(band.second);
    return welch(middle, of_a, a.units.size(), std::clamp(middle, low, high), kExact, 1, unseen(a));
}

std::optional<Difference> difference_of(Comparison& comparison, const Priors& priors) {
    const Stand &a = comparison.a, &b = comparison.b;
    if (a.units.empty() || (b.units.empty() && !b.range)) return std::nullopt;
    const std::vector<Variance> known = known_variances(comparison, priors);
    if (known.empty() || (b.range && a.units.size() < 2)) {
        comparison.note = "one block is no measure of noise; --profile standard takes three";
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

std::string Comparison::what() const { return question.text() + ": " + item; }

std::vector<Comparison> compare(const Subject& a, const Subject& b, View view, std::vector<std::string>& notes) {
    std::vector<Comparison> out;
    for (const Subject* subject : {&a, &b})
        for (std::string& line : unstable_series(*subject)) notes.push_back(std::move(line));
    const std::vector<Question> others = questions_of(b);
    for (const Question& question : questions_of(a)) {
        if (std::find(others.begin(), others.end(), question) == others.end()) continue;
        const Answer of_a = answer_of(a, question, view), of_b = answer_of(b, question, view);
        for (const auto& [subject, answer] : {std::pair{&a, &of_a}, std::pair{&b, &of_b}})
            if (!answer->why_not.empty()) notes.push_back(fmt::format("{}, {}: {}", question.probe, subject->label, answer->why_not));
        if (of_a.units.empty() || of_b.units.empty()) continue;
        const Pair pair{a, b, question, of_a, of_b};
        const bool with_sizes = !of_a.rate; // the edges of a rate's curve are ragged, and latency says where a level ends
        if (view == View::bus) {
            const Finding *in_a = level_named(of_a, "memory"), *in_b = level_named(of_b, "memory"); // caches are not behind the bus
            if (in_a && in_b) add_level(pair, *in_a, *in_b, false, out);
            continue;
        }
        add_levels(pair, with_sizes, out);
        add_points(pair, out);
    }
    std::sort(notes.begin(), notes.end());
    notes.erase(std::unique(notes.begin(), notes.end()), notes.end());
    return out;
}

std::vector<Comparison> compare_with_published(const Subject& a, std::span<const PublishedBand> bands, const std::string& label) {
    std::vector<Comparison> out;
    for (const PublishedBand& band : bands) {
        std::optional<Comparison> best; // of variants that the source does not tell apart, the fastest: sources give what a card can do
        for (const Question& question : questions_of(a)) {
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
    const std::map<Group, Variance> priors = priors_of(comparisons);
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
