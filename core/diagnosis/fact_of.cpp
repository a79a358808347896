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
        if (present.erase(device->id) > 0) columns.push_back(device->id);
    columns.insert(columns.end(), present.begin(), present.end()); // whose record a file has lost
    return columns;
}

std::size_t column_of(const Grid& grid, const std::string& device) {
    return static_cast<std::size_t>(std::ranges::find(grid.columns, device) - grid.columns.begin());
}
} // namespace

Quantity quantity_of(double number, const Series& series) {
    return quantity_in(number, series.unit).value_or(Quantity{number, Unit::count});
}

Quantity in_bytes(double bytes) { return {bytes, Unit::bytes}; }
Quantity as_count(double number) { return {number, Unit::count}; }

Slots path_slots(const Curve& curve) {
    return {{"path", curve.series->id.path}, {"options", curve.series->id.options}};
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

Cell latency_cell(const Finding& level) {
    const double ns = level.value.value_or(0);
    if (!level.cycles) return Quantity{ns, Unit::ns};
    return {Quantity{*level.cycles, Unit::cycles}, Quantity{ns, Unit::ns}};
}

Cell end_cell(const Finding& level) {
    if (!level.capacity_bytes || !level.capacity_bytes->second) return Cell();
    const auto& [inside, outside] = *level.capacity_bytes;
    const auto range = level.edge_bytes.value_or(std::pair(inside, *outside));
    return Quantity{range.first, Unit::bytes, range};
}

PlaceGroup levels_of(const Card& card, std::string title, const Curves& curves) {
    std::vector<LevelName> names = card.level_names;
    for (const Curve* curve : curves)
        for (const LevelName& name : curve->level_names)
            if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    PlaceGroup group{std::move(title), {}};
    for (const LevelName& name : names) {
        Place& latency = group.places.emplace_back(Place{name.text(), {}});
        for (const Curve* curve : curves)
            if (const Finding* level = curve->reached(name))
                latency.cells.emplace_back(device_text(curve), latency_cell(*level));
            else if (curve->passes(name)) latency.cells.emplace_back(device_text(curve), Lack::not_reached);
    }
    for (const LevelName& name : names) {
        Place& end = group.places.emplace_back(Place{filled(label::ends_at, {{"level", name}}), {}});
        for (const Curve* curve : curves)
            if (const Finding* level = curve->reached(name); level && end_cell(*level).quantity())
                end.cells.emplace_back(device_text(curve), end_cell(*level));
    }
    return group;
}

Latencies latencies_of(const std::vector<std::pair<const Curve*, const Finding*>>& levels) {
    const bool cycles = std::ranges::all_of(levels, [](const auto& each) { return each.second->cycles.has_value(); });
    Latencies latencies{cycles ? Unit::cycles : Unit::ns, {}};
    for (const auto& [curve, level] : levels)
        latencies.numbers.emplace_back(cycles ? *level->cycles : level->value.value_or(0), curve);
    latencies.numbers = sorted(std::move(latencies.numbers));
    return latencies;
}

std::vector<std::size_t> columns_in(const Grid& grid, const Ranked& devices) {
    std::vector<std::size_t> columns;
    columns.reserve(devices.size());
    for (const auto& each : devices)
        if (const std::size_t column = column_of(grid, device_text(each.second));
            std::ranges::find(columns, column) == columns.end())
            columns.push_back(column);
    return columns;
}

Place place_of(std::string name, const Curve& curve, Cell cell) {
    return {std::move(name), {{device_text(&curve), std::move(cell)}}};
}

namespace {
CardFact fact_of_groups(
    const Card& card, Slots subject, const std::vector<Ranked>& told, const std::vector<PlaceGroup>& groups) {
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
    fact.ranked.reserve(told.size());
    for (const Ranked& together : told) fact.ranked.push_back(columns_in(fact.grid, together));
    return fact;
}
} // namespace

CardFact fact_of(const Card& card, Slots subject, const Ranked& told, const std::vector<PlaceGroup>& groups) {
    CardFact fact = fact_of_groups(card, std::move(subject), unranked_groups(sorted(told)), groups);
    fact.effect = ratio_of(sorted(told));
    return fact;
}

CardFact exact_fact(const Card& card, Slots subject, const Ranked& told, const std::vector<PlaceGroup>& groups) {
    return fact_of_groups(
        card, std::move(subject), grouped(sorted(told), [](const auto& each) { return each.first; }), groups);
}

const Curve* commonest_device(const Curves& curves) {
    const std::vector<Curves> by_device = grouped(curves, device_text);
    return std::ranges::max(by_device, {}, [](const Curves& each) { return each.size(); })[0];
}

Statement& tell(Statements& out, CardFact fact, const Curves& about) {
    Statement& said = out.emplace_back(statement(about));
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
    for (const Compared& each : all) places.push_back(each.place);
    return places;
}

Curves curves_in(const std::vector<Compared>& all) {
    Curves curves;
    for (const Compared& each : all)
        for (const Curve* curve : curves_in(each.numbers)) curves.push_back(curve);
    return curves;
}

} // namespace sonde
