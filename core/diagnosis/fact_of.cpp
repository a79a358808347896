#include "core/diagnosis/fact_of.h"

#include <algorithm>
#include <functional>
#include <set>

namespace sonde {

namespace {
std::vector<std::string> columns_of(const Card& card, const std::vector<PlaceGroup>& groups) {
    std::set<std::string> present;
    for (const PlaceGroup& group : groups)
        for (const Place& place : group.places)
            for (const auto& [device, cell] : place.cells) present.insert(device);
    std::vector<std::string> columns;
    for (const DeviceRecord* device : card.devices)
        if (present.contains(device->id)) columns.push_back(device->id);
    return columns;
}

std::size_t column_of(const Grid& grid, const std::string& device) {
    return static_cast<std::size_t>(std::ranges::find(grid.columns, device) - grid.columns.begin());
}
} // namespace

Quantity quantity_of(double number, const Series& series) {
    if (series.unit == "GB/s") return {number * 1e9, Unit::bytes_per_s};
    if (series.unit == "Gop/s") return {number * 1e9, Unit::op_per_s};
    return {number, series.unit == "cycles" ? Unit::cycles : series.unit == "bytes" ? Unit::bytes : Unit::ns};
}

Place place_of(std::string name, const Ranked& numbers) {
    Place place{std::move(name), {}};
    for (const auto& [number, curve] : numbers)
        place.cells.emplace_back(device_text(curve), quantity_of(number, *curve->series));
    return place;
}

Place place_of(std::string name, const Ranked& numbers, Unit unit) {
    Place place{std::move(name), {}};
    for (const auto& [number, curve] : numbers) place.cells.emplace_back(device_text(curve), Quantity{number, unit});
    return place;
}

CardFact fact_of(const Card& card, std::string subject, const Ranked& told, const std::vector<PlaceGroup>& groups) {
    CardFact fact{.subject = std::move(subject), .grid = {.columns = columns_of(card, groups)}};
    for (const PlaceGroup& group : groups) {
        GridSection section{group.title, {}};
        for (const Place& place : group.places) {
            if (place.cells.empty()) continue;
            section.rows.push_back({place.name, std::vector<Cell>(fact.grid.columns.size())});
            GridRow& row = section.rows.back();
            for (const auto& [device, cell] : place.cells) row.cells.at(column_of(fact.grid, device)) = cell;
        }
        fact.grid.sections.push_back(std::move(section));
    }
    for (const Ranked& together : unranked_groups(sorted(told))) {
        std::vector<std::size_t>& columns = fact.ranked.emplace_back();
        for (const auto& each : together) columns.push_back(column_of(fact.grid, device_text(each.second)));
    }
    fact.effect = ratio_of(sorted(told));
    return fact;
}

Statement& tell(Statements& out, CardFact fact, const Curves& about) {
    Statement& said = out.emplace_back(statement("", about));
    said.effect = fact.effect;
    said.fact = std::move(fact);
    return said;
}

void sort_by_distance(std::vector<Compared>& all) {
    std::ranges::stable_sort(all, std::greater(),
        [](const Compared& each) { return std::pair(each.differs, ratio_of(sorted(each.numbers))); });
}

std::vector<Place> places_of(const std::vector<Compared>& all) {
    std::vector<Place> places;
    places.reserve(all.size());
    for (const Compared& each : all) places.push_back(place_of(each.name, each.numbers));
    return places;
}

Curves curves_in(const std::vector<Compared>& all) {
    Curves curves;
    for (const Compared& each : all)
        for (const Curve* curve : curves_in(each.numbers)) curves.push_back(curve);
    return curves;
}

} // namespace sonde
