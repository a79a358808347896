// The lines, from the API whose curve shows most.
#include "core/diagnosis/overview.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <tuple>

#include "core/analysis/findings.h"
#include "core/analysis/load_times.h"
#include "core/analysis/rate_levels.h"
#include "core/analysis/traffic.h"
#include "core/base/statistics.h"
#include "core/base/text.h"
#include "core/data/profile.h"
#include "core/diagnosis/rules.h"

namespace sonde {

namespace {
constexpr double kWorthAWord = 0.005; // of a rate
constexpr double kOneRate = 0.05;     // of the highest: footprints of about that rate
constexpr double kOneNumber = 1.03;   // times: rates told as one
constexpr double kOtherRate = 1.5;    // times: no rate of the same level
constexpr double kSlope = 2;          // times the end of a level, at which the next one begins

/// Of the plain latency curves on a path `preferred`'s, where it has one; else the one with the most levels, of equals
/// one in cycles, the fastest; nullptr: none.
const Curve* fullest(const Card& card, std::string_view path, const Curve* preferred = nullptr) {
    const Curve* best = nullptr;
    for (const Curve* curve : plain_curves(card, kLatency, path)) {
        if (curve->levels.empty()) continue;
        if (preferred && device_text(curve) == device_text(preferred)) return curve;
        if (preferred && preferred->device->cpu) continue; // a load's time holds what each driver does between two
        const auto rank = [](const Curve& each) {
            return std::tuple(each.levels.size(), each.levels[0].cycles.has_value());
        };
        if (!best || rank(*curve) > rank(*best) ||
            (rank(*curve) == rank(*best) && *curve->levels[0].value < kAgrees * *best->levels[0].value))
            best = curve;
    }
    return best;
}

std::string number_text(const Finding& level) {
    return level.cycles ? fmt::format("{:.0f}", *level.cycles) : fmt::format("{:.3g} ns", level.value.value_or(0));
}

/// " (mean: ...)" of a level whose single loads are of two kinds, else "".
std::string mean_text(const Card& card, const Curve& curve, const std::string& name, const Finding& level) {
    const auto slow = name == "L2 far" ? mean_of_two(card, curve) : std::nullopt;
    if (slow)
        return fmt::format(" (mean: {:.0f} % of loads take {:.0f} or more, the others {:.0f})", slow->loads.share * 100,
            slow->loads.from, slow->loads.others);
    const auto kinds = name == "L2 near" ? kinds_of_level(card, curve, level) : std::nullopt;
    return kinds ? fmt::format(" (mean: {} take about {:.0f}, the others {:.0f})", share_of_loads(kinds->kinds.share),
                       kinds->kinds.faster, kinds->kinds.slower)
                 : "";
}

std::string level_part(const std::string& name, const Finding& level, const Finding* next, const std::string& mean) {
    if (level.capacity_bytes->second) {
        const bool slope = next && !next->x.empty() && next->x.front() > kSlope * off(level);
        return fmt::format("{} {}{} to {}{}", name, number_text(level), mean, edge_text(level),
            slope ? fmt::format(" (no sure level to {})", format_bytes(next->x.front())) : "");
    }
    return fmt::format("{} {}{}{}", name, number_text(level),
        level.cycles ? fmt::format(" ({:.3g} ns)", level.value.value_or(0)) : "",
        level.tlb_beyond_bytes ? fmt::format(" to {}, TLB misses beyond", format_bytes(*level.tlb_beyond_bytes)) : "");
}

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
                    .from = plateau.front().x,
                    .to = plateau.back().x,
                    .width = width_of(curve->series->id.options)};
        }
        if (best) return best;
    }
    return std::nullopt;
}

/// " of 8-byte loads"; "" of the widest.
std::string narrow_text(double width) {
    return width > 0 && width < 16 ? fmt::format(" of {:g}-byte loads", width) : "";
}

