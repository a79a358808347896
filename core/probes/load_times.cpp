// load-times: how long each single load takes, of a walk on one core, by footprint: a mean may be of loads that hit a
// cache and loads that do not.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <iterator>
#include <map>
#include <numeric>

#include "core/analysis/load_times.h"
#include "core/base/statistics.h"
#include "core/measure/asked_footprints.h"
#include "core/measure/traffic.h"
#include "core/probes/probes.h"

namespace sonde {

namespace {
constexpr std::uint32_t kTimedLoads = 1024; // of a dispatch, each by itself; more would make the walk's slope noisy
constexpr std::uint32_t kPiece = 1u << 16;  // loads of a dispatch that only walks
constexpr std::uint32_t kMostInside =
    4096; // slots up to here: each dispatch walks the chain first, since L1 is lost between dispatches
constexpr double kBeyond = 4;        // times the last cache's end
constexpr double kWithin = 0.75;     // of the cache that drivers report
constexpr double kFromEnd = 16;      // times less than a level's end where the nearest level is taken to begin
constexpr double kWaits = 0.75;      // of the walk's mean: the mean of single loads whose clock waits for them
constexpr double kBinsOfTime = 32;   // of the fastest footprint's median
constexpr double kNoteworthy = 0.01; // share of loads

KernelChoice load_times_kernel(const DeviceInfo& info, const Path&, const Options&) {
    return {.name = "load_times", .group_size = chase_lanes(info)};
}

/// To a quarter of an octave, so that runs whose levels end a little apart have the same footprints.
std::uint64_t rounded_footprint(double bytes) {
    const double octave = std::exp2(std::floor(std::log2(bytes)));
    return static_cast<std::uint64_t>(std::round(bytes / octave * 4) / 4 * octave);
}

/// In the middle of each level, and where time is not short at its quarters; in the cache that drivers report, where no
/// level's end is so far; and beyond all of them.
std::vector<std::uint64_t> footprints(
    const Bench& bench, const std::vector<Level>& levels, std::uint64_t smallest, std::uint64_t largest) {
    std::vector<double> all;
    double begin = 0;
    for (const Level& level : levels) {
        if (!level.capacity_off || &level == &levels.back()) break;
        if (begin == 0) begin = level.capacity_on / kFromEnd;
        for (const double place : is_brief(bench.profile) ? std::vector{0.5} : std::vector{0.25, 0.5, 0.75})
            all.push_back(begin * std::pow(std::max(1.0, level.capacity_on / begin), place));
        begin = *level.capacity_off;
    }
    const auto reported = static_cast<double>(bench.last_level(0)), end = static_cast<double>(largest);
    if (reported > 0 && kBeyond * reported <= end &&
        std::ranges::none_of(all, [&](double bytes) { return bytes >= reported / 2; })) {
        if (all.empty()) all.push_back(reported / kFromEnd);
        all.push_back(reported * kWithin);
    }
    if (all.empty()) throw NoneSeen("no end of a cache level seen, beyond which loads would be slower");
    if (kBeyond * reported <= end) begin = std::max(begin, reported);
    if (end < kBeyond / 2 * begin)
        throw NoneSeen(fmt::format("the largest footprint, {}, does not lie beyond the last cache, {}",
            format_bytes(end), format_bytes(begin)));
    std::vector<std::uint64_t> rounded;
    rounded.reserve(all.size() + 1);
    for (const double bytes : all) rounded.push_back(std::clamp(rounded_footprint(bytes), smallest, largest));
    rounded.push_back(std::min(std::bit_ceil(static_cast<std::uint64_t>(kBeyond * begin)), largest));
    return distinct(rounded);
}

/// Walks of the kernel along the chase's chain, and the single loads' times by footprint.
class SingleLoads {
public:
    SingleLoads(Bench& bench, Chase& chase)
        : bench_(bench),
          chase_(chase),
          choice_(load_times_kernel(bench.info, bench.path, {})),
          kernel_(bench.kernel(choice_)) {}

    /// A new chain; one whole walk of the one core follows the warm-up, which many cores may have made.
    void begin(std::uint64_t footprint, bool last) {
        chase_.build(footprint);
        position_ = chase_.position();
        footprint_ = footprint;
        const std::uint64_t loads = chase_.chain().length();
        for (std::uint64_t walked = 0; !last && loads > kMostInside && walked < loads; walked += kPiece)
            dispatch(0, 0, static_cast<std::uint32_t>(std::min<std::uint64_t>(loads - walked, kPiece)));
        try_clock();
    }

    Sample timed(std::uint32_t steps) {
        const std::uint64_t loads = chase_.chain().length();
        return dispatch(steps, kTimedLoads, loads <= kMostInside ? static_cast<std::uint32_t>(loads) : 0);
    }

    std::vector<LoadTimes> distributions() const {
        if (times_.empty()) return {};
        const auto& nearest = times_.begin()->second;
        const double typical = median(std::vector<double>(nearest.begin(), nearest.end())) - nothing_;
        const double bin = std::max(1.0, std::exp2(std::floor(std::log2(std::max(1.0, typical / kBinsOfTime)))));
        std::vector<LoadTimes> all;
        all.reserve(times_.size());
        for (const auto& [footprint, counts] : times_) all.push_back(binned(footprint, counts, nothing_, bin));
        return all;
    }

private:
    static constexpr std::size_t kBefore = 5; // words in front of the times (kernels/load_times.h)

