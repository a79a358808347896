// The core clock while a load runs, and what the card's instruments say of it.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <span>

#include "core/analysis/derived_clock.h"
#include "core/base/statistics.h"
#include "core/base/text.h"
#include "core/diagnosis/arithmetic.h"
#include "core/diagnosis/rules.h"
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

/// Numbers from the least to the highest: "1965 to 1980 MHz".
struct MhzRange {
    double least = INFINITY, most = 0;
    void take(double mhz) { least = std::min(least, mhz), most = std::max(most, mhz); }
    std::string text() const {
        return most - least < 1 ? fmt::format("{:.0f} MHz", least) : fmt::format("{:.0f} to {:.0f} MHz", least, most);
    }
};

/// What the card's instruments say of series that one reason, or none, is named for: that reason, and their clock where
/// it is above the one that kernels count.
std::string instruments_text(const Curves& about) {
    MhzRange shown;
    bool unlike = true;
    for (const Curve* curve : about) {
        const CardDuring& during = curve->series->evidence.telemetry.during;
        const auto& range = during.core_mhz;
        if (!range || during.samples < kFewestSamples) continue;
        const double counted = median(clocks_of(*curve->series));
        unlike = unlike && range->low > kShownAbove * counted;
        shown.take(range->median);
    }
    const Series& first = *about[0]->series;
    const std::string reasons = fmt::format("{}", fmt::join(throttled_by(first), ", "));
    const auto contradicted = std::ranges::count_if(
        about, [](const Curve* curve) { return names_power_cap(*curve->series) && below_power_limit(*curve->series); });
    const std::string though = contradicted ? fmt::format(", though {}these loads stay below the card's limit",
                                                  contradicted < std::ssize(about) ? "some of " : "")
                                            : "";
    const bool both = unlike && shown.most > 0;
    if (reasons.empty())
        return both ? fmt::format(" By {} the clock is {} meanwhile, more than kernels count: cause unknown.",
                          instrument(first), shown.text())
                    : " Cause unknown.";
    return both ? fmt::format(" {} reports \"{}\"{}, and shows {}; kernels count less: cause unknown.",
                      instrument(first), reasons, though, shown.text())
                : fmt::format(" {} reports \"{}\"{}.", instrument(first), reasons, though);
}

/// The clocks under one kind of load.
struct LoadedClocks : MhzRange {
    int series = 0;
    std::string text() const {
        return series == 1 ? MhzRange::text() : fmt::format("{} series, {}", series, MhzRange::text());
    }
};

/// A series whose load lowers the clock.
struct UnderLoad {
    LoweredClock clock;
    const Curve* curve;
    std::string load;
};

MhzRange range_of(std::span<const UnderLoad> all) {
    MhzRange range;
    for (const UnderLoad& each : all) range.take(each.clock.under_load);
    return range;
}

/// How many series come before a step in time: all clocks before it are on one side of all behind it, and one kind of
/// load stands on both. nullopt: there is none.
std::optional<std::size_t> step_in_time(std::span<const UnderLoad> all) {
    constexpr std::size_t kFewestSeries = 10; // on either side: fewer may be of the loads' order
    constexpr double kStep = 1.01;            // times
    for (std::size_t i = kFewestSeries; i + kFewestSeries <= all.size(); ++i) {
        const auto before = all.first(i), after = all.subspan(i);
        const MhzRange early = range_of(before), late = range_of(after);
        const bool apart = early.least > kStep * late.most || late.least > kStep * early.most;
        if (apart && std::ranges::any_of(before, [&](const UnderLoad& each) {
                return std::ranges::find(after, each.load, &UnderLoad::load) != after.end();
            }))
            return i;
    }
    return std::nullopt;
}

/// "HMMA (2 series, 1800 to 1810 MHz) and IMMA (1790 MHz)"; without clocks where they step in time.
std::string loads_text(std::span<const UnderLoad> all, bool with_clocks) {
    std::map<std::string, LoadedClocks> by_load;
    for (const UnderLoad& each : all) {
        LoadedClocks& own = by_load[each.load];
        ++own.series, own.take(each.clock.under_load);
    }
    return list_text(by_load, [&](const auto& each) {
        return with_clocks ? fmt::format("{} ({})", each.first, each.second.text()) : each.first;
    });
}
} // namespace

std::string throttle_text(const Series& series) {
    const std::vector<std::string> reasons = throttled_by(series);
    return reasons.empty() ? "" : fmt::format("{}: {}", instrument(series), fmt::join(reasons, ", "));
}

/// Of each reason the series whose own load lowers the clock, by what they compute with; and which matrix instructions
/// do not.
const Rule clock_under_load{"clock_under_load", "path",
    [](const Card& card, Statements& out) {
        std::vector<UnderLoad> all;
        std::set<std::string> loads, others;
        for (const Curve& curve : card.curves)
            if (const auto lowered = lowered_clock(*curve.series))
                loads.insert(all.emplace_back(UnderLoad{*lowered, &curve, load_of(curve)}).load);
        for (const Curve* curve : curves_of(card, kMatrix))
            if (const std::string load = load_of(*curve);
                load != kMatrix.name && !loads.contains(load) && !clocks_of(*curve->series).empty())
                others.insert(load);
        for (const std::vector<UnderLoad>& lowered :
            grouped(all, [](const UnderLoad& each) { return throttle_text(*each.curve->series); })) {
            Curves about;
            std::size_t points = 0, known = 0;
            about.reserve(lowered.size());
            for (const UnderLoad& each : lowered) {
                about.push_back(each.curve);
                points += each.curve->series->points.size(), known += clocks_of(*each.curve->series).size();
            }
            const double beside =
                std::ranges::min(lowered, {}, [](const UnderLoad& each) { return each.clock.beside; }).clock.beside;
            const auto step = step_in_time(lowered);
            const std::string steps =
                step ? fmt::format(
                           " It is {} in the first {} series and {} in the {} behind them, whatever they compute.",
                           range_of(std::span(lowered).first(*step)).text(), *step,
                           range_of(std::span(lowered).subspan(*step)).text(), lowered.size() - *step)
                     : "";
            Statement& said = say(out, about,
                "The core clock falls under {}, from at least {:.0f} MHz before (medians of series{}).{}{}{} Compare "
                "these figures per clock.",
                loads_text(lowered, !step), beside,
                known < points ? fmt::format(", known at {} of {} points", known, points) : "", steps,
                others.empty()
                    ? ""
                    : fmt::format(" It does not under {}.", list_text(std::vector(others.begin(), others.end()))),
                instruments_text(about));
            said.effect = beside / range_of(lowered).least, said.tells_all = false;
        }
    },
    "evidence: clock"};

} // namespace sonde
