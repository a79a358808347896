// Rules about reads and stores of many work-items, launches, and parts of the memory.
#include <algorithm>
#include <cmath>
#include <functional>
#include <tuple>

#include "core/analysis/findings.h"
#include "core/analysis/traffic.h"
#include "core/base/statistics.h"
#include "core/base/text.h"
#include "core/diagnosis/fact_of.h"
#include "core/diagnosis/overview.h"
#include "core/diagnosis/rules.h"
#include "core/probes/probe.h"

namespace sonde {

namespace {
constexpr double kDramApart = 1.06; // times, at the largest footprint that all reach
constexpr double kTimesApart = 2;   // launches
constexpr double kSameLoads =
    1.25; // times: load rates that are one, however wide the loads; more bytes than that are clearly more
constexpr double kAccessApart = 1.15; // times: loads or stores of one pattern
constexpr double kWellInside = 0.75;  // of a level's footprint
constexpr double kAlone = 1.5;        // times: the rate of one workgroup

double first_of(const Curve& curve) {
    const auto points = points_of(curve);
    return points.empty() ? 0 : points.front().y;
}

/// At the largest of the curve's footprints up to `last`; 0 where caches hold much of it.
double rate_in_memory(const Card& card, const Curve& curve, double last) {
    double rate = 0;
    for (const CurvePoint& point : points_of(curve))
        if (point.x <= last * 1.01 && point.x >= 4 * card.largest(&DeviceInfo::cache_bytes)) rate = point.y;
    return rate;
}

/// The largest footprint that all of them reach.
double common_end(const Curves& curves) {
    double end = INFINITY;
    for (const Curve* curve : curves)
        if (const auto points = points_of(*curve); !points.empty()) end = std::min(end, points.back().x);
    return end;
}

/// Where reads of several widths may be limited by the number of loads: in a level, or from the footprint of strided
/// loads.
struct ReadPlace {
    SlotValue from; // "L1"
    double x;
};
std::vector<ReadPlace> read_places(const Card& card, const Curve& curve) {
    if (is_strided(curve))
        return {{in_bytes(static_cast<double>(curve.series->evidence.footprint_bytes.value_or(0))), 1}};
    std::vector<ReadPlace> places;
    const Curve* latency = plain_curve(card, kLatency, device_text(&curve), curve.series->id.path);
    for (std::size_t i = 0; latency && i < latency->levels.size(); ++i)
        places.push_back({latency->level_names[i], kWellInside * on(latency->levels[i])});
    return places;
}

/// Of the narrowest widths on those that load as often as the narrowest, each with its loads a second (in 1e9), as long
/// as a wider one brings clearly more bytes.
Ranked as_often(const Curves& by_width, double x) {
    const auto bytes_of = [&](const Curve* curve) { return value_between(*curve->series, x).value_or(0); };
    double most = 0;
    for (const Curve* curve : by_width) most = std::max(most, bytes_of(curve));
    Ranked found;
    for (const Curve* curve : by_width) {
        const double bytes = bytes_of(curve), loads = bytes / width_of(curve->series->id.options);
        if (!(loads > 0) || bytes * kSameLoads > most ||
            (!found.empty() && std::abs(std::log(loads / found[0].first)) > std::log(kSameLoads)))
            break;
        found.emplace_back(loads, curve);
    }
    return found;
}

} // namespace

namespace {
/// Reads, or fills, of memory that no option but width and number of passes changes; none that another fact tells.
Curves plain_traffic(const Card& card, const Probe& probe, const Statements& told) {
    Curves all = curves_of(card, probe);
    std::erase_if(all, [&](const Curve* curve) {
        const Options& options = curve->series->id.options;
        const bool by_memory = curve->path && family_of(*curve->path) == Family::memory &&
                               curve->path->stage == Stage::nothing && !curve->device->cpu;
        const bool plain = &probe == &kStream
                               ? option::operation.asked(options) && option::operation.word(options) == "fill"
                               : !option::data.asked(options);
        return !by_memory || !plain || std::ranges::any_of(told, [&](const Statement& each) {
            return each.rule == bandwidth_apart.name && cites({each}, curve->series->id);
        });
    });
    return all;
}

void tell_dram_apart(const Card& card, Statements& out, const Probe& probe, const Term& what) {
    std::vector<Compared> all;
    for (const Curves& alike : grouped(plain_traffic(card, probe, out),
             [](const Curve* curve) { return std::pair(curve->series->id.path, curve->series->id.options); })) {
        const double end = common_end(alike);
        const Ranked rates = ranked(alike, [&](const Curve& curve) { return rate_in_memory(card, curve, end); });
        Slots slots = path_slots(*alike[0]);
        slots.push_back({"at", in_bytes(end)});
        const auto shape = option::shape.in(alike[0]->series->id.options);
        if (shape && shape->groups_per_core == kOnce) slots.push_back({"tiles", term::a_group_for_each_tile});
        if (differ(rates, kDramApart)) all.push_back({slots, filled(label::reads_at, slots), rates});
    }
    if (all.empty()) return;
    sort_by_distance(all);
    tell(out, fact_of(card, joined({{"what", what}}, all[0].slots), all[0].numbers, {{"", places_of(all)}}),
        curves_in(all));
}
} // namespace

/// Of devices whose cores write the last cache much more slowly than they read it.
static void tell_slow_fills(const Card& card, Statements& out) {
    constexpr double kSlow = 0.75; // of the rate of reads
    Place shares{"fills, of the rate of reads", {}}, reads{"reads", {}}, fills{"fills", {}};
    Ranked told;
    for (const Curve* latency : plain_curves(card, kLatency)) {
        if (latency->series->id.path != "global" || latency->device->cpu) continue;
        const Finding *near = latency->reached("L2 near"), *cache = near ? near : latency->reached("L2");
        const auto read = cache ? read_rate(card, *latency, *cache) : std::nullopt;
        const auto fill = cache ? fill_rate(card, *latency, *cache) : std::nullopt;
        if (!read || !fill || fill->gigabytes > kSlow * read->gigabytes) continue;
        const std::string device = device_text(latency);
        told.emplace_back(fill->gigabytes / read->gigabytes, latency);
        shares.cells.emplace_back(device, Quantity{told.back().first, Unit::share});
        reads.cells.emplace_back(device, Quantity{read->gigabytes * 1e9, Unit::bytes_per_s});
        fills.cells.emplace_back(device, Quantity{fill->gigabytes * 1e9, Unit::bytes_per_s});
    }
    if (told.empty()) return;
    CardFact fact = fact_of(card, {}, told, {{"", {shares, reads, fills}}});
    fact.effect = 1 / sorted(told).front().first;
    tell(out, std::move(fact), curves_in(told)).tells_all = false;
}

const Rule slow_fills{"slow_fills", "path", tell_slow_fills};

const Rule dram_rates_apart{"dram_rates_apart", "path", [](const Card& card, Statements& out) {
                                tell_dram_apart(card, out, kBandwidth, term::reads);
                                tell_dram_apart(card, out, kStream, term::fills);
                            }};

namespace {
/// Zeros beside random data over one footprint.
struct ZerosRead {
    const Curve* curve;
    DataEffect effect;
    double apart() const { return std::max(effect.times, 1 / effect.times); }
};

PlaceGroup rows_of_zeros(const std::vector<ZerosRead>& alike) {
    Ranked times, zeros, random;
    for (const auto& [curve, effect] : alike) {
        times.emplace_back(effect.times, curve);
        zeros.emplace_back(effect.times * effect.random_gb_per_s, curve);
        random.emplace_back(effect.random_gb_per_s, curve);
    }
    return {format_bytes(alike[0].effect.bytes), {place_of("zeros, times random data", times, Unit::times),
                                                     place_of("zeros", zeros), place_of("random data", random)}};
}
} // namespace

static void tell_zeros(const Card& card, Statements& out) {
    std::vector<ZerosRead> all;
    for (const Curve* curve : curves_with(card, kBandwidth, "global", option::data.as(DataKind::zeros)))
        for (const DataEffect& each : effects_of_data(curve->series->evidence.random_reads, run_noise::levels))
            if (each.seen.value_or(false)) all.push_back({curve, each});
    if (all.empty()) return;
    std::ranges::stable_sort(all, std::greater(), &ZerosRead::apart);
    const auto by_bytes = grouped(all, [](const ZerosRead& each) { return each.effect.bytes; });
    Ranked told;
    for (const auto& [curve, effect] : by_bytes[0]) told.emplace_back(effect.times, curve);
    std::vector<PlaceGroup> rows;
    rows.reserve(by_bytes.size());
    for (const auto& alike : by_bytes) rows.push_back(rows_of_zeros(alike));
    Curves about;
    for (const ZerosRead& each : all) about.push_back(each.curve);
    CardFact fact = fact_of(card, {{"footprint", in_bytes(by_bytes[0][0].effect.bytes)}}, told, rows);
    fact.effect = all[0].apart();
    tell(out, std::move(fact), about);
}

const Rule data_compressed{"data_compressed", "path", tell_zeros};

namespace {
/// From the least to the greatest median: of blocks that lie apart; on a processor, where other work leaves little, of
/// all numbers of workgroups.
std::pair<double, double> launch_range(const Curve& curve) {
    constexpr double kVaries = 1.5, kBlocksApart = 1.1; // times
    const auto points = points_of(curve);
    const auto [least, most] = std::ranges::minmax(points, {}, &CurvePoint::y);
    if ((curve.device->cpu || curve.device->software) && most.y > kVaries * least.y) return {least.y, most.y};
    const std::vector<double> blocks = values_by_block(*curve.series, curve.series->points.front());
    if (blocks.empty()) return {points.front().y, points.front().y};
    const auto [low, high] = std::ranges::minmax(blocks);
    return high > kBlocksApart * low ? std::pair(low, high) : std::pair(points.front().y, points.front().y);
}

Place place_of_launches(const Compared& launches) {
    Place place{launches.name, {}};
    for (const auto& [ns, curve] : launches.numbers)
        place.cells.emplace_back(device_text(curve), Quantity{ns, Unit::ns, launch_range(*curve)});
    return place;
}
} // namespace

const Rule launches_apart{
    "launches_apart", "path", [](const Card& card, Statements& out) {
        std::vector<Compared> all;
        for (const bool waited : {true, false}) {
            const Ranked times = ranked(curves_with(card, kLaunch, "global", option::waited_for.as(waited)), first_of);
            if (times.size() < 2) continue;
            const bool in_order = launch_range(*times.front().second).first > launch_range(*times.back().second).second;
            const Term& test = waited ? term::waited : term::queued;
            all.push_back({{{"test", test}}, std::string(test.text), times, in_order && differ(times, kTimesApart)});
        }
        sort_by_distance(all);
        if (all.empty() || !all[0].differs) return;
        PlaceGroup rows;
        for (const Compared& each : all) rows.places.push_back(place_of_launches(each));
        tell(out, fact_of(card, all[0].slots, all[0].numbers, {rows}), curves_in(all));
    }};

namespace {
/// Reads by width alone, of caches and of strided loads, the narrowest first.
Curves reads_by_width(const Card& card) {
    Curves reads = curves_of(card, kBandwidth), strided = curves_of(card, kCoalescing);
    reads.insert(reads.end(), strided.begin(), strided.end());
    std::erase_if(reads, [](const Curve* curve) {
        return curve->device->cpu || curve->device->software ||
               (kBandwidth.measured(curve->series->id) ? !option::width.alone(curve->series->id.options)
                                                       : !is_strided(*curve));
    });
    std::ranges::stable_sort(reads, {}, [](const Curve* curve) { return width_of(curve->series->id.options); });
    return reads;
}

/// Widths of loads that one device does as often at one place.
struct NarrowLoads {
    Slots place;     // path, and level or footprint
    Ranked by_width; // loads a second, in 1e9
    double width_of_load(std::size_t i) const { return width_of(by_width[i].second->series->id.options); }
    /// Times as many bytes with the widest.
    double more_bytes() const {
        const std::size_t widest = by_width.size() - 1;
        return by_width[widest].first * width_of_load(widest) / (by_width[0].first * width_of_load(0));
    }
    /// "global from 30 MiB, loads of 1 and 2 bytes"
    std::string what() const {
        std::vector<std::string> widths;
        for (const auto& [loads, curve] : by_width) widths.push_back(option::width.word(curve->series->id.options));
        return filled(label::narrow_loads, joined(place, {{"widths", list_text(widths)}}));
    }
};

std::vector<NarrowLoads> narrow_loads(const Card& card) {
    std::vector<NarrowLoads> all;
    for (const Curves& by_width : grouped(reads_by_width(card), [](const Curve* curve) {
             return std::tuple(curve->series->id.probe, device_text(curve), curve->series->id.path);
         }))
        for (const auto& [where, x] : read_places(card, *by_width[0]))
            if (Ranked same = as_often(by_width, x); same.size() > 1)
                all.push_back({{{"path", by_width[0]->series->id.path}, {"from", where}}, std::move(same)});
    return all;
}

/// A row for each width: loads of a core and cycle, or a second where no clock is known.
PlaceGroup rows_by_width(const std::vector<NarrowLoads>& alike, double core_cycles_a_ns) {
    PlaceGroup rows{alike[0].what(), {}};
    for (std::size_t i = 0; i < alike[0].by_width.size(); ++i) {
        Place place{filled(label::of_width, {{"width", as_count(alike[0].width_of_load(i))}}), {}};
        for (const NarrowLoads& each : alike) {
            const auto& [loads, curve] = each.by_width[i];
            place.cells.emplace_back(device_text(curve), core_cycles_a_ns > 0
                                                             ? Quantity{loads / core_cycles_a_ns, Unit::op_per_clock}
                                                             : Quantity{loads * 1e9, Unit::op_per_s});
        }
        rows.places.push_back(std::move(place));
    }
    return rows;
}
} // namespace

static void tell_narrow_loads(const Card& card, Statements& out) {
    std::vector<NarrowLoads> all = narrow_loads(card);
    if (all.empty()) return;
    std::ranges::stable_sort(all, std::greater(), &NarrowLoads::more_bytes);
    const double core_cycles_a_ns = card.largest(&DeviceInfo::cores) * clock_mhz(card) / 1e3;
    std::vector<PlaceGroup> rows;
    for (const auto& alike : grouped(all, [](const NarrowLoads& each) { return each.what(); }))
        rows.push_back(rows_by_width(alike, core_cycles_a_ns));
    Curves about;
    for (const NarrowLoads& each : all)
        for (const Curve* curve : curves_in(each.by_width)) about.push_back(curve);
    CardFact fact = fact_of(card, all[0].place, {all[0].by_width[0]}, rows);
    fact.effect = all[0].more_bytes();
    for (CitedSeries& from : tell(out, std::move(fact), about).from)
        if (from.series.probe == "coalescing") from.x = {1};
}

const Rule loads_not_bytes{"loads_not_bytes", "path", tell_narrow_loads};

namespace {
bool stores(const Curve& curve) { return option::stores.in(curve.series->id.options).value_or(false); }

/// "4-byte loads by half of the lanes"
Slots accesses_slots(const Curve& curve) {
    Slots slots{{"width", as_count(width_of(curve.series->id.options))},
        {"accesses", stores(curve) ? term::stores : term::loads}};
    if (option::pattern.is(curve.series->id.options, AccessPattern::part))
        slots.push_back({"lanes", term::half_of_lanes});
    return slots;
}

/// A series of `coalescing` by that pattern, with loads or stores, and nothing else that was asked for.
bool accesses_by(const Curve& curve, AccessPattern pattern) {
    const Options& options = curve.series->id.options;
    return options.size() == (option::stores.asked(options) ? 3 : 2) && option::width.asked(options) &&
           option::pattern.is(options, pattern);
}

std::uint64_t footprint_of(const Curve& curve) { return curve.series->evidence.footprint_bytes.value_or(0); }

} // namespace

const Rule consecutive_apart{
    "consecutive_apart", "path", [](const Card& card, Statements& out) {
        constexpr double kContiguous = 1, kHalf = 2; // places: a stride, and one of so many lanes
        Curves all = curves_of(card, kCoalescing);
        std::erase_if(all, [](const Curve* curve) {
            return !accesses_by(*curve, AccessPattern::stride) && !accesses_by(*curve, AccessPattern::part);
        });
        for (const Curves& alike : grouped(all, [](const Curve* curve) {
                 return std::tuple(curve->series->id.path, footprint_of(*curve), stores(*curve));
             })) {
            std::vector<Compared> widths;
            for (const Curves& of_width :
                grouped(alike, [](const Curve* curve) { return curve->series->id.options; })) {
                const bool whole = accesses_by(*of_width[0], AccessPattern::stride);
                const Ranked rates =
                    ranked(of_width, [&](const Curve& curve) { return value_at(curve, whole ? kContiguous : kHalf); });
                if (rates.size() > 1)
                    widths.push_back({accesses_slots(*of_width[0]),
                        filled(label::accesses, accesses_slots(*of_width[0])), rates, differ(rates, kAccessApart)});
            }
            sort_by_distance(widths);
            if (widths.empty() || !widths[0].differs) continue;
            Statement& said = tell(out,
                fact_of(card,
                    joined(widths[0].slots, {{"path", alike[0]->series->id.path},
                                                {"footprint", in_bytes(static_cast<double>(footprint_of(*alike[0])))}}),
                    widths[0].numbers, {{"", places_of(widths)}}),
                curves_in(widths));
            for (CitedSeries& from : said.from)
                from.x = {option::pattern.is(from.series.options, AccessPattern::stride) ? kContiguous : kHalf};
        }
    }};

namespace {
/// Whether the slowest device's TLB reaches less than the accesses, and the fastest's all of them.
bool beyond_reach(const Card& card, const Ranked& rates, double bytes) {
    const auto slow = translation_of(card, rates.back().second), fast = translation_of(card, rates.front().second);
    return !slow.empty() && !fast.empty() && slow[0].high < bytes && fast[0].low >= bytes;
}

double random_bytes(const Curve& curve) {
    return scattered_bytes(footprint_of(curve), static_cast<std::uint32_t>(width_of(curve.series->id.options)));
}

/// Accesses in random order, by width: those of 4 bytes first.
std::vector<Compared> random_by_width(const Curves& alike) {
    std::vector<Compared> widths;
    for (const Curves& of_width : grouped(alike, [](const Curve* curve) { return curve->series->id.options; })) {
        const Ranked rates = ranked(of_width, [](const Curve& curve) { return value_at(curve, kScatteredPlace); });
        const bool told = option::width.in(of_width[0]->series->id.options) == 4;
        if (told || rates.size() > 1)
            widths.push_back(
                {accesses_slots(*of_width[0]), filled(label::accesses, accesses_slots(*of_width[0])), rates, told});
    }
    std::ranges::stable_sort(widths, std::greater(), &Compared::differs);
    return widths;
}

/// What the devices' footprints are, and how far their TLBs reach.
std::vector<Place> reach_places(const Card& card, const Ranked& rates) {
    Place footprint{"footprint", {}}, reach{"TLB reach", {}};
    for (const auto& [rate, curve] : rates) {
        footprint.cells.emplace_back(device_text(curve), Quantity{random_bytes(*curve), Unit::bytes});
        if (const auto levels = translation_of(card, curve); !levels.empty())
            reach.cells.emplace_back(
                device_text(curve), Quantity{levels[0].low, Unit::bytes, std::pair(levels[0].low, levels[0].high)});
    }
    return {footprint, reach};
}
} // namespace

const Rule random_apart{
    "random_apart", "path", [](const Card& card, Statements& out) {
        Curves all = curves_of(card, kCoalescing);
        std::erase_if(all, [](const Curve* curve) { return !accesses_by(*curve, AccessPattern::order); });
        for (const Curves& alike :
            grouped(all, [](const Curve* curve) { return std::pair(curve->series->id.path, stores(*curve)); })) {
            const std::vector<Compared> widths = random_by_width(alike);
            if (widths.empty() || !widths[0].differs) continue;
            const Ranked& rates = widths[0].numbers;
            if (!differ(rates, kAccessApart)) continue;
            std::vector<Place> places = places_of(widths);
            for (Place& place : reach_places(card, rates)) places.push_back(std::move(place));
            CardFact fact = fact_of(card,
                joined(widths[0].slots,
                    {{"path", alike[0]->series->id.path}, {"footprint", in_bytes(random_bytes(*rates.back().second))}}),
                rates, {{"", std::move(places)}});
            if (beyond_reach(card, rates, random_bytes(*rates.back().second))) fact.cause = Cause::smaller_tlb_reach;
            Statement& said = tell(out, std::move(fact), curves_in(rates));
            for (CitedSeries& from : said.from) from.x = {kScatteredPlace};
        }
    }};

namespace {
/// The same series by pointers in place of indices; null where it was not measured.
const Curve* by_pointers(const Card& card, const Curve& plain) {
    const Curves curves = curves_of(card, kSaturation);
    const auto found = std::ranges::find_if(curves, [&](const Curve* each) {
        return each->series->id.path == "global.pointer" && each->series->id.options == plain.series->id.options &&
               device_text(each) == device_text(&plain);
    });
    return found == curves.end() ? nullptr : *found;
}

/// "512 work-items with 4 independent loads", where all have that shape.
Slots lone_shape(const Ranked& rates) {
    const auto shape_of = [](const auto& each) {
        const ShapeEvidence own = each.second->series->evidence.shape.value_or(ShapeEvidence{});
        return std::pair(own.group_size.value_or(0), own.loads_in_flight.value_or(0));
    };
    const auto first = shape_of(rates[0]);
    if (first.first == 0 || first.second == 0 ||
        std::ranges::any_of(rates, [&](const auto& each) { return shape_of(each) != first; }))
        return {};
    return {{"items", as_count(first.first)}, {"loads", as_count(first.second)}};
}

/// What one workgroup reads at a level, by index and by pointer; the devices of those that read as many bytes.
std::vector<Compared> reads_of_one(const Card& card, const char* level) {
    Curves alone = curves_of(card, kSaturation);
    std::erase_if(alone, [&](const Curve* curve) {
        return curve->series->id.path != "global" || curve->series->id.options != option::level.as(level);
    });
    if (alone.empty()) return {};
    const auto bytes = alone[0]->series->evidence.footprint_bytes;
    std::erase_if(alone, [&](const Curve* curve) { return curve->series->evidence.footprint_bytes != bytes; });
    const Slots slots{{"footprint", in_bytes(static_cast<double>(bytes.value_or(0)))}};
    const Ranked rates = ranked(alone, first_of);
    const Ranked pointers = ranked(alone, [&](const Curve& curve) {
        const Curve* other = by_pointers(card, curve);
        return other ? first_of(*other) : 0;
    });
    return {{slots, filled(label::footprint, slots), rates, differ(rates, kAlone)},
        {slots, filled(label::by_pointer, slots), pointers, false}};
}
} // namespace

const Rule one_workgroup{
    "one_workgroup", "path", [](const Card& card, Statements& out) {
        std::vector<Compared> all;
        for (const char* level : {"LLC", "DRAM"})
            for (Compared& each : reads_of_one(card, level)) all.push_back(std::move(each));
        std::erase_if(all, [](const Compared& each) { return each.numbers.empty(); });
        sort_by_distance(all);
        if (all.empty() || !all[0].differs) return;
        tell(out,
            fact_of(card, joined(all[0].slots, lone_shape(all[0].numbers)), all[0].numbers, {{"", places_of(all)}}),
            curves_in(all));
    }};

static void tell_segments(const Card& card, Statements& out) {
    for (const SegmentTest test : {SegmentTest::read, SegmentTest::write})
        for (const Curve* curve : curves_with(card, kSegments, "global", option::segment_test.as(test))) {
            const auto points = points_of(*curve);
            const auto chunk = static_cast<double>(curve->series->evidence.chunk_bytes.value_or(0));
            if (points.size() < 4 || chunk <= 0) continue;
            Ranked rates;
            PlaceGroup rows;
            for (const SpeedClass& each : speed_classes(points)) {
                rates.emplace_back(each.rate, curve);
                const Slots where{{"size", in_bytes(static_cast<double>(each.chunks.size()) * chunk)},
                    {"from", in_bytes(points[each.chunks[0]].x)}};
                rows.places.push_back(place_of(filled(label::segment, where), {rates.back()}));
            }
            if (rates.size() < 2) continue;
            CardFact fact =
                fact_of(card, {{"test", option::segment_test.word(curve->series->id.options)}}, {rates[0]}, {rows});
            fact.effect = ratio_of(rates);
            tell(out, std::move(fact), {curve});
        }
}

const Rule memory_in_segments{"memory_in_segments", "path", tell_segments};

} // namespace sonde