    /// Throws Unsupported where single loads seem to take less than those of a walk do on the average: a clock may be
    /// read before they end.
    void try_clock() {
        std::vector<std::uint32_t>& counts = times_[footprint_];
        const std::size_t kept = counts.size(); // of earlier blocks
        std::vector<double> alone, walk;
        for (int tries = 0; tries < 3; ++tries) {
            walk.push_back(*timed(kTimedLoads).cycles / kTimedLoads);
            alone.push_back(
                std::accumulate(counts.begin() + static_cast<std::ptrdiff_t>(kept), counts.end(), 0.0) / kTimedLoads -
                nothing_);
            counts.resize(kept);
        }
        if (median(alone) < kWaits * median(walk))
            throw Unsupported(
                fmt::format("the clock does not wait for a load: alone it takes {:.0f} counts, in a walk {:.0f}",
                    median(alone), median(walk)));
    }

    Sample dispatch(std::uint32_t steps, std::uint32_t timed, std::uint32_t warm) {
        warm = (warm + 7) / 8 * 8;
        const std::size_t words = kBefore + timed + choice_.group_size;
        if (!result_) result_ = bench_.allocate_result(kBefore + kTimedLoads + choice_.group_size);
        auto [sample, out] = bench_.launch(*kernel_,
            kernel_args::LoadTimes{
                .steps = steps, .timed = timed, .start = chase_.chain().walk(position_), .warm = warm},
            {.a = chase_.memory(), .out = *result_}, steps, words);
        position_ += std::uint64_t{warm} + 2 * timed + steps;
        const std::uint32_t expected = chase_.chain().walk(position_);
        for (std::size_t lane = 0; lane < choice_.group_size; ++lane)
            if (out[kBefore + timed + lane] != expected)
                throw Error(fmt::format("lane {}: {} loads ended at word {}, the host's walk at {}", lane,
                    warm + 2 * timed + steps, out[kBefore + timed + lane], expected));
        bench_.checked(kLinksChecked);
        sample.cycles = clock_difference(bench_.info, out);
        if (timed > 0) keep(out, timed);
        return sample;
    }

    void keep(const std::vector<std::uint32_t>& out, std::uint32_t timed) {
        nothing_ = std::min(nothing_, static_cast<double>(out[kBefore - 1]));
        std::vector<std::uint32_t>& counts = times_[footprint_];
        counts.insert(counts.end(), out.begin() + kBefore, out.begin() + kBefore + timed);
    }

