#include "core/diagnosis/card_grid.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <span>
#include <string_view>

#include <fmt/format.h>

#include "core/analysis/findings.h"
#include "core/analysis/power.h"
#include "core/analysis/rate_levels.h"
#include "core/analysis/structure.h"
#include "core/data/footprints.h"
#include "core/device/matrix_form.h"
#include "core/diagnosis/arithmetic.h"
#include "core/diagnosis/fact_of.h"
#include "core/diagnosis/matrix.h"
#include "core/diagnosis/overview.h"
#include "core/diagnosis/terms.h"
#include "core/diagnosis/tlb_levels.h"

namespace sonde {

namespace {
using Devices = std::vector<const DeviceRecord*>;
using CellOf = std::function<Cell(const DeviceRecord&)>;

GridRow row_of(const std::string& place, const Devices& devices, const CellOf& cell_of) {
    GridRow row{place, {}};
    for (const DeviceRecord* device : devices) row.cells.push_back(cell_of(*device));
    return row;
}

/// Where no device has a number, there is no row.
void add_row(GridSection& section, const std::string& place, const Devices& devices, const CellOf& cell_of) {
    GridRow row = row_of(place, devices, cell_of);
    if (std::ranges::any_of(row.cells, [](const Cell& cell) { return cell.quantity(); }))
        section.rows.push_back(std::move(row));
}

/// A level's row: the card's name for it, and what it is called beside other cards.
struct ShownLevel {
    std::optional<LevelName> own{}; // none: the card does not have it
    std::string place{};
};
using ShownLevels = std::vector<ShownLevel>;

ShownLevels shown_levels(const Card& card, const SharedRows& rows) {
    ShownLevels shown;
    for (const SharedRows::Level& level : rows.levels) {
        std::optional<LevelName> own;
        for (const LevelName& each : card.level_names)
            if (each == level.name || (level.also_whole && each == level.name.whole())) own = each;
        shown.push_back({own, level.text()});
    }
    return shown;
}

/// Why a plain series of latency has no level there.
Lack lack_of(const Card& card, const DeviceRecord& device, std::string_view path) {
    for (const Curve& curve : card.curves) {
        const SeriesId& id = curve.series->id;
        if (id.device != device.id || id.path != path || !kLatency.measured(id) || !is_plain(id.options)) continue;
        switch (curve.series->status) {
        case Status::unsupported:
            return Lack::unsupported;
        case Status::failed:
            return Lack::failed;
        case Status::unstable:
            return Lack::scatters;
        case Status::ok:
            return curve.scatters ? Lack::scatters : Lack::unsure;
        }
    }
    return Lack::not_measured;
}

/// The series of latency that a device's levels are taken from; nullptr: none.
const Curve* level_curve(const Card& card, const DeviceRecord& device, std::string_view path) {
    const Curve* curve = plain_curve(card, kLatency, device.id, path);
    return curve && !curve->levels.empty() ? curve : nullptr;
}
constexpr const char *kByPointer = "global.pointer", *kByIndex = "global";

/// Whether constants come through the memory's caches.
bool is_global_path(const Card& card, const Curve& curve) {
    return curve.series->id.path == "constant" && !curve.level_names.empty() &&
           std::ranges::count(card.level_names, curve.level_names[0]) > 0;
}

/// What a curve has at the level of this name, or why it has none.
template <class Show> Cell level_cell(
    const Card& card, const DeviceRecord& device, std::string_view path, const LevelName& level, const Show& show) {
    const Curve* curve = level_curve(card, device, path);
    if (!curve) return lack_of(card, device, path);
    if (const Finding* found = curve->reached(level)) return show(*found);
    if (ends_early(*curve->series)) return Cell();
    return curve->passes(level) ? Lack::not_reached : Lack::unsure;
}

/// A level by its place on a path's curve, 0 the nearest.
CellOf level_of_path(const Card& card, std::string_view path, std::size_t level) {
    return [&card, path, level](const DeviceRecord& device) -> Cell {
        const Curve* curve = plain_curve(card, kLatency, device.id, path);
        if (!curve) return lack_of(card, device, path);
        if (is_global_path(card, *curve)) return Lack::as_global;
        return level < curve->levels.size() ? latency_cell(curve->levels[level])
                                            : Cell(level == 0 ? Lack::unsure : Lack::not_reached);
    };
}

/// A path of loads that may reach a cache of its own, and what that is called.
struct OtherPath {
    const char *path, *cache;
};
constexpr OtherPath kOtherPaths[] = {{"texel", "texture L1"}, {"global.uniform", "scalar L1"}};

/// Whether the path's nearest cache is not that of ordinary loads: it ends elsewhere, or serves a load faster.
bool has_own_cache(const Card& card, const DeviceRecord& device, const OtherPath& other) {
    constexpr double kFaster = 0.85; // times a load by index
    const Curve *own = level_curve(card, device, other.path), *by_index = level_curve(card, device, kByIndex);
    if (!own || !by_index || own->levels.size() < 2 || by_index->levels.size() < 2) return false;
    const auto [of_own, of_index] = latencies(own->levels[0], by_index->levels[0]);
    return !ends_meet(own->levels[0], by_index->levels[0], kOneStep) || of_own < kFaster * of_index;
}

/// The nearest level of such paths.
template <class Show>
void add_other_caches(GridSection& section, const Card& card, const Devices& devices, const Show& show) {
    for (const OtherPath& other : kOtherPaths)
        if (std::ranges::any_of(
                devices, [&](const DeviceRecord* device) { return has_own_cache(card, *device, other); }))
            add_row(section, other.cache, devices, [&](const DeviceRecord& device) -> Cell {
                const Curve* curve = level_curve(card, device, other.path);
                return curve ? show(curve->levels[0]) : Cell(lack_of(card, device, other.path));
            });
}

/// How many such caches a core has, where it has several.
void add_caches_per_core(GridSection& section, const Card& card, const Devices& devices) {
    for (const OtherPath& other : kOtherPaths)
        add_row(section, fmt::format("{}s of a core", other.cache), devices, [&](const DeviceRecord& device) -> Cell {
            const Curve* curve = plain_curve(card, kL1PerCore, device.id, other.path);
            if (!curve || curve->series->evidence.levels.size() < 2) return Cell();
            const auto& levels = curve->series->evidence.levels;
            const Conclusion caches = private_caches(points_of(*curve), levels[0].ns, levels[1].ns);
            return caches.value > 1 ? Cell(as_count(*caches.value)) : Cell();
        });
}

std::string latency_title(std::string_view path_of_loads) {
    return path_of_loads == kByPointer ? kLatencyOfALoad
           : path_of_loads == kByIndex ? kLatencyWithIndex
                                       : fmt::format("latency of a load on {}", path_of_loads);
}

/// `show`: of a level that the card has. Beside a card that has one more, the row says so.
template <class Show> void add_level_row(GridSection& section, const Card& card, const Devices& devices,
    std::string_view path, const ShownLevel& level, const Show& show) {
    if (level.own)
        return add_row(section, level.place, devices,
            [&](const DeviceRecord& device) { return level_cell(card, device, path, *level.own, show); });
    section.rows.push_back(row_of(level.place, devices, [&](const DeviceRecord& device) -> Cell {
        const Curve* curve = level_curve(card, device, path);
        if (!curve) return lack_of(card, device, path);
        return curve->reached(LevelName::dram()) ? Cell(Lack::not_reached) : Cell();
    }));
}

/// What a load takes at the largest footprint that any device reached, where that is above DRAM's plateau: address
/// translation is in it.
void add_largest_footprint(
    GridSection& section, const Card& card, const Devices& devices, std::string_view path, const LevelName& dram) {
    constexpr double kAbove = 1.02, kAsLarge = 0.9;
    const auto last_of = [&](const DeviceRecord& device) -> const Point* {
        const Curve* curve = level_curve(card, device, path);
        return curve && curve->reached(dram) && !curve->series->points.empty() ? &curve->series->points.back()
                                                                               : nullptr;
    };
    double largest = 0;
    for (const DeviceRecord* device : devices)
        if (const Point* last = last_of(*device)) largest = std::max(largest, last->x);
    bool risen = false;
    GridRow row = row_of(filled(label::level_over, {{"level", dram}, {"footprint", format_bytes(largest)}}), devices,
        [&](const DeviceRecord& device) -> Cell {
            const Point* last = last_of(device);
            if (!last || !last->median || last->x < kAsLarge * largest) return Cell();
            const Finding& plateau = *level_curve(card, device, path)->reached(dram);
            const bool in_cycles = last->cycles && plateau.cycles;
            risen = risen || (in_cycles ? *last->cycles > kAbove * *plateau.cycles
                                        : *last->median > kAbove * plateau.value.value_or(*last->median));
            return in_cycles ? Cell(Quantity{*last->cycles, Unit::cycles}, Quantity{*last->median, Unit::ns})
                             : Cell(Quantity{*last->median, Unit::ns});
        });
    if (risen) section.rows.push_back(std::move(row));
}

GridSection latency_section(
    const Card& card, const Devices& devices, std::string_view path_of_loads, const ShownLevels& levels) {
    const bool by_pointer = path_of_loads == kByPointer;
    GridSection section{latency_title(path_of_loads), {}};
    const auto in_place = [by_pointer](const char* memory) { // no pointer leads into these
        return by_pointer ? filled(label::by_index, {{"memory", memory}}) : memory;
    };
    add_row(section, in_place("scratchpad"), devices, level_of_path(card, "scratchpad", 0));
    const auto index_adds = [&](const DeviceRecord& device) -> Cell {
        const Curve *loads = level_curve(card, device, path_of_loads), *by_index = level_curve(card, device, kByIndex);
        if (!by_pointer || !loads || !by_index) return Cell();
        const Finding &direct = loads->levels[0], &indexed = by_index->levels[0];
        return direct.cycles && indexed.cycles ? Cell(Quantity{*indexed.cycles - *direct.cycles, Unit::cycles})
                                               : Cell();
    };
    for (const ShownLevel& level : levels) {
        add_level_row(section, card, devices, path_of_loads, level, latency_cell);
        if (level.own && *level.own == card.level_names[0])
            add_row(section, filled(label::index_adds, {{"level", *level.own}}), devices, index_adds);
        if (level.own == LevelName::dram()) add_largest_footprint(section, card, devices, path_of_loads, *level.own);
    }
    add_other_caches(section, card, devices, latency_cell);
    add_row(section, in_place("constant L1"), devices, level_of_path(card, "constant", 0));
    add_row(section, in_place("constant L2"), devices, level_of_path(card, "constant", 1));
    if (section.rows.empty()) // else --full tells of them
        for (const char* path : {"texel", "image2d", "cluster"})
            add_row(section, path, devices, level_of_path(card, path, 0));
    return section;
}

/// Where constants' caches end, if their sweep goes past the second one.
void add_constants(GridSection& section, const Card& card, const Devices& devices) {
    const auto level_at = [&](const DeviceRecord& device, std::size_t level) -> const Finding* {
        const Curve* curve = level_curve(card, device, "constant");
        return curve && !is_global_path(card, *curve) && curve->levels.size() > level + 1 ? &curve->levels[level]
                                                                                          : nullptr;
    };
    if (std::ranges::none_of(devices, [&](const DeviceRecord* device) { return level_at(*device, 1); })) return;
    for (const std::size_t level : {0, 1})
        add_row(section, fmt::format("constant L{}", level + 1), devices, [&](const DeviceRecord& device) -> Cell {
            const Finding* found = level_at(device, level);
            return found ? end_cell(*found) : Cell();
        });
}

/// Where a level begins that lies behind a gradual rise: between the last footprint of the rise and its own first one.
CellOf begin_after_rise(const Card& card, std::string_view path, const LevelName& level) {
    return [&card, path, level](const DeviceRecord& device) -> Cell {
        constexpr double kOfRise = 1.5; // times the end of the level before
        const Curve* curve = level_curve(card, device, path);
        const Finding* found = curve ? curve->reached(level) : nullptr;
        if (!found || found == &curve->levels.front() || found->x.empty()) return Cell();
        const auto& before = std::prev(found)->capacity_bytes;
        const double begin = std::ranges::min(found->x);
        if (!before || !before->second) return Cell();
        double risen = *before->second;
        for (const CurvePoint& point : points_of(*curve))
            if (point.x < begin) risen = std::max(risen, point.x);
        if (risen <= kOfRise * *before->second) return Cell();
        return Quantity{begin, Unit::bytes, std::pair(risen, begin)};
    };
}

GridSection ends_section(
    const Card& card, const Devices& devices, std::string_view path_of_loads, const ShownLevels& levels) {
    GridSection section{kLevelEndsAt, {}};
    for (const ShownLevel& level : levels)
        if (level.own != LevelName::dram()) add_level_row(section, card, devices, path_of_loads, level, end_cell);
        else
            add_row(section, filled(label::begins, {{"level", level.place}}), devices,
                begin_after_rise(card, path_of_loads, *level.own));
    add_other_caches(section, card, devices, end_cell);
    add_caches_per_core(section, card, devices);
    add_constants(section, card, devices);
    std::size_t caches = 0; // of a processor, whose share of them latency shows
    for (const DeviceRecord* device : devices) caches = std::max(caches, device->cache_levels.size());
    for (std::size_t i = 0; i < caches; ++i)
        add_row(
            section, fmt::format("L{} as the system reports", i + 1), devices, [&](const DeviceRecord& device) -> Cell {
                const auto& reported = device.cache_levels;
                return i < reported.size() ? Cell(Quantity{static_cast<double>(reported[i]), Unit::bytes}) : Cell();
            });
    return section;
}

/// With the range over the level's footprints, where it has no one rate.
Quantity rate_in(const Rate& rate, double times, Unit unit) {
    Quantity quantity{rate.gigabytes * times, unit};
    if (rate.most > 0) quantity.range = {rate.least * times, rate.most * times};
    return quantity;
}

/// What all cores move, with what one gets a clock.
Cell rate_cell(const Card& card, const Rate& rate) {
    const double clocks = cores_of(card) * clock_mhz(card) / 1e3;
    const Quantity moved = rate_in(rate, 1e9, Unit::bytes_per_s);
    return clocks > 0 ? Cell(moved, rate_in(rate, 1 / clocks, Unit::bytes_per_clock)) : Cell(moved);
}

/// What all cores move of DRAM, with its share of the peak that a driver reports.
Cell dram_cell(const Card& card, const Rate& rate) {
    const double peak = card.largest(&DeviceInfo::bus_bytes_per_second);
    const Quantity moved = rate_in(rate, 1e9, Unit::bytes_per_s);
    return peak > 0 ? Cell(moved, rate_in(rate, 1e9 / peak, Unit::share_of_peak)) : Cell(moved);
}

/// At the level's footprints on the device's curve or, where that has none of its own, on another one of the card.
/// `rate_on`: of the device, over the footprints of a curve's level.
template <class RateOn> std::optional<Rate> rate_at(const Card& card, const DeviceRecord& device, std::string_view path,
    const LevelName& level, const RateOn& rate_on) {
    const auto shown_on = [&](const DeviceRecord& other) -> std::optional<Rate> {
        const Curve* curve = level_curve(card, other, path);
        const Finding* found = curve ? curve->reached(level) : nullptr;
        return found ? rate_on(*curve, *found) : std::nullopt;
    };
    std::optional<Rate> rate = shown_on(device);
    const Curve* own = level_curve(card, device, path);
    const bool elsewhere = own && (own->reached(level) || (!own->passes(level) && lies_between(card, *own, level)));
    for (const DeviceRecord* other : card.devices)
        if (elsewhere && !rate) rate = shown_on(*other);
    return rate;
}

std::optional<Rate> read_rate_of(const Card& card, const DeviceRecord& device, std::string_view path,
    const LevelName& level, std::optional<std::uint32_t> width = {}) {
    return rate_at(card, device, path, level,
        [&](const Curve& curve, const Finding& found) { return read_rate(card, curve, found, device.id, width); });
}

/// Of a device the highest median on a path, or that of the largest footprint, with the footprint.
Cell rate_by_footprint(const Card& card, const DeviceRecord& device, std::string_view path, bool highest) {
    std::optional<CurvePoint> best;
    for (const Curve* curve : curves_of(card, kBandwidth)) {
        const SeriesId& id = curve->series->id;
        if (id.device != device.id || id.path != path || !is_alone(option::width, id.options)) continue;
        for (const CurvePoint& point : points_of(*curve))
            if (!best || (highest || point.x == best->x ? point.y > best->y : point.x > best->x)) best = point;
    }
    return best ? Cell(Quantity{best->y * 1e9, Unit::bytes_per_s}, Quantity{best->x, Unit::bytes}) : Cell();
}

/// Where no latency says what the levels are: of the path `global`, or of the first one that was read.
void add_rates_by_footprint(GridSection& section, const Card& card, const Devices& devices) {
    Curves curves = curves_of(card, kBandwidth);
    std::erase_if(curves, [](const Curve* curve) { return curve->path && is_of_peer(curve->path->space); });
    if (curves.empty()) return;
    const bool global =
        std::ranges::any_of(curves, [](const Curve* curve) { return curve->series->id.path == kByIndex; });
    const std::string path = global ? kByIndex : curves[0]->series->id.path;
    for (const bool highest : {true, false})
        add_row(section, fmt::format("{}, read, {}", path, highest ? "highest" : "largest footprint"), devices,
            [&](const DeviceRecord& device) { return rate_by_footprint(card, device, path, highest); });
}

GridSection section_of(const PlaceGroup& group, const Devices& devices) {
    GridSection section{group.title, {}};
    for (const Place& place : group.places)
        add_row(section, place.name, devices, [&](const DeviceRecord& device) {
            const auto cell = std::ranges::find(place.cells, device.id, &std::pair<std::string, Cell>::first);
            return cell == place.cells.end() ? Cell() : cell->second;
        });
    return section;
}

/// Of accesses of 4 bytes, where they move less than wider ones.
std::optional<Rate> if_slower(const std::optional<Rate>& narrow, const std::optional<Rate>& wide) {
    constexpr double kWorthARow = 0.9; // of the wider ones' rate
    return narrow && wide && narrow->gigabytes < kWorthARow * wide->gigabytes ? narrow : std::nullopt;
}

/// Where no device has a rate, there is no row.
void add_rates(GridSection& section, const Card& card, const Devices& devices, const LevelName& level,
    const std::string& place, const std::function<std::optional<Rate>(const DeviceRecord&)>& rate_of) {
    add_row(section, place, devices, [&](const DeviceRecord& device) -> Cell {
        const auto rate = rate_of(device);
        if (!rate) return Cell();
        return level == LevelName::dram() ? dram_cell(card, *rate) : rate_cell(card, *rate);
    });
}

/// What all cores read of a level, and by the narrowest usual access.
void add_reads(
    GridSection& section, const Card& card, const Devices& devices, std::string_view path, const LevelName& level) {
    const auto reads = [&](const DeviceRecord& device) { return read_rate_of(card, device, path, level); };
    add_rates(section, card, devices, level, filled(label::read, {{"level", level.whole()}}), reads);
    add_rates(section, card, devices, level, filled(label::read_by, {{"level", level.whole()}, {"width", as_count(4)}}),
        [&](const DeviceRecord& device) {
            return if_slower(read_rate_of(card, device, path, level, 4), reads(device));
        });
}

/// The same of fills.
void add_fills(
    GridSection& section, const Card& card, const Devices& devices, std::string_view path, const LevelName& level) {
    const auto fills = [&](const DeviceRecord& device, std::uint32_t width) {
        return rate_at(card, device, path, level,
            [&](const Curve& curve, const Finding& found) { return fill_rate(card, curve, found, device.id, width); });
    };
    add_rates(section, card, devices, level, filled(label::fill, {{"level", level.whole()}}),
        [&](const DeviceRecord& device) { return fills(device, 16); });
    add_rates(section, card, devices, level, filled(label::fill_by, {{"level", level.whole()}, {"width", as_count(4)}}),
        [&](const DeviceRecord& device) { return if_slower(fills(device, 4), fills(device, 16)); });
}

GridSection rates_section(const Card& card, const Devices& devices, std::string_view path) {
    constexpr double kWorthARow = 0.05; // share of a rate
    GridSection section{kRateOfAllCores, {}};
    add_row(section, "scratchpad, read", devices, [&](const DeviceRecord& device) -> Cell {
        const Curve* curve = level_curve(card, device, "scratchpad");
        const auto rate = curve ? read_rate(card, *curve, curve->levels[0]) : std::nullopt;
        return rate ? rate_cell(card, *rate) : Cell();
    });
    for (const LevelName& level : card.level_names)
        if (level.part != LevelName::Part::far) // all cores read both partitions
            add_reads(section, card, devices, path, level);
    add_row(section, "DRAM, read, at most cached", devices, [&](const DeviceRecord& device) -> Cell {
        const auto rate = read_rate_of(card, device, path, LevelName::dram());
        return rate && rate->cached >= kWorthARow ? Cell(Quantity{rate->cached, Unit::share}) : Cell();
    });
    for (const LevelName& level : card.level_names)
        if (level.part != LevelName::Part::far && level != card.level_names[0]) // which stores pass, as far as is known
            add_fills(section, card, devices, path, level);
    if (section.rows.empty()) add_rates_by_footprint(section, card, devices);
    return section;
}

Cell cell_if(std::optional<double> value, Unit unit, double times = 1) {
    return value ? Cell(Quantity{*value * times, unit}) : Cell();
}
Devices measured_devices(const Card& card) {
    Devices devices;
    for (const DeviceRecord* device : card.devices)
        if (std::ranges::any_of(card.curves,
                [&](const Curve& curve) { return curve.device == device && !curve.series->points.empty(); }))
            devices.push_back(device);
    return devices;
}

/// The path with an index, or where no device has levels there another one of the card's memory.
std::string path_by_index(const Card& card, const Devices& devices) {
    if (std::ranges::any_of(devices, [&](const DeviceRecord* device) { return level_curve(card, *device, kByIndex); }))
        return kByIndex;
    for (const Curve* curve : plain_curves(card, kLatency))
        if (!curve->levels.empty() && family_of(*curve->path) == Family::memory && curve->path->stage == Stage::nothing)
            return curve->series->id.path;
    return kByIndex;
}
} // namespace

std::string SharedRows::Level::text() const {
    return also_whole ? filled(label::near_or_whole, {{"cache", name.whole()}}) : name.text();
}

SharedRows shared_rows(const std::vector<const Card*>& cards) {
    SharedRows rows{
        .by_pointer = std::ranges::all_of(cards, [](const Card* card) { return has_loads_by_pointer(*card); })};
    const auto is_row_of = [](const LevelName& name) {
        return [&name](const SharedRows::Level& row) {
            return row.name == name || (row.also_whole && row.name.whole() == name);
        };
    };
    for (const Card* card : cards) {
        auto behind = rows.levels.begin(); // what the card has before
        for (const LevelName& name : card->level_names) {
            auto row = std::ranges::find_if(rows.levels, is_row_of(name));
            if (row == rows.levels.end())
                row = std::ranges::find_if(rows.levels, [&](const SharedRows::Level& each) {
                    return each.name.is_seen_as(name) && each.name.part != name.part;
                });
            if (row == rows.levels.end()) row = rows.levels.insert(behind, {name});
            else if (row->name.part != name.part) row->also_whole = true;
            if (name.part == LevelName::Part::near) row->name = name;
            behind = std::next(row);
        }
    }
    return rows;
}

Grid levels_grid(const Card& card, const SharedRows& rows) {
    Grid grid{.name = "levels"};
    const Devices devices = measured_devices(card);
    const std::string path = rows.by_pointer ? kByPointer : path_by_index(card, devices);
    const ShownLevels levels = shown_levels(card, rows);
    for (const DeviceRecord* device : devices) grid.columns.push_back(device->id);
    const auto [tlb_reaches, tlb_costs] = tlb_levels(card);
    for (GridSection section : {latency_section(card, devices, path, levels), ends_section(card, devices, path, levels),
             section_of(tlb_reaches, devices), section_of(tlb_costs, devices),
             rates_section(card, devices, path == kByPointer ? kByIndex : path)})
        if (!section.rows.empty()) grid.sections.push_back(std::move(section));
    return grid;
}

std::string path_of_loads(const Card& card) {
    return has_loads_by_pointer(card) ? kByPointer : path_by_index(card, measured_devices(card));
}

Grid levels_grid(const Card& card) { return levels_grid(card, shared_rows({&card})); }

bool has_loads_by_pointer(const Card& card) {
    std::size_t by_pointer = 0, by_index_alone = 0;
    for (const DeviceRecord* device : measured_devices(card))
        if (level_curve(card, *device, kByPointer)) ++by_pointer;
        else by_index_alone += level_curve(card, *device, kByIndex) != nullptr;
    return by_pointer > 0 && by_index_alone == 0;
}

namespace {
/// Of the table of arithmetic.
enum class Rows { all, first_screen };

/// Columns of the table of arithmetic.
struct ArithmeticColumns {
    Cell latency{}, rate{}, per_clock{}, of_documented{}, counted_mhz{}, shown_mhz{}, watts{}, energy{};
    std::vector<Cell> cells() const {
        return {latency, rate, per_clock, of_documented, counted_mhz, shown_mhz, watts, energy};
    }
    static std::vector<std::string> titles() { return {"", "", "", "", "", kShown, "", kWithIdle}; }
    static constexpr const char *kShown = "shown", *kWithIdle = "with idle";
};

/// By the clock before and after the series: `derived`.
Cell of_clock(std::optional<double> value, Unit unit, bool by_clock_beside) {
    if (!value) return {};
    Quantity quantity{*value, unit};
    quantity.derived = by_clock_beside;
    return quantity;
}

/// Of the device with the most rates.
void add_operations(Grid& grid, const Card& card, Rows rows) {
    static constexpr std::array<std::string_view, 5> kShown{"fma.f32", "fma.f64", "mad.u32", "exp2.f32", "fma.f16x2"};
    const std::size_t shown = rows == Rows::all ? kShown.size() : kShown.size() - 1; // the last one is for specialists
    const ArithmeticTable table = arithmetic_of(card);
    if (table.devices.empty()) return;
    const std::size_t best = fullest_column(table);
    grid.corner = table.devices[best]->id;
    for (const std::string_view name : std::span(kShown).first(shown)) {
        const auto row =
            std::ranges::find(table.rows, name, [](const ArithmeticRow& each) { return each.operation->name; });
        if (row == table.rows.end()) continue;
        const ArithmeticCell& cell = row->cells[best];
        if (!cell.rate && !cell.latency_cycles && !cell.latency_ns) continue;
        grid.sections[0].rows.push_back({std::string(name),
            ArithmeticColumns{.latency = cell.latency_cycles ? cell_if(cell.latency_cycles, Unit::cycles)
                                                             : cell_if(cell.latency_ns, Unit::ns),
                .rate = cell_if(cell.rate, rate_unit(*row->operation), 1e9),
                .per_clock = of_clock(cell.per_clock, Unit::op_per_clock, cell.by_clock_beside),
                .of_documented = of_clock(cell.of_documented, Unit::share_of_documented, cell.by_clock_beside),
                .counted_mhz = cell_if(cell.clock_mhz, Unit::mhz),
                .shown_mhz = cell_if(cell.shown_mhz, Unit::mhz)}
                .cells()});
    }
}

/// What that device does of a load for seconds, by the last one, beside its burst; on the first screen of those alone
/// that lower the clock.
void add_sustained(Grid& grid, const Card& card, Rows rows) {
    constexpr double kLowered = 0.98; // of the card's clock
    const Curves all = curves_of(card, kSustained);
    if (!all.empty() && grid.corner.empty()) grid.corner = device_text(commonest_device(all));
    for (const Curve* curve : all) {
        const Operation* load = operation_of(*curve);
        if (!load || points_of(*curve).empty() || device_text(curve) != grid.corner) continue;
        const Point& last = curve->series->points.back();
        if (rows == Rows::first_screen && last.clock_mhz.value_or(0) > kLowered * clock_mhz(card)) continue;
        const Power power = power_of(*curve->series);
        const auto per_clock = last.clock_mhz && last.median && curve->device->cores
                                   ? std::optional(*last.median * 1e3 / *last.clock_mhz / curve->device->cores)
                                   : std::nullopt;
        const auto documented = load->matrix ? documented_on(card, *load->matrix) : documented_on(card, *load);
        const Slots what{{"in", std::string(load->matrix ? load->matrix->in->name : "")},
            {"load", std::string(load->matrix ? load->instruction : load->name)},
            {"seconds", as_count(std::round(last.x))}};
        const Unit unit = rate_unit(*load);
        const Unit energy = unit == Unit::flop_per_s ? Unit::pj_per_flop : Unit::pj_per_op;
        grid.sections[0].rows.push_back({filled(label::sustained, what),
            ArithmeticColumns{.rate = cell_if(last.median, unit, 1e9),
                .per_clock = cell_if(per_clock, Unit::op_per_clock),
                .of_documented = per_clock && documented
                                     ? Cell(Quantity{*per_clock / *documented, Unit::share_of_documented})
                                     : Cell(),
                .counted_mhz = cell_if(last.clock_mhz, Unit::mhz),
                .shown_mhz = cell_if(shown_clock(*curve->series, last), Unit::mhz),
                .watts = power.watts.empty() ? Cell() : Cell(Quantity{power.watts.back(), Unit::watts}),
                .energy = power.picojoules() > 0 ? Cell(Quantity{power.picojoules(), energy}) : Cell()}
                .cells()});
    }
}

void drop_column(Grid& grid, std::size_t column) {
    const auto at = static_cast<std::ptrdiff_t>(column);
    grid.columns.erase(grid.columns.begin() + at);
    for (GridRow& row : grid.sections[0].rows) row.cells.erase(row.cells.begin() + at);
}

/// Those in which no row has a number.
void drop_empty_columns(Grid& grid) {
    for (std::size_t column = grid.columns.size(); column-- > 0;) {
        const auto has_number = [column](const GridRow& row) { return row.cells.at(column).quantity() != nullptr; };
        if (std::ranges::none_of(grid.sections[0].rows, has_number)) drop_column(grid, column);
    }
}

Grid arithmetic_rows(const Card& card, Rows rows) {
    Grid grid{.name = "arithmetic", .columns = ArithmeticColumns::titles(), .sections = {{}}};
    grid.unit_by = UnitBy::column;
    add_operations(grid, card, rows);
    for (const BestMatrixRate& each : best_matrix_rates(card))
        grid.sections[0].rows.push_back({each.what,
            ArithmeticColumns{.rate = Quantity{each.gops * 1e9, each.is_float ? Unit::flop_per_s : Unit::op_per_s},
                .per_clock = cell_if(each.per_clock, Unit::op_per_clock),
                .of_documented = cell_if(each.of_documented, Unit::share_of_documented),
                .counted_mhz = cell_if(each.clock_mhz, Unit::mhz),
                .shown_mhz = cell_if(each.shown_mhz, Unit::mhz)}
                .cells()});
    add_sustained(grid, card, rows);
    const auto is_derived = [](const Cell& cell) { return cell.quantity() && cell.quantity()->derived; };
    if (std::ranges::any_of(
            grid.sections[0].rows, [&](const GridRow& row) { return std::ranges::any_of(row.cells, is_derived); }))
        grid.caption = "*: by the clock before and after the series; B/clk: by the clock above";
    drop_empty_columns(grid);
    return grid;
}

} // namespace

Grid arithmetic_grid(const Card& card) { return arithmetic_rows(card, Rows::all); }

Grid short_arithmetic_grid(const Card& card) {
    Grid grid = arithmetic_rows(card, Rows::first_screen);
    for (const char* title : {ArithmeticColumns::kShown, ArithmeticColumns::kWithIdle})
        if (const auto found = std::ranges::find(grid.columns, title); found != grid.columns.end())
            drop_column(grid, static_cast<std::size_t>(found - grid.columns.begin()));
    return grid;
}

} // namespace sonde