/// Rates of the level's path where its sweep of latency ends inside the level and that of bandwidth goes on: "; 4.21
/// GB/s to 8.51 GB/s at 11.5-22.5 KiB, where latency was not measured". "" where they are as the level's.
std::string beyond_sweep_text(const Card& card, const Curve& latency, const Finding& level, const Rate& rate) {
    std::vector<CurvePoint> beyond;
    for (const Curve* curve : curves_of(card, kBandwidth))
        if (device_text(curve) == device_text(&latency) && curve->series->id.path == latency.series->id.path &&
            option::width.alone(curve->series->id.options) && width_of(curve->series->id.options) == rate.width)
            for (const CurvePoint& point : points_of(*curve))
                if (point.x > rate.to && point.x > latency.series->points.back().x) beyond.push_back(point);
    if (level.capacity_bytes->second || beyond.empty()) return "";
    const auto [least, most] = std::ranges::minmax(beyond, {}, &CurvePoint::y);
    if (most.y < kOtherRate * rate.gigabytes && least.y * kOtherRate > rate.gigabytes) return "";
    return fmt::format("; {}{} at {}, where latency was not measured",
        most.y > kOneNumber * least.y ? rate_text(least.y) + " to " : "", rate_text(most.y),
        place_text({"", "bytes"}, beyond.front().x, beyond.back().x));
}

/// "4.55 TB/s at 128 MiB-4 GiB (94 % of peak)".
std::string rate_at(const Rate& rate, const std::string& share) {
    return fmt::format("{}{} at {}{}", rate_text(rate.gigabytes), narrow_text(rate.width),
        rate.from < rate.to ? format_byte_range(rate.from, rate.to) : format_bytes(rate.to),
        share.empty() ? "" : " (" + share + ")");
}
} // namespace

double clock_mhz(const Card& card) {
    std::vector<double> clocks;
    std::vector<double> lowered; // before series whose load lowers it
    for (const Curve& curve : card.curves)
        if (const auto low = lowered_clock(*curve.series)) lowered.push_back(low->beside);
        else
            for (const double mhz : clocks_of(*curve.series)) clocks.push_back(mhz);
    return !clocks.empty() ? median(clocks) : lowered.empty() ? 0 : median(lowered);
}

std::optional<Rate> read_rate(const Card& card, const Curve& latency, const Finding& level) {
    Curves curves = curves_of(card, kBandwidth);
    std::erase_if(curves, [&](const Curve* curve) {
        const SeriesId& id = curve->series->id;
        return id.device != latency.series->id.device || id.path != latency.series->id.path ||
               !option::width.alone(id.options);
    });
    auto rate = best_rate(curves, rate_footprints(latency, level));
    const auto& reported = latency.device->cache_levels; // of a processor, whose share of them its latency shows
    const double caches = std::max(end_of_caches(latency), reported.empty() ? 0 : static_cast<double>(reported.back()));
    if (rate && latency.reached("DRAM") == &level && std::isfinite(caches))
        rate->cached = std::min(1.0, caches / rate->from);
    const double peak = card.largest(&DeviceInfo::bus_bytes_per_second);
    const bool above_peak =
        peak > 0 && rate && rate->gigabytes * 1e9 > peak; // of a sweep that ended early: caches served what it counts
    return rate && rate->cached > 0 && above_peak ? std::nullopt : rate;
}

std::optional<Rate> fill_rate(const Card& card, const Curve& latency) {
    if (latency.level_names.empty() || latency.level_names.back() != "DRAM") return std::nullopt;
    Curves fills = curves_with(card, kStream, "global", option::operation.as("fill") * option::width.as(16));
    std::erase_if(fills, [&](const Curve* fill) { return device_text(fill) != device_text(&latency); });
    return best_rate(fills, rate_footprints(latency, latency.levels.back()));
}

std::string share_text(const Card& card, const Rate& rate, bool dram) {
    const double peak = card.largest(&DeviceInfo::bus_bytes_per_second),
                 each_cycle = card.largest(&DeviceInfo::cores) * clock_mhz(card) / 1e3;
    if (dram && peak > 0) return fmt::format("{:.0f} % of peak", rate.gigabytes * 1e11 / peak);
    if (dram)
        return card.devices[0]->cpu ? "peak not reported"
                                    : "no driver reports the memory's peak rate: --dram-bandwidth GB/s gives it";
    return each_cycle > 0 ? fmt::format("{:.3g} bytes per core and cycle", rate.gigabytes / each_cycle) : "";
}

