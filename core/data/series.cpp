// What samples come to.
#include "core/data/series.h"
#include "core/data/profile.h"

#include <array>
#include <cmath>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "core/base/statistics.h"
#include "core/data/protocol.h"
#include "core/data/shared_options.h"

namespace sonde {

std::span<const char* const> enum_names(Status) {
    static constexpr std::array kNames{"ok", "unsupported", "unstable", "failed"};
    return kNames;
}

std::span<const char* const> enum_names(RequestKind) {
    static constexpr const char* kNames[] = {"series", "prepare", "settle", "listing"};
    return kNames;
}

std::span<const char* const> enum_names(RefinementEnd) {
    static constexpr std::array kNames{"the curve", "the time budget"};
    return kNames;
}

std::span<const char* const> enum_names(Timer) {
    static constexpr std::array kNames{"host", "device"};
    return kNames;
}

std::string options_text(const Options& options) {
    std::string text;
    for (const auto& [name, value] : options) text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, value);
    return text;
}

std::string SeriesId::text() const {
    return fmt::format("{} {} {}{}{}", probe, device, path, options.empty() ? "" : " ", options_text(options));
}

namespace {
template <class Read> std::vector<double> slopes(const std::vector<Sample>& samples, const Read& read) {
    std::vector<double> result;
    for (std::size_t i = 0; i + 1 < samples.size(); i += 2) {
        const std::optional<double> before = read(samples[i]), after = read(samples[i + 1]);
        const double steps = samples[i + 1].steps - samples[i].steps;
        if (!before || !after || !(steps > 0)) continue;
        const double slope = (*after - *before) / steps;
        if (slope > 0) result.push_back(slope);
    }
    return result;
}

constexpr double kSteadyTimes = 0.05; // spread of the middle half, of the median
constexpr double kFewPairs = 8;       // that a point usually has
} // namespace

std::vector<double> slopes_ns(const std::vector<Sample>& samples, Timer timer) {
    return slopes(samples,
        [&](const Sample& sample) { return timer == Timer::host ? std::optional(sample.host_ns) : sample.device_ns; });
}

bool is_long_enough(const std::vector<Sample>& samples, double slope) {
    constexpr double kLongEnough = 20e3; // ns
    std::vector<double> steps;
    for (std::size_t i = 0; i + 1 < samples.size(); i += 2) steps.push_back(samples[i + 1].steps - samples[i].steps);
    return !steps.empty() && slope * median(steps) >= kLongEnough;
}

std::vector<double> slopes_cycles(const std::vector<Sample>& samples) {
    return slopes(samples, [](const Sample& sample) { return sample.cycles; });
}

void summarize(Point& point, Measure measure, Timer timer, bool core_cycles) {
    std::vector<double> ns = slopes_ns(point.samples, timer);
    point.median = point.low = point.high = point.cycles = point.clock_mhz = std::nullopt;
    if (core_cycles)
        if (const std::vector<double> cycles = slopes_cycles(point.samples); !cycles.empty())
            point.cycles = median(cycles); // also where the other clock is too coarse
    if (ns.empty()) return;
    const double typical_ns = median(ns);
    if (core_cycles) {
        const double spread =
            kSteadyTimes *
            std::sqrt(std::max(1.0, static_cast<double>(ns.size()) / kFewPairs)); // medians of many are better known
        const bool steady = quantile(ns, 0.75) - quantile(ns, 0.25) <= spread * typical_ns &&
                            is_long_enough(point.samples, typical_ns); // else the quotient shows how the times scatter
        if (point.cycles && steady) point.clock_mhz = *point.cycles / typical_ns * 1000.0;
    }
    if (measure == Measure::steps_per_time)
        for (double& value : ns) value = 1.0 / value; // bytes per ns is GB/s
    point.median = median(ns);
    point.low = quantile(ns, 0.25);
    point.high = quantile(ns, 0.75);
}

namespace {
/// Cycles of one walk by the time of a launch in which others walk, or stream, for longer: no clock of the core.
bool counts_part(const Series& series) { return series.evidence.by == "core" || series.evidence.unthrottled_gb_per_s; }
} // namespace

std::vector<double> clocks_of(const Series& series) {
    std::vector<double> clocks;
    if (counts_part(series)) return clocks;
    for (const Point& point : series.points)
        if (point.clock_mhz && *point.clock_mhz > 0) clocks.push_back(*point.clock_mhz);
    return clocks;
}

