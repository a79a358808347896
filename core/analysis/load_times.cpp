// Bins and quantiles.
#include "core/analysis/load_times.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <vector>

#include <fmt/format.h>

namespace sonde {

namespace {
double count_of(const LoadTimes& times) { return std::accumulate(times.loads.begin(), times.loads.end(), 0.0); }
} // namespace

LoadTimes binned(std::uint64_t footprint_bytes, std::span<const std::uint32_t> counts, double nothing, double bin) {
    LoadTimes times{.footprint_bytes = footprint_bytes, .nothing = nothing, .bin = bin};
    std::map<double, std::uint32_t> bins;
    for (const std::uint32_t count : counts) ++bins[std::floor(std::max(0.0, count - nothing) / bin) * bin];
    for (const auto& [from, loads] : bins) {
        times.from.push_back(from);
        times.loads.push_back(loads);
    }
    return times;
}

double time_of(const LoadTimes& times, double share) {
    const double wanted = share * count_of(times);
    double before = 0;
    for (std::size_t i = 0; i < times.from.size(); before += times.loads[i++])
        if (before + times.loads[i] >= wanted)
            return times.from[i] + times.bin * std::max(0.0, wanted - before) / times.loads[i];
    return 0;
}

double share_from(const LoadTimes& times, double counts) {
    double slow = 0;
    for (std::size_t i = 0; i < times.from.size(); ++i)
        slow += times.loads[i] * std::clamp((times.from[i] + times.bin - counts) / times.bin, 0.0, 1.0);
    return slow > 0 ? slow / count_of(times) : 0;
}

std::optional<TwoKinds> two_kinds(const LoadTimes& times) {
    constexpr double
        kValley = 0.35,
        kEmpty = 0.1, kFewest = 0.2, kMost = 0.98,
        kWidest = 0.08; // of the lower peak; of the loads; of a group's median, unless the valley is all but empty
    const double all = count_of(times);
    if (all == 0) return std::nullopt;
    const auto place = [&](double from) {
        return static_cast<std::size_t>(std::lround((from - times.from.front()) / times.bin));
    };
    std::vector<double> loads(place(time_of(times, kMost)) + 1);
    for (std::size_t i = 0; i < times.from.size() && place(times.from[i]) < loads.size(); ++i)
        loads[place(times.from[i])] = times.loads[i];
    const auto is_narrow = [&](double from, double to) {
        const auto quantile = [&](double of) { return time_of(times, from + of * (to - from)); };
        return quantile(0.75) - quantile(0.25) <= kWidest * quantile(0.5);
    };
    std::optional<TwoKinds> found;
    double deepest = kValley;
    for (std::size_t i = 1; i + 1 < loads.size(); ++i) {
        const auto begin = loads.begin(), middle = begin + static_cast<std::ptrdiff_t>(i);
        const double depth =
            loads[i] / std::min(*std::max_element(begin, middle), *std::max_element(middle + 1, loads.end()));
        const double share = std::accumulate(begin, middle, loads[i] / 2) / all;
        if (!(depth < deepest) || share < kFewest || share > 1 - kFewest ||
            (depth > kEmpty && !(is_narrow(0, share) && is_narrow(share, 1))))
            continue;
        deepest = depth;
        found = TwoKinds{share, time_of(times, share / 2), time_of(times, (1 + share) / 2)};
    }
    return found;
}

std::string share_of_loads(double share) {
    return std::abs(share - 0.5) < 0.05 ? "about half of the loads" : fmt::format("{:.0f} % of loads", share * 100);
}

std::optional<double> as_slow_as_median(const LoadTimes& at, const LoadTimes& last) {
    if (count_of(at) == 0 || count_of(last) == 0) return std::nullopt;
    return share_from(at, time_of(last, 0.5));
}

std::optional<double> as_slow_as_faster_kind(const LoadTimes& at, const LoadTimes& last) {
    constexpr double kLeft = 0.1; // of the faster kind
    const auto kinds = two_kinds(last);
    if (!kinds || count_of(at) == 0) return std::nullopt;
    return share_from(at, time_of(last, kLeft * kinds->share));
}

} // namespace sonde
