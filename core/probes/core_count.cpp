// cores: time of workgroups that each keep a core busy, by how many of them there are.
#include <algorithm>

#include "core/analysis/findings.h"
#include "core/measure/arithmetic.h"
#include "core/probes/arithmetic_options.h"

namespace sonde {

namespace {
constexpr std::uint32_t kChains = 4; // of a work-item: with them a workgroup leaves a core no time to give to a second
constexpr std::uint32_t kMostCounted = 4096;

const Operation& counting_operation() { return *find_operation("fma.f32"); }

/// As many work-items as fill a core, as far as a workgroup may.
KernelChoice counting_kernel(const DeviceInfo& info, const Path&, const Options&) {
    KernelChoice choice =
        arithmetic_kernel(info, counting_operation(), kChains, steps_of_trip(info, counting_operation()) / kChains);
    if (!info.cpu)
        choice.group_size = std::max(
            choice.group_size, std::min(info.largest_group, info.filling()) / choice.group_size * choice.group_size);
    return choice;
}

void measure_core_count(Bench& bench) {
    if (bench.info.cpu) throw Unsupported("a processor's threads run where the system likes");
    const KernelChoice choice = counting_kernel(bench.info, bench.path, {});
    bench.evidence.operation = counting_operation().name;
    bench.wake_clocks();
    const std::uint32_t most = std::min(kMostCounted, bench.info.most_groups);
    Arithmetic chains(bench, choice, most);
    const auto dispatch = [&](std::uint64_t groups, std::uint32_t rounds) {
        return chains.timed(static_cast<std::uint32_t>(groups), rounds, rounds * static_cast<double>(choice.repeat));
    };
    const Experiment experiment{.work = {.most = chains.most_rounds()}, .dispatch = dispatch};
    bench.each_block([&](int block) {
        std::vector<CurvePoint> curve;
        while (const auto groups = next_group_count(curve, most)) {
            const auto ns = bench.measure_block(experiment, block, {*groups});
            if (!ns.contains(*groups)) return; // its time is over
            curve.push_back({static_cast<double>(*groups), ns.at(*groups)});
        }
    });
    bench.evidence.shape = {.group_size = choice.group_size, .unroll = choice.repeat};
}

std::vector<Finding> core_count_findings(const Series& series, const DeviceInfo& device) {
    Finding found = finding_of(series, cores_side_by_side(curve_of(series)), "cores", "cores", [&](double cores) {
        return fmt::format("{:.0f} workgroups run side by side, one a core{}", cores,
            device.cores && device.cores != cores ? fmt::format(", where {} cores are told", device.cores) : "");
    });
    if (found.value) found.rows = {{"cores counted", *found.value, "cores"}};
    if (found.value && device.cores) found.rows.push_back({"cores told", static_cast<double>(device.cores), "cores"});
    return {std::move(found)};
}
} // namespace

const Probe kCoreCount{
    .name = "cores",
    .question = "How many cores run workgroups side by side?",
    .explanation = "Workgroups of dependent multiply-adds (fma.f32), each so large that it keeps a core busy: their "
                   "number doubles until they take half as long again as one alone, and is then bisected. A run counts "
                   "so by itself where no API of a card tells its cores, nor the table of boards.",
    .picture = "Flat up to the number of cores, twice as long with one workgroup more.",
    .x = {"workgroups"},
    .value_of = "a step of all chains",
    .run_noise = run_noise::by_cores,
    .clock_of_one_subgroup = true,
    .compared = {{"cores", "cores"}},
    .paths = {"global"},
    .quick = {.seconds = 0.3},
    .run = measure_core_count,
    .findings = core_count_findings,
    .kernel = counting_kernel,
};

} // namespace sonde