std::optional<double> clock_at(const Series& series, const Point& point) {
    constexpr double kSame = 0.01;
    const auto& beside = series.evidence.clock;
    if (point.clock_mhz || !beside || !beside->before_mhz || !beside->after_mhz) return point.clock_mhz;
    const double before = *beside->before_mhz, after = *beside->after_mhz;
    return std::abs(before - after) <= kSame * before ? std::optional((before + after) / 2) : std::nullopt;
}

std::optional<double> shown_clock(const Series& series, const Point& point) {
    constexpr std::size_t kFewestSamples = 4;
    const TelemetryEvidence& told = series.evidence.telemetry;
    const auto own = std::ranges::find(told.by_x, point.x, &CardAtPoint::x);
    if (own != told.by_x.end() && own->core_mhz) return own->core_mhz;
    const bool idled = std::ranges::count(told.during.throttled_by, "idle") > 0;
    return told.during.core_mhz && told.during.samples >= kFewestSamples && !idled
               ? std::optional(told.during.core_mhz->median)
               : std::nullopt;
}

std::vector<std::string> throttled_by(const Series& series) {
    const TelemetryEvidence& told = series.evidence.telemetry;
    const auto names = [](const CardSample& sample, const std::string& reason) {
        return sample.throttled_by && std::ranges::count(*sample.throttled_by, reason) > 0;
    };
    std::vector<std::string> own = told.during.throttled_by;
    std::erase_if(own, [&](const std::string& reason) {
        return reason == "idle" ||
               (names(told.before, reason) && told.after.throttled_by && !names(told.after, reason));
    }); // idle: pauses between dispatches
    return own;
}

std::optional<LoweredClock> lowered_clock(const Series& series) {
    constexpr double kLowered = 0.97;
    const std::vector<double> clocks = clocks_of(series);
    const auto& beside = series.evidence.clock;
    if (clocks.empty() || !beside || !beside->before_mhz || !beside->after_mhz) return std::nullopt;
    const bool still_low = !throttled_by(series).empty(); // a cap may outlast the load
    const LoweredClock found{
        clocks.back(), still_low ? *beside->before_mhz : std::min(*beside->before_mhz, *beside->after_mhz)};
    return found.under_load < kLowered * found.beside ? std::optional(found) : std::nullopt;
}

bool names_power_cap(const Series& series) { return std::ranges::count(throttled_by(series), "power cap") > 0; }

bool is_cut_short(const Series& series) {
    return series.status == Status::ok && series.ending && series.ending->by == EndedBy::time;
}

bool ends_early(const Series& series) {
    return series.ending && series.ending->by == EndedBy::time && !series.ending->done;
}

std::string step_instructions_text(const std::map<std::string, double>& counts, std::size_t most) {
    std::vector<std::pair<std::string, double>> sorted(counts.begin(), counts.end());
    // What a matrix step is for first, however much a compiler puts around it; what only fills slots last.
    const auto rank = [](const std::pair<std::string, double>& each) {
        return std::pair(each.first.find("MMA") != std::string::npos ? 0 : each.first == "NOP" ? 2 : 1, -each.second);
    };
    std::ranges::stable_sort(sorted, {}, rank);
    const std::size_t named = std::min(most, sorted.size());
    std::vector<std::string> parts;
    parts.reserve(named);
    for (const auto& [mnemonic, count] : std::span(sorted).first(named))
        parts.push_back(fmt::format("{:.3g} {}", count, mnemonic));
    return fmt::format("{}{}", fmt::join(parts, ", "),
        sorted.size() > named
            ? fmt::format(" and {} kind{} more", sorted.size() - named, sorted.size() - named > 1 ? "s" : "")
            : "");
}

static constexpr std::size_t kFewestPairs = 3; // that tell a median

static Timer timer_of(const Series& series) {
    return series.evidence.timers ? series.evidence.timers->value_from : Timer::host;
}

double later_steps(const Series& series) {
    const Timer timer = timer_of(series);
    double most = 0;
    for (const Point& point : series.points) {
        const std::vector<double> slopes = slopes_ns(point.samples, timer);
        std::vector<double> shorter; // ns of a step, with a share of the launch
        for (std::size_t i = 0; i + 1 < point.samples.size(); i += 2)
            if (const Sample& sample = point.samples[i]; sample.steps > 0)
                shorter.push_back(
                    (timer == Timer::device ? sample.device_ns.value_or(0) : sample.host_ns) / sample.steps);
        if (slopes.size() >= kFewestPairs && median(shorter) > 0)
            most = std::max(most, median(slopes) / median(shorter));
    }
    return most;
}

