// Cards, curves, and the levels that curves have in common.
#include "core/analysis/card_view.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "core/analysis/level_findings.h"
#include "core/analysis/levels.h"
#include "core/analysis/probe_findings.h"
#include "core/analysis/refinement.h"
#include "core/analysis/structure.h"
#include "core/base/error.h"
#include "core/base/statistics.h"
#include "core/data/footprints.h"
#include "core/probes/probe.h"

namespace sonde {

namespace {
constexpr double kAsReported = 0.25;        // ln: a cache ends where its driver says
constexpr double kSameCapacity = 0.8;       // ln: further apart are not one level's ends
constexpr std::size_t kMostSeries = 10000;  // what compares every two of them has to end
constexpr double kSameLatency = 0.25;       // ln: nor are its latencies, where the ends tell nothing
constexpr double kSameInBlock = 0.1;        // ln: further off, a block's plateau is two levels that it does not part
constexpr double kCoincides = 0.04;         // ln: latencies of one level through two paths of one instruction
constexpr double kTlbStep = 0.05;           // of DRAM's latency: cheaper misses end no plateau
constexpr std::ptrdiff_t kFewestInside = 3; // footprints before a step, or there is no plateau that it ends

const DeviceRecord kNothingKnown{}; // a series whose device has no line

using LevelsInFile = std::map<std::pair<SeriesId, std::string>, std::vector<Finding>>; // by series and card

LevelsInFile levels_in(const Run& run) {
    LevelsInFile levels;
    for (const Json& line : run.findings)
        if (auto finding = level_from(line)) levels[{finding->series, finding->card}].push_back(std::move(*finding));
    return levels;
}

std::vector<Finding> levels_of(const LevelsInFile& in_file, const Series& series, const DeviceInfo& device) {
    std::vector<Finding> levels;
    if (has_levels(series.id) && !series.points.empty())
        levels = level_findings(series, device); // whatever the version that wrote the file found
    else if (const auto found = in_file.find({series.id, series.card}); found != in_file.end()) levels = found->second;
    return levels;
}

/// What is sure of them.
std::vector<Finding> sure_levels(std::vector<Finding> levels, const Series& series) {
    std::erase_if(levels, [](const Finding& level) { return !level.is_sure(); });
    if (!levels.empty()) end_in_rise(series, levels.back());
    return levels;
}

double middle(const Finding& level) {
    return std::sqrt(level.capacity_bytes->first * level.capacity_bytes->second.value_or(level.capacity_bytes->first));
}

bool ends(const Finding& level) { return level.capacity_bytes->second.has_value(); }

/// Index of the reference's level that `level` is: by the footprint at which it ends, or by its latency, or by the
/// footprint that it reaches; the reference's size where it is none of them.
std::size_t rank_of(const Finding& level, const std::vector<Finding>& reference) {
    std::size_t by_end = reference.size(), by_latency = reference.size();
    double end_apart = kSameCapacity, latency_apart = kSameLatency;
    for (std::size_t i = 0; i < reference.size(); ++i) {
        const bool before =
            ends(level) && !ends(reference[i]) && *level.capacity_bytes->second < reference[i].x.front();
        const double apart = std::abs(std::log(*level.value / *reference[i].value));
        if (apart < latency_apart && !before) latency_apart = apart, by_latency = i;
        if (!ends(level) || !ends(reference[i])) continue;
        if (const double by_ends = std::abs(std::log(middle(level) / middle(reference[i]))); by_ends < end_apart)
            end_apart = by_ends, by_end = i;
    }
    if (by_end < reference.size()) return by_end;
    if (by_latency < reference.size()) return by_latency;
    if (*level.value > *reference.back().value && level.capacity_bytes->first > reference.back().x.front())
        return reference.size() - 1; // further than the furthest: over a bus
    for (std::size_t i = 0; i < reference.size() && !ends(level); ++i)
        if (level.capacity_bytes->first <= reference[i].capacity_bytes->second.value_or(INFINITY)) return i;
    return reference.size();
}

/// Flat from well inside the level to well beyond its end.
bool flat_across(const Finding& level, const Finding& other) {
    return ends(other) && level.x.front() < other.capacity_bytes->first / 2 &&
           level.capacity_bytes->first > *other.capacity_bytes->second * 2;
}

/// Whether two curves show the same levels.
bool are_alike(const Curve* a, const Curve* b) {
    return std::ranges::equal(a->levels, b->levels, [](const Finding& one, const Finding& other) {
        return std::abs(std::log(*one.value / *other.value)) < kSameLatency;
    });
}

/// Whether loads of `curve` first reach a level that those of `other` pass by.
bool begins_nearer(const Curve& curve, const Curve& other) {
    return std::log(*curve.levels[0].value) < std::log(*other.levels[0].value) - kSameLatency;
}

/// The curve through the card's memory that has the most levels; of equals the first in the order of paths. Where most
/// of a path's curves agree in fewer and begin at the same level, what another one shows besides is none of the card's:
/// an allocation may lie so that a part of a cache's lines is slower.
const Curve* reference_of(const Card& card) {
    Curves curves;
    for (const Curve& curve : card.curves)
        if (curve.path && family_of(*curve.path) == Family::memory && curve.path->stage == Stage::nothing &&
            !curve.path->evicted_first && !curve.levels.empty())
            curves.push_back(&curve);
    const auto fewer = [](const Curve* a, const Curve* b) {
        return a->levels.size() < b->levels.size() || (a->levels.size() == b->levels.size() && b->path < a->path);
    };
    while (!curves.empty()) {
        const Curve* best = *std::ranges::max_element(curves, fewer);
        const auto on_path = [&](const Curve* curve) { return curve->path == best->path; };
        const auto of_most = [&](const Curve* curve) {
            const auto agreeing = std::ranges::count_if(
                curves, [&](const Curve* other) { return on_path(other) && are_alike(curve, other); });
            return on_path(curve) && 2 * agreeing > std::ranges::count_if(curves, on_path);
        };
        const auto other = std::ranges::find_if(curves, of_most);
        if (other == curves.end() || (*other)->levels.size() >= best->levels.size() || begins_nearer(*best, **other))
            return best;
        const std::size_t levels = (*other)->levels.size();
        std::erase_if(curves, [&](const Curve* curve) { return on_path(curve) && curve->levels.size() > levels; });
    }
    return nullptr;
}

/// The name, repeated for a curve's second level within what the card's curve shows as one.
LevelName not_taken(const std::vector<LevelName>& taken, LevelName name) {
    while (std::ranges::find(taken, name) != taken.end()) ++name.repetition;
    return name;
}

/// A level of what is no memory of the card, by what it is.
LevelName own_name(Family family, std::size_t index, std::size_t levels) {
    using enum LevelName::Kind;
    const int number = static_cast<int>(index) + 1;
    if (family == Family::host) return {.kind = index + 1 < levels ? host_cache : host_memory};
    if (family == Family::peer) // the reader's own caches may hold a peer's lines
        return index + 1 < levels ? LevelName::cache(number) : LevelName{.kind = peer_memory};
    if (family == Family::scratchpad) return {.kind = scratchpad};
    return {.kind = family == Family::push ? push : constant, .number = number};
}

/// The device's curve on global, by which levels of other paths are known.
const Curve* global_of(const Card& card, const Curve& curve) {
    const auto found = std::find_if(card.curves.begin(), card.curves.end(), [&](const Curve& each) {
        return each.run == curve.run && each.series->id.path == "global" && has_levels(each.series->id) &&
               is_plain(each.series->id.options) && each.series->id.device == curve.series->id.device;
    });
    return found == card.curves.end() ? nullptr : &*found;
}

/// The level of global that takes as long; none: no level does.
LevelName of_same_latency(const Finding& level, const Curve* global) {
    for (std::size_t i = 0; global && i < global->levels.size(); ++i)
        if (std::abs(std::log(*level.value / *global->levels[i].value)) < kCoincides) return global->level_names[i];
    return {};
}

/// Memory of the host or another card, and constants: a level is one of the card's memory only where its latency is,
/// constants only as a whole.
void name_by_latency(const Card& card, Curve& curve) {
    if (curve.levels.empty()) return;
    if (!curve.path) {
        for (const Finding& level : curve.levels)
            curve.level_names.push_back(not_taken(curve.level_names, level.level));
        return;
    }
    const Family family = family_of(*curve.path);
    const Curve* global = family == Family::scratchpad ? nullptr : global_of(card, curve);
    const bool all = std::none_of(curve.levels.begin(), curve.levels.end(),
        [&](const Finding& level) { return of_same_latency(level, global).is_none(); });
    for (std::size_t i = 0; i < curve.levels.size(); ++i) {
        const bool elsewhere = family == Family::host || family == Family::peer;
        const LevelName same = all || elsewhere ? of_same_latency(curve.levels[i], global) : LevelName();
        curve.level_names.push_back(
            not_taken(curve.level_names, same.is_none() ? own_name(family, i, curve.levels.size()) : same));
    }
}

/// Of whose cards none has an L3, by PCI.
constexpr std::string_view kVendorsWithoutL3[] = {"10de"};

bool may_have_l3(std::span<const DeviceRecord* const> devices) {
    return std::ranges::none_of(devices, [](const DeviceRecord* device) {
        return std::ranges::find(kVendorsWithoutL3, device->pci_id.substr(0, 4)) != std::end(kVendorsWithoutL3);
    });
}

/// Whether what lies between the ends of a plateau and of the cache that drivers report is a gradual rise, to DRAM.
bool rises_to_reported(const Finding& cache, const Finding& behind, double reported) {
    constexpr double kOfRise = 1.5; // times where the plateau ends
    if (!ends(cache) || behind.x.empty()) return false;
    const double end = *cache.capacity_bytes->second;
    return end * kOfRise < reported && std::ranges::min(behind.x) > end * kOfRise;
}

LevelName part_of_l2(LevelName::Part part) {
    LevelName name = LevelName::cache(2);
    name.part = part;
    return name;
}

/// Two levels of a GPU beyond L1 are the partitions of one cache where its vendor's cards have no other, or where the
/// second ends where its drivers report one cache. One level is the near partition where loads take gradually longer
/// from its end to that of the cache, and no other cache can be the cause.
void name_partitions(std::span<const DeviceRecord* const> devices, std::vector<Finding>& levels) {
    if (devices.empty() || devices.front()->cpu || devices.front()->software) return; // a processor has an L3
    const double reported = largest_reported(devices, &DeviceInfo::cache_bytes);
    if (levels.size() < 3 || levels[1].level != LevelName::cache(2)) return;
    if (levels.size() == 3 && levels[2].level == LevelName::dram() && !may_have_l3(devices) &&
        rises_to_reported(levels[1], levels[2], reported))
        levels[1].set_level(part_of_l2(LevelName::Part::near));
    if (levels.size() < 4 || levels[2].level != LevelName::cache(3) || !ends(levels[2])) return;
    const bool as_reported = reported > 0 && std::abs(std::log(middle(levels[2]) / reported)) <= kAsReported;
    if (!as_reported && may_have_l3(devices)) return;
    levels[1].set_level(part_of_l2(LevelName::Part::near));
    levels[2].set_level(part_of_l2(LevelName::Part::far));
}

void name_levels(Card& card) {
    const Curve* reference = reference_of(card);
    std::vector<Finding> levels = reference ? reference->levels : std::vector<Finding>();
    name_partitions(card.devices, levels);
    for (const Finding& level : levels) card.level_names.push_back(not_taken(card.level_names, level.level));
    const auto in_levels = [](const Curve& curve) { // of the card's memory; a processor has no other
        if (!curve.path) return false;
        const Family family = family_of(*curve.path);
        return family == Family::memory ||
               (family != Family::scratchpad && (curve.device->cpu || curve.device->software));
    };
    for (Curve& curve : card.curves)
        for (std::size_t i = 0; in_levels(curve) && i < curve.levels.size(); ++i) {
            const Finding& level = curve.levels[i];
            const std::size_t rank =
                levels.empty() || curve.device->cpu
                    ? levels.size()
                    : rank_of(level, levels); // a processor's levels are known by the caches that the system reports
            const bool known = std::ranges::find(card.level_names, level.level) != card.level_names.end();
            LevelName name = rank < levels.size() && (known || level.level != LevelName::dram())
                                 ? card.level_names[rank]
                                 : level.level;
            if (levels.size() == 1 && rank == 0 && i > 0) name = {.kind = LevelName::Kind::behind};
            curve.level_names.push_back(not_taken(curve.level_names, std::move(name)));
        }
    for (Curve& curve : card.curves) {
        if (!in_levels(curve)) name_by_latency(card, curve);
        const bool memory =
            curve.path && (family_of(*curve.path) == Family::memory || family_of(*curve.path) == Family::host);
        for (const Finding& known : levels)
            if (memory && !curve.device->cpu && !curve.device->software &&
                !curve.reached(known.level) && // a processor's loads all begin at L1, though what a driver does between
                                               // them may hide it
                std::any_of(curve.levels.begin(), curve.levels.end(),
                    [&](const Finding& level) { return flat_across(level, known); }))
                curve.passed.push_back(known.level);
    }
}

using Ends = std::vector<std::pair<double, double>>; // from the last footprint inside to the first one outside

/// Where a level of a curve ends that is one level with `level`.
void add_ends(Ends& ends, std::span<const CurvePoint> curve, const Finding& level) {
    for (const Level& found : find_levels(curve, 0))
        if (found.capacity_off && std::abs(std::log(found.latency / *level.value)) < kSameInBlock &&
            std::abs(std::log(std::sqrt(found.capacity_on * *found.capacity_off) / middle(level))) < kSameCapacity)
            ends.emplace_back(found.capacity_on, *found.capacity_off);
}

/// Where the level ends in each other allocation.
void add_ends_elsewhere(Ends& ends, const Series& series, const Finding& level) {
    if (series.evidence.other_allocations.empty()) return;
    const std::vector<CurvePoint> common = away_from_edges(curve_of(series));
    for (const OtherAllocation& other : series.evidence.other_allocations) {
        std::vector<CurvePoint> curve = common;
        for (const FootprintLatency& point : other.points) curve.push_back({point.bytes, point.ns});
        add_ends(ends, curve, level);
    }
}

/// Where the level ends by each block alone, of a series that has several, and in each other allocation.
Ends ends_by_block(const Series& series, const Finding& level) {
    std::map<int, std::vector<CurvePoint>> blocks;
    for (const Point& point : series.points) {
        std::map<int, std::vector<Sample>> samples;
        for (const Sample& sample : point.samples) samples[sample.block].push_back(sample);
        for (const auto& [block, own] : samples) {
            auto values = slopes_ns(own, Timer::device);
            if (values.empty()) values = slopes_ns(own, Timer::host);
            if (!values.empty()) blocks[block].push_back({point.x, median(values)});
        }
    }
    Ends ends;
    if (blocks.size() > 1)
        for (const auto& [block, curve] : blocks) add_ends(ends, curve, level);
    add_ends_elsewhere(ends, series, level);
    return ends;
}

/// A range of ends so wide that the level itself is in doubt; narrower ones are told as a range.
bool is_wide(const std::pair<double, double>& ends) {
    constexpr double kWide = 1.5; // times the first footprint, the last
    return ends.second > kWide * ends.first;
}

/// What a level's ends through one API span.
struct EndsTold {
    Ends all{};
    std::pair<double, double> told{INFINITY, 0};   // what is told
    std::pair<double, double> surely{INFINITY, 0}; // at least, by the nearer end of each block's bracket