    Bench& bench_;
    Chase& chase_;
    const KernelChoice choice_;
    const std::shared_ptr<Kernel> kernel_;
    std::unique_ptr<Buffer> result_;
    std::uint64_t position_ = 0, footprint_ = 0;
    double nothing_ = 0xFFFFFFFFu;                              // counts between two reads
    std::map<std::uint64_t, std::vector<std::uint32_t>> times_; // counts of single loads, by footprint
};

void measure_load_times(Bench& bench) {
    bench.wake_clocks();
    if (bench.info.clock.empty())
        throw Unsupported("kernels have no clock here"); // some APIs know once a kernel is compiled
    Chase chase(bench);
    chase.new_memory();
    const auto xs = asked_of(bench, footprints(bench, chase.levels(), chase.granule(), chase.largest()),
        chase.granule(), chase.largest(), chase.granule());
    SingleLoads loads(bench, chase);
    bench.evidence.shape = {.group_size = chase_lanes(bench.info), .groups = 1};
    const auto prepare = [&](std::uint64_t footprint, const std::string&) {
        loads.begin(footprint, footprint == xs.back());
        return Work{.granule = 64, .most = chase.most_steps()};
    };
    bench.measure(
        {.prepare = prepare, .dispatch = [&](std::uint64_t, std::uint32_t steps) { return loads.timed(steps); }}, xs);
    bench.evidence.load_times = loads.distributions();
}

/// Of each footprint the median, what 5 to 95 % of the loads take, the two kinds, and how many are as slow as the last
/// footprint's median.
std::vector<FindingRow> rows_by_footprint(const std::vector<LoadTimes>& all, bool cycles) {
    const std::string unit = cycles ? "cycles" : "counts of the clock";
    std::vector<FindingRow> rows;
    for (const LoadTimes& each : all) {
        const std::string at = format_bytes(static_cast<double>(each.footprint_bytes));
        const double least = time_of(each, 0.05), most = time_of(each, 0.95);
        rows.push_back({at + ", median", time_of(each, 0.5), unit, {}});
        rows.push_back({at + ", 5 to 95 % of loads", (least + most) / 2, unit, std::pair(least, most)});
        if (const auto kinds = cycles ? two_kinds(each) : std::nullopt) {
            rows.push_back({at + ", the faster kind's share", 100 * kinds->share, "%", {}});
            rows.push_back({at + ", the faster kind", kinds->faster, unit, {}});
            rows.push_back({at + ", the slower kind", kinds->slower, unit, {}});
        }
        if (const auto slow = &each == &all.back() ? std::nullopt : as_slow_as_median(each, all.back()))
            rows.push_back({at + ", as slow as the last's median", 100 * *slow, "%", {}});
    }
    return rows;
}

struct ByFootprint {
    std::vector<std::string> texts{};
    bool two_kinds = false; // of any
};
/// Neighbouring footprints whose loads take as long, together: "289-292 at 768 KiB-8 MiB (266 to 318)". `cycles`: a
/// clock of core cycles counts, others in steps of several.
ByFootprint by_footprint(const std::vector<LoadTimes>& all, bool cycles) {
    constexpr double kAsLong = 0.03; // share
    constexpr std::array kSharesOfLoads{0.05, 0.5, 0.95};
    ByFootprint found;
    for (auto begin = all.begin(); begin != all.end();) {
        const auto end = std::find_if(begin, all.end(), [&](const LoadTimes& each) {
            return std::ranges::any_of(kSharesOfLoads, [&](double share) {
                return std::abs(time_of(each, share) - time_of(*begin, share)) > kAsLong * time_of(*begin, share);
            });
        });
        const auto ends = [&](double share) {
            std::vector<double> times;
            std::transform(begin, end, std::back_inserter(times),
                [&](const LoadTimes& each) { return std::round(time_of(each, share)); });
            return std::ranges::minmax(times);
        };
        const auto middle = ends(0.5);
        const std::string range = middle.min == middle.max
                                      ? format_fixed(middle.min, 0)
                                      : fmt::format("{}-{}", format_fixed(middle.min, 0), format_fixed(middle.max, 0));
        constexpr double kSpread = 1.1; // times from the fast ones to the slow: more than one kind may be among them
        const auto kinds = cycles ? two_kinds(*begin) : std::nullopt; // other clocks step
        found.two_kinds |= kinds.has_value();
        const std::string apart = kinds ? fmt::format("; two groups: {} near {:.0f}, the others near {:.0f}",
                                              share_of_loads(kinds->share), kinds->faster, kinds->slower)
                                  : cycles && ends(0.95).max > kSpread * ends(0.05).min ? "; several groups"
                                                                                        : "";
        found.texts.push_back(fmt::format("At {}: {} ({} to {}{})",
            format_byte_range(
                static_cast<double>(begin->footprint_bytes), static_cast<double>(std::prev(end)->footprint_bytes)),
            range, format_fixed(ends(0.05).min, 0), format_fixed(ends(0.95).max, 0), apart));
        begin = end;
    }
    return found;
}

std::vector<Finding> load_times_findings(const Series& series, const DeviceInfo& device) {
    const auto& all = series.evidence.load_times;
    if (all.empty()) return {};
    const bool cycles = device.core_cycles;
    const LoadTimes& last = all.back();
    const double typical = time_of(last, 0.5);
    std::vector<std::string> shares;
    std::vector<double> places;
    for (const LoadTimes& each : all) {
        const auto x = static_cast<double>(each.footprint_bytes);
        places.push_back(x);
        const auto slow = &each == &last ? std::nullopt : as_slow_as_median(each, last);
        if (slow.value_or(0) >= kNoteworthy)
            shares.push_back(fmt::format("{:.0f} % at {}", *slow * 100, format_bytes(x)));
    }
    const ByFootprint found = by_footprint(all, cycles);
    const char* groups = found.two_kinds ? "; two groups: on both sides of the deepest valley of a histogram" : "";
    std::string text =
        fmt::format("{} of a single load, median (5 to 95 % of loads{}), the clock's own {:.0f} taken off. {}",
            cycles ? "cycles" : "counts of the clock", groups, last.nothing, fmt::join(found.texts, ". "));
    if (all.size() > 1)
        text += fmt::format(". {} take as long as the median at {}",
            shares.empty() ? "None of the others" : fmt::format("{}", fmt::join(shares, ", ")),
            format_bytes(last.footprint_bytes));
    return {finding_of(series, {.name = "single loads",
                                   .value = typical,
                                   .unit = cycles ? "cycles" : "counts of the clock",
                                   .cycles = cycles ? std::optional(typical) : std::nullopt,
                                   .rows = rows_by_footprint(all, cycles),
                                   .text = text,
                                   .x = places})};
}
} // namespace

const Probe kLoadTimes{
    .name = "load-times",
    .question = "How long does each single load take?",
    .explanation =
        "One subgroup follows a random dependent chain. Some thousand loads are timed singly by the core's clock, the "
        "rest as a walk. A few footprints: the middle of each level, and four times the last cache.",
    .picture = "The curve is the walk's mean. The times of single loads stand beside it: one narrow group in a cache, "
               "two where every other load misses it.",
    .x = kFootprint,
    .run_noise = run_noise::levels,
    .paths = {"global.cg", "global"},
    .accepts = {option::footprint},
    .quick = {.seconds = 0.53, .paths = {"global.cg"}},
    .run = measure_load_times,
    .findings = load_times_findings,
    .kernel = load_times_kernel,
};

} // namespace sonde
