// Facts about numbers that several devices of a card have of the same thing.
#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/diagnosis/rules.h"
#include "core/diagnosis/terms.h"
#include "core/facts/card_fact.h"

namespace sonde {

/// What devices have there.
struct Place {
    std::string name{};                                // "528 workgroups"
    std::vector<std::pair<std::string, Cell>> cells{}; // by device
};
/// Numbers in the unit of their series, or in another one of the same curves.
Place place_of(std::string name, const Ranked&);
Place place_of(std::string name, const Ranked&, Unit);
/// Of one device.
Place place_of(std::string name, const Curve&, Cell);
/// Instructions of the curves, where a listing shows them.
template <class Text> Place instructions_of(const Curves& curves, Text text) {
    Place place{"instruction", {}};
    for (const Curve* curve : curves)
        if (std::string shown = text(*curve); !shown.empty())
            place.cells.emplace_back(device_text(curve), Instructions{std::move(shown)});
    return place;
}

struct PlaceGroup {
    std::string title{}; // "u32 add"
    std::vector<Place> places{};
};

/// "Gop/s" -> op/s, "GLUP/s" -> LUP/s, "GB/s" -> B/s; ns, cycles and bytes as they are.
Quantity quantity_of(double number, const Series&);
Quantity in_bytes(double);
Quantity as_count(double);
/// What a fact about a curve's path and options says of them.
Slots path_slots(const Curve&);
/// In core cycles, with ns beside them, where the device has such a clock; else in ns.
Cell latency_cell(const Finding& level);
/// No number where the sweep ends on the level.
Cell end_cell(const Finding& level);
/// Levels of one path through devices: what a load takes, then where each ends.
PlaceGroup levels_of(const Card&, std::string title, const Curves&);

/// In core cycles where all have them, else in ns.
struct Latencies {
    Unit unit = Unit::cycles;
    Ranked numbers{};
    Place place(std::string name) const { return place_of(std::move(name), numbers, unit); }
};
Latencies latencies_of(const std::vector<std::pair<const Curve*, const Finding*>>& levels);

/// A column for each device that has a cell, in the order of the card; places without cells are left out. `told`: the
/// numbers of the first place, which a line tells.
CardFact fact_of(const Card&, Slots subject, const Ranked& told, const std::vector<PlaceGroup>&);
/// Columns of those devices.
std::vector<std::size_t> columns_in(const Grid&, const Ranked&);
/// The same of numbers, or ranks, that are exact: only equal ones stand together, and no effect is told.
CardFact exact_fact(const Card&, Slots subject, const Ranked& told, const std::vector<PlaceGroup>&);
/// A curve of the device that most of these are of.
const Curve* commonest_device(const Curves&);
/// A statement of it, which rests on these curves.
Statement& tell(Statements&, CardFact, const Curves& about);

/// Numbers of one thing, and what its row shows of them.
struct Compared {
    Slots slots{};
    Place place{};
    Ranked numbers{};
    bool differs = true;       // false: it stands beside those that differ
    std::optional<double> x{}; // the points that they rest on
    Cause cause = Cause::none;
};
/// The farthest apart first, and behind all those that do not differ.
void sort_by_distance(std::vector<Compared>&);
std::vector<Place> places_of(const std::vector<Compared>&);
Curves curves_in(const std::vector<Compared>&);

} // namespace sonde
