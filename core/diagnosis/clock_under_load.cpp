// The core clock while a load runs, and what the card's instruments say of it.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "core/analysis/derived_clock.h"
#include "core/base/statistics.h"
#include "core/base/text.h"
#include "core/diagnosis/arithmetic.h"
#include "core/diagnosis/rules.h"
#include "core/probes/probe.h"

namespace sonde {

namespace {
constexpr std::size_t kFewestSamples = 4; // of the instruments' own: a few may be of the pauses between short kernels
constexpr double kShownAbove = 1.03; // times the clock that kernels count: the driver shows another one

/// What a series' kernel computes with: "HMMA", of a matrix unit's series, or that no such instruction stands in it; of a sustained load its operation; else the probe.
std::string load_of(const Curve& curve) {
    if (kSustained.measured(curve.series->id)) return option::operation.word(curve.series->id.options);
    const auto& kernel = curve.series->evidence.kernel;
    std::pair<double, std::string> most{0, ""};
    if (const Operation* operation = operation_of(curve); operation && operation->matrix && kernel)
        for (const auto& [mnemonic, count] : kernel->step_instructions)
            if (mnemonic.find("MMA") != std::string::npos && count > most.first) most = {count, mnemonic.substr(0, mnemonic.find('.'))};
    if (!most.second.empty()) return most.second;
    return kernel && !kernel->step_instructions.empty() && kMatrix.measured(curve.series->id) ? "forms whose listing shows no matrix instruction" : curve.series->id.probe;
}

std::string instrument(const Series& series) { return series.evidence.telemetry.source.empty() ? "the driver" : series.evidence.telemetry.source; }

/// Numbers from the least to the highest: "1965 to 1980 MHz".
struct MhzRange {
    double least = INFINITY, most = 0;
    void take(double mhz) { least = std::min(least, mhz), most = std::max(most, mhz); }
    std::string text() const { return most - least < 1 ? fmt::format("{:.0f} MHz", least) : fmt::format("{:.0f} to {:.0f} MHz", least, most); }
};

/// What the card's instruments say of series that one reason, or none, is named for: that reason, and their clock where it is above the one that kernels count.
std::string instruments_text(const Curves& about) {
    MhzRange shown, above;
    bool unlike = true;
    for (const Curve* curve : about) {
        const CardDuring& during = curve->series->evidence.telemetry.during;
        const auto& range = during.core_mhz;
        if (!range || during.samples < kFewestSamples) continue;
        const double counted = median(clocks_of(*curve->series));
        unlike = unlike && range->low > kShownAbove * counted;
        shown.take(range->median), above.take(range->median - counted);
    }
    const Series& first = *about[0]->series;
    const std::string reported = throttle_text(first);
    const auto contradicted = std::ranges::count_if(about, [](const Curve* curve) { return names_power_cap(*curve->series) && below_power_limit(*curve->series); });
    const std::string reason = reported.empty() ? "" : fmt::format(" Reported by {}{}.", reported, contradicted ? fmt::format(", though {}these loads stay below the card's limit", contradicted < std::ssize(about) ? "some of " : "") : "");
    if (unlike && shown.most > 0) return reason + fmt::format(" By {} the clock is {} meanwhile, {} more than kernels count: cause unknown.", instrument(first), shown.text(), above.text());
    return reason.empty() ? " Cause unknown." : reason;
}

/// The clocks under one kind of load.
struct LoadedClocks : MhzRange {
    int series = 0;
    std::string text() const { return series == 1 ? MhzRange::text() : fmt::format("{} series, {}", series, MhzRange::text()); }
};
} // namespace

std::string throttle_text(const Series& series) {
    const std::vector<std::string> reasons = throttled_by(series);
    return reasons.empty() ? "" : fmt::format("{}: {}", instrument(series), fmt::join(reasons, ", "));
}

/// Of each reason the series whose own load lowers the clock, by what they compute with; and which matrix instructions do not.
const Rule clock_under_load{"clock_under_load", "path", "A lower clock under load", [](const Card& card, Statements& out) {
    std::vector<std::pair<LoweredClock, const Curve*>> all;
    std::set<std::string> loads, others;
    for (const Curve& curve : card.curves)
        if (const auto lowered = lowered_clock(*curve.series)) all.emplace_back(*lowered, &curve), loads.insert(load_of(curve));
    for (const Curve* curve : curves_of(card, kMatrix))
        if (const std::string load = load_of(*curve); load != kMatrix.name && !loads.contains(load) && !clocks_of(*curve->series).empty()) others.insert(load);
    for (const auto& lowered : grouped(all, [](const auto& each) { return throttle_text(*each.second->series); })) {
        Curves about;
        std::map<std::string, LoadedClocks> by_load;
        std::size_t points = 0, known = 0;
        double least = INFINITY;
        for (const auto& [clock, curve] : lowered) {
            LoadedClocks& own = by_load[load_of(*curve)];
            points += curve->series->points.size();
            about.push_back(curve), ++own.series;
            known += clocks_of(*curve->series).size(), own.take(clock.under_load);
            least = std::min(least, own.least);
        }
        const double beside = std::ranges::min(lowered, {}, [](const auto& each) { return each.first.beside; }).first.beside;
        const std::string under = list_text(std::vector(by_load.begin(), by_load.end()), [](const auto& each) { return fmt::format("{} ({})", each.first, each.second.text()); });
        Statement& said = say(out, about, "The core clock falls under {}, from at least {:.0f} MHz before (medians of series{}).{}{} Compare these figures per clock.", under, beside, known < points ? fmt::format(", known at {} of {} points", known, points) : "",
                              others.empty() ? "" : fmt::format(" It does not under {}.", list_text(std::vector(others.begin(), others.end()))), instruments_text(about));
        said.effect = beside / least, said.tells_all = false;
    }
}, "evidence: clock"};

} // namespace sonde
