// core-sharing: which cores share a path's L1. Where kernels know their core, one core walks while another walks a
// chain of its own: both fit only where each has a cache to itself. Where they do not, all cores walk at once, and the
// largest chain that fits then is held against the one that fits alone.
#include <array>

#include "core/probes/probes.h"

namespace sonde {

namespace {
constexpr std::uint32_t kGroupsPerCore = 2;
constexpr std::array kShares{1, 2, 3, 4, 6, 8}; // of an L1: who shares it with so many is found

/// One core's walk, while another (or the same one) walks; or the walks of as many workgroups as there are slices.
Sample walked(CoreWalks& walks, const Slices& slices, std::uint32_t core, std::uint32_t other, std::uint32_t walkers,
    std::uint32_t steps) {
    return walks.timed(
        {.steps = steps, .slice = slices.words(), .warm = slices.warm_up(), .core = core, .other = other},
        slices.memory(), walkers,
        [&](std::uint32_t walker, std::uint64_t loads) { return slices.word(walker, loads); });
}

void measure_by_core(Bench& bench, Chase& chase, const Level& level) {
    Slices slices(bench, static_cast<std::uint64_t>(kSliceOfLevel * level.capacity_on));
    slices.build(2);
    const auto numbers = core_numbers(bench);
    CoreWalks walks(bench, by_core_kernel(bench.info, bench.path, {}), kGroupsPerCore);
    bench.evidence.core = numbers.front();
    bench.evidence.cores.count = numbers.size();
    const std::uint32_t first = numbers.front();
    const auto dispatch = [&](std::uint64_t other, std::uint32_t steps) {
        return walked(walks, slices, first, static_cast<std::uint32_t>(other), other == first ? 1 : 2, steps);
    };
    bench.measure(
        {.work = {.granule = 64, .most = chase.most_steps()}, .dispatch = dispatch}, cores_to_ask(bench, numbers, 8));
}

void measure_by_share(Bench& bench, Chase& chase, const Level& level) {
    if (bench.info.cores < 2) throw Unsupported("there is one core");
    CoreWalks walks(bench, by_core_kernel(bench.info, bench.path, {}), 1);
    std::optional<Slices> slices;
    const auto prepare = [&](std::uint64_t share, const std::string&) {
        slices.emplace(
            bench, static_cast<std::uint64_t>(kSliceOfLevel * level.capacity_on / static_cast<double>(share)));
        slices->build(bench.info.cores);
        return Work{.granule = 64, .most = chase.most_steps()};
    };
    bench.measure(
        {.prepare = prepare,
            .dispatch = [&](std::uint64_t,
                            std::uint32_t steps) { return walked(walks, *slices, 0, 0, bench.info.cores, steps); }},
        {kShares.begin(), kShares.end()});
}
} // namespace

static void measure_core_sharing(Bench& bench) {
    if (bench.info.cpu) throw Unsupported("a processor's cores run threads where they like");
    bench.wake_clocks();
    Chase chase(bench);
    chase.new_memory();
    const Level level = level_of(chase.levels(kFirstLevelEnds), 0);
    bench.evidence.by = bench.info.core_name.empty() ? "share" : "core";
    (bench.info.core_name.empty() ? measure_by_share : measure_by_core)(bench, chase, level);
}

namespace {
/// By the clock of the one core's walk where it has one, in ns at the clock of the point at which it is alone: the time
/// of a launch is that of its slowest walk.
std::vector<CurvePoint> curve_of_first_walk(const Series& series) {
    const double core = series.evidence.core.value_or(0);
    const auto alone = std::find_if(series.points.begin(), series.points.end(),
        [&](const Point& point) { return point.x == core && point.median && point.cycles; });
    auto curve = curve_of(series);
    if (alone == series.points.end()) return curve;
    for (CurvePoint& at : curve) {
        const auto point =
            std::find_if(series.points.begin(), series.points.end(), [&](const Point& each) { return each.x == at.x; });
        if (point->cycles) at.y = *alone->median * *point->cycles / *alone->cycles;
    }
    return curve;
}
} // namespace

static std::vector<Finding> core_sharing_findings(const Series& series, const DeviceInfo&) {
    const auto& levels = series.evidence.levels;
    if (levels.size() < 2) return {};
    const bool by_core = series.evidence.by == "core";
    const double asked = series.evidence.core.value_or(0);
    const auto curve = by_core ? curve_of_first_walk(series) : curve_of(series);
    const Conclusion conclusion = by_core ? cores_sharing(curve, asked, levels[0].ns, levels[1].ns)
                                          : sharers_of_level(curve, levels[0].ns, levels[1].ns);
    std::vector<double> others;
    for (const CurvePoint& point : curve)
        if (by_core && point.x != asked && is_missing(point.y, levels[0].ns, levels[1].ns)) others.push_back(point.x);
    Finding found = finding_of(series, conclusion, "L1", "cores", [&](double cores) {
        if (!by_core)
            return cores == 1 ? std::string("each core has an L1 of its own")
                              : fmt::format("{:.0f} cores share an L1", cores);
        if (others.empty())
            return fmt::format(
                "none of the {} other cores tried evicts L1 lines of core {:g}", curve.size() - 1, asked);
        return fmt::format("core {:g} shares its L1 with core{} {}, of {} others tried", asked,
            others.size() > 1 ? "s" : "", fmt::join(others, ", "), curve.size() - 1);
    });
    if (!found.value) return {found};
    found.rows = {{"cores at one L1", *found.value, "cores"}};
    if (by_core) found.rows.push_back({"other cores tried", static_cast<double>(curve.size() - 1), "cores"});
    for (const double other : others)
        found.rows.push_back({fmt::format("number of a core that shares core {:g}'s", asked), other, "core"});
    return {found};
}

const Probe kCoreSharing{
    .name = "core-sharing",
    .question = "Which cores share an L1 or a scalar cache?",
    .explanation = "One core follows a chain while another core follows its own; both hit only where each has a cache "
                   "to itself. Cores whose chains evict each other share one.",
    .picture = "One value for each core: most hit, and those that share the cache with the asked one miss.",
    .method = literature::kMt4g,
    .x = {"core or share", "", Axis::place},
    .chart = Chart::cores,
    .run_noise = run_noise::alike,
    .structure = true,
    .compared = {{"core-sharing", "cores at {}"}},
    .paths = {"global", "global.uniform", "texel", "constant"},
    .quick = {.seconds = 0.32, .paths = {"texel"}},
    .run = measure_core_sharing,
    .findings = core_sharing_findings,
    .kernel = by_core_kernel,
};

} // namespace sonde
