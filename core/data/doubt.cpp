#include "core/data/doubt.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>

#include <fmt/format.h>

#include "core/base/statistics.h"
#include "core/base/text.h"
#include "core/data/series.h"

namespace sonde {

namespace {
constexpr double kOff = 1.3;          // times a point's median
constexpr double kMostOff = 0.1;      // share of such pairs
constexpr double kNearlyAll = 0.9;    // of those
constexpr std::size_t kFewestOff = 2; // one pair of nine moves no median
constexpr double kLongByHost = 2e6;   // ns, against which what a launch scatters by the host's clock is little
constexpr std::size_t kFewestPairsScattered = 9;
constexpr double kBusy = 5; // percent of a card that another process takes
constexpr std::uint64_t kSmallControl = 4096;
} // namespace

std::span<const char* const> enum_names(DoubtKind) {
    static constexpr std::array kNames{
        "low_clock", "placement", "device_timer", "host_timer", "other_processes", "control", "scatter", "interrupted"};
    return kNames;
}

double device_over_host(const Series& series) {
    std::vector<double> ratios;
    for (const Point& point : series.points)
        for (const Sample& sample : point.samples)
            if (sample.device_ns && sample.host_ns > 0) ratios.push_back(*sample.device_ns / sample.host_ns);
    return ratios.empty() ? 0 : median(ratios);
}

std::optional<Scatter> scatter_of(const Series& series) {
    std::size_t pairs = 0, off = 0, off_in_block = 0, off_there = 0;
    double blocks_apart = 1;
    std::vector<double> there; // points where many are off
    const auto is_off = [](double slope, double middle) { return slope > middle * kOff || slope < middle / kOff; };
    for (const Point& point : series.points) {
        Timer timer = Timer::device;
        std::vector<double> slopes = slopes_ns(point.samples, timer);
        if (slopes.empty() &&
            std::ranges::any_of(point.samples, [](const Sample& sample) { return sample.host_ns >= kLongByHost; }))
            slopes = slopes_ns(point.samples, timer = Timer::host);
        if (slopes.size() < 3) continue;
        pairs += slopes.size();
        const double middle = median(slopes);
        const auto off_here = static_cast<std::size_t>(
            std::ranges::count_if(slopes, [&](double slope) { return is_off(slope, middle); }));
        off += off_here;
        if (static_cast<double>(off_here) > kMostOff * static_cast<double>(slopes.size()))
            there.push_back(point.x), off_there += off_here;
        double least = INFINITY, most = 0; // of blocks
        std::map<int, std::vector<Sample>> blocks;
        for (const Sample& sample : point.samples) blocks[sample.block].push_back(sample);
        for (const auto& [number, samples] : blocks)
            if (const std::vector<double> block = slopes_ns(samples, timer); !block.empty()) {
                const double of_block = median(block);
                least = std::min(least, of_block), most = std::max(most, of_block);
                off_in_block += static_cast<std::size_t>(
                    std::ranges::count_if(block, [&](double slope) { return is_off(slope, of_block); }));
            }
        blocks_apart = std::max(blocks_apart, most / least);
    }
    if (pairs < kFewestPairsScattered) return std::nullopt;
    if (2 * there.size() > series.points.size() ||
        static_cast<double>(off_there) < kNearlyAll * static_cast<double>(off))
        there.clear();
    const double all = static_cast<double>(pairs);
    return Scatter{
        static_cast<double>(off) / all, static_cast<double>(off_in_block) / all, off, blocks_apart, std::move(there)};
}

std::optional<Doubt> scatter_doubt(const Series& series) {
    const auto scatter = scatter_of(series);
    if (!scatter || scatter->off < kFewestOff || scatter->share <= kMostOff) return std::nullopt;
    Doubt doubt{.kind = DoubtKind::scatter, .measured = scatter->share, .at = scatter->at};
    if (scatter->share_in_block <= kMostOff) doubt.blocks_apart = scatter->blocks_apart;
    return doubt;
}

std::string others_text(const Series& series) {
    std::vector<std::string> others;
    for (const CardUser& user : series.evidence.telemetry.others.value_or(std::vector<CardUser>{}))
        if (user.busy_percent.value_or(0) >= kBusy)
            others.push_back(fmt::format("pid {}, {:.0f} % busy", user.pid, *user.busy_percent));
    if (others.empty()) return "";
    return fmt::format("{} this card ({})", others.size() == 1 ? "another process uses" : "other processes use",
        fmt::join(others, "; "));
}

namespace {
std::string scatter_text(const Doubt& doubt, const Series& series) {
    std::vector<std::string> places;
    for (const double x : doubt.at)
        places.push_back(series.x.unit == "bytes"
                             ? format_bytes(x)
                             : fmt::format("{:g}{}{}", x, series.x.unit.empty() ? "" : " ", series.x.unit));
    constexpr std::size_t kFewPlaces = 3;
    const std::string where = places.empty() ? ""
                              : places.size() > kFewPlaces
                                  ? fmt::format(", nearly all at {} of {} points", places.size(), series.points.size())
                                  : fmt::format(", nearly all at {} {}", series.x.name, fmt::join(places, " and "));
    std::string text = fmt::format("{:.0f} % of the samples are more than 30 % off their point's median{}",
        doubt.measured.value_or(0) * 100, where);
    const bool disturbed =
        std::ranges::any_of(series.doubts, [](const Doubt& other) { return other.kind == DoubtKind::other_processes; });
    if (doubt.blocks_apart)
        return text + fmt::format("; those of each block agree, and blocks differ up to {:.3g} times{}",
                          *doubt.blocks_apart, disturbed ? "" : ", cause unknown");
    if (disturbed) return text;
    return text + "; cause unknown" + (places.empty() ? ", another process on this card would do it" : "");
}
} // namespace

std::string doubt_text(const Doubt& doubt, const Series& series) {
    const double measured = doubt.measured.value_or(0), usual = doubt.usual.value_or(0);
    switch (doubt.kind) {
    case DoubtKind::low_clock:
        return fmt::format(
            "the core ran at {:.0f} MHz, below 90 % of the {:.0f} MHz seen on this card", measured, usual);
    case DoubtKind::placement:
        return fmt::format("the buffer landed in {}",
            series.evidence.placement ? series.evidence.placement->text : "memory that is not the device's");
    case DoubtKind::device_timer:
        return fmt::format(
            "timers disagree: by the device's clock a launch takes {:.4g} times what the host waited for it", measured);
    case DoubtKind::host_timer:
        return fmt::format(
            "timers disagree: by the host's clock a step takes {:.2f} times what it takes by the device's", measured);
    case DoubtKind::other_processes:
        return others_text(series);
    case DoubtKind::control:
        return fmt::format("the control measurement beside it took {:.4g} ns a load over {}, usually {:.4g} ns in this "
                           "run: consistent with another process or a lower clock",
            measured, format_bytes(doubt.bytes.value_or(kSmallControl)), usual);
    case DoubtKind::scatter:
        return scatter_text(doubt, series);
    case DoubtKind::interrupted:
        return fmt::format(
            "steps that a longer dispatch adds take {:.2g} times those of a shorter one with its launch: "
            "something interrupted the longer ones",
            measured);
    }
    return "";
}

std::string reason_text(const Series& series) {
    std::vector<std::string> parts;
    for (const Doubt& doubt : series.doubts)
        if (std::string text = doubt_text(doubt, series); !text.empty()) parts.push_back(std::move(text));
    if (series.ending) parts.push_back(ending_text(*series.ending, series.x));
    if (!series.evidence.none_seen.empty()) parts.push_back(series.evidence.none_seen);
    if (!series.reason.empty()) parts.push_back(series.reason);
    return fmt::format("{}", fmt::join(parts, "; "));
}

} // namespace sonde
