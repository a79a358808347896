// neighbours: which cores share a path's first level. Where kernels know their core, one core walks while another walks a chain of its own:
// both fit only where each has a cache to itself. Where they do not, all cores walk at once, and the largest chain that fits then is held
// against the one that fits alone.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "core/measure/slices.h"
#include "core/measure/structure_probe.h"
#include "core/probes/probes.h"

namespace sonde {

static KernelChoice neighbours_kernel(const DeviceInfo& info, const Path& path, const Options&);

namespace {
constexpr std::uint32_t kNeighbourWords = 8;      // that a workgroup leaves (kernels/neighbours.h)
constexpr std::uint32_t kGroupsPerCore = 2, kMostGroupsPerCore = 16; // more and more, until both cores asked for are met
constexpr std::uint32_t kOnNeither = 0xFFFFFFFFu;
constexpr std::array kShares{1, 2, 3, 4, 6, 8}; // of a first level: who shares it with so many is found

class Neighbours {
public:
    Neighbours(Bench& bench, bool by_core)
        : bench_(bench), groups_(bench.info.cores * (by_core ? kGroupsPerCore : 1)), kernel_(bench.kernel(neighbours_kernel(bench.info, bench.path, {}))),
          result_(bench.allocate_result(std::size_t{kNeighbourWords} * bench.info.cores * kMostGroupsPerCore)) {}

    /// Ascending.
    std::vector<std::uint64_t> cores(const Slices& slices) {
        const auto out = launch(slices, 0, 0, 0, 0, 0).out;
        std::vector<std::uint64_t> numbers;
        for (std::uint32_t group = 0; group < groups_; ++group) numbers.push_back(out[std::size_t{group} * kNeighbourWords]);
        std::sort(numbers.begin(), numbers.end());
        numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
        return numbers;
    }

    /// One core's walk, while another (or the same one) walks; or the walks of as many workgroups as there are slices.
    Sample timed(const Slices& slices, std::uint32_t core, std::uint32_t other, std::uint32_t steps) {
        for (;; groups_ *= 2) {
            if (const auto sample = walked(slices, core, other, steps)) return *sample;
            if (bench_.info.core_name.empty() || groups_ * 2 > bench_.info.cores * kMostGroupsPerCore) throw Error(fmt::format("none of {} workgroups met core {} or {}", groups_, core, other));
        }
    }

private:
    /// nullopt: not all walkers were met.
    std::optional<Sample> walked(const Slices& slices, std::uint32_t core, std::uint32_t other, std::uint32_t steps) {
        const std::uint32_t warm = (slices.slots() + 7) / 8 * 8;
        auto [sample, out] = launch(slices, slices.count(), core, other, warm, steps);
        const bool by_core = !bench_.info.core_name.empty();
        std::optional<double> cycles;
        std::vector<bool> met(slices.count(), false);
        for (std::uint32_t group = 0; group < groups_; ++group) {
            const auto words = std::span(out).subspan(std::size_t{group} * kNeighbourWords, kNeighbourWords);
            if (words[1] == kOnNeither) continue;
            const std::uint32_t walker = !by_core ? group : words[0] == core ? 0 : 1;
            slices.check(words[1], walker, warm + steps);
            met[walker] = true;
            if (walker != 0) continue;
            const auto own = clock_difference(bench_.info, {words.begin() + 2, words.end()});
            if (own) cycles = std::max(cycles.value_or(0), *own); // one workgroup of a core may find what another has just brought
        }
        const std::size_t expected = by_core && core == other ? 1 : slices.count();
        if (static_cast<std::size_t>(std::count(met.begin(), met.end(), true)) < expected) return std::nullopt;
        bench_.checked("the last link of every walk of every dispatch against the host's walk");
        sample.cycles = cycles;
        return sample;
    }

    Launched launch(const Slices& slices, std::uint32_t walkers, std::uint32_t core, std::uint32_t other, std::uint32_t warm, std::uint32_t steps) {
        const kernel_args::Neighbours args{.slice = slices.words(), .walkers = walkers, .core = core, .other = other, .warm = warm, .steps = steps};
        return bench_.launch(*kernel_, args, {.a = slices.memory(), .out = *result_, .groups = groups_}, steps, std::size_t{kNeighbourWords} * groups_);
    }

