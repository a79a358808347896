// Rules about single loads: levels whose latency is the mean of two kinds of loads.
#include <algorithm>

#include "core/base/text.h"
#include "core/diagnosis/rules.h"

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
    const Finding *far = latency.reached("L2 far"), *near = latency.reached("L2 near");
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

const Rule mean_of_two_kinds{"mean_of_two_kinds", "path",
    [](const Card& card, Statements& out) {
        Parts parts;
        std::vector<std::pair<SeriesId, double>> places; // of single loads; other footprints keep their findings
        for (const Curve* curve : plain_curves(card, kLatency, "global")) {
            const auto mean = mean_of_two(card, *curve);
            if (!mean) continue;
            const std::string unit = mean->curve->device->core_cycles ? "cycles" : "counts of the clock";
            const SlowLoads& loads = mean->loads;
            const std::string place = fmt::format("on {} at {} (L2 far) through {}", mean->curve->series->id.path,
                format_bytes(mean->bytes), device_text(curve));
            parts.add(parts.texts.empty()
                          ? fmt::format("O{} {:.0f} % of loads take as long as DRAM's fastest 2 % ({:.0f} {} or more), "
                                        "and {:.0f} % as long as DRAM's median",
                                place.substr(1), loads.share * 100, loads.from, unit, loads.as_median * 100)
                          : fmt::format("{} {:.0f} % ({:.0f} {} or more) and {:.0f} %", place, loads.share * 100,
                                loads.from, unit, loads.as_median * 100),
                {curve, mean->curve}, loads.from / loads.others);
            places.emplace_back(mean->curve->series->id, mean->bytes);
        }
        const std::size_t before = out.size();
        parts.tell(out, "{}. Latencies of L2 far and DRAM overlap: cause unknown.");
        if (out.size() == before) return;
        for (CitedSeries& from : out.back().from)
            for (const auto& [id, bytes] : places)
                if (from.series == id) from.x = {bytes};
    },
    "witness: load-times; evidence: load_times"};

} // namespace sonde
