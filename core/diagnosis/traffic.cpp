// Rules about reads and stores of many work-items, launches, and parts of the memory.
#include <algorithm>
#include <cmath>
#include <functional>
#include <tuple>

#include "core/analysis/findings.h"
#include "core/analysis/traffic.h"
#include "core/base/text.h"
#include "core/data/footprints.h"
#include "core/diagnosis/fact_of.h"
#include "core/diagnosis/overview.h"
#include "core/diagnosis/rules.h"
#include "core/probes/probe.h"

namespace sonde {

namespace {
constexpr double kSameLoads =
    1.25; // times: load rates that are one, however wide the loads; more bytes than that are clearly more
constexpr double kWellInside = 0.75; // of a level's footprint

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

/// Neighbouring footprints beyond the caches between which the rate of fills rises.
struct StepOfFills {
    CurvePoint below, above;
};
static std::optional<StepOfFills> step_of_fills(const Card& card, const Curve& latency) {
    constexpr double kStep = 1.03, kBeyond = 2; // times the rate; the largest cache
    std::optional<StepOfFills> widest;
    for (const Curve* fills :
        curves_with(card, kStream, "global", option::operation.as("fill") * option::width.as(16))) {
        if (device_text(fills) != device_text(&latency)) continue;
        const auto points = points_of(*fills);
        for (std::size_t i = 1; i < points.size(); ++i)
            if (points[i - 1].x > kBeyond * card.largest(&DeviceInfo::cache_bytes) &&
                points[i].y > points[i - 1].y * (widest ? widest->above.y / widest->below.y : kStep))
                widest = {points[i - 1], points[i]};
    }
    return widest;
}

/// Of devices whose cores write the last cache much more slowly than they read it.
static void tell_slow_fills(const Card& card, Statements& out) {
    constexpr double kSlow = 0.75; // of the rate of reads
    Place shares{"fills, of the rate of reads", {}}, reads{"reads", {}}, fills{"fills", {}},
        below{"below their step", {}}, above{"above it", {}};
    Ranked told;
    for (const Curve* latency : plain_curves(card, kLatency)) {
        if (latency->series->id.path != "global" || latency->device->cpu) continue;
        const Finding* cache = latency->seen_as(LevelName::cache(2));
        const auto read = cache ? read_rate(card, *latency, *cache) : std::nullopt;
        const auto fill = cache ? fill_rate(card, *latency, *cache, device_text(latency)) : std::nullopt;
        if (!read || !fill || fill->gigabytes > kSlow * read->gigabytes) continue;
        const std::string device = device_text(latency);
        told.emplace_back(fill->gigabytes / read->gigabytes, latency);
        shares.cells.emplace_back(device, Quantity{told.back().first, Unit::share});
        reads.cells.emplace_back(device, Quantity{read->gigabytes * 1e9, Unit::bytes_per_s});
        fills.cells.emplace_back(device, Quantity{fill->gigabytes * 1e9, Unit::bytes_per_s});
        const auto step = step_of_fills(card, *latency);
        if (!step) continue;
        const auto cell = [](const CurvePoint& point) {
            return Cell(Quantity{point.y * 1e9, Unit::bytes_per_s}, Quantity{point.x, Unit::bytes});
        };
        below.cells.emplace_back(device, cell(step->below)), above.cells.emplace_back(device, cell(step->above));
    }
    if (told.empty()) return;
    CardFact fact =
        fact_of(card, {}, told, {{"", {shares, reads, fills}}, {"fills of DRAM (footprint)", {below, above}}});
    fact.effect = 1 / sorted(told).front().first;
    tell(out, std::move(fact), curves_in(told)).tells_all = false;
}

const Rule slow_fills{"slow_fills", "path", tell_slow_fills};

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
/// Reads by width alone, of caches and of strided loads, the narrowest first.
Curves reads_by_width(const Card& card) {
    Curves reads = curves_of(card, kBandwidth), strided = curves_of(card, kCoalescing);
    reads.insert(reads.end(), strided.begin(), strided.end());
    std::erase_if(reads, [](const Curve* curve) {
        return curve->device->cpu || curve->device->software ||
               (kBandwidth.measured(curve->series->id) ? !is_alone(option::width, curve->series->id.options)
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