    Bench& bench_;
    std::uint32_t groups_;
    std::unique_ptr<Kernel> kernel_;
    std::unique_ptr<Buffer> result_;
};

void measure_by_core(Bench& bench, Chase& chase, const Level& level) {
    Slices slices(bench, static_cast<std::uint64_t>(kSliceOfLevel * level.capacity_on));
    slices.build(2);
    Neighbours neighbours(bench, true);
    const auto numbers = neighbours.cores(slices);
    if (numbers.size() < 2) throw Unsupported("there is one core");
    bench.evidence["core"] = numbers.front();
    bench.evidence["cores"] = numbers.size();
    const auto asked = cores_to_ask(bench, numbers, 8);
    const auto first = static_cast<std::uint32_t>(numbers.front());
    const auto dispatch = [&](std::uint64_t other, std::uint32_t steps) { return neighbours.timed(slices, first, static_cast<std::uint32_t>(other), steps); };
    bench.measure({.work = {.granule = 64, .most = chase.most_steps()}, .dispatch = dispatch}, asked);
}

void measure_by_share(Bench& bench, Chase& chase, const Level& level) {
    if (bench.info.cores < 2) throw Unsupported("there is one core");
    Neighbours neighbours(bench, false);
    std::optional<Slices> slices;
    const auto prepare = [&](std::uint64_t share, const std::string&) {
        slices.emplace(bench, static_cast<std::uint64_t>(kSliceOfLevel * level.capacity_on / static_cast<double>(share)));
        slices->build(bench.info.cores);
        return Work{.granule = 64, .most = chase.most_steps()};
    };
    bench.measure({.prepare = prepare, .dispatch = [&](std::uint64_t, std::uint32_t steps) { return neighbours.timed(*slices, 0, 0, steps); }}, {kShares.begin(), kShares.end()});
}
} // namespace

static KernelChoice neighbours_kernel(const DeviceInfo& info, const Path& path, const Options&) {
    KernelChoice choice = chase_kernel(info, path);
    choice.name = "neighbours";
    if (!info.core_name.empty()) choice.defines.emplace_back("BY_CORE", "1");
    return choice;
}

static void measure_neighbours(Bench& bench) {
    if (bench.info.cpu) throw Unsupported("a processor's cores run threads where they like");
    bench.wake_clocks();
    Chase chase(bench);
    chase.new_memory();
    const Level level = level_of(chase.levels(kFirstLevelEnds), 0);
    bench.evidence["by"] = bench.info.core_name.empty() ? "share" : "core";
    (bench.info.core_name.empty() ? measure_by_share : measure_by_core)(bench, chase, level);
}

namespace {
/// By the clock of the one core's walk where it has one, in ns at the clock of the point at which it is alone: the time of a launch is that
/// of its slowest walk.
std::vector<CurvePoint> curve_of_first_walk(const Series& series) {
    const double core = series.evidence.value("core", 0.0);
    const auto alone = std::find_if(series.points.begin(), series.points.end(), [&](const Point& point) { return point.x == core && point.median && point.cycles; });
    auto curve = curve_of(series);
    if (alone == series.points.end()) return curve;
    for (CurvePoint& at : curve) {
        const auto point = std::find_if(series.points.begin(), series.points.end(), [&](const Point& each) { return each.x == at.bytes; });
        if (point->cycles) at.latency = *alone->median * *point->cycles / *alone->cycles;
    }
    return curve;
}
} // namespace

static std::vector<Finding> neighbours_findings(const Series& series, const Json&) {
    const auto levels = levels_in(series.evidence);
    if (levels.size() < 2) return {};
    const bool by_core = series.evidence.value("by", "") == "core";
    const auto curve = by_core ? curve_of_first_walk(series) : curve_of(series);
    const Conclusion conclusion = by_core ? cores_sharing(curve, series.evidence.value("core", 0.0), levels[0].ns, levels[1].ns) : sharers_of_level(curve, levels[0].ns, levels[1].ns);
    return as_finding(series, conclusion, "core-sharing", "L1", "cores", [&](double cores) {
        if (cores == 1) return by_core ? fmt::format("core {:.0f} shares its first level with none of {} others", series.evidence.value("core", 0.0), curve.size() - 1) : std::string("every core has a first level of its own");
        if (!by_core) return fmt::format("{:.0f} cores share a first level", cores);
        std::vector<std::string> others;
        for (const CurvePoint& point : curve)
            if (point.bytes != series.evidence.value("core", 0.0) && is_missing(point.latency, levels[0].ns, levels[1].ns)) others.push_back(fmt::format("{:.0f}", point.bytes));
        return fmt::format("core {:.0f} shares its first level with {} {}", series.evidence.value("core", 0.0), cores > 2 ? "cores" : "core", fmt::join(others, ", "));
    });
}

const Probe kCoreSharing{
    .name = "core-sharing",
    .question = "Which cores share an L1 or a scalar cache?",
    .explanation = "One core walks a chain while another core walks its own; both fit only where each has a cache to itself. Cores that slow each other down share one.",
    .x_name = "core or share",
    .x_unit = "",
    .unit = "ns",
    .measure = Measure::time_per_step,
    .axis = Axis::place,
    .chart = Chart::cores,
    .run_noise = run_noise::alike,
    .paths = {"global", "global.uniform", "texel", "constant"},
    .variants = {{}},
    .accepts = {},
    .quick = {.paths = {"texel"}, .variants = 0},
    .run = measure_neighbours,
    .findings = neighbours_findings,
    .kernel = neighbours_kernel,
};

} // namespace sonde
