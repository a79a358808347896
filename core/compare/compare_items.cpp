// Which items two answers give.
#include "core/compare/compare_items.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>

#include "core/analysis/significance.h"
#include "core/base/statistics.h"
#include "core/base/text.h"
#include "core/compare/facts.h"
#include "core/probes/probe.h"

namespace sonde {

namespace {
constexpr double kFirstRung = 4096, kRungStep = 16;
constexpr double kNearRung = 1.19;         // a footprint within a quarter of an octave stands for the rung
constexpr std::size_t kLevelPoints = 3;    // fewer footprints common to two levels do not make a level
constexpr double kThreads = 1;            // of a logarithm: two threads on one core or on two hand a word over in 5 or in 33 ns
constexpr std::size_t kMostAmounts = 4;    // of one curve: more items, more correction

std::pair<double, double> footprints_of(const Finding& level) { return {level.x.front(), level.x.back()}; }

std::vector<double> within(const std::vector<double>& footprints, std::pair<double, double> range) {
    std::vector<double> inside;
    std::copy_if(footprints.begin(), footprints.end(), std::back_inserter(inside), [&](double x) { return x >= range.first && x <= range.second; });
    return inside;
}

/// How steep the curve is between two footprints, in ln per ln: median of the units.
double steepness(const Replicates& answer, double first, double last) {
    std::vector<double> slopes;
    for (const LogCurve& unit : answer.units) {
        const auto from = unit.find(first), to = unit.find(last);
        if (from != unit.end() && to != unit.end() && first < last) slopes.push_back(std::abs((to->second - from->second) / std::log(last / first)));
    }
    return slopes.empty() ? 0 : median(slopes);
}

/// A scratchpad is the same wherever it lies.
double run_noise_of(const SeriesKey& question, const Replicates& answer) {
    const double own = probe_named(question.probe).run_noise;
    if (answer.of_processor && probe_named(question.probe).x.axis != Axis::footprint) return kThreads;
    return question.path == "scratchpad" ? std::min(own, probe_named("banks").run_noise) : own;
}

/// Where a staircase is steep, where it lies moves; elsewhere each x is what it is.
double noise_from_run_to_run(const SeriesKey& question, const Replicates& answer, double steepness) {
    return probe_named(question.probe).x.axis == Axis::footprint ? std::hypot(run_noise_of(question, answer), kRunShift * steepness) : run_noise_of(question, answer);
}

} // namespace

const Finding* level_named(const Replicates& answer, const std::string& name) {
    const auto found = std::find_if(answer.levels.begin(), answer.levels.end(), [&](const Finding& level) { return level.name == name; });
    return found == answer.levels.end() ? nullptr : &*found;
}

Measured stand_of(const std::string& label, const SeriesKey& question, const Replicates& answer, const std::vector<double>& footprints) {
    Measured stand{.label = label, .units = unit_values(answer, footprints), .of_runs = answer.of_runs, .count = answer.units.size()};
    stand.run_noise = noise_from_run_to_run(question, answer, footprints.empty() ? 0 : steepness(answer, footprints.front(), footprints.back()));
    if (!stand.units.empty()) stand.value = std::exp(mean(stand.units));
    return stand;
}

Measured stand_of(const std::string& label, const Replicates& answer, std::pair<double, double> range) {
    return {.label = label, .units = {}, .of_runs = answer.of_runs, .count = answer.units.size(), .range = range};
}

namespace {
/// Footprints that every unit of both sides has.
std::vector<double> shared_footprints(const Replicates& a, const Replicates& b) {
    std::map<double, std::size_t> seen;
    for (const Replicates* answer : {&a, &b})
        for (const LogCurve& unit : answer->units)
            for (const auto& [x, value] : unit) ++seen[x];
    std::vector<double> footprints;
    for (const auto& [x, times] : seen)
        if (times == a.units.size() + b.units.size()) footprints.push_back(x);
    return footprints;
}

/// Two answers to one question.
struct Pair {
    const Side &a, &b;
    const SeriesKey& question;
    const Replicates &of_a, &of_b;
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
        comparison.a = stand_of(a.label, question, of_a, in_a);
        comparison.b = stand_of(b.label, question, of_b, in_b);
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
    const auto of_a = capacity_range(pair.of_a, a), of_b = capacity_range(pair.of_b, b);
    if (!of_a || !of_b) return;
    capacity.a = stand_of(pair.a.label, pair.of_a, *of_a);
    capacity.b = stand_of(pair.b.label, pair.of_b, *of_b);
    out.push_back(std::move(capacity));
}

void add_levels(const Pair& pair, bool with_sizes, std::vector<Comparison>& out) {
    for (const Finding& a : pair.of_a.levels)
        if (const Finding* b = level_named(pair.of_b, a.name)) add_level(pair, a, *b, with_sizes, out);
    if (!with_sizes || pair.of_a.units.size() < kEnoughBlocks || pair.of_b.units.size() < kEnoughBlocks) return;
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
            stand->run_noise = noise_from_run_to_run(pair.question, *answer, std::max(steepness(*answer, before, *x), steepness(*answer, *x, after)));
        out.push_back(std::move(point));
    }
}

/// The value at which the units are fastest, in the middle.
std::optional<double> fastest_place(const Replicates& answer) {
    std::map<double, std::vector<double>> values;
    for (const LogCurve& unit : answer.units)
        for (const auto& [x, value] : unit) values[x].push_back(answer.rate ? value : -value);
    if (values.empty()) return std::nullopt;
    return std::max_element(values.begin(), values.end(), [](const auto& p, const auto& q) { return median(p.second) < median(q.second); })->first;
}

std::vector<double> all_places(const Replicates& answer) {
    std::set<double> places;
    for (const LogCurve& unit : answer.units)
        for (const auto& [x, value] : unit) places.insert(x);
    return {places.begin(), places.end()};
}

std::string place_text(const SeriesKey& question, double x) {
    const Probe& probe = *find_probe(question.probe);
    return probe.x.unit == "bytes" ? fmt::format("{} of {}", probe.x.name, format_bytes(x)) : fmt::format("{} {:g}", probe.x.name, x);
}

/// Some of the places that both have, the first and the last among them; of rates also the most that each brings anywhere.
void add_amounts(const Pair& pair, std::vector<Comparison>& out) {
    const std::vector<double>& shared = pair.shared;
    std::set<std::size_t> chosen;
    for (std::size_t i = 0; i < std::min(shared.size(), kMostAmounts); ++i)
        chosen.insert(shared.size() <= kMostAmounts ? i : i * (shared.size() - 1) / (kMostAmounts - 1));
    for (const std::size_t i : chosen) {
        const std::vector<double> there{shared[i]};
        out.push_back(pair.values(Kind::point, place_text(pair.question, shared[i]), there, there));
    }
    const auto most_a = fastest_place(pair.of_a), most_b = fastest_place(pair.of_b);
    if (pair.of_a.rate && most_a && most_b) out.push_back(pair.values(Kind::point, "the most", std::vector{*most_a}, std::vector{*most_b}));
}

void add_middle(const Pair& pair, std::vector<Comparison>& out) {
    const bool same = !pair.shared.empty();
    const std::vector<double> in_a = same ? pair.shared : all_places(pair.of_a), in_b = same ? pair.shared : all_places(pair.of_b);
    if (in_a.empty() || in_b.empty()) return;
    const std::string_view name = find_probe(pair.question.probe)->x.name;
    out.push_back(pair.values(Kind::point, in_a.size() == 1 ? std::string(name) : fmt::format("median by {}", name), in_a, in_b));
}

std::size_t count_of(const std::vector<FoundFact>& facts, const std::string& kind) {
    return static_cast<std::size_t>(std::count_if(facts.begin(), facts.end(), [&](const FoundFact& fact) { return fact.kind == kind; }));
}

/// Of one kind only where both have as many: which one of two a side's single level of translation is, nothing tells.
void add_facts(const Pair& pair, std::vector<Comparison>& out) {
    const std::vector<FoundFact> of_a = facts_of(pair.a, pair.question), of_b = facts_of(pair.b, pair.question);
    for (const FoundFact& fact : of_a) {
        const auto same = std::find_if(of_b.begin(), of_b.end(), [&](const FoundFact& other) { return other.kind == fact.kind && other.name == fact.name && other.unit == fact.unit; });
        if (same == of_b.end() || count_of(of_a, fact.kind) != count_of(of_b, fact.kind)) continue;
        Comparison comparison = pair.item(Kind::capacity, fact.item(), fact.unit);
        comparison.a = stand_of(pair.a.label, pair.of_a, fact.range);
        comparison.b = stand_of(pair.b.label, pair.of_b, same->range);
        out.push_back(std::move(comparison));
    }
}
} // namespace