    void add(const std::pair<double, double>& bracket) {
        all.push_back(bracket);
        cover(told, bracket), cover(surely, bracket);
    }
    /// A block's or an allocation's, whose few footprints may leave a wide bracket: of such a one its nearer end.
    void add_of_block(const std::pair<double, double>& bracket) {
        constexpr double kNarrow = 1.1; // times the last footprint inside, the first one outside
        all.push_back(bracket);
        const std::pair nearer(bracket.second, bracket.first);
        cover(told, bracket.second > kNarrow * bracket.first ? nearer : bracket), cover(surely, nearer);
    }
    bool exclude_each_other() const {
        double most_inside = 0, least_outside = INFINITY;
        for (const auto& [inside, outside] : all)
            most_inside = std::max(most_inside, inside), least_outside = std::min(least_outside, outside);
        return most_inside >= least_outside;
    }
    /// The share of brackets around the middle.
    double agreement() const {
        const double middle = std::sqrt(surely.first * surely.second);
        const auto agree = std::ranges::count_if(
            all, [&](const auto& bracket) { return bracket.first <= middle && middle <= bracket.second; });
        return static_cast<double>(agree) / static_cast<double>(all.size());
    }

private:
    static void cover(std::pair<double, double>& range, const std::pair<double, double>& more) {
        range = {std::min(range.first, more.first), std::max(range.second, more.second)};
    }
};

/// Where ranges of one level exclude each other through one API, by path, run, block or allocation, each is told with
/// what all of them span; if that is wide, it is no surer than the share that agrees. L1 is no such level: how much a
/// kernel has of it depends on the kernel and its path.
void widen_edges(Card& card) {
    if (card.level_names.empty()) return;
    std::map<std::tuple<std::string, Family, LevelName>, std::vector<std::pair<Finding*, const Series*>>>
        ends_of; // by device, kind of memory and level
    for (Curve& curve : card.curves)
        for (std::size_t i = 0;
             i < curve.levels.size() && curve.path && curve.usable() && is_plain(curve.series->id.options) &&
             curve.path->stage == Stage::nothing && !curve.path->evicted_first;
             ++i) {
            const Family family = family_of(*curve.path);
            if (curve.level_names[i] != card.level_names[0] && (family == Family::memory || family == Family::host) &&
                ends(curve.levels[i]))
                ends_of[{curve.series->id.device, family, curve.level_names[i]}].emplace_back(
                    &curve.levels[i], curve.series);
        }
    for (auto& [level, all] : ends_of) {
        EndsTold span;
        for (const auto& [each, series] : all) {
            span.add({each->capacity_bytes->first, *each->capacity_bytes->second});
            for (const auto& bracket : ends_by_block(*series, *each)) span.add_of_block(bracket);
        }
        if (!span.exclude_each_other()) continue;
        for (const auto& [each, series] : all) {
            each->edge_bytes = span.told;
            if (is_wide(span.surely)) each->confidence = std::min(each->confidence.value_or(1), span.agreement());
        }
    }
}

/// Whether a level's own points tell one plateau.
bool rises_within(const Series& series, const Finding& level) {
    constexpr double kFlat = 1.03; // times
    std::vector<double> values;
    for (const Point& point : series.points)
        if (point.median && std::ranges::find(level.x, point.x) != level.x.end()) values.push_back(*point.median);
    return values.size() > 1 && std::ranges::max(values) > kFlat * std::ranges::min(values);
}

/// Levels side by side whose ends paths or blocks do not have in common are a gradual rise, and none of them a level.
void drop_blurred(Curve& curve) {
    const auto blurred = [](const Finding& level) {
        return ends(level) && level.confidence.value_or(1) < kSureEnough && level.edge_bytes &&
               is_wide(*level.edge_bytes);
    };
    for (std::size_t first = 1; first < curve.levels.size(); ++first) {
        std::size_t behind = first;
        while (behind < curve.levels.size() && blurred(curve.levels[behind])) ++behind;
        if (behind - first < 2) continue;
        if (first > 1 && rises_within(*curve.series, curve.levels[first - 1])) --first; // its beginning
        curve.levels.erase(curve.levels.begin() + static_cast<std::ptrdiff_t>(first),
            curve.levels.begin() + static_cast<std::ptrdiff_t>(behind));
    }
}

/// The level as far as `end`: its first plateau.
void shorten(Finding& level, const Series& series, double end) {
    level.tlb_beyond_bytes = end;
    std::erase_if(level.x, [end](double x) { return x > end; });
    std::vector<double> values, cycles;
    for (const Point& point : series.points) {
        if (!point.median || std::find(level.x.begin(), level.x.end(), point.x) == level.x.end()) continue;
        values.push_back(*point.median);
        if (point.cycles) cycles.push_back(*point.cycles);
    }
    if (values.empty()) return;
    level.value = median(values);
    if (!cycles.empty()) level.cycles = median(cycles);
}

/// DRAM ends at the first large step of translation that `tlb` found on the same device within its footprints: beyond
/// it the curve shows misses, too. A processor's DRAM may slow down for other reasons.
void end_dram_at_tlb(Card& card) {
    for (Curve& curve : card.curves) {
        if (curve.device->cpu || curve.levels.empty() || curve.level_names.back().kind != LevelName::Kind::dram ||
            curve.levels.back().tlb_beyond_bytes)
            continue;
        const auto tlb = std::find_if(card.curves.begin(), card.curves.end(), [&](const Curve& each) {
            return role_of(each.series->id) == Role::translation && each.series->id.path == "global.pointer" &&
                   each.series->id.device == curve.series->id.device && each.usable();
        });
        if (tlb == card.curves.end()) continue;
        Finding& dram = curve.levels.back();
        const auto inside = [&](double x) {
            return std::count_if(dram.x.begin(), dram.x.end(), [x](double each) { return each <= x; });
        };
        for (const TranslationLevel& step : translation_levels(curve_at_one_clock(*tlb->series))) {
            if (step.cost < kTlbStep * *dram.value || inside(step.low) < kFewestInside ||
                step.high >= dram.capacity_bytes->first)
                continue;
            shorten(dram, *curve.series, step.low);
            break;
        }
    }
}

/// What makes two runs' devices one card: the card, and the drivers it is seen through.
std::string key_of(const Run& run, const std::string& card) {
    std::string key = card;
    for (const DeviceRecord& device : run.devices)
        if (device.card == card) key += "\n" + device.id + "\n" + device.driver;
    return key;
}
} // namespace

bool has_levels(const SeriesId& id) { return role_of(id) == Role::levels; }

const Finding* Curve::reached(const LevelName& name) const {
    const auto found = std::ranges::find(level_names, name);
    return found == level_names.end() ? nullptr : &levels[static_cast<std::size_t>(found - level_names.begin())];
}

const Finding* Curve::seen_as(const LevelName& name) const {
    if (const Finding* level = reached(name)) return level;
    const auto found = std::ranges::find_if(level_names, [&](const LevelName& each) { return each.is_seen_as(name); });
    return found == level_names.end() ? nullptr : &levels[static_cast<std::size_t>(found - level_names.begin())];
}

bool Curve::passes(const LevelName& name) const { return std::ranges::find(passed, name) != passed.end(); }

bool Curve::usable() const {
    return series->status == Status::ok && !series->points.empty() && !scatters && !one_block;
}

const DeviceRecord* Card::device(const std::string& wanted) const {
    const auto found =
        std::find_if(devices.begin(), devices.end(), [&](const DeviceRecord* each) { return each->id == wanted; });
    return found == devices.end() ? nullptr : *found;
}

Family family_of(const Path& path) {
    if (path.stage == Stage::scratchpad || path.stage == Stage::peer_scratchpad) return Family::scratchpad;
    if (path.space == Space::host) return Family::host;
    if (is_of_peer(path.space)) return Family::peer;
    if (path.space == Space::constant) return Family::constant;
    return path.space == Space::push ? Family::push : Family::memory;
}

const char* to_text(Family family) {
    constexpr std::array kNames{"memory", "host", "peer", "constant", "push", "scratchpad"};
    return kNames[static_cast<std::size_t>(family)];
}

/// As processors do that others use as well, or whose system shares them out.
static bool scatters(const Series& series) {
    return later_steps(series) > kStepsInterrupted || scatter(series) > kScattered;
}

std::vector<Card> cards_of(std::span<const Run> runs) {
    std::vector<Card> cards;
    std::map<std::string, std::size_t> places;
    const auto card_of = [&](const Run& run, const std::string& id) -> Card& {
        const auto [place, fresh] = places.try_emplace(key_of(run, id), cards.size());
        if (!fresh) return cards[place->second];
        Card& card = cards.emplace_back(Card{.id = id, .name = id});
        for (const DeviceRecord& device : run.devices)
            if (device.card == id) card.devices.push_back(&device);
        if (!card.devices.empty()) card.name = card.devices[0]->name;
        return card;
    };
    for (std::size_t i = 0; i < runs.size(); ++i) {
        if (runs[i].series.size() > kMostSeries)
            throw UsageError(fmt::format("more than {} series: no run has so many", kMostSeries));
        for (const DeviceRecord& device : runs[i].devices) // in their order, whichever was measured first
            if (std::ranges::any_of(runs[i].series, [&](const Series& series) { return series.card == device.card; }))
                card_of(runs[i], device.card);
        const LevelsInFile in_file = levels_in(runs[i]);
        for (const Series& series : runs[i].series) {
            Card& card = card_of(runs[i], series.card);
            const DeviceRecord* device = card.device(series.id.device);
            if (!device) device = &kNothingKnown;
            const bool used_by_others = std::ranges::any_of(
                series.doubts, [](DoubtKind kind) { return kind == DoubtKind::other_processes; }, &Doubt::kind);
            std::vector<Finding> levels = used_by_others ? std::vector<Finding>() : levels_of(in_file, series, *device);
            Curve& curve = card.curves.emplace_back(Curve{.series = &series,
                .device = device,
                .path = find_path(series.id.path),
                .run = i,
                .levels = sure_levels(levels, series),
                .one_block = needs_more_blocks(series, *device),
                .scatters = device->cpu && scatters(series),
                .disturbed = used_by_others});
            for (const Finding& level : levels)
                if (!device->cache_levels.empty() && !level.is_sure()) curve.unsure.push_back(level);
        }
    }
    for (Card& card : cards) {
        name_levels(card);
        widen_edges(card);
        for (Curve& curve : card.curves) drop_blurred(curve), curve.level_names.clear(), curve.passed.clear();
        card.level_names.clear();
        name_levels(card); // of what is left
        end_dram_at_tlb(card);
        conclude(card);
        const auto measured = std::find_if(card.devices.begin(), card.devices.end(), [&](const DeviceRecord* device) {
            return std::any_of(
                card.curves.begin(), card.curves.end(), [&](const Curve& curve) { return curve.device == device; });
        });
        if (measured != card.devices.end())
            card.name = (*measured)->name; // an API's name for the card, of those that were asked
    }
    return cards;
}

} // namespace sonde
