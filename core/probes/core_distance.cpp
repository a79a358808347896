// core-distance: how far the LLC is from each core: a walk on one core at a time, past L1.
#include <bit>
#include <cmath>

#include "core/probes/probes.h"

namespace sonde {

namespace {
const Choice<bool> kIsOneLine{"lines", {{"one", true}, {"many", false}}};
constexpr std::uint64_t kMostWarm = 1024; // loads
constexpr double kSharedFrom = 1 << 20;  // bytes: a level so large is no core's own

/// One line, which lies in one slice of the level that cores share, or half of what that level holds, which lies in all.
std::uint64_t footprint(const Bench& bench, const std::vector<Level>& levels, std::uint64_t granule) {
    if (kIsOneLine.in(bench.request.id.options)) return granule;
    const auto shared = std::find_if(levels.begin(), levels.end(), [](const Level& level) { return level.capacity_off && level.capacity_on >= kSharedFrom; });
    if (shared == levels.end()) throw NoneSeen("no cache level of 1 MiB or more seen, which cores could share");
    return static_cast<std::uint64_t>(shared->capacity_on / 2) / granule * granule;
}
} // namespace

static KernelChoice core_distance_kernel(const DeviceInfo& info, const Path& path, const Options&) {
    KernelChoice choice = by_core_kernel(info, path, {});
    choice.asks_for_core = true;
    return choice;
}

static void measure_core_distance(Bench& bench) {
    if (bench.info.core_name.empty()) throw Unsupported("nothing tells a kernel the core that it runs on");
    bench.wake_clocks();
    Chase chase(bench);
    chase.new_memory();
    const auto levels = chase.levels();
    chase.build(footprint(bench, levels, chase.granule()));
    bench.evidence.footprint_bytes = chase.chain().length() * chase.granule();
    bench.evidence.core_number = bench.info.core_name;
    CoreWalks walks(bench, core_distance_kernel(bench.info, bench.path, {}), 1);
    const auto asked = cores_to_ask(bench, core_numbers(bench), 4);
    const Chain& chain = chase.chain();
    const auto warm = static_cast<std::uint32_t>(std::min(chain.length(), kMostWarm) + 7) / 8 * 8;
    const auto dispatch = [&](std::uint64_t core, std::uint32_t steps) {
        return walks.timed({.steps = steps, .start = chain.start(), .warm = warm, .core = static_cast<std::uint32_t>(core), .other = kNone}, chase.memory(), 1,
                           [&](std::uint32_t, std::uint64_t loads) { return chain.walk(loads); });
    };
    bench.measure({.work = {.granule = 64, .most = chase.most_steps()}, .dispatch = dispatch}, asked);
}

static std::vector<Finding> core_distance_findings(const Series& series, const DeviceInfo&) {
    return {groups_finding(series, "cores", kIsOneLine.in(series.id.options) ? "load the same line of L2 in" : "load from lines all over L2 in")};
}

const Probe kCoreDistance{
    .name = "core-distance",
    .question = "L2 latency from each core?",
    .explanation = "One core at a time follows a dependent chain in L2, in one line or in many. Groups of cores with different latency show the partitions of the chip.",
    .picture = "One value for each core: equal on a small chip; two or more groups where L2 is partitioned.",
    .x = {"core", "", Axis::place},
    .chart = Chart::cores,
    .run_noise = run_noise::one_line,
    .paths = {"global.cg"},
    .variants = kIsOneLine.each(),
    .quick = {.paths = {}, .variants = 1},
    .run = measure_core_distance,
    .findings = core_distance_findings,
    .kernel = core_distance_kernel,
};

} // namespace sonde
