// Rules about which levels a path reaches.
#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "core/data/footprints.h"
#include "core/diagnosis/comparisons.h"
#include "core/diagnosis/fact_of.h"

namespace sonde {

namespace {
constexpr double kOtherLatency = 0.15;   // share: a level further off is reached another way
constexpr double kSameLatency = 0.02;    // share: no further off is the same one
constexpr double kAsReported = 1.15;     // times: a cache ends where its driver says
constexpr double kLanesDiffer = 1.015;   // times: one lane's latency and that of all
constexpr double kSharedOut = 1.1;       // times: what lanes cost, before it is shared out among them
constexpr double kHalf = 1.25;           // times: and its nearer part at half of that
const OptionName kLinesAsked{"lines"};   // of core-distance
constexpr std::size_t kFewestShared = 6; // footprints that two curves have in common before they count as one

bool in_memory(const Curve& curve) {
    return family_of(*curve.path) == Family::memory && curve.path->stage == Stage::nothing;
}

/// L1, where the curve goes on to a second and both are no chance of the noise.
const Finding* sure_first(const Card& card, const Curve& curve) {
    const Finding* first = curve.reached(card.level_names[0]);
    return first && curve.levels.size() > 1 && first->is_sure() && curve.levels[1].is_sure() ? first : nullptr;
}

/// L1 as some curve has it: the same path through another API, else another path of the same device.
const Curve* which_has_first(const Card& card, const Curves& same_path, const Curve& lacking) {
    Curves candidates = plain_curves(card, kLatency);
    std::erase_if(candidates,
        [&](const Curve* curve) { return !in_memory(*curve) || device_text(curve) != lacking.series->id.device; });
    candidates.insert(candidates.begin(), same_path.begin(), same_path.end());
    const auto found = std::find_if(
        candidates.begin(), candidates.end(), [&](const Curve* curve) { return curve->reached(card.level_names[0]); });
    return found == candidates.end() ? nullptr : *found;
}

bool same_build(const Curve& a, const Curve& b) {
    const auto defines = [](const Curve& curve) {
        return curve.series->evidence.kernel.value_or(KernelEvidence{}).defines;
    };
    return defines(a) == defines(b);
}

/// Largest difference of two curves at the footprints of the first, as a share; nullopt: too few lie within both.
std::optional<double> difference_of(const Series& a, const Series& b) {
    double largest = 0;
    std::size_t shared = 0;
    for (const Point& point : a.points) {
        const auto other = value_between(b, point.x);
        if (!other || !point.median) continue;
        ++shared;
        largest = std::max(largest, std::abs(std::log(*point.median / *other)));
    }
    return shared < kFewestShared ? std::nullopt : std::optional(largest);
}

/// Both reach the same levels, the first one included: its end at the very same footprint, the others' within a step of
/// the sweep.
bool levels_meet(const Card& card, const Curve& a, const Curve& b) {
    if (a.level_names != b.level_names || a.level_names.size() < 2 || a.level_names[0] != card.level_names[0])
        return false;
    for (std::size_t i = 0; i < a.levels.size(); ++i)
        if (!ends_meet(a.levels[i], b.levels[i], i == 0 ? 1 : kOneStep)) return false;
    return true;
}

/// Times the latency of one level is another's.
double ratio(const Finding& a, const Finding& b) {
    const auto [of_a, of_b] = latencies(a, b);
    return of_b > 0 ? of_a / of_b : 1;
}

Latencies nearest_of(const Curves& curves) {
    std::vector<std::pair<const Curve*, const Finding*>> levels;
    levels.reserve(curves.size());
    for (const Curve* curve : curves) levels.emplace_back(curve, &curve->levels[0]);
    return latencies_of(levels);
}

/// A number of one device.
Place at_device(const Curve& curve, std::string name, Cell cell) {
    return {std::move(name), {{device_text(&curve), std::move(cell)}}};
}

void tell_lacking_l1(const Card& card, const Curves& same_path, const Curves& lacking, Statements& out) {
    const Curve &first = *lacking[0], &having = *which_has_first(card, same_path, first);
    const bool by_api = std::ranges::count(same_path, &having) > 0;
    Curves on_path = lacking, about = lacking;
    about.push_back(&having);
    if (by_api) on_path.push_back(&having);
    const Latencies nearest = nearest_of(lacking);
    std::vector<PlaceGroup> rows{{"", {nearest.place("nearest level")}}, levels_of(card, path_text(first), on_path)};
    if (!by_api) rows.push_back(levels_of(card, path_text(having), {&having}));
    CardFact fact = fact_of(card, path_slots(first), nearest.numbers, rows);
    fact.effect = lacking.size() < same_path.size() ? ratio(first.levels[0], *having.reached(card.level_names[0]))
                                                    : 1; // where no API reaches it none differs
    tell(out, std::move(fact), about);
}

void tell_l1_not_reached(const Card& card, Statements& out) {
    if (card.level_names.size() < 2) return;
    for (const Curves& curves : latency_by_path(card)) {
        if (!in_memory(*curves[0])) continue;
        Curves lacking = curves;
        std::erase_if(lacking, [&](const Curve* curve) {
            return !curve->passes(card.level_names[0]) || !which_has_first(card, curves, *curve);
        });
        if (!lacking.empty()) tell_lacking_l1(card, curves, lacking, out);
    }
}
} // namespace

const Rule l1_not_reached{"l1_not_reached", "path", tell_l1_not_reached};

namespace {
/// A path whose L1 ends earlier through one device than through the one where it ends last.
struct Smaller {
    const Curve *curve, *largest;
};

std::vector<Smaller> smaller_ones(const Card& card) {
    std::vector<Smaller> found;
    for (const Curves& curves : latency_by_path(card)) {
        if (!in_memory(*curves[0]) || curves[0]->device->cpu)
            continue; // the caches of a processor are the same through all drivers
        const Ranked ends = ranked(
            curves, [&](const Curve& curve) { return sure_first(card, curve) ? on(*sure_first(card, curve)) : 0; });
        for (const Curve* curve : curves) {
            const Finding* first = sure_first(card, *curve);
            if (first && curve != ends[0].second && same_build(*curve, *ends[0].second) && off(*first) < ends[0].first)
                found.push_back({curve, ends[0].second});
        }
    }
    return found;
}

/// Where L1 ends on each path.
PlaceGroup ends_of_l1(const Card& card, const std::vector<Smaller>& paths) {
    PlaceGroup group{filled(label::ends_at, {{"level", LevelName::cache(1)}}), {}};
    for (const Smaller& each : paths) {
        Place& place = group.places.emplace_back(Place{path_text(*each.curve), {}});
        for (const Curve* curve : {each.largest, each.curve})
            place.cells.emplace_back(device_text(curve), end_cell(*curve->reached(card.level_names[0])));
    }
    return group;
}

std::optional<double> held_bytes(const Curve* curve) {
    const auto& kernel = curve->series->evidence.kernel;
    return kernel ? kernel->held_scratchpad_bytes : std::nullopt;
}

Place held_by_kernels(const Smaller& path) {
    Place place{"scratchpad that the kernel holds", {}};
    for (const Curve* curve : {path.largest, path.curve})
        if (const auto bytes = held_bytes(curve))
            place.cells.emplace_back(device_text(curve), Quantity{*bytes, Unit::bytes});
    return place;
}

void tell_smaller(const Card& card, const std::vector<Smaller>& paths, Statements& out) {
    const auto& [curve, largest] = paths[0];
    const LevelName& level = card.level_names[0];
    Curves about;
    for (const Smaller& each : paths) about.insert(about.end(), {each.curve, each.largest});
    const Ranked told{{on(*largest->reached(level)), largest}, {on(*curve->reached(level)), curve}};
    CardFact fact =
        fact_of(card, path_slots(*curve), told, {ends_of_l1(card, paths), {"", {held_by_kernels(paths[0])}}});
    if (fact.ranked.size() == 1) fact.ranked = {{fact.ranked[0][0]}, {fact.ranked[0][1]}}; // their ends exclude that
    if (held_bytes(curve) > held_bytes(largest) && held_bytes(largest)) fact.cause = Cause::held_scratchpad;
    tell(out, std::move(fact), about);
}

void tell_smaller_l1(const Card& card, Statements& out) {
    if (card.level_names.empty()) return;
    for (const auto& paths : grouped(smaller_ones(card),
             [](const Smaller& each) { return std::pair(device_text(each.curve), device_text(each.largest)); }))
        if (!core_scratchpad_tells_l1(card, device_text(paths[0].curve))) tell_smaller(card, paths, out);
}
} // namespace

const Rule smaller_l1{"smaller_l1", "path", tell_smaller_l1};

namespace {
/// Whether two levels end about where the halves of one reported cache would.
bool is_one_cache(const Finding& near, const Finding& far, double reported) {
    return near.is_sure() && far.is_sure() && on(far) < reported * kAsReported && off(far) > reported / kAsReported &&
           on(near) >= reported / 2 / kHalf && off(near) <= reported / 2 * kHalf;
}

/// The rate of reads at the largest footprint within these, by the fastest width.
std::optional<CurvePoint> reads_within(const Card& card, const Curve& latency, double above, double to) {
    std::optional<CurvePoint> best;
    for (const Curve* reads : curves_of(card, kBandwidth)) {
        const SeriesId& id = reads->series->id;
        if (id.device != latency.series->id.device || id.path != latency.series->id.path ||
            !is_alone(option::width, id.options))
            continue;
        std::optional<CurvePoint> last;
        for (const CurvePoint& point : points_of(*reads))
            if (point.x > above && point.x <= to && (!last || point.x > last->x)) last = point;
        if (last && (!best || last->y > best->y)) best = last;
    }
    return best;
}

/// What a load takes, and what all cores read at the largest footprint measured within either part.
std::vector<PlaceGroup> parts_beside(const Card& card, const Curve& curve, std::size_t level) {
    PlaceGroup latency{"a load takes", {}}, rates{"all cores read", {}};
    double begin = 0;
    for (const std::size_t part : {level, level + 1}) {
        const Finding& found = curve.levels[part];
        latency.places.push_back(at_device(curve, curve.level_names[part].text(), latency_cell(found)));
        if (const auto last = reads_within(card, curve, begin, on(found)))
            rates.places.push_back(at_device(curve,
                filled(label::level_over, {{"level", curve.level_names[part]}, {"footprint", in_bytes(last->x)}}),
                Quantity{last->y * 1e9, Unit::bytes_per_s}));
        begin = off(found);
    }
    return rates.places.size() == 2 ? std::vector{latency, rates} : std::vector{latency};
}

/// One line that many cores load, each alone.
struct OneLine {
    const Curve* curve;
    double cores, least, most; // cycles
};
std::optional<OneLine> one_line(const Card& card, const Curve& latency) {
    for (const Curve* curve : curves_of(card, kCoreDistance)) {
        const SeriesId& id = curve->series->id;
        if (id.device != latency.series->id.device || !kLinesAsked.asked(id.options) ||
            kLinesAsked.word(id.options) != "one")
            continue;
        std::vector<double> cycles;
        for (const Point& point : curve->series->points)
            if (point.cycles) cycles.push_back(*point.cycles);
        if (cycles.empty()) continue;
        const auto [least, most] = std::ranges::minmax(cycles);
        return OneLine{curve, static_cast<double>(cycles.size()), least, most};
    }
    return std::nullopt;
}

void tell_parts(const Card& card, const Curve& curve, std::size_t level, Statements& out) {
    const Finding &near = curve.levels[level], &far = curve.levels[level + 1];
    const LevelName &near_name = curve.level_names[level], &far_name = curve.level_names[level + 1];
    std::vector<PlaceGroup> rows{
        {"", {at_device(curve, filled(label::ends_at, {{"level", near_name}}), end_cell(near)),
                 at_device(curve, filled(label::ends_at, {{"level", far_name}}), end_cell(far)),
                 at_device(curve, "the driver reports", Quantity{double(curve.device->cache_bytes), Unit::bytes})}}};
    for (PlaceGroup& group : parts_beside(card, curve, level)) rows.push_back(std::move(group));
    Curves about{&curve};
    const auto line = one_line(card, curve);
    if (line) {
        about.push_back(line->curve);
        rows.push_back({"a load of one line takes",
            {at_device(curve, filled(label::cores_in_turn, {{"cores", as_count(line->cores)}}),
                Quantity{line->most, Unit::cycles, std::pair(line->least, line->most)})}});
    }
    CardFact fact = fact_of(card, {}, {{1, &curve}}, rows);
    if (line && near.cycles && far.cycles && line->most < (*near.cycles + *far.cycles) / 2)
        fact.cause = Cause::copy_in_each_part;
    std::vector<CitedSeries>& from = tell(out, std::move(fact), about).from;
    from[0].x = {near.x.back(), far.x.back()};
    for (std::size_t i = 1; i < from.size(); ++i) // whose findings tell more
        for (const CurvePoint& point : points_of(*line->curve)) from[i].x.push_back(point.x);
}

void tell_cache_in_parts(const Card& card, Statements& out) {
    for (const Curve* curve : plain_curves(card, kLatency, "global")) {
        const auto reported = static_cast<double>(curve->device->cache_bytes);
        if (curve->device->cpu || reported <= 0) continue;
        for (std::size_t i = 1; i + 2 < curve->levels.size(); ++i)
            if (is_one_cache(curve->levels[i], curve->levels[i + 1], reported)) tell_parts(card, *curve, i, out);
    }
}
} // namespace

const Rule cache_in_parts{"cache_in_parts", "path", tell_cache_in_parts};

namespace {
/// `ends`: a path's L1 by its options, the largest first.
void tell_by_option(const Card& card, const Ranked& ends, Statements& out) {
    const Curve& largest = *ends[0].second;
    PlaceGroup rows;
    rows.places.reserve(ends.size());
    for (const auto& [bytes, curve] : ends)
        rows.places.push_back(
            at_device(*curve, options_text(curve->series->id.options), end_cell(*curve->reached(card.level_names[0]))));
    CardFact fact = fact_of(card, {{"path", largest.series->id.path}}, {{1, &largest}}, {rows});
    fact.effect = ratio_of(ends);
    tell(out, std::move(fact), curves_in(ends));
}

void tell_options(const Card& card, Statements& out) {
    if (card.level_names.empty()) return;
    Curves sure = curves_of(card, kLatency);
    std::erase_if(sure, [&](const Curve* curve) { return !sure_first(card, *curve); });
    const auto end_of = [&](const Curve& curve) { return on(*curve.reached(card.level_names[0])); };
    for (const Curves& with :
        grouped(sure, [](const Curve* curve) { return std::pair(device_text(curve), curve->series->id.path); })) {
        const Ranked ends = ranked(with, end_of);
        if (ends.size() > 1 && off(*ends.back().second->reached(card.level_names[0])) < ends.front().first)
            tell_by_option(card, ends, out);
    }
}
} // namespace

const Rule option_moves_l1{"option_moves_l1", "path", tell_options};

namespace {
/// Of one device, by loads without options.
const Curve* on_global(const Card& card, const Curve* curve) {
    return plain_curve(card, kLatency, device_text(curve), "global");
}

void tell_two_paths(const Card& card, const Curves& textures, Statements& out) {
    Curves about, globals;
    for (const Curve* texture : textures) {
        globals.push_back(on_global(card, texture));
        about.insert(about.end(), {texture, globals.back()});
    }
    const std::string& path = textures[0]->series->id.path;
    Place ends{filled(label::ends_at, {{"level", LevelName::cache(1)}}), {}};
    for (const Curve* texture : textures) ends.cells.emplace_back(device_text(texture), end_cell(texture->levels[0]));
    CardFact fact =
        fact_of(card, {{"path", path}}, ranked(textures, [](const Curve& texture) { return on(texture.levels[0]); }),
            {{"", {ends}}, levels_of(card, path, textures), levels_of(card, "global", globals)});
    fact.effect = 1; // of two paths, not of devices
    tell(out, std::move(fact), about);
}

void tell_one_cache(const Card& card, Statements& out) {
    if (card.level_names.size() < 2) return;
    for (Curves& textures : latency_by_path(card)) {
        std::erase_if(textures, [&](const Curve* curve) {
            return (curve->path->space != Space::texel && curve->path->space != Space::image2d) ||
                   !on_global(card, curve) || !levels_meet(card, *curve, *on_global(card, curve));
        });
        if (!textures.empty()) tell_two_paths(card, textures, out);
    }
}
} // namespace

const Rule one_cache_two_paths{"one_cache_two_paths", "path", tell_one_cache};

namespace {
/// Of the measured load, by device, as the listing names it.
Place load_instructions(const Curves& curves) {
    return instructions_of(
        curves, [](const Curve& curve) { return curve.series->evidence.kernel.value_or(KernelEvidence()).load.kind; });
}

bool latencies_differ(const Curve& a, const Curve& b) {
    const auto [of_a, of_b] = latencies(a.levels[0], b.levels[0]);
    return std::abs(of_a - of_b) > kOtherLatency * std::max(of_a, of_b);
}

bool ends_differ(const Curve& a, const Curve& b) {
    return a.levels.size() > 1 && b.levels.size() > 1 && !ends_meet(a.levels[0], b.levels[0], kOneStep);
}

/// The devices' loads of one uniform path and of the path that it is beside.
void tell_uniform(const Card& card, const Curves& uniform, const Curves& varying, Statements& out) {
    const bool by_latency = latencies_differ(*uniform[0], *varying[0]);
    std::vector<PlaceGroup> rows(1);
    for (const Curves* curves : {&uniform, &varying}) {
        const std::string& path = curves->front()->series->id.path;
        Place place{path, {}};
        for (const Curve* curve : *curves)
            place.cells.emplace_back(
                device_text(curve), by_latency ? latency_cell(curve->levels[0]) : end_cell(curve->levels[0]));
        rows[0].places.push_back(std::move(place));
        PlaceGroup levels = levels_of(card, path, *curves);
        levels.places.push_back(load_instructions(*curves));
        rows.push_back(std::move(levels));
    }
    Curves about = uniform;
    about.insert(about.end(), varying.begin(), varying.end());
    tell(out, fact_of(card, {{"path", uniform[0]->series->id.path}}, {{1, uniform[0]}}, rows), about);
}

void tell_uniform_apart(const Card& card, Statements& out) {
    const auto varying_of = [&](const Curve* uniform) {
        const std::string_view by_lane = uniform->path->by_lane;
        return by_lane.empty() ? nullptr : plain_curve(card, kLatency, device_text(uniform), by_lane);
    };
    Curves apart = plain_curves(card, kLatency);
    std::erase_if(apart, [&](const Curve* uniform) {
        const Curve* varying = varying_of(uniform);
        return !varying || uniform->levels.empty() || varying->levels.empty() ||
               !(latencies_differ(*uniform, *varying) || ends_differ(*uniform, *varying));
    });
    for (const Curves& uniform : grouped(apart, [&](const Curve* curve) {
             return std::pair(curve->series->id.path, latencies_differ(*curve, *varying_of(curve)));
         })) {
        Curves varying;
        for (const Curve* curve : uniform) varying.push_back(varying_of(curve));
        tell_uniform(card, uniform, varying, out);
    }
}
} // namespace

const Rule uniform_apart{"uniform_apart", "path", tell_uniform_apart};

namespace {
/// The largest constant memory of a kernel, where it is far more than the driver reports; else nullptr.
const Curve* larger_than_reported(const Card& card, const Curve& constant) {
    const Curve* tried = plain_curve(card, kLimits, device_text(&constant), constant.series->id.path);
    return tried && takes_more_than_reported(*tried) ? tried : nullptr;
}

/// By device: how far constants were measured and, where it is far more than the driver reports, what runs.
PlaceGroup sizes_of(const Card& card, const Curves& constants) {
    Place measured{"measured to", {}}, runs{"largest that runs", {}}, untried{"runs, and no larger one was tried", {}},
        reported{"the driver reports", {}};
    for (const Curve* constant : constants) {
        const std::string& device = device_text(constant);
        measured.cells.emplace_back(device, Quantity{constant->series->points.back().x, Unit::bytes});
        const Curve* limit = larger_than_reported(card, *constant);
        if (!limit) continue;
        const Evidence& found = limit->series->evidence;
        (found.rejected_bytes ? runs : untried)
            .cells.emplace_back(device, Quantity{static_cast<double>(*found.accepted_bytes), Unit::bytes});
        reported.cells.emplace_back(device, Quantity{static_cast<double>(*found.reported_bytes), Unit::bytes});
    }
    return {"size", {measured, runs, untried, reported}};
}

/// `constants`: of one path, through the devices where it is global memory. `others`: through which it has levels of
/// its own.
void tell_constant(const Card& card, const Curves& constants, const Curves& others, Statements& out) {
    const std::string& path = constants[0]->series->id.path;
    Curves all = constants, about, globals;
    for (const Curve* constant : constants) {
        globals.push_back(on_global(card, constant));
        about.insert(about.end(), {constant, globals.back()});
    }
    all.insert(all.end(), others.begin(), others.end());
    about.insert(about.end(), others.begin(), others.end());
    for (const Curve* constant : constants)
        if (const Curve* limit = larger_than_reported(card, *constant)) about.push_back(limit);
    PlaceGroup levels = levels_of(card, path, all);
    levels.places.push_back(load_instructions(all));
    const auto is_constant = [&](const auto& each) { return std::ranges::count(constants, each.second) > 0; };
    const Latencies nearest = nearest_of(all);
    Ranked told = nearest.numbers, of_constants = nearest.numbers;
    std::erase_if(told, is_constant);
    std::erase_if(of_constants, [&](const auto& each) { return !is_constant(each); });
    CardFact fact = fact_of(card, {{"path", path}}, told,
        {{"", {nearest.place("nearest level")}}, levels, levels_of(card, "global", globals),
            sizes_of(card, constants)});
    fact.ranked.insert(fact.ranked.begin(), columns_in(fact.grid, of_constants));
    if (std::ranges::all_of(constants, [](const Curve* curve) { return path_by_code(*curve) == ""; }))
        fact.cause = Cause::path_of_global;
    fact.effect = others.empty() ? 1 : ratio(others[0]->levels.back(), others[0]->levels[0]);
    tell(out, std::move(fact), about);
}

void tell_constant_is_global(const Card& card, Statements& out) {
    const auto is_global = [&](const Curve* constant) {
        const Curve* global = on_global(card, constant);
        const auto difference = global ? difference_of(*constant->series, *global->series) : std::nullopt;
        return difference && *difference <= kSameLatency;
    };
    Curves all = plain_curves(card, kLatency);
    std::erase_if(all, [](const Curve* curve) {
        return family_of(*curve->path) != Family::constant || curve->path->uniform || curve->levels.empty();
    });
    for (const Curves& on_path : grouped(all, [](const Curve* curve) { return curve->series->id.path; })) {
        Curves constants = on_path, others = on_path;
        std::erase_if(constants, [&](const Curve* curve) { return !is_global(curve); });
        std::erase_if(others, [&](const Curve* curve) { return is_global(curve) || curve->levels.size() < 2; });
        if (!constants.empty()) tell_constant(card, constants, others, out);
    }
}
} // namespace

const Rule constant_is_global{"constant_is_global", "path", tell_constant_is_global};

namespace {
/// What a load of some lanes takes, and one of one lane, at the smallest footprint; in core cycles where both are
/// known, else ns.
struct LanesCost {
    const Curve* curve;
    std::uint32_t lanes; // 0: not recorded
    double all, one;
    Unit unit;
    double footprint() const { return curve->series->points.front().x; }
    double times() const { return all / one; }
    /// Each lane more; 0 where they cost nothing, or nothing tells how many there are.
    double further() const { return times() < kSharedOut || lanes < 2 ? 0 : (all - one) / (lanes - 1); }
    bool as_one() const { return std::abs(std::log(times())) < std::log(kLanesDiffer); }
};

std::optional<LanesCost> lanes_cost(const Curve* curve) {
    const Series& series = *curve->series;
    if (curve->device->cpu || series.points.empty()) return std::nullopt; // a processor's lanes are a loop's turns
    const Point& point = series.points.front();
    const double one = at_x(series.evidence.one_lane_ns, point.x).value_or(0),
                 lanes = series.evidence.lanes.value_or(0);
    if (!(one > 0) || !(point.median.value_or(0) > 0)) return std::nullopt;
    const double unit = point.cycles ? *point.cycles / *point.median : 1;
    return LanesCost{curve, static_cast<std::uint32_t>(lanes), *point.median * unit, one * unit,
        point.cycles ? Unit::cycles : Unit::ns};
}

PlaceGroup rows_of(std::string title, const std::vector<LanesCost>& costs) {
    Place all{"all lanes", {}}, one{"one lane", {}}, further{"each further lane", {}};
    for (const LanesCost& each : costs) {
        const std::string& device = device_text(each.curve);
        all.cells.emplace_back(device, Quantity{each.all, each.unit});
        one.cells.emplace_back(device, Quantity{each.one, each.unit});
        if (each.further() > 0) further.cells.emplace_back(device, Quantity{each.further(), each.unit});
    }
    return {std::move(title), {all, one, further}};
}

Ranked times_of_all(const std::vector<LanesCost>& costs) {
    Ranked times;
    times.reserve(costs.size());
    for (const LanesCost& each : costs) times.emplace_back(each.all, each.curve);
    return times;
}

void tell_lanes_differ(const Card& card, Statements& out) {
    std::vector<LanesCost> costs;
    for (const Curve* curve : curves_with(card, kLatency, "global", option::apart.as("0") * option::lanes.as("all")))
        if (const auto cost = lanes_cost(curve); cost && !cost->as_one()) costs.push_back(*cost);
    if (costs.empty()) return;
    Place footprint{"footprint", {}};
    double effect = 1;
    for (const LanesCost& each : costs) {
        footprint.cells.emplace_back(device_text(each.curve), Quantity{each.footprint(), Unit::bytes});
        effect = std::max({effect, each.times(), 1 / each.times()});
    }
    const Ranked told = times_of_all(costs);
    CardFact fact = fact_of(card, {}, told, {rows_of("", costs), {"", {footprint}}});
    fact.effect = effect;
    tell(out, std::move(fact), curves_in(told));
}
} // namespace

const Rule lanes_differ{"lanes_differ", "path", tell_lanes_differ};

namespace {
std::uint32_t bytes_apart(const LanesCost& cost) {
    return option::apart.in(cost.curve->series->id.options).value_or(0);
}

/// Of each device and distance the one of most lanes.
std::vector<LanesCost> lanes_costs(const Curves& of_path) {
    std::vector<LanesCost> costs;
    for (const Curve* curve : of_path)
        if (const auto cost = option::apart.in(curve->series->id.options) ? lanes_cost(curve) : std::nullopt;
            cost && cost->lanes >= 2)
            costs.push_back(*cost);
    std::vector<LanesCost> most;
    for (const auto& alike :
        grouped(costs, [](const LanesCost& each) { return std::pair(bytes_apart(each), device_text(each.curve)); }))
        most.push_back(*std::ranges::max_element(alike, {}, &LanesCost::lanes));
    std::ranges::stable_sort(most, {}, bytes_apart);
    return most;
}

/// Times that as many lanes so far apart cost more than one, through the first device where they do.
double times_apart(const std::vector<LanesCost>& alike) {
    const auto first = std::ranges::find_if_not(alike, &LanesCost::as_one);
    return first == alike.end() ? 0 : first->times();
}

Slots lanes_slots(const std::vector<LanesCost>& alike) {
    return {{"lanes", as_count(alike[0].lanes)}, {"distance", as_count(bytes_apart(alike[0]))}};
}

/// `distances`: those that cost most first.
void tell_distances(
    const Card& card, const Curves& of_path, const std::vector<std::vector<LanesCost>>& distances, Statements& out) {
    double least = INFINITY, most = 0;
    std::vector<PlaceGroup> rows;
    for (const auto& alike : distances) {
        rows.push_back(rows_of(filled(label::lanes_apart, lanes_slots(alike)), alike));
        for (const LanesCost& each : alike)
            least = std::min(least, each.footprint()), most = std::max(most, each.footprint());
    }
    CardFact fact = fact_of(card,
        joined(lanes_slots(distances[0]), {{"path", of_path[0]->series->id.path},
                                              {"footprint", Quantity{most, Unit::bytes, std::pair(least, most)}}}),
        times_of_all(distances[0]), rows);
    fact.effect = std::max(1.0, times_apart(distances[0]));
    Curves about; // every number of lanes, so that none is told by itself
    std::ranges::copy_if(of_path, std::back_inserter(about),
        [](const Curve* curve) { return option::apart.asked(curve->series->id.options); });
    tell(out, std::move(fact), about);
}

void tell_lanes_apart(const Card& card, Statements& out) {
    for (const Curves& of_path :
        grouped(curves_of(card, kLatency), [](const Curve* curve) { return curve->series->id.path; })) {
        auto distances = grouped(
            lanes_costs(of_path), [](const LanesCost& each) { return std::pair(bytes_apart(each), each.lanes); });
        std::ranges::stable_sort(distances, std::greater(), times_apart);
        if (!distances.empty() && times_apart(distances[0]) > 0) tell_distances(card, of_path, distances, out);
    }
}
} // namespace

const Rule lanes_apart{"lanes_apart", "path", tell_lanes_apart};

} // namespace sonde