std::size_t with_points(const Card& card) {
    return static_cast<std::size_t>(
        std::ranges::count_if(card.curves, [](const Curve& curve) { return !curve.series->points.empty(); }));
}

/// ": 3 blocks (26 of 127 series fewer: 20 as time was over, of which 10 end early)"; where no series has more than
/// one, ": one block, no error bars".
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
    if (blocks == 1 || most == 1)
        return fmt::format(": one block{}, no error bars", blocks == 1 ? "" : fmt::format(" of {}", blocks));
    if (fewer == 0) return fmt::format(": {} blocks", blocks);
    const std::string cut =
        over == 0 ? ""
                  : fmt::format("{}as time was over{}", over == fewer ? ", " : fmt::format(": {} ", over),
                        early == 0      ? ""
                        : early == over ? ", all of which end early"
                                        : fmt::format(", of which {} end{} early", early, early == 1 ? "s" : ""));
    return fmt::format(": {} blocks ({} of {} series fewer{})", blocks, fewer, with_points(card), cut);
}

std::string card_line(const Card& card, std::string_view profile) {
    std::vector<std::string> drivers;
    for (const DeviceRecord* device : card.devices)
        if (std::ranges::any_of(card.curves, [&](const Curve& curve) { return curve.series->id.device == device->id; }))
            drivers.push_back(fmt::format("{} {}", device->id, device->driver));
    const double cores = card.largest(&DeviceInfo::cores);
    std::string text = card.name;
    if (cores > 0) text += fmt::format(", {:.0f} cores", cores);
    if (const double mhz = clock_mhz(card); mhz > 0) text += fmt::format(" at {:.3g} GHz", mhz / 1e3);
    text += fmt::format("; {}.", fmt::join(drivers, ", "));
    const Profile* known = find_profile(profile);
    const bool untold = std::ranges::any_of(card.curves, &Curve::one_block);
    if (known)
        text += fmt::format(" Profile {}{}{}.", profile, blocks_text(card, static_cast<std::size_t>(known->blocks)),
            untold ? "; lines, ways, TLBs, sharing and segments of a processor need several blocks (--profile standard)"
                   : "");
    return text;
}

std::string latency_line(const Card& card) {
    constexpr std::array<std::string_view, 5> kBeside{"scratchpad", "constant", "texel", "image2d", "cluster"};
    const Curve* memory = fullest(card, "global");
    for (const Curve* curve : plain_curves(card, kLatency))
        if (!memory && std::ranges::find(kBeside, curve->series->id.path) == kBeside.end())
            memory = fullest(card, curve->series->id.path);
    std::vector<std::string> parts;
    for (std::size_t i = 0; memory && i < memory->levels.size(); ++i) {
        const std::string& name = memory->level_names[i];
        const auto& inside = memory->levels[i].x;
        if (i == 0 && !inside.empty() && inside.front() > kSlope * memory->series->points.front().x)
            parts.push_back("no sure level to " + format_bytes(inside.front()));
        parts.push_back(
            level_part(name, memory->levels[i], i + 1 < memory->levels.size() ? &memory->levels[i + 1] : nullptr,
                mean_text(card, *memory, name, memory->levels[i])));
    }
    const Curve* first = memory;
    for (const std::string_view path : kBeside)
        if (const Curve* curve = fullest(card, path, first)) {
            std::string text = fmt::format("{} {}", path, number_text(curve->levels[0]));
            if (curve->levels.size() > 1)
                text += fmt::format(" to {}, then {}", edge_text(curve->levels[0]), number_text(curve->levels[1]));
            if (!first) first = curve;
            parts.push_back(
                device_text(curve) == device_text(first) ? text : fmt::format("{} ({})", text, device_text(curve)));
        }
    if (!first) return "";
    const std::string path = memory && memory->series->id.path != "global" ? " " + memory->series->id.path : "";
    std::vector<std::string> reported;
    for (const std::uint64_t bytes : first->device->cache_levels)
        reported.push_back(format_bytes(static_cast<double>(bytes)));
    const std::string caches = reported.empty()
                                   ? ""
                                   : fmt::format("; the system reports caches of {}",
                                         list_text(reported, [](const std::string& each) { return each; }));
    return fmt::format("LATENCY{} ({}{}{}): {}", first->levels[0].cycles ? ", cycles" : "", device_text(first), path,
        caches, fmt::join(parts, " | "));
}

