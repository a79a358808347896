// The lines, from the API whose curve shows most.
#include "core/diagnosis/overview.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>

#include "core/analysis/findings.h"
#include "core/analysis/rate_levels.h"
#include "core/analysis/traffic.h"
#include "core/base/statistics.h"
#include "core/base/text.h"
#include "core/data/footprints.h"
#include "core/data/profile.h"
#include "core/device/capability.h"
#include "core/diagnosis/rules.h"
#include "core/probes/probe.h"

namespace sonde {

namespace {
constexpr double kOneRate = 0.05; // of the highest: footprints of about that rate

/// The highest of the curves' medians over the footprints of the first range in which any was measured, or of their
/// rates where these still fall, with the footprints around it of about that rate.
std::optional<Rate> best_rate(const Curves& curves, const std::vector<FootprintRange>& ranges) {
    for (const FootprintRange& range : ranges) {
        std::optional<Rate> best;
        for (const Curve* curve : curves) {
            std::vector<CurvePoint> points = curve_of(*curve->series);
            std::erase_if(points, [&](const CurvePoint& point) { return !range.holds(point.x); });
            if (points.empty()) continue;
            std::vector<CurvePoint> by_rate = points;
            std::ranges::sort(by_rate, {}, &CurvePoint::y);
            const bool falls = range.near_caches && points.back().y < (1 - kOneRate) * by_rate[by_rate.size() / 2].y;
            const double middle = falls ? points.back().x : by_rate[by_rate.size() / 2].x;
            const CurvePoint& usual = *std::ranges::find(points, middle, &CurvePoint::x);
            if (const auto plateau = plateau_around(points, usual); !best || usual.y > best->gigabytes)
                best = Rate{.gigabytes = usual.y,
                    .least = plateau.size() < points.size() && !falls ? by_rate.front().y : 0,
                    .most = plateau.size() < points.size() && !falls ? by_rate.back().y : 0,
                    .from = plateau.front().x,
                    .to = plateau.back().x,
                    .width = width_of(curve->series->id.options)};
        }
        if (best) return best;
    }
    return std::nullopt;
}

} // namespace

bool counts_core_clock(const Curve& curve) {
    const Probe* probe = find_probe(curve.series->id.probe);
    return !probe || !probe->clock_of_one_subgroup;
}

double clock_mhz(const Card& card) {
    std::vector<double> clocks;
    std::vector<double> lowered; // before series whose load lowers it
    for (const Curve& curve : card.curves)
        if (curve.disturbed || !counts_core_clock(curve)) continue;
        else if (const auto low = lowered_clock(*curve.series)) lowered.push_back(low->beside);
        else
            for (const double mhz : clocks_of(*curve.series)) clocks.push_back(mhz);
    return !clocks.empty() ? median(clocks) : lowered.empty() ? 0 : median(lowered);
}

std::optional<Rate> read_rate(const Card& card, const Curve& latency, const Finding& level) {
    return read_rate(card, latency, level, device_text(&latency));
}

std::optional<Rate> read_rate(const Card& card, const Curve& latency, const Finding& level, const std::string& device,
    std::optional<std::uint32_t> width) {
    Curves curves = curves_of(card, kBandwidth);
    std::erase_if(curves, [&](const Curve* curve) {
        const SeriesId& id = curve->series->id;
        return id.device != device || id.path != latency.series->id.path || !is_alone(option::width, id.options) ||
               (width && option::width.in(id.options) != *width);
    });
    auto rate = best_rate(curves, rate_footprints(latency, level));
    const auto& reported = latency.device->cache_levels; // of a processor, whose share of them its latency shows
    const double caches = std::max(end_of_caches(latency), reported.empty() ? 0 : static_cast<double>(reported.back()));
    if (rate && latency.reached(LevelName::dram()) == &level && std::isfinite(caches))
        rate->cached = std::min(1.0, caches / rate->from);
    const double peak = card.largest(&DeviceInfo::bus_bytes_per_second);
    const bool above_peak =
        peak > 0 && rate && rate->gigabytes * 1e9 > peak; // of a sweep that ended early: caches served what it counts
    return rate && rate->cached > 0 && above_peak ? std::nullopt : rate;
}

std::optional<Rate> fill_rate(
    const Card& card, const Curve& latency, const Finding& level, const std::string& device, std::uint32_t width) {
    Curves fills = curves_with(card, kStream, "global", option::operation.as("fill") * option::width.as(width));
    std::erase_if(fills, [&](const Curve* fill) { return device_text(fill) != device; });
    return best_rate(fills, rate_footprints(latency, level));
}

std::string dram_peak_line(const Card& card) {
    constexpr double kTransfers = 2; // of a clock
    const double peak = card.largest(&DeviceInfo::bus_bytes_per_second);
    for (const DeviceRecord* device : card.devices) {
        const double bits = number_of_fact(device->facts, "memory bus width"),
                     mhz = number_of_fact(device->facts, "memory clock") / 1e3;
        if (bits > 0 && mhz > 0 && std::abs(bits / 8 * mhz * 1e6 * kTransfers / peak - 1) < 1e-3)
            return fmt::format(
                "DRAM peak {:.2f} TB/s: {:g} bit x {:g} MHz x {:g}.", peak / 1e12, bits, mhz, kTransfers);
    }
    return "";
}

std::size_t with_points(const Card& card) {
    return static_cast<std::size_t>(
        std::ranges::count_if(card.curves, [](const Curve& curve) { return !curve.series->points.empty(); }));
}

Curves curves_in_use(const Card& card) {
    Curves used;
    for (const Curve& curve : card.curves)
        if (!curve.series->points.empty() && curve.disturbed) used.push_back(&curve);
    return 2 * used.size() < with_points(card) ? Curves{} : used;
}

/// ": 3 blocks (26 of 127 series fewer: 20 as time was over, of which 10 end early)"; where no series has more than
/// one, ": one block".
static std::string blocks_text(const Card& card, std::size_t blocks) {
    std::size_t fewer = 0, over = 0, early = 0, most = 0;
    for (const Curve& curve : card.curves) {
        const Series& series = *curve.series;
        const std::size_t own = blocks_of(series);
        most = std::max(most, own);
        if (!is_cut_short(series) && (own == 0 || own >= blocks)) continue;
        fewer += !series.points.empty();
        over += !series.points.empty() && is_cut_short(series);
        early += !series.points.empty() && ends_early(series);
    }
    if (blocks == 1 || most == 1) return fmt::format(": one block{}", blocks == 1 ? "" : fmt::format(" of {}", blocks));
    if (fewer == 0) return fmt::format(": {} blocks", blocks);
    const std::string cut =
        over == 0 ? ""
                  : fmt::format("{}as time was over{}", over == fewer ? ", " : fmt::format(": {} ", over),
                        early == 0      ? ""
                        : early == over ? ", all of which end early"
                                        : fmt::format(", of which {} end{} early", early, early == 1 ? "s" : ""));
    return fmt::format(": {} blocks ({} of {} series fewer{})", blocks, fewer, with_points(card), cut);
}

double cores_of(const Card& card) {
    std::map<std::uint32_t, int> told;
    for (const DeviceRecord* device : card.devices)
        if (device->cores > 0) ++told[device->cores];
    const auto most =
        std::max_element(told.rbegin(), told.rend(), [](const auto& a, const auto& b) { return a.second < b.second; });
    return most == told.rend() ? 0 : most->first;
}

std::string card_line(const Card& card, std::string_view profile) {
    std::vector<std::string> drivers;
    for (const DeviceRecord* device : card.devices)
        if (std::ranges::any_of(card.curves, [&](const Curve& curve) { return curve.series->id.device == device->id; }))
            drivers.push_back(fmt::format("{} {}", device->id, device->driver));
    const double cores = cores_of(card);
    std::string text = card.name;
    if (cores > 0) text += fmt::format(", {:.0f} cores", cores);
    if (const double mhz = clock_mhz(card); mhz > 0) text += fmt::format(" at {:.0f} MHz", mhz);
    if (const double peak = card.largest(&DeviceInfo::bus_bytes_per_second); peak > 0)
        text += fmt::format(", DRAM {:.2f} TB/s", peak / 1e12);
    text += fmt::format("; {}.", fmt::join(drivers, ", "));
    const Profile* known = find_profile(profile);
    const bool untold = std::ranges::any_of(card.curves, &Curve::one_block);
    if (known)
        text += fmt::format(" Profile {}{}{}.", profile, blocks_text(card, static_cast<std::size_t>(known->blocks)),
            untold ? "; lines, ways, TLBs, sharing and segments of a processor need several blocks (--profile standard)"
                   : "");
    return text;
}

} // namespace sonde
