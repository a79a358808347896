// Which items two answers give.
#include "core/compare/compare_items.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "core/analysis/significance.h"
#include "core/base/statistics.h"
#include "core/base/text.h"
#include "core/data/shared_options.h"
#include "core/probes/probe.h"

namespace sonde {

namespace {
constexpr double kFirstRung = 4096, kRungStep = 16;
constexpr double kSweepRung = 512, kSweepStep = 1.7411; // sizes that each latency sweep begins with, 0.8 octaves apart
constexpr double kEdgeWithin = 1.35;                    // times: how far an edge was seen to move between runs
constexpr double kEdgeRises = 0.03;                     // ln: more than a level's points differ
constexpr double kNearRung = 1.19;                      // a footprint within a quarter of an octave stands for the rung
constexpr std::size_t kLevelPoints =
    3; // fewer footprints common to two levels that curves show by themselves do not make a level
constexpr double kThreads = 1; // of a logarithm: two threads on one core or on two hand a word over in 5 or in 33 ns
constexpr std::size_t kThinned = 3;     // with fewer points than this part of the other side's, levels are missed
constexpr std::size_t kMostAmounts = 4; // of one curve: more items, more correction

std::vector<double> within(const std::vector<double>& footprints, std::pair<double, double> range) {
    std::vector<double> inside;
    std::copy_if(footprints.begin(), footprints.end(), std::back_inserter(inside),
        [&](double x) { return x >= range.first && x <= range.second; });
    return inside;
}

/// How steep the curve is between two footprints, in ln per ln: median of the units.
double steepness(const Replicates& answer, double first, double last) {
    std::vector<double> slopes;
    for (const LogCurve& unit : answer.units) {
        const auto from = unit.find(first), to = unit.find(last);
        if (from != unit.end() && to != unit.end() && first < last)
            slopes.push_back(std::abs((to->second - from->second) / std::log(last / first)));
    }
    return slopes.empty() ? 0 : median(slopes);
}

/// Where a staircase is steep, where it lies moves; elsewhere each x is what it is.
double noise_of_edges(const Replicates& answer, double steepness) {
    return probe_named(answer.question.probe).x.axis == Axis::footprint ? kRunShift * steepness : 0;
}

/// Whether the curve rises or falls so near to the footprint that the edge may lie there in the next run.
bool is_near_edge(const Replicates& answer, double footprint) {
    const LogCurve middle = middle_of(answer.units);
    const auto here = middle.find(footprint);
    return here != middle.end() && std::ranges::any_of(middle, [&](const auto& point) {
        return std::abs(std::log(point.first / footprint)) <= std::log(kEdgeWithin) &&
               std::abs(point.second - here->second) > kEdgeRises;
    });
}

/// A scratchpad is the same wherever it lies.
double noise_from_run_to_run(const Replicates& answer) {
    const Probe& probe = probe_named(answer.question.probe);
    if (answer.of_processor && probe.x.axis != Axis::footprint) return kThreads;
    const double noise = probe.noise_at(answer.question.path, answer.question.options, INFINITY);
    return answer.question.path == "scratchpad" ? std::min(noise, run_noise::alike) : noise;
}

/// How much of it is that of launches: as much as a launch may be of the time.
double launch_noise(const Replicates& answer, const std::vector<double>& places) {
    constexpr double kLaunch = 10e3; // ns that an empty kernel takes at the most, queued behind others
    double most = 0;
    for (const double place : places)
        if (const auto launch = answer.launch_ns.find(place); launch != answer.launch_ns.end())
            most = std::max(most, run_noise::by_host * std::min(1.0, kLaunch / launch->second));
    return most;
}

double median_at(const LogCurve& curve, const std::vector<double>& places) {
    std::vector<double> values;
    for (const double place : places)
        if (const auto found = curve.find(place); found != curve.end()) values.push_back(found->second);
    return values.empty() ? 0 : median(values);
}

void add_noise_of_place(Measured& measured, double more) {
    measured.noise_of_place = std::hypot(measured.noise_of_place, more);
    measured.run_noise = std::hypot(measured.run_noise, more);
}
} // namespace

const Finding* level_named(const Replicates& answer, const LevelName& name) {
    const auto found = std::ranges::find_if(
        answer.levels, [&](const LevelName& level) { return level.is_seen_as(name); }, &Finding::level);
    return found == answer.levels.end() ? nullptr : &*found;
}

Measured measured_at(const Replicates& answer, const std::vector<double>& footprints) {
    Measured measured{.label = answer.side->label,
        .units = unit_values(answer, footprints),
        .of_runs = answer.of_runs,
        .count = answer.units.size()};
    const double steep = footprints.empty() ? 0 : steepness(answer, footprints.front(), footprints.back());
    add_noise_of_place(measured, std::hypot(noise_of_edges(answer, steep), launch_noise(answer, footprints)));
    measured.run_noise = std::hypot(noise_from_run_to_run(answer), measured.noise_of_place);
    measured.scatter = median_at(answer.scatter, footprints);
    if (!measured.units.empty()) measured.value = std::exp(mean(measured.units));
    measured.shapes = shapes_at(answer, footprints);
    return measured;
}

Measured measured_range(const Replicates& answer, std::pair<double, double> range) {
    return {.label = answer.side->label,
        .units = {},
        .of_runs = answer.of_runs,
        .count = answer.units.size(),
        .range = range};
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

/// Two answers to one question, and where their items go.
struct Pair {
    const Replicates &a, &b;
    std::vector<Comparison>& out;
    std::vector<double> shared = shared_footprints(a, b);

    Comparison& add(Kind kind, std::string name, std::string unit, Measured of_a, Measured of_b) const {
        return out.emplace_back(Comparison{.question = a.question,
            .item = std::move(name),
            .unit = std::move(unit),
            .kind = kind,
            .rate = a.rate,
            .a = std::move(of_a),
            .b = std::move(of_b)});
    }
    /// `steep`: how steep each side's curve is beside the place.
    Comparison& add_values(Kind kind, std::string name, const std::vector<double>& in_a,
        const std::vector<double>& in_b, std::pair<double, double> steep = {}) const {
        Comparison& added = add(kind, std::move(name), a.unit, measured_at(a, in_a), measured_at(b, in_b));
        add_noise_of_place(added.a, noise_of_edges(a, steep.first));
        add_noise_of_place(added.b, noise_of_edges(b, steep.second));
        // Which shape wins a trial differs from run to run, and between two caches shapes that are alike at one
        // footprint differ by 8 % at the next.
        for (Measured* side : {&added.a, &added.b}) {
            add_noise_of_place(*side, shapes_apart(a, b, in_a) / 2);
        }
        return with_learned_noise(added);
    }
    Comparison& add_ranges(
        std::string name, std::string unit, std::pair<double, double> of_a, std::pair<double, double> of_b) const {
        return with_learned_noise(
            add(Kind::capacity, std::move(name), std::move(unit), measured_range(a, of_a), measured_range(b, of_b)));
    }

private:
    /// With what recorded runs say of such an item of one block, where Sonde has measured it on a GPU; of an edge also
    /// of several blocks, which may all lie to one side of where it lies in the next run.
    Comparison& with_learned_noise(Comparison& item) const {
        const std::string& probe = item.question.probe;
        for (const auto& [side, answer] : {std::pair{&item.a, &a}, std::pair{&item.b, &b}}) {
            if (answer->imported) continue;
            if (item.kind == Kind::edge && !answer->of_processor) take_noise_of_edge(*side, *answer, item);
            if (side->of_runs) continue;
            const auto known = side->edge ? side->edge
                                          : learned_noise(probe,
                                                to_text(item.kind == Kind::edge ? Kind::point : item.kind), item.item);
            if (!side->one_block()) take_noise_of_runs(*side, *answer, known);
            else if (answer->of_processor) side->noise_unknown = true;
            else side->learned = known;
        }
        return item;
    }

    /// What one block differs by from run to run, in place of what is declared of the probe.
    static void take_noise_of_runs(Measured& side, const Replicates& answer, const std::optional<LearnedNoise>& known) {
        if (known && !side.edge && !answer.of_processor)
            side.run_noise = std::hypot(known->deviation, side.noise_of_place);
    }

    /// In place of what the steepness there says of it.
    static void take_noise_of_edge(Measured& side, const Replicates& answer, const Comparison& item) {
        side.edge = learned_noise(item.question.probe, to_text(Kind::edge), item.item);
        if (!side.edge) return;
        side.noise_of_place = 0;
        side.run_noise = std::hypot(noise_from_run_to_run(answer), side.edge->deviation);
    }
};

/// The footprints on a level of both, so that a point more on one side's edge changes nothing: the shared ones, where
/// there are enough, for refinement puts a point here in one run and there in another.
std::optional<std::pair<std::vector<double>, std::vector<double>>> common_footprints(
    const Pair& pair, const Finding& a, const Finding& b) {
    const bool by_latency = pair.a.by_latency && pair.b.by_latency; // then each footprint is the level's
    const std::size_t fewest = by_latency ? 1 : kLevelPoints;
    std::pair both{std::max(a.x.front(), b.x.front()), std::min(a.x.back(), b.x.back())};
    if (by_latency && both.first > both.second)
        both = {both.first / kNearRung, both.second * kNearRung}; // one sweep ends a little earlier than the other
    const std::vector<double> in_a = within(a.x, both), in_b = within(b.x, both), shared = within(pair.shared, both);
    if (in_a.size() < fewest || in_b.size() < fewest) return std::nullopt;
    return shared.size() >= std::min({kLevelPoints, in_a.size(), in_b.size()}) ? std::pair{shared, shared}
                                                                               : std::pair{in_a, in_b};
}

std::vector<double> all_places(const Replicates& answer) {
    std::vector<double> places;
    for (const auto& [x, value] : middle_of(answer.units)) places.push_back(x);
    return places;
}

void add_level(const Pair& pair, const Finding& a, const Finding& b, bool with_capacity) {
    const auto both = common_footprints(pair, a, b);
    if (!both && pair.shared.size() >= kLevelPoints) { // one grid, cut otherwise
        const std::vector<double> there = within(pair.shared, {a.x.front(), a.x.back()});
        if (there.size() >= kLevelPoints)
            pair.add_values(Kind::level,
                fmt::format("from {} to {}", format_bytes(a.x.front()), format_bytes(a.x.back())), there, there);
        return;
    }
    pair.add_values(Kind::level, a.name, both ? both->first : a.x, both ? both->second : b.x);
    const auto of_a = with_capacity ? capacity_range(pair.a, a) : std::nullopt,
               of_b = with_capacity ? capacity_range(pair.b, b) : std::nullopt;
    if (of_a && of_b) pair.add_ranges("capacity of " + a.name, "bytes", *of_a, *of_b);
}

/// Their number is that of the levels on the same footprints, where the sides share a grid, and else in the same range:
/// a point less may be a level less.
void add_levels(const Pair& pair, bool with_sizes) {
    for (const Finding& a : pair.a.levels)
        if (const Finding* b = level_named(pair.b, a.level)) add_level(pair, a, *b, with_sizes);
    if (!with_sizes || pair.a.units.size() < kEnoughBlocks || pair.b.units.size() < kEnoughBlocks) return;
    const std::vector<double> in_a = all_places(pair.a), in_b = all_places(pair.b);
    const std::pair both{std::max(in_a.front(), in_b.front()), std::min(in_a.back(), in_b.back())};
    const std::size_t fewer = std::min(in_a.size(), in_b.size()), most = std::max(in_a.size(), in_b.size());
    const bool enough = fewer * kThinned >= most, one_grid = pair.shared.size() * 2 >= fewer;
    const auto number = [&](const Replicates& answer, const std::vector<double>& own) {
        return Measured{.label = answer.side->label,
            .value = enough ? agreed_levels(answer, one_grid ? pair.shared : within(own, both)) : std::nullopt};
    };
    Comparison& levels = pair.add(Kind::levels, "levels", "", number(pair.a, in_a), number(pair.b, in_b));
    if (!enough)
        levels.not_comparable = fmt::format("{} has {} points, the other side {}",
            (in_a.size() < in_b.size() ? pair.a : pair.b).side->label, fewer, most);
}

bool on_common_level(const Pair& pair, double x) {
    const auto holds = [&](const Finding& level) { return x >= level.x.front() && x <= level.x.back(); };
    return std::any_of(pair.a.levels.begin(), pair.a.levels.end(), [&](const Finding& level) {
        const Finding* other = level_named(pair.b, level.level);
        return other && holds(level) && holds(*other);
    });
}

/// The footprints of both sides that stand for a rung: a shared one or, where both sweeps have only others, two that
/// are about the same.
std::optional<std::pair<double, double>> places_near(const Pair& pair, double rung) {
    constexpr double kSamePlace = 1.03; // times
    const auto nearest = [&](const std::vector<double>& places) -> std::optional<double> {
        const auto distance = [&](double x) { return std::abs(std::log(x / rung)); };
        const auto x = std::ranges::min_element(places, {}, distance);
        return x != places.end() && distance(*x) <= std::log(kNearRung) ? std::optional(*x) : std::nullopt;
    };
    if (const auto x = nearest(pair.shared)) return std::pair(*x, *x);
    const auto in_a = nearest(all_places(pair.a)), in_b = nearest(all_places(pair.b));
    const bool same = in_a && in_b && std::max(*in_a / *in_b, *in_b / *in_a) <= kSamePlace;
    return same ? std::optional(std::pair(*in_a, *in_b)) : std::nullopt;
}

/// How steep the curve is on either side of a footprint.
double steepness_beside(const Replicates& answer, double footprint) {
    const std::vector<double> places = all_places(answer);
    const auto x = std::ranges::find(places, footprint);
    if (x == places.end()) return 0;
    const double before = x == places.begin() ? *x : *std::prev(x),
                 after = std::next(x) == places.end() ? *x : *std::next(x);
    return std::max(steepness(answer, before, *x), steepness(answer, *x, after));
}

/// Of latencies at every size that sweeps begin with: where the two sides' levels are not the same ones, no level says
/// how far their curves lie apart.
void add_points(const Pair& pair) {
    const double first = pair.a.rate ? kFirstRung : kSweepRung, step = pair.a.rate ? kRungStep : kSweepStep;
    const std::vector<double> of_a = all_places(pair.a), of_b = all_places(pair.b);
    if (of_a.empty() || of_b.empty()) return;
    const double last = std::min(of_a.back(), of_b.back()) * kNearRung;
    for (double rung = first; rung <= last; rung *= step) {
        const auto places = places_near(pair, rung);
        if (!places || on_common_level(pair, places->first)) continue;
        const auto& [in_a, in_b] = *places;
        const bool edge = !pair.a.rate && (is_near_edge(pair.a, in_a) || is_near_edge(pair.b, in_b));
        pair.add_values(edge ? Kind::edge : Kind::point, "at " + format_bytes(in_a), {in_a}, {in_b},
            std::pair(steepness_beside(pair.a, in_a), steepness_beside(pair.b, in_b)));
    }
}

/// The value at which the units are fastest, in the middle.
std::optional<double> fastest_place(const Replicates& answer) {
    const LogCurve middle = middle_of(answer.units);
    const auto slower = [&](const auto& p, const auto& q) {
        return answer.rate ? p.second < q.second : p.second > q.second;
    };
    return middle.empty() ? std::nullopt : std::optional(std::max_element(middle.begin(), middle.end(), slower)->first);
}

/// "stride in elements 16", "random elements", "copy of 64 KiB", "share of the other path 50 %".
std::string amount_text(const Probe& probe, const Options& options, double x) {
    const auto names = probe.places ? probe.places(options) : std::span<const std::string_view>();
    if (x >= 0 && x < static_cast<double>(names.size())) return std::string(names[static_cast<std::size_t>(x)]);
    if (probe.x.unit == "bytes") return fmt::format("{} of {}", probe.x.name, format_bytes(x));
    const bool by_pattern = probe.x.name == "place" && option::pattern.asked(options);
    return fmt::format("{} {:g}{}{}", by_pattern ? axis_of(option::pattern.in(options)) : probe.x.name, x,
        probe.x.unit.empty() ? "" : " ", probe.x.unit);
}

/// Some of the places that both have, the first and the last among them; of rates also the most that each brings
/// anywhere.
void add_amounts(const Pair& pair) {
    const Probe& probe = probe_named(pair.a.question.probe);
    const bool kinds = probe.places && !probe.places(pair.a.question.options).empty(); // each is something else
    const std::size_t places = pair.shared.size(), chosen = kinds ? places : std::min(places, kMostAmounts);
    for (std::size_t i = 0; i < chosen; ++i) {
        const double x = pair.shared[chosen == places ? i : i * (places - 1) / (kMostAmounts - 1)];
        pair.add_values(Kind::point, amount_text(probe, pair.a.question.options, x), {x}, {x});
    }
    const auto most_a = fastest_place(pair.a), most_b = fastest_place(pair.b);
    if (pair.a.rate && most_a && most_b) pair.add_values(Kind::point, "the most", {*most_a}, {*most_b});
}

void add_middle(const Pair& pair) {
    const std::vector<double> in_a = pair.shared.empty() ? all_places(pair.a) : pair.shared,
                              in_b = pair.shared.empty() ? all_places(pair.b) : pair.shared;
    if (in_a.empty() || in_b.empty()) return;
    const std::string_view name = probe_named(pair.a.question.probe).x.name;
    pair.add_values(Kind::point, in_a.size() == 1 ? std::string(name) : fmt::format("median by {}", name), in_a, in_b);
}

/// The other side's fact that is this one. Where one side has more of the kind, which of them it is, only what a miss
/// costs tells.
const FoundFact* same_fact(
    const FoundFact& fact, const std::vector<FoundFact>& own, const std::vector<FoundFact>& others) {
    constexpr double kSameCost = 1.25; // times
    const auto alike = [&](const FoundFact& other) { return other.kind == fact.kind; };
    const bool as_many = std::ranges::count_if(own, alike) == std::ranges::count_if(others, alike);
    const auto same = std::ranges::find_if(others, [&](const FoundFact& other) {
        if (as_many) return other.same(fact);
        return alike(other) && other.unit == fact.unit && fact.cost && other.cost &&
               std::max(*fact.cost / *other.cost, *other.cost / *fact.cost) <= kSameCost;
    });
    return same == others.end() ? nullptr : &*same;
}

void add_facts(const Pair& pair) {
    const std::vector<FoundFact> of_a = facts_of(*pair.a.side, pair.a.question),
                                 of_b = facts_of(*pair.b.side, pair.b.question);
    for (const FoundFact& fact : of_a)
        if (const FoundFact* same = same_fact(fact, of_a, of_b))
            pair.add_ranges(fact.item, fact.unit, fact.range, same->range);
}
} // namespace

std::optional<std::vector<double>> places_at(const Replicates& answer, const FigurePlace& where) {
    using Where = FigurePlace::Kind;
    const std::vector<double> places = all_places(answer);
    if (places.empty()) return std::nullopt;
    if (where.kind == Where::middle) return places;
    if (where.kind == Where::largest) return std::vector{places.back()};
    if (where.kind == Where::best) return std::vector{*fastest_place(answer)};
    const bool here = where.kind == Where::at && std::ranges::count(places, where.number) > 0;
    return here ? std::optional(std::vector{where.number}) : std::nullopt;
}

void add_items(const Replicates& a, const Replicates& b, View view, std::vector<Comparison>& out) {
    const Pair pair{a, b, out};
    const Axis axis = probe_named(a.question.probe).x.axis;
    if (view == View::dram_peak) {
        const Finding *in_a = level_named(a, LevelName::dram()), *in_b = level_named(b, LevelName::dram());
        if (in_a && in_b && axis == Axis::footprint) add_level(pair, *in_a, *in_b, false);
        return;
    }
    add_facts(pair);
    if (axis == Axis::amount) return add_amounts(pair);
    if (axis == Axis::place) return add_middle(pair);
    add_levels(pair, !a.rate); // the edges of a rate's curve are ragged, and latency says where a level ends
    add_points(pair);
}

} // namespace sonde
