// The core clock while a load runs, and what the card's instruments say of it.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <span>

#include "core/analysis/derived_clock.h"
#include "core/analysis/power.h"
#include "core/base/statistics.h"
#include "core/base/text.h"
#include "core/diagnosis/arithmetic.h"
#include "core/diagnosis/fact_of.h"
#include "core/diagnosis/overview.h"
#include "core/probes/probe.h"

namespace sonde {

namespace {
constexpr std::size_t kFewestSamples = 4; // of the instruments' own: a few may be of the pauses between short kernels
constexpr double kShownAbove = 1.03;      // times the clock that kernels count: the driver shows another one

/// What a series' kernel computes with: "HMMA", of a matrix unit's series, or that no such instruction stands in it; of
/// a sustained load its operation; else the probe.
std::string load_of(const Curve& curve) {
    if (kSustained.measured(curve.series->id) && !curve.series->points.empty())
        return filled(label::for_seconds, {{"load", option::operation.word(curve.series->id.options)},
                                              {"seconds", as_count(std::round(curve.series->points.back().x))}});
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
    PlaceGroup named;
    if (!reasons.empty())
        named.places = {place_of(filled(label::named_by, {{"source", instrument(*about[0]->series)}}), *about[0],
            Instructions{joined_text(reasons)})};
    CardFact fact = exact_fact(card, {{"loads", names_of_loads(lowered)}}, {{0, commonest_device(about)}},
        {clocks_told(lowered), clocks_by_load("by load", lowered), clocks_by_load("not lowered", not_lowered),
            series_by_load(lowered), known_points(lowered), named});
    fact.effect = mhz_beside(std::ranges::min(lowered, {}, mhz_beside)) /
                  mhz_under_load(std::ranges::min(lowered, {}, mhz_under_load));
    if (reasons == std::vector<std::string>{"power cap"} && !shows_another_clock(lowered))
        fact.cause = Cause::power_cap;
    tell(out, std::move(fact), about).tells_all = false;
}

/// Of each reason the series whose own load lowers the clock, by what they compute with; and which matrix instructions
/// do not.
void tell_clock_under_load(const Card& card, Statements& out) {
    LoadList lowered, not_lowered;
    for (const Curve& curve : card.curves)
        if (const auto clock = lowered_clock(*curve.series); clock && counts_core_clock(curve))
            lowered.push_back({*clock, &curve, load_of(curve)});
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

namespace {
constexpr const char* kPowerCap = "power cap";

/// What the card drew while the series was measured, the median: of a load of seconds after the first one. Of a series
/// whose kernels ran for less of its time instruments show pauses.
std::optional<Quantity> drawn(const Series& series) {
    const std::vector<double> watts = kSustained.measured(series.id) ? power_of(series).watts : std::vector<double>{};
    if (!watts.empty()) return Quantity{median(watts), Unit::watts};
    const auto& during = series.evidence.telemetry.during.power_watts;
    return during && runs_for_most(series) ? std::optional(Quantity{during->median, Unit::watts}) : std::nullopt;
}

/// In how many of the instruments' samples; files from before do not tell.
Cell samples_with_cap(const Series& series) {
    const auto& named = series.evidence.telemetry.during.throttled_samples;
    const auto found = named.find(kPowerCap);
    return found == named.end() ? Cell() : Cell(as_count(found->second));
}

/// What the driver reports.
PlaceGroup power_limits(const Curve& curve) {
    const CardState& state = curve.series->evidence.telemetry.state;
    PlaceGroup limits{"limit that the driver reports", {}};
    for (const auto& [name, watts] :
        {std::pair("in force", state.power_limit_watts), {"by default", state.power_default_watts}})
        if (watts) limits.places.push_back(place_of(name, curve, Quantity{*watts, Unit::watts}));
    return limits;
}

/// Where the driver names a power cap: what the card drew, and in how many samples that was.
void tell_power_cap(const Card& card, Statements& out) {
    Curves capped;
    for (const Curve& curve : card.curves)
        if (curve.usable() && names_power_cap(*curve.series) && drawn(*curve.series)) capped.push_back(&curve);
    for (const Curves& alike : grouped(capped, [](const Curve* curve) { return instrument(*curve->series); })) {
        Place all{"median of a series", {}};
        PlaceGroup watts{"drawn by load", {}}, samples{"samples with a power cap", {}}, asked{"samples", {}};
        for (const Curves& of_device : grouped(alike, device_text)) {
            std::pair<double, double> range{INFINITY, 0};
            for (const Curve* curve : of_device) {
                const Quantity own = *drawn(*curve->series);
                range = {std::min(range.first, own.value), std::max(range.second, own.value)};
                const std::string load = filled(label::on_path,
                    {{"path", load_of(*curve)},
                        {"options", kSustained.measured(curve->series->id) ? Options{} : curve->series->id.options}});
                watts.places.push_back(place_of(load, *curve, own));
                if (const Cell with_cap = samples_with_cap(*curve->series); with_cap.quantity())
                    samples.places.push_back(place_of(load, *curve, with_cap));
                asked.places.push_back(place_of(
                    load, *curve, as_count(static_cast<double>(curve->series->evidence.telemetry.during.samples))));
            }
            all.cells.emplace_back(
                device_text(of_device[0]), Quantity{(range.first + range.second) / 2, Unit::watts, range});
        }
        tell(out,
            exact_fact(card, {{"source", instrument(*alike[0]->series)}}, {{0, commonest_device(alike)}},
                {{"", {all}}, watts, samples, asked, power_limits(*alike[0])}),
            alike)
            .tells_all = false;
    }
}
} // namespace

const Rule power_cap{"power_cap", "path", tell_power_cap};

std::string throttle_text(const Series& series) {
    const std::vector<std::string> reasons = throttled_by(series);
    return reasons.empty() ? "" : fmt::format("{}: {}", instrument(series), joined_text(reasons));
}

const Rule clock_under_load{"clock_under_load", "path", tell_clock_under_load};

} // namespace sonde
