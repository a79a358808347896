// The core clock while a load runs, and what the card's instruments say of it.
#include <algorithm>
#include <map>
#include <set>
#include <span>

#include "core/analysis/derived_clock.h"
#include "core/base/statistics.h"
#include "core/base/text.h"
#include "core/diagnosis/arithmetic.h"
#include "core/diagnosis/fact_of.h"
#include "core/probes/probe.h"

namespace sonde {

namespace {
constexpr std::size_t kFewestSamples = 4; // of the instruments' own: a few may be of the pauses between short kernels
constexpr double kShownAbove = 1.03;      // times the clock that kernels count: the driver shows another one

/// What a series' kernel computes with: "HMMA", of a matrix unit's series, or that no such instruction stands in it; of
/// a sustained load its operation; else the probe.
std::string load_of(const Curve& curve) {
    if (kSustained.measured(curve.series->id)) return option::operation.word(curve.series->id.options);
    const auto& kernel = curve.series->evidence.kernel;
    std::pair<double, std::string> most{0, ""};
    if (const Operation* operation = operation_of(curve); operation && operation->matrix && kernel)
        for (const auto& [mnemonic, count] : kernel->step_instructions)
            if (mnemonic.find("MMA") != std::string::npos && count > most.first)
                most = {count, mnemonic.substr(0, mnemonic.find('.'))};
    if (!most.second.empty()) return most.second;
    return kernel && !kernel->step_instructions.empty() && kMatrix.measured(curve.series->id)
               ? "forms whose listing shows no matrix instruction"
               : curve.series->id.probe;
}

std::string instrument(const Series& series) {
    return series.evidence.telemetry.source.empty() ? "the driver" : series.evidence.telemetry.source;
}

/// A series of a load, and the clocks that it was measured at.
struct Loaded {
    LoweredClock clock;
    const Curve* curve;
    std::string load;
};
using LoadList = std::vector<Loaded>;
using Loads = std::span<const Loaded>; // all, or those before or behind a step

const std::string& load_name(const Loaded& each) { return each.load; }
std::size_t one(const Loaded&) { return 1; }
double mhz_under_load(const Loaded& each) { return each.clock.under_load; }
double mhz_beside(const Loaded& each) { return each.clock.beside; }
/// As the card's instruments show it meanwhile, where they were asked often enough; else 0.
double mhz_shown(const Loaded& each) {
    const CardDuring& during = each.curve->series->evidence.telemetry.during;
    return during.core_mhz && during.samples >= kFewestSamples ? during.core_mhz->median : 0;
}

/// Of each device the least and the highest number above 0 that is known of its series.
Place place_of_loads(std::string name, Loads all, Unit unit, double (*number_of)(const Loaded&)) {
    std::map<std::string, std::pair<double, double>> by_device;
    for (const Loaded& each : all)
        if (const double number = number_of(each); number > 0) {
            auto& [least, most] = by_device.try_emplace(device_text(each.curve), number, number).first->second;
            least = std::min(least, number), most = std::max(most, number);
        }
    Place place{std::move(name), {}};
    for (const auto& [device, range] : by_device)
        place.cells.emplace_back(device, Quantity{(range.first + range.second) / 2, unit, range});
    return place;
}

/// Of each device how many of its series, or of their points, there are.
Place count_of_loads(std::string name, Loads all, std::size_t (*number_of)(const Loaded&)) {
    std::map<std::string, std::size_t> by_device;
    for (const Loaded& each : all) by_device[device_text(each.curve)] += number_of(each);
    Place place{std::move(name), {}};
    for (const auto& [device, number] : by_device)
        place.cells.emplace_back(device, Quantity{static_cast<double>(number), Unit::count});
    return place;
}

/// How many series come before a step in time: all clocks before it are on one side of all behind it, and one kind of
/// load stands on both. nullopt: there is none.
std::optional<std::size_t> step_in_time(Loads all) {
    constexpr std::size_t kFewestSeries = 10; // on either side: fewer may be of the loads' order
    constexpr double kStep = 1.01;            // times
    for (std::size_t i = kFewestSeries; i + kFewestSeries <= all.size(); ++i) {
        const Loads before = all.first(i), after = all.subspan(i);
        const auto [early_least, early_most] = std::ranges::minmax(before, {}, mhz_under_load);
        const auto [late_least, late_most] = std::ranges::minmax(after, {}, mhz_under_load);
        const bool apart = mhz_under_load(early_least) > kStep * mhz_under_load(late_most) ||
                           mhz_under_load(late_least) > kStep * mhz_under_load(early_most);
        if (apart && std::ranges::any_of(before, [&](const Loaded& each) {
                return std::ranges::find(after, each.load, &Loaded::load) != after.end();
            }))
            return i;
    }
    return std::nullopt;
}

/// Whether the instruments show a higher clock than kernels count, of each series of which they do.
bool shows_another_clock(Loads all) {
    bool any = false;
    for (const Loaded& each : all) {
        if (!(mhz_shown(each) > 0)) continue;
        const double counted = median(clocks_of(*each.curve->series));
        if (!(each.curve->series->evidence.telemetry.during.core_mhz->low > kShownAbove * counted)) return false;
        any = true;
    }
    return any;
}

/// What a line tells: the clock under the load, in two parts where it steps, before it, and as instruments show it.
PlaceGroup clocks_told(Loads all) {
    PlaceGroup rows{"", {}};
    const auto add = [&](std::string name, Loads some, double (*number_of)(const Loaded&)) {
        rows.places.push_back(place_of_loads(std::move(name), some, Unit::mhz, number_of));
    };
    if (const auto step = step_in_time(all)) {
        const auto of_series = [](std::size_t number) -> Slots {
            return {{"series", as_count(static_cast<double>(number))}};
        };
        add(filled(label::first_series, of_series(*step)), all.first(*step), mhz_under_load);
        add(filled(label::next_series, of_series(all.size() - *step)), all.subspan(*step), mhz_under_load);
    } else add("under load", all, mhz_under_load);
    add("before", all, mhz_beside);
    if (shows_another_clock(all))
        add(filled(label::shown_by, {{"source", instrument(*all[0].curve->series)}}), all, mhz_shown);
    return rows;
}

PlaceGroup clocks_by_load(const char* title, const LoadList& all) {
    PlaceGroup rows{title, {}};
    for (const LoadList& alike : grouped(all, load_name))
        rows.places.push_back(place_of_loads(alike[0].load, alike, Unit::mhz, mhz_under_load));
    return rows;
}

PlaceGroup series_by_load(const LoadList& all) {
    PlaceGroup rows{"series", {}};
    for (const LoadList& alike : grouped(all, load_name))
        rows.places.push_back(count_of_loads(alike[0].load, alike, one));
    return rows;
}

/// Points whose clock is known, where that of some is not.
PlaceGroup known_points(const LoadList& all) {
    const auto known = [](const Loaded& each) { return clocks_of(*each.curve->series).size(); };
    const auto any = [](const Loaded& each) { return each.curve->series->points.size(); };
    if (std::ranges::all_of(all, [&](const Loaded& each) { return known(each) == any(each); })) return {};
    return {"points", {count_of_loads("with a known clock", all, known), count_of_loads("all", all, any)}};
}

/// Of series that stay below the card's power limit although the driver names a cap.
PlaceGroup power_below_limit(LoadList all) {
    std::erase_if(all, [](const Loaded& each) {
        return !names_power_cap(*each.curve->series) || !below_power_limit(*each.curve->series);
    });
    const auto drawn = [](const Loaded& each) {
        return each.curve->series->evidence.telemetry.during.power_watts->high;
    };
    const auto limit = [](const Loaded& each) {
        return *each.curve->series->evidence.telemetry.state.power_limit_watts;
    };
    return {"below the power limit",
        {count_of_loads("series", all, one), place_of_loads("drawn at most", all, Unit::watts, drawn),
            place_of_loads("limit", all, Unit::watts, limit)}};
}

std::vector<std::string> names_of_loads(const LoadList& all) {
    std::set<std::string> names;
    for (const Loaded& each : all) names.insert(each.load);
    return {names.begin(), names.end()};
}

/// Series for which the driver names the same reasons, or none.
void tell_lowered(const Card& card, const LoadList& lowered, const LoadList& not_lowered, Statements& out) {
    Curves about;
    about.reserve(lowered.size());
    for (const Loaded& each : lowered) about.push_back(each.curve);
    const std::vector<std::string> reasons = throttled_by(*about[0]->series);
    const PlaceGroup power = power_below_limit(lowered);
    PlaceGroup named;
    if (!reasons.empty())
        named.places = {place_of(filled(label::named_by, {{"source", instrument(*about[0]->series)}}), *about[0],
            Instructions{joined_text(reasons)})};
    CardFact fact = exact_fact(card, {{"loads", names_of_loads(lowered)}}, {{0, commonest_device(about)}},
        {clocks_told(lowered), clocks_by_load("by load", lowered), clocks_by_load("not lowered", not_lowered),
            series_by_load(lowered), known_points(lowered), power, named});
    fact.effect = mhz_beside(std::ranges::min(lowered, {}, mhz_beside)) /
                  mhz_under_load(std::ranges::min(lowered, {}, mhz_under_load));
    if (reasons == std::vector<std::string>{"power cap"} && power.places[0].cells.empty() &&
        !shows_another_clock(lowered))
        fact.cause = Cause::power_cap;
    tell(out, std::move(fact), about).tells_all = false;
}

/// Of each reason the series whose own load lowers the clock, by what they compute with; and which matrix instructions
/// do not.
void tell_clock_under_load(const Card& card, Statements& out) {
    LoadList lowered, not_lowered;
    for (const Curve& curve : card.curves)
        if (const auto clock = lowered_clock(*curve.series)) lowered.push_back({*clock, &curve, load_of(curve)});
    for (const Curve* curve : curves_of(card, kMatrix)) {
        const std::string load = load_of(*curve);
        const std::vector<double> clocks = clocks_of(*curve->series);
        if (load != kMatrix.name && !clocks.empty() && std::ranges::find(lowered, load, &Loaded::load) == lowered.end())
            not_lowered.push_back({{median(clocks), 0}, curve, load});
    }
    for (const LoadList& alike :
        grouped(lowered, [](const Loaded& each) { return throttle_text(*each.curve->series); }))
        tell_lowered(card, alike, not_lowered, out);
}
} // namespace

std::string throttle_text(const Series& series) {
    const std::vector<std::string> reasons = throttled_by(series);
    return reasons.empty() ? "" : fmt::format("{}: {}", instrument(series), joined_text(reasons));
}

const Rule clock_under_load{"clock_under_load", "path", tell_clock_under_load};

} // namespace sonde
