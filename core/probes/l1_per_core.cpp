// partitions: several waves of one workgroup walk chains of their own, each of which fits the first level: how many of them fit together.
#include <fmt/format.h>

#include "core/measure/slices.h"
#include "core/measure/structure_probe.h"
#include "core/probes/probes.h"

namespace sonde {

static KernelChoice partitions_kernel(const DeviceInfo& info, const Path& path, const Options&);

namespace {
constexpr std::uint32_t kMostWalkers = 32;

/// Waves that walk a slice each.
class Waves {
public:
    Waves(Bench& bench, std::uint64_t slice_bytes) : bench_(bench), slices_(bench, slice_bytes), result_(bench.allocate_result(4 + std::size_t{kMostWalkers} * bench.info.subgroup)) {}

    std::uint32_t slice_words() const { return slices_.words(); }

    void build(std::uint32_t waves) {
        slices_.build(waves);
        const KernelChoice choice = partitions_kernel(bench_.info, bench_.path, {});
        kernel_ = bench_.kernel({.name = choice.name, .group_size = waves * bench_.info.subgroup, .defines = choice.defines, .chases = true});
    }

    /// Every wave begins at its slice's first word; no chain's start is another's.
    Sample timed(std::uint32_t steps) {
        const std::uint32_t warm = (slices_.slots() + 7) / 8 * 8, lanes = slices_.count() * bench_.info.subgroup;
        const kernel_args::Waves args{.start = 0, .lanes = bench_.info.subgroup, .slice = slice_words(), .warm = warm, .steps = steps, .stage = 0};
        auto [sample, out] = bench_.launch(*kernel_, args, {.a = slices_.memory(), .out = *result_}, steps, 4 + lanes);
        for (std::uint32_t lane = 0; lane < lanes; ++lane) slices_.check(out[4 + lane], lane / bench_.info.subgroup, warm + steps);
        bench_.checked(kLinksChecked);
        sample.cycles = clock_difference(bench_.info, out);
        return sample;
    }

private:
    Bench& bench_;
    Slices slices_;
    std::unique_ptr<Buffer> result_;
    std::unique_ptr<Kernel> kernel_;
};
} // namespace

static KernelChoice partitions_kernel(const DeviceInfo& info, const Path& path, const Options&) {
    KernelChoice choice = chase_kernel(info, path);
    choice.name = "waves";
    return choice;
}

static void measure_partitions(Bench& bench) {
    if (bench.info.cpu || bench.info.subgroup == 1) throw Unsupported("a processor's thread runs one wave after another");
    bench.wake_clocks();
    Chase chase(bench);
    chase.new_memory();
    const Level level = level_of(chase.levels(kFirstLevelEnds), 0);
    Waves waves(bench, static_cast<std::uint64_t>(kSliceOfLevel * level.capacity_on));
    const std::uint32_t most = std::min(bench.info.largest_group / bench.info.subgroup, kMostWalkers);
    std::vector<std::uint64_t> counts;
    for (std::uint32_t count = 1; count <= most && std::uint64_t{count} * waves.slice_words() * 4 <= chase.largest(); count *= 2) counts.push_back(count);
    const auto prepare = [&](std::uint64_t count, const std::string&) {
        waves.build(static_cast<std::uint32_t>(count));
        return Work{.granule = 64, .most = chase.most_steps()};
    };
    bench.measure({.prepare = prepare, .dispatch = [&](std::uint64_t, std::uint32_t steps) { return waves.timed(steps); }}, counts);
    bench.evidence["slice_bytes"] = waves.slice_words() * 4;
}

static std::vector<Finding> partitions_findings(const Series& series, const Json&) {
    const auto levels = levels_in(series.evidence);
    if (levels.size() < 2) return {};
    const Conclusion conclusion = private_caches(curve_of(series), levels[0].ns, levels[1].ns);
    return as_finding(series, conclusion, "l1-per-core", "L1", "caches", [&](double count) {
        if (conclusion.high > count) return fmt::format("{:.0f} waves of one workgroup find room each for itself: at least so many caches, or one that was not filled", count);
        return count == 1 ? std::string("all waves of a workgroup share one first level") : fmt::format("a workgroup's waves have {:.0f} first levels of their own", count);
    });
}

const Probe kL1PerCore{
    .name = "l1-per-core",
    .question = "How many L1 instances serve this path per core?",
    .explanation = "Several subgroups of one workgroup walk chains of their own, each of which fits L1 alone. They keep their latency while each finds an L1 instance of its own.",
    .x_name = "subgroups",
    .x_unit = "",
    .unit = "ns",
    .measure = Measure::time_per_step,
    .axis = Axis::amount,
    .chart = Chart::curve,
    .run_noise = run_noise::one_line,
    .paths = {"global", "global.ca", "global.readonly", "texel", "constant"},
    .variants = {{}},
    .accepts = {},
    .quick = {.paths = {"global"}, .variants = 0},
    .run = measure_partitions,
    .findings = partitions_findings,
    .kernel = partitions_kernel,
};

} // namespace sonde
