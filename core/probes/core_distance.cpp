// core-distance: how far the LLC is from each core: a walk on one core at a time, past L1; and which of its lines are
// near to which cores.
#include <bit>
#include <cmath>

#include "core/analysis/core_groups.h"
#include "core/base/statistics.h"
#include "core/probes/probes.h"

namespace sonde {

namespace {
enum class Lines { one, many, each };
const Choice<Lines> kLinesAsked{"lines", {{"one", Lines::one}, {"many", Lines::many}, {"each", Lines::each}}};
constexpr std::uint64_t kMostWarm = 1024; // loads
constexpr double kSharedFrom = 1 << 20;   // bytes: a level so large is no core's own
constexpr std::uint32_t
    kMappedLines = 64,
    kMappedApart =
        33 * kLineWords; // words: an odd number of lines, which no interleaving by powers of two maps to a few slices
constexpr std::uint32_t kMappedMost = 4096; // loads of each in a dispatch

/// One line, which lies in one slice of the level that cores share, or half of what that level holds, which lies in
/// all.
std::uint64_t footprint(const Bench& bench, const std::vector<Level>& levels, std::uint64_t granule) {
    if (kLinesAsked.in(bench.request.id.options) == Lines::one) return granule;
    const auto shared = std::find_if(levels.begin(), levels.end(),
        [](const Level& level) { return level.capacity_off && level.capacity_on >= kSharedFrom; });
    if (shared == levels.end()) throw NoneSeen("no cache level of 1 MiB or more seen, which cores could share");
    return static_cast<std::uint64_t>(shared->capacity_on / 2) / granule * granule;
}

KernelChoice core_distance_kernel(const DeviceInfo& info, const Path& path, const Options& options) {
    KernelChoice choice = by_core_kernel(info, path, {});
    if (kLinesAsked.in(options) == Lines::each) choice.name = "line_times";
    choice.asks_for_core = true;
    return choice;
}

/// Loads of one line after the other from one core.
class LineTimer {
public:
    LineTimer(Bench& bench, const KernelChoice& choice)
        : bench_(bench),
          kernel_(bench.kernel(choice)),
          groups_(bench.info.cores),
          memory_(bench.allocate(
              std::uint64_t{kMappedLines} * kMappedApart * 4, std::uint64_t{kMappedLines} * kMappedApart * 4)) {
        std::vector<std::uint32_t> links(std::size_t{kMappedLines} * kMappedApart);
        for (std::uint32_t line = 0; line < kMappedLines; ++line) links[line * kMappedApart] = line * kMappedApart;
        bench.write_words(*memory_, links);
    }

    Sample timed(std::uint32_t core, std::uint32_t steps) {
        for (;; groups_ *= 2) {
            const std::size_t words = groups_ * kBlock;
            if (!result_ || result_->bytes() < words * 4) result_ = bench_.allocate_result(words);
            auto [sample, out] = bench_.launch(*kernel_,
                kernel_args::LineTimes{.core = core, .lines = kMappedLines, .apart = kMappedApart, .steps = steps},
                {.a = memory_.get(), .out = *result_, .groups = groups_}, double{kMappedLines} * steps, words);
            if (kept(core, steps, out)) return sample;
            if (groups_ * 2 > bench_.info.cores * kMostGroupsPerCore)
                throw Error(fmt::format("none of {} workgroups met core {}", groups_, core));
        }
    }

    /// By core: of the least that each line took in the longest dispatches and in the shortest ones, the difference for
    /// a load.
    std::vector<LineTimes> times() const {
        std::vector<LineTimes> all;
        for (const auto& [core, by_steps] : least_) {
            const auto few = by_steps.begin(), many = std::prev(by_steps.end());
            if (few == many) continue;
            all.push_back({core, {}});
            for (std::uint32_t line = 0; line < kMappedLines; ++line)
                all.back().counts.push_back(
                    (static_cast<double>(many->second[line]) - few->second[line]) / (many->first - few->first));
        }
        return all;
    }

private:
    static constexpr std::size_t kBlock = 1 + 2 * kMappedLines; // words of a workgroup

    /// Whether a workgroup met the core. Throws Error where one of its loads ended elsewhere than on its line.
    bool kept(std::uint32_t core, std::uint32_t steps, const std::vector<std::uint32_t>& out) {
        bool met = false;
        for (std::size_t at = 0; at < groups_ * kBlock; at += kBlock) {
            if (out[at] != core) continue;
            auto& least = least_[core].try_emplace(steps, kMappedLines, ~0u).first->second;
            for (std::uint32_t line = 0; line < kMappedLines; ++line) {
                if (const std::uint32_t reached = out[at + 2 + 2 * line]; reached != line * kMappedApart)
                    throw Error(fmt::format(
                        "loads of line {} ended at word {}, its own is {}", line, reached, line * kMappedApart));
                least[line] = std::min(least[line], out[at + 1 + 2 * line]);
            }
            met = true;
        }
        if (met) bench_.checked("the last link of every line of every dispatch against the line's own");
        return met;
    }

