// Rules about where the APIs of one card differ.
#include <algorithm>
#include <cmath>
#include <set>

#include "core/analysis/structure.h"
#include "core/base/statistics.h"
#include "core/base/text.h"
#include "core/diagnosis/fact_of.h"

namespace sonde {

namespace {
constexpr double kFewestCycles = 3;     // less between two APIs is not worth a word
constexpr double kOfLatency = 0.015;    // of a level's latency: what an offset may vary from level to level
constexpr double kFartherOff = 15;      // cycles that farther levels may add to it besides misses of the TLB
constexpr double kNearDevice = 0.15;    // share: host memory no further from device memory's latency lies there
constexpr double kFarFromDevice = 1.5;  // and this much further lies elsewhere
constexpr double kFarBeyond = 2;        // times the end of a level: past its edge
constexpr double kFarApart = 2;         // bandwidths
constexpr std::size_t kFewestApart = 3; // footprints at which they are, or that tell of a slope

/// A level that both curves of a comparison have.
struct ExtraLevel {
    LevelName name;
    double slow_cycles, cycles,
        tlb;   // of a load; more than the other's, misses of the TLB included; and how many of them those are
    bool ends; // within the sweep
};

/// One path of one device against the device that is nearest on it. At least one level.
struct Extra {
    const Curve *slow, *fast;
    std::vector<ExtraLevel> levels;
};

/// Cycles that misses of the TLB add to a load at a level, by what the probe `tlb` measured through that device; 0
/// where it did not.
double tlb_cycles(const Card& card, const Curve& curve, const Finding& level) {
    const auto translation = translation_of(card, &curve);
    if (translation.empty() || !level.cycles || level.x.empty()) return 0;
    std::vector<double> added;
    for (const double footprint : level.x) {
        added.push_back(0);
        for (const TranslationLevel& each : translation)
            added.back() += each.cost * std::max(0.0, 1 - each.reach / footprint);
    }
    return median(added) * *level.cycles / *level.value;
}

/// Their difference at each level that both name: one API's loads may show no plateau where the other's do.
std::vector<ExtraLevel> common_levels(const Card& card, const Curve& slow, const Curve& fast) {
    std::vector<ExtraLevel> common;
    for (std::size_t i = 0; i < slow.levels.size(); ++i) {
        const auto other = std::ranges::find(fast.level_names, slow.level_names[i]);
        if (other == fast.level_names.end()) continue;
        const Finding &mine = slow.levels[i],
                      &others = fast.levels[static_cast<std::size_t>(other - fast.level_names.begin())];
        const auto [a, b] = latencies(mine, others);
        if (mine.cycles && others.cycles)
            common.push_back(
                {slow.level_names[i], a, a - b, tlb_cycles(card, slow, mine) - tlb_cycles(card, fast, others),
                    mine.capacity_bytes->second.has_value()});
    }
    return common;
}

/// Nearly the same difference at each level that both have, the first and another one among them: what lies between two
/// loads, rather than in a cache.
std::optional<Extra> constant_extra(const Card& card, const Curve& slow, const Curve& fast) {
    if (slow.level_names.empty() || fast.level_names.empty() || slow.level_names[0] != fast.level_names[0])
        return std::nullopt;
    const Extra extra{&slow, &fast, common_levels(card, slow, fast)};
    const auto off = [&](const ExtraLevel& level) {
        return std::abs(level.cycles - extra.levels[0].cycles - level.tlb) >
               std::max(kOfLatency * level.slow_cycles, kFartherOff);
    };
    if (std::ranges::count_if(extra.levels, &ExtraLevel::ends) < 2 || extra.levels[0].name != slow.level_names[0] ||
        std::ranges::any_of(extra.levels, off))
        return std::nullopt;
    return extra.levels[0].cycles >= kFewestCycles ? std::optional(extra) : std::nullopt;
}

std::vector<Extra> extras_of(const Card& card) {
    std::vector<Extra> extras;
    for (Curves& curves : latency_by_path(card)) {
        if (family_of(*curves[0]->path) != Family::memory || curves[0]->path->space == Space::address) continue;
        std::erase_if(curves, [](const Curve* curve) { return curve->levels.empty(); });
        const Curve* fast = nullptr;
        for (const Curve* curve : curves)
            if (!fast || *curve->levels[0].value < 0.99 * *fast->levels[0].value) fast = curve;
        for (const Curve* curve : curves)
            if (const auto extra = curve == fast ? std::nullopt : constant_extra(card, *curve, *fast))
                extras.push_back(*extra);
    }
    return extras;
}

/// What the machine code holds between two loads, by mnemonics: "IMAD.SHL, ISETP"; nullopt where a driver shows no
/// machine code.
std::optional<std::string> between_loads(const Curve& curve) {
    const auto& kernel = curve.series->evidence.kernel;
    if (!kernel || kernel->load.instruction.empty() || !shows_machine_code(kernel->listing.kind)) return std::nullopt;
    std::vector<std::string> names;
    for (const std::string& line : kernel->load.address_instructions.value_or(std::vector<std::string>{})) {
        const std::string word = line.starts_with("@") ? line.substr(std::min(line.size(), line.find(' ') + 1)) : line;
        names.push_back(word.substr(
            0, std::min(word.find(' '), word.find('.', word.find('.') == word.npos ? 0 : word.find('.') + 1))));
    }
    return (names.empty() ? "nothing" : joined_text(names)) + (kernel->listing.note.empty() ? "" : " (by ptxas)");
}

/// Whether listings of both show that something else lies between two loads.
bool differs_in_code(const Extra& extra) {
    const auto slow = between_loads(*extra.slow), fast = between_loads(*extra.fast);
    return slow && fast && *slow != *fast;
}

Ranked cycles_at(const Curves& curves, const LevelName& level) {
    return ranked(curves, [&](const Curve& curve) {
        const Finding* found = curve.reached(level);
        return found ? found->cycles.value_or(0) : 0;
    });
}

/// Levels of a path by device, misses of the TLB among their cycles, and what the code holds between two loads. `told`:
/// the level that comes first, if any.
PlaceGroup rows_of(const Card& card, const Curves& curves, const LevelName& told = {}) {
    PlaceGroup group{path_text(*curves[0]), {}};
    if (!told.is_none()) group.places.push_back(place_of(told.text(), cycles_at(curves, told), Unit::cycles));
    for (const LevelName& level : card.level_names) {
        Place cycles{level.text(), {}}, misses{filled(label::misses_of_tlb, {{"level", level}}), {}};
        for (const Curve* curve : curves) {
            const Finding* found = curve->reached(level);
            if (!found || !found->cycles) continue;
            cycles.cells.emplace_back(device_text(curve), Quantity{*found->cycles, Unit::cycles});
            if (const double tlb = tlb_cycles(card, *curve, *found); tlb >= kFewestCycles)
                misses.cells.emplace_back(device_text(curve), Quantity{tlb, Unit::cycles});
        }
        if (cycles.cells.size() < 2) continue;
        if (level != told) group.places.push_back(std::move(cycles));
        group.places.push_back(std::move(misses));
    }
    Place between = instructions_of(curves, [](const Curve& curve) { return between_loads(curve).value_or(""); });
    between.name = "between two loads";
    group.places.push_back(std::move(between));
    return group;
}

/// What differs, on its paths; and the path whose addresses come from memory, where nothing lies between two loads.
void tell_extra(const Card& card, const std::vector<Extra>& extras, Statements& out) {
    const Extra& first = extras[0];
    const LevelName& level = first.levels[0].name;
    std::vector<PlaceGroup> rows;
    Curves about, told;
    const auto add = [&](const Curves& curves, PlaceGroup group) {
        rows.push_back(std::move(group));
        about.insert(about.end(), curves.begin(), curves.end());
    };
    for (const Curves& curves : latency_by_path(card))
        if (std::ranges::any_of(extras, [&](const Extra& each) { return std::ranges::count(curves, each.slow) > 0; })) {
            const bool tells = std::ranges::count(curves, first.slow) > 0;
            if (tells) told = curves;
            add(curves, rows_of(card, curves, tells ? level : LevelName()));
        }
    for (const Curves& curves : latency_by_path(card))
        if (curves[0]->path->space == Space::address && curves.size() > 1) add(curves, rows_of(card, curves));
    const Ranked cycles = cycles_at(told, level);
    CardFact fact = fact_of(card, joined(path_slots(*first.slow), {{"level", level}}), cycles, rows);
    if (differs_in_code(first)) fact.cause = Cause::other_instructions;
    tell(out, std::move(fact), about);
}

/// What loads from one API's host memory take beyond its caches.
struct HostMemory {
    const Curve *host, *global;
    Quantity beyond;                    // to what they take at the largest footprint, where they rise
    std::optional<double> highest_at{}; // bytes
    bool as_device = false;             // as long as loads from the device's memory
};

Quantity risen_from(double least, double most, Unit unit) { return {least, unit, std::pair(least, most)}; }

/// An L1 and then no second one: a slope far above the device's memory is the way to the host all the same.
std::optional<HostMemory> host_beyond_l1(const Curve& host, const Curve& global) {
    const Finding& device = global.levels.back();
    std::vector<double> beyond;
    const bool cycles = device.cycles.has_value();
    for (const Point& point : host.series->points)
        if (const auto value = cycles ? point.cycles : point.median;
            value && point.x > kFarBeyond * off(host.levels[0]))
            beyond.push_back(*value);
    if (beyond.size() < kFewestApart) return std::nullopt;
    const auto [least, most] = std::ranges::minmax(beyond);
    if (least < kFarFromDevice * (cycles ? *device.cycles : device.value.value_or(0))) return std::nullopt;
    return HostMemory{&host, &global, risen_from(least, most, cycles ? Unit::cycles : Unit::ns)};
}

/// nullopt where that cannot be told.
std::optional<HostMemory> host_memory_of(const Card& card, const Curve& host) {
    const Curve* global = plain_curve(card, kLatency, host.series->id.device, "global");
    if (!global || global->levels.empty() || host.levels.empty()) return std::nullopt;
    const Finding &far = host.levels.back(), &device = global->levels.back();
    if (host.levels.size() == 1) return host_beyond_l1(host, *global);
    const auto [a, b] = latencies(far, device);
    HostMemory found{&host, global, *latency_cell(far).quantity()};
    found.as_device = std::abs(a - b) <= kNearDevice * b;
    if (found.as_device) return found;
    if (a < kFarFromDevice * b) return std::nullopt;
    if (const auto most = risen(host, far)) {
        found.beyond = risen_from(fallen(host, far).value_or(found.beyond.value), *most, found.beyond.unit);
        found.highest_at = host.series->points.back().x;
    }
    return found;
}

PlaceGroup rows_of(const std::vector<HostMemory>& all) {
    Place beyond{"beyond its caches", {}}, highest{"rises to a footprint of", {}}, device{"DRAM of the device", {}};
    for (const HostMemory& each : all) {
        const std::string& id = device_text(each.host);
        beyond.cells.emplace_back(id, each.beyond);
        device.cells.emplace_back(id, latency_cell(each.global->levels.back()));
        if (each.highest_at) highest.cells.emplace_back(id, Quantity{*each.highest_at, Unit::bytes});
    }
    return {"", {beyond, device, highest}};
}

void tell_host_memory(const Card& card, Statements& out) {
    std::vector<HostMemory> all;
    for (const Curve* host : plain_curves(card, kLatency))
        if (family_of(*host->path) == Family::host && !host->device->cpu)
            if (auto found = host_memory_of(card, *host)) all.push_back(*found);
    if (all.empty()) return;
    Curves hosts, about;
    Ranked slow, as_device;
    for (const HostMemory& each : all) {
        hosts.push_back(each.host);
        about.insert(about.end(), {each.host, each.global});
        (each.as_device ? as_device : slow).emplace_back(each.beyond.value, each.host);
    }
    CardFact fact = fact_of(card, {}, slow, {rows_of(all), levels_of(card, path_text(*hosts[0]), hosts)});
    if (!as_device.empty())
        fact.ranked.push_back(columns_in(fact.grid, as_device)), fact.cause = Cause::as_device_memory;
    fact.effect = 1; // where it lies is no matter of degree
    tell(out, std::move(fact), about);
}

/// Footprints at which two curves of the same probe, path and options lie far apart, how far at the largest of them,
/// and how far at the least and at the most.
struct Gap {
    std::vector<double> footprints{};
    double ratio = 1, least = INFINITY, most = 1;
    bool changes() const { return most > kFarApart * least; } // how far they are apart depends on the footprint
};

Gap gap_of(const Series& low, const Series& high) {
    Gap gap;
    for (const Point& point : high.points) {
        const auto other = std::find_if(
            low.points.begin(), low.points.end(), [&](const Point& candidate) { return candidate.x == point.x; });
        if (other == low.points.end() || !point.median || !other->median || !(*other->median > 0)) continue;
        const double ratio = *point.median / *other->median;
        if (ratio >= kFarApart)
            gap.footprints.push_back(point.x), gap.ratio = ratio, gap.least = std::min(gap.least, ratio),
                                               gap.most = std::max(gap.most, ratio);
    }
    return gap;
}

/// The largest of the gap's footprints that all these curves reach, else the largest.
double footprint_of(const Gap& gap, const Curves& curves) {
    const auto all_reach = [&](double x) {
        return std::all_of(
            curves.begin(), curves.end(), [x](const Curve* curve) { return value_between(*curve->series, x); });
    };
    const auto found = std::find_if(gap.footprints.rbegin(), gap.footprints.rend(), all_reach);
    return found == gap.footprints.rend() ? gap.footprints.back() : *found;
}

/// The widest gap between two of these.
Gap widest_gap(const Curves& curves) {
    Gap widest;
    for (const Curve* low : curves)
        for (const Curve* high : curves) {
            const Gap gap = gap_of(*low->series, *high->series);
            if (gap.footprints.size() >= kFewestApart && gap.ratio > widest.ratio) widest = gap;
        }
    return widest;
}
} // namespace

const Rule extra_cycles{
    "extra_cycles", "path", [](const Card& card, Statements& out) {
        for (const auto& extras : grouped(extras_of(card), [](const Extra& extra) { return device_text(extra.fast); }))
            tell_extra(card, extras, out);
    }};

const Rule host_memory{"host_memory", "path", tell_host_memory};

namespace {
/// The load instruction, where machine code shows it.
std::string load_kind_of(const Curve& curve) {
    const auto& kernel = curve.series->evidence.kernel;
    return kernel && shows_machine_code(kernel->listing.kind) ? kernel->load.kind : "";
}

/// What they read at a footprint, or between two.
Compared reads_at(const Curves& alike, double x) {
    const Ranked reads = ranked(alike, [&](const Curve& curve) { return value_between(*curve.series, x).value_or(0); });
    return {.place = place_of(format_bytes(x), reads), .numbers = reads};
}
} // namespace

const Rule bandwidth_apart{
    "bandwidth_apart", "path", [](const Card& card, Statements& out) {
        Curves reads = curves_of(card, kBandwidth);
        std::erase_if(reads, [&](const Curve* curve) {
            return family_of(*curve->path) == Family::host && cites(out, curve->series->id);
        }); // faster_than_peak: not the host
        for (const Curves& on_path : grouped(reads, [](const Curve* curve) { return curve->series->id.path; })) {
            const auto groups = grouped(on_path, [](const Curve* curve) { return curve->series->id.options; });
            const auto alike = std::max_element(groups.begin(), groups.end(),
                [](const Curves& a, const Curves& b) { return widest_gap(a).ratio < widest_gap(b).ratio; });
            const Gap gap = widest_gap(*alike);
            if (gap.footprints.empty()) continue;
            const double x = footprint_of(gap, *alike);
            if (family_of(*on_path[0]->path) == Family::host &&
                x < kBeyondCaches * card.largest(&DeviceInfo::cache_bytes))
                continue; // caches of the card may serve it
            const double first = gap.footprints.front();
            std::vector<Compared> all{reads_at(*alike, x)};
            if (gap.changes() && first < x) all.push_back(reads_at(*alike, first));
            const Ranked rates = all[0].numbers;
            std::vector<Place> places = places_of(all);
            places.push_back(instructions_of(curves_in(rates), load_kind_of));
            Statement& said = tell(out,
                fact_of(card, joined(path_slots(*(*alike)[0]), {{"footprint", in_bytes(x)}}), rates,
                    {{"", std::move(places)}}),
                curves_in(rates));
            for (std::size_t i = 0; i < rates.size(); ++i) {
                const auto& points = rates[i].second->series->points;
                if (std::any_of(points.begin(), points.end(), [&](const Point& point) { return point.x == x; }))
                    said.from[i].x = {x};
            }
        }
    }};

} // namespace sonde
