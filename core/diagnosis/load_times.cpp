// Rules about single loads: levels whose latency is the mean of two kinds of loads.
#include <algorithm>
#include <iterator>

#include "core/diagnosis/fact_of.h"

namespace sonde {

namespace {
/// Single loads through the same device, on the same path where there are any; nullptr: none.
const Curve* single_loads(const Card& card, const Curve& latency) {
    Curves beside = curves_of(card, kLoadTimes);
    std::erase_if(beside, [&](const Curve* curve) { return device_text(curve) != device_text(&latency); });
    const auto same_path =
        std::ranges::find(beside, latency.series->id.path, [](const Curve* curve) { return curve->series->id.path; });
    return same_path != beside.end() ? *same_path : beside.empty() ? nullptr : beside[0];
}
} // namespace

std::optional<KindsOfLevel> kinds_of_level(const Card& card, const Curve& latency, const Finding& level) {
    const Curve* loads = level.x.empty() ? nullptr : single_loads(card, latency);
    if (!loads) return std::nullopt;
    std::optional<KindsOfLevel> found;
    const auto& all = loads->series->evidence.load_times;
    for (const LoadTimes& each : all) {
        const auto bytes = static_cast<double>(each.footprint_bytes);
        if (bytes < level.x.front() || bytes > level.x.back()) continue;
        const auto kinds = two_kinds(each);
        const auto as_last = &each == &all.back() ? std::nullopt : as_slow_as_median(each, all.back());
        const auto as_faster = &each == &all.back() ? std::nullopt : as_slow_as_faster_kind(each, all.back());
        found = kinds ? std::optional(KindsOfLevel{loads, bytes, *kinds, as_last, as_faster}) : std::nullopt;
    }
    return found;
}

namespace {
/// A level whose single loads are of two kinds, through a device.
struct TwoKindsOfLevel {
    const Curve* latency;
    LevelName level;
    KindsOfLevel found;
    const std::string& path() const { return found.loads->series->id.path; }
    double times() const { return found.kinds.slower / found.kinds.faster; }
};

std::vector<TwoKindsOfLevel> levels_of_two_kinds(const Card& card) {
    std::vector<TwoKindsOfLevel> all;
    for (const Curve* curve : plain_curves(card, kLatency, "global"))
        for (std::size_t i = 0; i < curve->levels.size(); ++i)
            if (const auto found = kinds_of_level(card, *curve, curve->levels[i]))
                all.push_back({curve, curve->level_names[i], *found});
    return all;
}

/// What either kind takes, how many are of the faster one, where that was seen, and how many are as slow as the largest
/// footprint's. `alike`: loads of one path.
std::vector<PlaceGroup> rows_of(const Card& card, const std::vector<TwoKindsOfLevel>& alike) {
    const std::string& path = alike[0].path();
    std::vector<PlaceGroup> groups{{filled(label::of_loads, {{"path", path}, {"what", "faster (slower)"}}), {}},
        {filled(label::of_loads, {{"path", path}, {"what", "the faster"}}), {}},
        {filled(label::of_loads, {{"path", path}, {"what", "as slow as DRAM's median"}}), {}},
        {filled(label::of_loads, {{"path", path}, {"what", "as slow as DRAM's faster kind"}}), {}},
        {filled(label::of_loads, {{"path", path}, {"what", "footprint"}}), {}}};
    for (const LevelName& level : card.level_names) {
        Place kinds{level.text(), {}}, faster = kinds, slow = kinds, as_faster = kinds, footprints = kinds;
        for (const TwoKindsOfLevel& each : alike) {
            if (each.level != level) continue;
            const std::string& device = device_text(each.latency);
            const Unit unit = each.found.loads->device->core_cycles ? Unit::cycles : Unit::count;
            kinds.cells.emplace_back(
                device, Cell(Quantity{each.found.kinds.faster, unit}, Quantity{each.found.kinds.slower, unit}));
            faster.cells.emplace_back(device, Quantity{each.found.kinds.share, Unit::share});
            footprints.cells.emplace_back(device, Quantity{each.found.bytes, Unit::bytes});
            if (each.found.as_last) slow.cells.emplace_back(device, Quantity{*each.found.as_last, Unit::share});
            if (each.found.as_faster)
                as_faster.cells.emplace_back(device, Quantity{*each.found.as_faster, Unit::share});
        }
        groups[0].places.push_back(kinds), groups[1].places.push_back(faster), groups[2].places.push_back(slow),
            groups[3].places.push_back(as_faster), groups[4].places.push_back(footprints);
    }
    return groups;
}

void tell_two_kinds(const Card& card, Statements& out) {
    const std::vector<TwoKindsOfLevel> found = levels_of_two_kinds(card);
    if (found.empty()) return;
    std::vector<PlaceGroup> rows;
    const auto by_path = grouped(found, [](const TwoKindsOfLevel& each) { return each.path(); });
    for (const auto& alike : by_path)
        for (PlaceGroup& group : rows_of(card, alike)) rows.push_back(std::move(group));
    Curves about;
    Ranked first;
    for (const TwoKindsOfLevel& each : by_path[0])
        if (first.empty() || device_text(first[0].second) == device_text(each.latency))
            first = {{std::max(first.empty() ? 1 : first[0].first, each.times()), each.latency}};
    for (const TwoKindsOfLevel& each : found) about.insert(about.end(), {each.latency, each.found.loads});
    CardFact fact = fact_of(card, {{"path", by_path[0][0].path()}}, first, rows);
    fact.effect = first[0].first;
    auto from = tell(out, std::move(fact), about).from.begin();
    for (const TwoKindsOfLevel& each : found) // other footprints keep their findings
        from += 2, std::prev(from)->x = {each.found.bytes};
}
} // namespace

const Rule mean_of_two_kinds{"mean_of_two_kinds", "path", tell_two_kinds};

} // namespace sonde
