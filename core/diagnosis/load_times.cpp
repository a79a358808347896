// Rules about single loads: levels whose latency is the mean of two kinds of loads.
#include <algorithm>

#include "core/diagnosis/fact_of.h"

namespace sonde {

namespace {
constexpr double kFewestSlow = 0.2, kMostSlow = 0.8; // shares of loads: a mean of two kinds

/// Single loads through the same device, on the same path where there are any; nullptr: none.
const Curve* single_loads(const Card& card, const Curve& latency) {
    Curves beside = curves_of(card, kLoadTimes);
    std::erase_if(beside, [&](const Curve* curve) { return device_text(curve) != device_text(&latency); });
    const auto same_path =
        std::ranges::find(beside, latency.series->id.path, [](const Curve* curve) { return curve->series->id.path; });
    return same_path != beside.end() ? *same_path : beside.empty() ? nullptr : beside[0];
}
} // namespace

std::optional<MeanOfTwo> mean_of_two(const Card& card, const Curve& latency) {
    const auto reached = [&](LevelName::Part part) {
        LevelName name = LevelName::cache(2);
        name.part = part;
        return latency.reached(name);
    };
    const Finding *far = reached(LevelName::Part::far), *near = reached(LevelName::Part::near);
    const Curve* loads = single_loads(card, latency);
    if (!far || !near || !loads) return std::nullopt;
    std::optional<MeanOfTwo> found;
    const auto& all = loads->series->evidence.load_times;
    for (const LoadTimes& each : all) {
        const auto bytes = static_cast<double>(each.footprint_bytes);
        if (bytes <= off(*near) || bytes > on(*far) || &each == &all.back()) continue;
        if (const auto slow = slow_loads(each, all.back());
            slow && slow->share >= kFewestSlow && slow->share <= kMostSlow)
            found = {loads, bytes, *slow};
    }
    return found;
}

std::optional<KindsOfLevel> kinds_of_level(const Card& card, const Curve& latency, const Finding& level) {
    const Curve* loads = level.x.empty() ? nullptr : single_loads(card, latency);
    if (!loads) return std::nullopt;
    std::optional<KindsOfLevel> found;
    for (const LoadTimes& each : loads->series->evidence.load_times) {
        const auto bytes = static_cast<double>(each.footprint_bytes);
        if (bytes < level.x.front() || bytes > level.x.back()) continue;
        if (const auto kinds = two_kinds(each)) found = {bytes, *kinds};
    }
    return found;
}

namespace {
/// A level as a mean of two kinds of loads, through a device.
struct TwoKindsOfLevel {
    const Curve* latency;
    MeanOfTwo mean;
    double times() const { return mean.loads.from / mean.loads.others; }
};

/// Loads of one path within the level, through devices.
PlaceGroup rows_of(const std::vector<TwoKindsOfLevel>& alike) {
    Place fastest{"as slow as DRAM's fastest 2 %", {}}, median{"as slow as DRAM's median", {}},
        footprint{"footprint", {}};
    std::vector<Place> times;
    for (const TwoKindsOfLevel& each : alike) {
        const std::string& device = device_text(each.latency);
        const SlowLoads& loads = each.mean.loads;
        const bool cycles = each.mean.curve->device->core_cycles;
        fastest.cells.emplace_back(device, Quantity{loads.share, Unit::share});
        median.cells.emplace_back(device, Quantity{loads.as_median, Unit::share});
        footprint.cells.emplace_back(device, Quantity{each.mean.bytes, Unit::bytes});
        const auto add = [&](const char* name, double counts) {
            times.push_back({cycles ? name : filled(label::in_counts, {{"what", name}}),
                {{device, Quantity{counts, cycles ? Unit::cycles : Unit::count}}}});
        };
        add("DRAM's fastest 2 % take, at the most", loads.from), add("median of the faster loads", loads.others);
    }
    PlaceGroup group{alike[0].mean.curve->series->id.path, {fastest, median, footprint}};
    for (const auto& of_name : grouped(times, [](const Place& each) { return each.name; })) {
        Place& all = group.places.emplace_back(Place{of_name[0].name, {}});
        for (const Place& each : of_name) all.cells.push_back(each.cells[0]);
    }
    return group;
}

void tell_two_kinds(const Card& card, Statements& out) {
    std::vector<TwoKindsOfLevel> found;
    for (const Curve* curve : plain_curves(card, kLatency, "global"))
        if (const auto mean = mean_of_two(card, *curve)) found.push_back({curve, *mean});
    if (found.empty()) return;
    const auto by_path = grouped(found, [](const TwoKindsOfLevel& each) { return each.mean.curve->series->id.path; });
    std::vector<PlaceGroup> rows;
    rows.reserve(by_path.size());
    for (const auto& alike : by_path) rows.push_back(rows_of(alike));
    Ranked shares;
    for (const TwoKindsOfLevel& each : by_path[0]) shares.emplace_back(each.mean.loads.share, each.latency);
    CardFact fact = fact_of(card, {{"path", rows[0].title}}, shares, rows);
    fact.effect = 1;
    Curves about;
    for (const TwoKindsOfLevel& each : found) {
        fact.effect = std::max(fact.effect, each.times());
        about.insert(about.end(), {each.latency, each.mean.curve});
    }
    Statement& said = tell(out, std::move(fact), about);
    for (CitedSeries& from : said.from) // of single loads; other footprints keep their findings
        for (const TwoKindsOfLevel& each : found)
            if (from.series == each.mean.curve->series->id) from.x = {each.mean.bytes};
}
} // namespace

const Rule mean_of_two_kinds{"mean_of_two_kinds", "path", tell_two_kinds};

} // namespace sonde
