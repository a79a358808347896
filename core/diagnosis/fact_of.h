// Facts about numbers that several devices of a card have of the same thing.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "core/diagnosis/rules.h"
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

/// "Gop/s" -> op/s, "GB/s" -> B/s; ns, cycles and bytes as they are.
Quantity quantity_of(double number, const Series&);
/// A column for each device that has a cell, in the order of the card; places without cells are left out. `told`: the
/// numbers of the first place, which a line tells.
CardFact fact_of(const Card&, std::string subject, const Ranked& told, const std::vector<PlaceGroup>&);
/// A statement of it, which rests on these curves.
Statement& tell(Statements&, CardFact, const Curves& about);

/// Numbers of one thing: "4-byte loads".
struct Compared {
    std::string name{};
    Ranked numbers{};
    bool differs = true; // false: it stands beside those that differ
};
/// The farthest apart first, and behind all those that do not differ.
void sort_by_distance(std::vector<Compared>&);
std::vector<Place> places_of(const std::vector<Compared>&);
Curves curves_in(const std::vector<Compared>&);

} // namespace sonde