/// Of a device: the highest rate with the footprints around it of about that rate, which two caches may hold, and the
/// rate of the largest footprint.
static std::string rates_of(const Curve& curve) {
    const auto points = curve_of(*curve.series);
    const CurvePoint& most = highest(points);
    const auto plateau = plateau_around(points, most, kOneRate);
    const double least = std::ranges::min(plateau, {}, &CurvePoint::y).y;
    std::string text = fmt::format("{} {}{}{} at {}", device_text(&curve),
        most.y > kOneNumber * least ? rate_text(least) + " to " : "", rate_text(most.y),
        narrow_text(width_of(curve.series->id.options)),
        place_text(curve.series->x, plateau.front().x, plateau.back().x));
    if (plateau.back().x < points.back().x)
        text += fmt::format(", {} at {}", rate_text(points.back().y), format_bytes(points.back().x));
    return text;
}

/// Where no latency says what the levels are; of the path `global`, or of the first one that was read.
static std::string rates_by_footprint(const Card& card) {
    Curves curves = curves_of(card, kBandwidth);
    std::erase_if(curves, [](const Curve* curve) {
        return !option::width.alone(curve->series->id.options) || curve_of(*curve->series).empty();
    });
    if (curves.empty()) return "";
    const bool global =
        std::ranges::any_of(curves, [](const Curve* curve) { return curve->series->id.path == "global"; });
    const SeriesId shown = curves[0]->series->id;
    const std::string path = global ? "global" : shown.path;
    std::erase_if(curves, [&](const Curve* curve) {
        return curve->series->id.path != path || (!global && curve->series->id.options != shown.options);
    });
    std::vector<std::string> each;
    std::ranges::transform(curves, std::back_inserter(each), [](const Curve* curve) { return rates_of(*curve); });
    return fmt::format("READ {}: {}", path, fmt::join(each, " | "));
}

std::string rate_line(const Card& card) {
    const Curve* memory = nullptr;
    std::vector<std::string> parts;
    double highest = 0;
    for (const Curve* curve :
        plain_curves(card, kLatency, "global")) { // the API with the most rates; of a processor with the highest, as a
                                                  // driver may be slower than its caches
        std::vector<std::string> these;
        double most = 0;
        for (std::size_t i = 0; i < curve->levels.size(); ++i) {
            const auto rate = read_rate(card, *curve, curve->levels[i]);
            if (!rate || curve->level_names[i] == "L2 far")
                continue; // no edge of a rate: all cores read both partitions
            const bool dram = curve->level_names[i] == "DRAM";
            most = std::max(most, rate->gigabytes);
            these.push_back(fmt::format("{} {}", curve->level_names[i] == "L2 near" ? "L2" : curve->level_names[i],
                rate_at(*rate, share_text(card, *rate, dram) +
                                   (rate->cached >= kWorthAWord ? fmt::format(", caches serve at most {:.{}f} % of it",
                                                                      100 * rate->cached, rate->cached < 0.1 ? 1 : 0)
                                                                : "")) +
                    (dram ? "" : beyond_sweep_text(card, *curve, curve->levels[i], *rate))));
        }
        if (curve->device->cpu ? most > highest : these.size() > parts.size())
            parts = these, memory = curve, highest = most;
    }
    if (!memory) return rates_by_footprint(card);
    std::string text = fmt::format("READ ({}): {}", device_text(memory), fmt::join(parts, " | "));
    if (const auto fill = fill_rate(card, *memory)) text += fmt::format("; FILL: DRAM {}", rate_at(*fill, ""));
    return text;
}

} // namespace sonde
