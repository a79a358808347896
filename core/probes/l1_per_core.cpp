// l1-per-core: several subgroups of one workgroup walk chains of their own, each of which fits L1: how many of them fit
// together.
#include "core/probes/probes.h"

namespace sonde {

static void measure_l1_per_core(Bench& bench) {
    if (bench.info.cpu || bench.info.subgroup == 1)
        throw Unsupported("a processor's thread runs one subgroup after another");
    bench.wake_clocks();
    Chase chase(bench);
    chase.new_memory();
    const Level level = level_of(chase.levels(kFirstLevelEnds), 0);
    Slices slices(bench, static_cast<std::uint64_t>(kSliceOfLevel * level.capacity_on));
    sweep_subgroups(bench, own_starts_kernel(bench.info, bench.path, {}),
        numbers_of_subgroups(bench.info, chase.largest() / (slices.words() * 4), false), [&](std::uint32_t subgroups) {
            slices.build(subgroups);
            return SubgroupWalks{.args = {.steps = 0, .warm = slices.warm_up(), .rounds = 1},
                .sources = {.a = slices.memory()},
                .word = [&](std::uint32_t walker,
                            std::uint64_t loads) { return slices.word(walker / bench.info.subgroup, loads); },
                .most_steps = chase.most_steps()};
        });
    bench.evidence.slice_bytes = slices.words() * 4;
}

static std::vector<KernelChoice> l1_per_core_kernels(
    const DeviceInfo& info, const Path& path, const Options& options, const Profile&) {
    return subgroup_kernels(info, own_starts_kernel(info, path, options), numbers_of_subgroups(info, ~0ull, false));
}

static std::vector<Finding> l1_per_core_findings(const Series& series, const DeviceInfo&) {
    const auto& levels = series.evidence.levels;
    if (levels.size() < 2) return {};
    const Conclusion conclusion = private_caches(curve_of(series), levels[0].ns, levels[1].ns);
    Finding found = finding_of(series, conclusion, "L1", "caches", [&](double count) {
        if (conclusion.high > count)
            return fmt::format(
                "no end of L1 instances seen up to {:.0f} subgroups of one workgroup: each still hits", count);
        return count == 1 ? std::string("all subgroups of a workgroup share one L1")
                          : fmt::format("{:.0f} L1 instances serve the subgroups of a workgroup", count);
    });
    if (found.value && conclusion.high > *found.value)
        found.rows = {{"caches of L1, no end seen up to", *found.value, "caches"}};
    return {found};
}

const Probe kL1PerCore{
    .name = "l1-per-core",
    .question = "How many L1 instances serve this path per core?",
    .explanation = "Several subgroups of one workgroup follow chains of their own, each of which fits L1 alone. All "
                   "hit up to the number of L1 instances.",
    .picture = "Flat up to as many subgroups as there are L1 instances, then a rise.",
    .method = literature::kMt4g,
    .x = {"subgroups"},
    .run_noise = run_noise::one_line,
    .structure = true,
    .clock_of_one_subgroup = true,
    .compared = {{"l1-per-core", "caches of {}"}},
    .paths = {"global", "global.ca", "global.readonly", "texel", "constant"},
    .quick = {.seconds = 0.23, .paths = {"global", "texel"}},
    .run = measure_l1_per_core,
    .findings = l1_per_core_findings,
    .kernel = own_starts_kernel,
    .further_kernels = l1_per_core_kernels,
};

} // namespace sonde