    Bench& bench_;
    std::shared_ptr<Kernel> kernel_;
    std::uint32_t groups_;
    std::unique_ptr<Buffer> memory_, result_;
    std::map<std::uint32_t, std::map<std::uint32_t, std::vector<std::uint32_t>>>
        least_; // counts by line, by core and loads
};

void measure_each_line(Bench& bench) {
    if (bench.info.clock.empty()) throw Unsupported("nothing tells a kernel the time, which a load of each line takes");
    LineTimer timer(bench, core_distance_kernel(bench.info, bench.path, bench.request.id.options));
    bench.evidence.footprint_bytes = std::uint64_t{kMappedLines} * kMappedApart * 4;
    bench.evidence.lines = kMappedLines;
    const auto dispatch = [&](std::uint64_t core, std::uint32_t steps) {
        return timer.timed(static_cast<std::uint32_t>(core), steps);
    };
    bench.measure({.work = {.granule = 16, .most = kMappedMost}, .dispatch = dispatch},
        cores_to_ask(bench, core_numbers(bench), 1));
    bench.evidence.line_times = timer.times();
}

void measure_core_distance(Bench& bench) {
    if (bench.info.core_name.empty()) throw Unsupported("nothing tells a kernel the core that it runs on");
    bench.wake_clocks();
    bench.evidence.core_number = bench.info.core_name;
    if (kLinesAsked.in(bench.request.id.options) == Lines::each) return measure_each_line(bench);
    Chase chase(bench);
    chase.new_memory();
    const auto levels = chase.levels();
    chase.build(footprint(bench, levels, chase.granule()));
    bench.evidence.footprint_bytes = chase.chain().length() * chase.granule();
    CoreWalks walks(bench, core_distance_kernel(bench.info, bench.path, bench.request.id.options), 1);
    const auto asked = cores_to_ask(bench, core_numbers(bench), 4);
    const Chain& chain = chase.chain();
    const auto warm = static_cast<std::uint32_t>(std::min(chain.length(), kMostWarm) + 7) / 8 * 8;
    const auto dispatch = [&](std::uint64_t core, std::uint32_t steps) {
        return walks.timed({.steps = steps,
                               .start = chain.start(),
                               .warm = warm,
                               .core = static_cast<std::uint32_t>(core),
                               .other = kNone},
            chase.memory(), 1, [&](std::uint32_t, std::uint64_t loads) { return chain.walk(loads); });
    };
    bench.measure({.work = {.granule = 64, .most = chase.most_steps()}, .dispatch = dispatch}, asked);
}

/// The parts of the LLC, of a series that timed each line.
Finding parts_finding(const Series& series, const DeviceInfo& device) {
    std::vector<std::vector<double>> times;
    std::vector<double> all;
    for (const LineTimes& row : series.evidence.line_times) {
        times.push_back(row.counts);
        all.insert(all.end(), row.counts.begin(), row.counts.end());
    }
    const bool cycles = device.core_cycles;
    const std::string unit = cycles ? "cycles" : "counts of the clock";
    const auto row_of_load = [&](const char* which) {
        return which + std::string(cycles ? "" : ", counts of the clock");
    };
    const auto counted = [](const auto& list) { return static_cast<double>(list.size()); };
    if (times.size() < 4)
        return finding_of(
            series, Conclusion::inconclusive("fewer than four cores were asked"), "parts", "parts of L2", {});
    const auto parts = cache_parts(times);
    if (!parts) {
        const auto [least, most] = std::ranges::minmax(all);
        return finding_of(
            series, {.name = "parts",
                        .value = 1,
                        .unit = "parts of L2",
                        .rows = {{"parts of L2 seen", 1, "parts of L2"}, {"cores asked", counted(times), "cores"},
                            {"lines asked for", counted(times[0]), "lines"},
                            {row_of_load("a load"), median(all), unit, std::pair(least, most)}},
                        .text = fmt::format(
                            "no near and far part of L2 seen: loads of {} lines from {} cores take {:.0f} to {:.0f} {}",
                            times[0].size(), times.size(), least, most, unit)});
    }
    return finding_of(series,
        {.name = "parts",
            .value = 2,
            .unit = "parts of L2",
            .rows = {{"parts of L2 seen", 2, "parts of L2"},
                {"cores near to the first part", counted(parts->cores[0]), "cores"},
                {"cores near to the second", counted(parts->cores[1]), "cores"},
                {"lines in the first part", counted(parts->lines[0]), "lines"},
                {"lines in the second", counted(parts->lines[1]), "lines"},
                {row_of_load("a load from a near core"), parts->near, unit},
                {row_of_load("a load from a far core"), parts->far, unit}},
            .text = fmt::format("L2 has two parts: {} cores are near to {} of {} lines, and {} cores to the other {}. "
                                "The median load takes {:.0f} {} from near cores and {:.0f} from far ones",
                parts->cores[0].size(), parts->lines[0].size(), times[0].size(), parts->cores[1].size(),
                parts->lines[1].size(), parts->near, unit, parts->far)});
}

std::vector<Finding> core_distance_findings(const Series& series, const DeviceInfo& device) {
    switch (kLinesAsked.in(series.id.options)) {
    case Lines::one:
        return {groups_finding(series, "cores", "load the same line of L2 in")};
    case Lines::many:
        return {groups_finding(series, "cores", "load from lines all over L2 in")};
    default:
        return {parts_finding(series, device)};
    }
}
} // namespace

const Probe kCoreDistance{
    .name = "core-distance",
    .question = "L2 latency from each core?",
    .explanation = "One core at a time follows a dependent chain in L2, in one line or in many, or loads 64 lines one "
                   "after the other, each timed by the core's clock. Groups of cores with different latency show the "
                   "partitions of the chip; lines that are near to some cores show the parts of L2.",
    .picture = "One value for each core: equal on a small chip; two or more groups where L2 is partitioned.",
    .x = {"core", "", Axis::place},
    .chart = Chart::cores,
    .run_noise = run_noise::one_line,
    .paths = {"global.cg"},
    .variants = kLinesAsked.each(),
    .quick = {.seconds = 0.74, .variants = 1},
    .run = measure_core_distance,
    .findings = core_distance_findings,
    .kernel = core_distance_kernel,
};

} // namespace sonde
