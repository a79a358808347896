// Conclusions from the curves of traffic probes.
#include "core/analysis/traffic.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include <fmt/format.h>

#include "core/analysis/findings.h"
#include "core/analysis/significance.h"
#include "core/base/statistics.h"
#include "core/base/text.h"
#include "core/data/shared_options.h"

namespace sonde {

double width_of(const Options& options) {
    return option::width.asked(options) ? number_of<double>(option::width.word(options)).value_or(0) : 0;
}

Conclusion levels_off(std::span<const CurvePoint> curve) {
    constexpr double kNearlyAll = 0.95, kStays = 0.88;
    if (curve.size() < 4) return Conclusion::inconclusive("fewer than four numbers of workgroups were measured");
    const double most = highest(curve).y;
    const auto first =
        std::find_if(curve.begin(), curve.end(), [&](const CurvePoint& point) { return point.y >= kNearlyAll * most; });
    if (first + 1 >= curve.end())
        return Conclusion::none_seen(
            fmt::format("no saturation seen up to {:g} workgroups: the rate still grows", curve.back().x));
    const auto falls =
        std::count_if(first, curve.end(), [&](const CurvePoint& point) { return point.y < kStays * most; });
    const double confidence = 1 - static_cast<double>(falls) / static_cast<double>(curve.end() - first);
    const double before = first == curve.begin() ? first->x : (first - 1)->x;
    Conclusion found{.value = first->x,
        .low = before,
        .high = first->x,
        .x = {before, first->x, curve.back().x},
        .confidence = confidence};
    if (before < first->x) found.sides = std::pair{before, first->x};
    return found;
}

Banks scratchpad_banks(std::span<const CurvePoint> curve, double width, double lanes) {
    constexpr double kConflict = 1.4, kSame = 1.2;
    Banks banks;
    std::vector<CurvePoint> doubling;
    for (const CurvePoint& point : curve)
        if (is_power_of_two(point.x)) doubling.push_back(point);
    if (doubling.size() < 3 || doubling[0].x != 1) {
        banks.count = Conclusion::inconclusive("strides of 1, 2, 4, ... were not measured");
        return banks;
    }
    const double free = doubling[0].y;
    banks.worst = highest(doubling).y / free;
    const auto first = std::find_if(
        doubling.begin(), doubling.end(), [&](const CurvePoint& point) { return point.y > kConflict * free; });
    if (first == doubling.end()) {
        banks.count = Conclusion::none_seen(
            fmt::format("no bank conflicts seen up to a stride of {:g} elements", doubling.back().x));
        return banks;
    }
    const auto round = std::find_if(
        first, doubling.end(), [&](const CurvePoint& point) { return point.y * kSame > highest(doubling).y; });
    if (round + 1 == doubling.end()) {
        banks.count = Conclusion::inconclusive(
            fmt::format("the cost still grows at {:g} elements, the largest power of two measured", round->x));
        return banks;
    }
    // At stride 1 loads of `width` bytes already take width / bank turns where they are wider than a bank.
    banks.width_bytes = first->x / 2 * width;
    const double all = round->x * width;
    double odd = 0, cheaper = 0; // strides: an odd one may not cost as much as the worst
    for (const CurvePoint& point : curve) {
        if (std::fmod(point.x, 2) != 1) continue;
        ++odd;
        cheaper += point.y < 0.75 * highest(doubling).y;
    }
    const double count = all / banks.width_bytes, meeting = std::min(lanes, count);
    const double confidence = cheaper / odd * std::clamp(1 - std::abs(banks.worst / meeting - 1), 0.0, 1.0);
    banks.count = {.value = count,
        .low = count,
        .high = count,
        .x = {1, first->x, round->x},
        .confidence = confidence,
        .sides = std::pair{1.0, first->x}};
    return banks;
}

double resident_workgroups(double of_core, double alone_ns, double together_ns) {
    const double rounds = of_core * together_ns / alone_ns;
    double best = 1, least = std::numeric_limits<double>::infinity();
    for (double resident = 1; resident <= of_core; ++resident) {
        const double off = std::abs(std::log(std::ceil(of_core / resident) / rounds));
        if (off < least) { // of those that need as many rounds the first
            best = resident;
            least = off;
        }
    }
    return best;
}

std::vector<SpeedClass> speed_classes(std::span<const CurvePoint> curve) {
    std::vector<std::size_t> order(curve.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return curve[a].y > curve[b].y; });
    std::vector<SpeedClass> classes;
    for (std::size_t i = 0; i < order.size(); ++i) {
        if (i == 0 || curve[order[i - 1]].y > kClassGap * curve[order[i]].y) classes.emplace_back();
        classes.back().chunks.push_back(order[i]);
    }
    const auto class_of = [&](std::size_t chunk) {
        return std::ranges::find_if(
            classes, [&](const SpeedClass& each) { return std::ranges::count(each.chunks, chunk) > 0; });
    };
    for (SpeedClass& each : classes) {
        if (each.chunks.size() != 1 || each.chunks[0] == 0 || each.chunks[0] + 1 == curve.size()) continue;
        const auto around = class_of(each.chunks[0] - 1);
        if (around != class_of(each.chunks[0] + 1) || around->chunks.size() < 2) continue;
        around->chunks.push_back(each.chunks[0]);
        each.chunks.clear();
    }
    std::erase_if(classes, [](const SpeedClass& each) { return each.chunks.empty(); });
    for (SpeedClass& each : classes) {
        std::vector<double> rates;
        for (const std::size_t chunk : each.chunks) rates.push_back(curve[chunk].y);
        each.rate = median(rates);
        std::sort(each.chunks.begin(), each.chunks.end());
    }
    return classes;
}