std::size_t blocks_of(const Series& series) {
    std::set<int> blocks;
    for (const Point& point : series.points)
        for (const Sample& sample : point.samples) blocks.insert(sample.block);
    return blocks.size();
}

double scatter(const Series& series) {
    std::vector<double> points;
    for (const Point& point : series.points) {
        const std::vector<double> slopes = slopes_ns(point.samples, timer_of(series));
        points.push_back(slopes.size() < kFewestPairs ? 1 : quantile(slopes, 0.75) / quantile(slopes, 0.25));
    }
    return points.empty() ? 1 : quantile(points, 0.9);
}

namespace {
/// The first atomic instruction of a kernel whose listing shows machine code or PTX; nullptr: there is none.
const AtomicEvidence* atomic_of(const Series& series) {
    const auto& kernel = series.evidence.kernel;
    const bool shown = kernel && kernel->atomics && !kernel->atomics->empty() && kernel->listing.kind != "spirv";
    return shown ? &kernel->atomics->front() : nullptr;
}

bool discards_result(const AtomicEvidence& measured) {
    return measured.kind.starts_with("ATOMG") && measured.instruction.find(" RZ,") != std::string::npos;
}

/// What is known of it.
std::vector<std::string> notes_of(const Series& series, const AtomicEvidence& measured) {
    const auto& kernel = series.evidence.kernel;
    std::vector<std::string> notes;
    if (discards_result(measured)) notes.emplace_back("the returning form, result discarded");
    if (measured.lock_loop) notes.emplace_back("a loop that tries until it succeeds");
    // A compiler may choose at run time, in two branches, whether a subgroup's lanes are joined.
    const auto joined = std::find_if(kernel->atomics->begin(), kernel->atomics->end(),
        [&](const AtomicEvidence& each) { return each.kind == measured.kind && !each.combined_by.empty(); });
    const bool always = std::all_of(kernel->atomics->begin(), kernel->atomics->end(),
        [&](const AtomicEvidence& each) { return each.kind != measured.kind || !each.combined_by.empty(); });
    const bool one_word = !option::layout.asked(series.id.options) ||
                          option::layout.is(series.id.options,
                              CellLayout::same_address); // else the branch that joins lanes is not executed
    if (joined != kernel->atomics->end() && !always && !one_word)
        notes.push_back(fmt::format("in one of two branches, the other after {}", joined->combined_by));
    if (joined != kernel->atomics->end() && (always || one_word))
        notes.push_back(
            fmt::format("one per subgroup, after {}{}", joined->combined_by, always ? "" : ", in one of two branches"));
    if (!measured.cache_control.empty()) notes.push_back(fmt::format("{} follows", measured.cache_control));
    return notes;
}

std::string with_notes(const std::string& mnemonic, const std::vector<std::string>& notes) {
    return mnemonic + (notes.empty() ? "" : fmt::format(" ({})", fmt::join(notes, "; ")));
}
} // namespace

bool discards_result(const Series& series) {
    const AtomicEvidence* measured = atomic_of(series);
    return measured && discards_result(*measured);
}

std::string atomic_mnemonic(const Series& series) {
    const AtomicEvidence* measured = atomic_of(series);
    return measured ? measured->kind : "";
}

std::string atomic_form(const Series& series) {
    const AtomicEvidence* measured = atomic_of(series);
    return measured ? with_notes(measured->kind, notes_of(series, *measured)) : "";
}

std::string atomic_instruction(const Series& series) {
    const AtomicEvidence* measured = atomic_of(series);
    if (!measured) return "";
    std::vector<std::string> notes = notes_of(series, *measured);
    const ListingEvidence& listing = series.evidence.kernel->listing;
    if (listing.kind == "sass" && !listing.note.empty()) notes.insert(notes.begin(), "by ptxas");
    return with_notes(measured->kind, notes);
}

void take_samples(Series& series, double x, const std::vector<Sample>& samples) {
    auto point = std::find_if(
        series.points.begin(), series.points.end(), [&](const Point& candidate) { return candidate.x >= x; });
    if (point == series.points.end() || point->x > x) point = series.points.insert(point, Point{.x = x});
    point->samples.insert(point->samples.end(), samples.begin(), samples.end());
}

} // namespace sonde