std::optional<std::vector<double>> places_named(const Replicates& answer, const std::string& name) {
    const std::vector<double> places = all_places(answer);
    if (name == "middle") return places.empty() ? std::nullopt : std::optional(places);
    if (name == "largest") return places.empty() ? std::nullopt : std::optional(std::vector{places.back()});
    if (name == "best") {
        const auto place = fastest_place(answer);
        return place ? std::optional(std::vector{*place}) : std::nullopt;
    }
    const auto found = std::find_if(places.begin(), places.end(), [&](double place) { return name == fmt::format("at {:g}", place); });
    return found == places.end() ? std::nullopt : std::optional(std::vector{*found});
}

void add_items(const Side& a, const Side& b, const SeriesKey& question, const Replicates& of_a, const Replicates& of_b, View view, std::vector<Comparison>& out) {
    const Pair pair{a, b, question, of_a, of_b};
    const Axis axis = probe_named(question.probe).x.axis;
    if (view == View::bus) {
        const Finding *in_a = level_named(of_a, "DRAM"), *in_b = level_named(of_b, "DRAM");
        if (in_a && in_b && axis == Axis::footprint) add_level(pair, *in_a, *in_b, false, out);
        return;
    }
    add_facts(pair, out);
    if (axis == Axis::amount) return add_amounts(pair, out);
    if (axis == Axis::place) return add_middle(pair, out);
    add_levels(pair, !of_a.rate, out); // the edges of a rate's curve are ragged, and latency says where a level ends
    add_points(pair, out);
}

} // namespace sonde