std::optional<Sectors> sectors(std::span<const CurvePoint> curve, double width) {
    constexpr double kHalves = 0.65, kKept = 0.75, kHolds = 0.9;
    for (std::size_t i = 1; i + 1 < curve.size(); ++i) {
        if (curve[i].y >= kHalves * curve[i - 1].y || curve[i + 1].y < kKept * curve[i].y) continue;
        Sectors found{.bytes = curve[i].x * width, .stride = curve[i].x, .next = curve[i + 1].x, .rate = curve[i].y};
        const auto holds_from = [&](std::size_t k) {
            return std::ranges::all_of(
                curve.subspan(k), [&](const CurvePoint& point) { return point.y >= kHolds * curve[k].y; });
        };
        std::size_t last = i;
        while (!holds_from(last)) ++last;
        if (last > i && last + 1 < curve.size()) found.floor = curve[last];
        return found;
    }
    return std::nullopt;
}

double scattered_bytes(std::uint64_t footprint, std::uint32_t element_bytes) {
    return static_cast<double>(std::bit_floor(footprint / element_bytes)) * element_bytes;
}

Conclusion channel_stripe(std::span<const CurvePoint> apart, std::span<const CurvePoint> beside) {
    constexpr double kLost = 1.5;
    if (apart.size() < 4 || apart.size() != beside.size())
        return Conclusion::inconclusive("fewer than four distances were measured");
    std::vector<double> lost;
    for (std::size_t i = 0; i < apart.size(); ++i) lost.push_back(beside[i].y / apart[i].y);
    const auto [least, most] = std::ranges::minmax(lost);
    const auto less = [](double factor) { return 100 * (1 - 1 / factor); }; // %
    if (most < kLost)
        return Conclusion::none_seen(
            fmt::format("streams a power of two apart read {:.0f} to {:.0f} % less than with one line added, at every "
                        "distance from {} to {}: none collapses onto few channels ({} of requested words at the last)",
                less(least), less(most), format_bytes(apart.front().x), format_bytes(apart.back().x),
                format_si(apart.back().y * 1e9, "B/s")));
    const auto first = std::find_if(lost.begin(), lost.end(), [&](double factor) { return factor >= kLost; });
    const auto index = static_cast<std::size_t>(first - lost.begin());
    const auto strays = std::count_if(first, lost.end(), [&](double factor) { return factor <= 1.2; });
    const double confidence = 1 - static_cast<double>(strays) / static_cast<double>(lost.end() - first);
    return {.value = apart[index].x,
        .low = apart[index ? index - 1 : 0].x,
        .high = most,
        .x = {apart[index].x},
        .confidence = confidence,
        .sides = std::pair{apart[index].x, beside[index].x}};
}

std::vector<DataEffect> effects_of_data(std::span<const RandomReads> reads, double noise) {
    constexpr double kFalseAlarm = 0.01;
    std::map<std::uint64_t, std::pair<std::vector<double>, std::vector<double>>>
        by_bytes; // rates of random data, logarithms of times
    for (const RandomReads& each : reads) {
        if (!(each.times > 0)) continue;
        auto& [rates, logs] = by_bytes[each.bytes];
        rates.push_back(each.gb_per_s);
        logs.push_back(std::log(each.times));
    }
    std::vector<DataEffect> effects;
    for (const auto& [bytes, values] : by_bytes) {
        const auto& [rates, logs] = values;
        const Difference difference = welch(
            0, {0, std::numeric_limits<double>::infinity()}, 1, mean(logs), variance(logs), logs.size(), noise * noise);
        effects.push_back({static_cast<double>(bytes), mean(rates), std::exp(difference.value),
            logs.size() > 1 ? std::optional(difference.chance() < kFalseAlarm) : std::nullopt});
    }
    return effects;
}

std::string_view atomic_cells(const SeriesId& id) {
    if (option::layout.is(id.options, CellLayout::consecutive)) return "neighbouring words";
    if (option::layout.is(id.options, CellLayout::distinct_lines)) return "words a line apart";
    return "one address"; // in scratchpad one of each workgroup
}

bool card_of_its_own(const Curve& curve) { return !curve.device->cpu && !curve.device->software; }

bool is_copied_from_cache(const Curve& curve) {
    constexpr double kFromCache = 1.3; // times the rate of the largest transfers
    const auto points = curve_of(*curve.series);
    const double ways = option::direction.is(curve.series->id.options, Direction::both) ? 2 : 1,
                 link = ways * curve.device->host_link_bytes_per_second / 1e9;
    double best = 0; // that three of four samples reach
    for (const Point& point : curve.series->points) best = std::max(best, point.low.value_or(point.median.value_or(0)));
    return points.size() > 1 && card_of_its_own(curve) && best >= kFromCache * points.back().y &&
           (link <= 0 || best > link);
}

} // namespace sonde
