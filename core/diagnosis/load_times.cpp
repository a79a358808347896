// Rules about single loads: levels whose latency is the mean of two kinds of loads.
#include <cmath>

#include "core/base/text.h"
#include "core/diagnosis/rules.h"

namespace sonde {

namespace {
constexpr double kFewestSlow = 0.2, kMostSlow = 0.8; // shares of loads: a mean of two kinds
} // namespace

std::optional<MeanOfTwo> mean_of_two(const Card& card, const Curve& latency) {
    const Finding *far = latency.reached("L2 far"), *near = latency.reached("L2 near");
    if (!far || !near) return std::nullopt;
    std::optional<MeanOfTwo> found;
    for (const Curve* curve : curves_of(card, "load-times")) {
        if (device_text(curve) != device_text(&latency)) continue;
        const auto& all = curve->series->evidence.load_times;
        for (const LoadTimes& each : all) {
            const auto bytes = static_cast<double>(each.footprint_bytes);
            if (bytes <= off(*near) || bytes > on(*far) || &each == &all.back()) continue;
            const auto slow = slow_loads(each, all.back());
            const auto unequal = [](const SlowLoads& loads) { return std::abs(loads.share - 0.5); };
            if (slow && slow->share >= kFewestSlow && slow->share <= kMostSlow && (!found || unequal(*slow) < unequal(found->loads))) found = {curve, bytes, *slow};
        }
    }
    return found;
}

const Rule mean_of_two_kinds{"mean_of_two_kinds", "path", "A level that is a mean", [](const Card& card, Statements& out) {
    for (const Curve* curve : plain_curves(card, "latency", "global")) {
        const auto mean = mean_of_two(card, *curve);
        if (!mean) continue;
        const std::string unit = mean->curve->device->core_cycles ? "cycles" : "counts of the clock";
        say(out, {curve, mean->curve}, "L2 far, {} through {}, is a mean of two. At {} {:.0f} % of loads take {:.0f} {} or more, as loads from DRAM do; the others take {:.0f} in the median.", level_text(*curve->reached("L2 far")),
            device_text(curve), format_bytes(mean->bytes), mean->loads.share * 100, mean->loads.from, unit, mean->loads.others).effect = mean->loads.from / mean->loads.others;
        out.back().from[1].x = {mean->bytes}; // other footprints keep their findings
    }
}, "witness: load-times; evidence: load_times"};

} // namespace sonde
