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
    for (const Curve* curve : curves_of(card, kLoadTimes)) {
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

const Rule mean_of_two_kinds{"mean_of_two_kinds", "path", "Loads of L2 far as slow as DRAM's", [](const Card& card, Statements& out) {
    Parts parts;
    std::vector<std::pair<SeriesId, double>> places; // of single loads; other footprints keep their findings
    for (const Curve* curve : plain_curves(card, kLatency, "global")) {
        const auto mean = mean_of_two(card, *curve);
        if (!mean) continue;
        const std::string unit = mean->curve->device->core_cycles ? "cycles" : "counts of the clock";
        parts.add(fmt::format("Through {} {:.0f} % of those at {} take {:.0f} {} or more, the others {:.0f} in the median", device_text(curve), mean->loads.share * 100, format_bytes(mean->bytes), mean->loads.from, unit, mean->loads.others), {curve, mean->curve},
                  mean->loads.from / mean->loads.others);
        places.emplace_back(mean->curve->series->id, mean->bytes);
    }
    const std::size_t before = out.size();
    parts.tell(out, "Loads of L2 far are in part as slow as loads from DRAM. {}. The bound is the time by which the fastest 2 % of loads from DRAM end.");
    if (out.size() == before) return;
    for (CitedSeries& from : out.back().from)
        for (const auto& [id, bytes] : places)
            if (from.series == id) from.x = {bytes};
}, "witness: load-times; evidence: load_times"};

} // namespace sonde
