// rate: throughput of an operation, by independent chains of a work-item and subgroups of a core.
#include "core/measure/arithmetic.h"
#include "core/probes/arithmetic_options.h"

namespace sonde {

namespace {
constexpr std::uint32_t kSubgroups = 4; // of a workgroup: as many as a core has schedulers, and so few workgroups that all of them run at a time
constexpr std::uint32_t kStepsOfTrip = 512; // of all chains: the loop's own instructions are less than one percent

const Choice<std::uint32_t> kChains{"chains", {{"8", 8}, {"4", 4}, {"2", 2}, {"1", 1}}};

KernelChoice rate_kernel(const DeviceInfo& info, const Path&, const Options& options) {
    const std::uint32_t chains = kChains.in(options);
    KernelChoice choice = arithmetic_kernel(info, *kOperation.in(options), chains, kStepsOfTrip / chains);
    if (!info.cpu) choice.group_size = std::min(info.largest_group, choice.group_size * kSubgroups);
    return choice;
}

void measure_rate(Bench& bench) {
    const Options& options = bench.request.id.options;
    const Operation& operation = *kOperation.in(options);
    const KernelChoice choice = rate_kernel(bench.info, bench.path, options);
    constexpr std::uint32_t kMostGroups = 8;
    bench.evidence.operation = operation.name;
    bench.wake_clocks();
    const std::uint32_t cores = bench.info.cores, resident = bench.info.cpu ? 1 : std::clamp(bench.info.filling() / choice.group_size, 1u, kMostGroups), subgroups = choice.group_size / std::max(1u, bench.info.subgroup);
    Arithmetic chains(bench, choice, cores * resident);
    const double trip = operation.work * kStepsOfTrip * choice.group_size * cores;
    std::vector<std::uint64_t> of_core; // subgroups
    for (std::uint32_t groups = bench.profile.blocks == 1 ? std::min(resident, 2u) : 1; groups <= resident; groups *= 2) of_core.push_back(std::uint64_t{groups} * subgroups);
    bench.measure({.work = {.most = chains.most_rounds()},
                   .dispatch = [&](std::uint64_t each, std::uint32_t rounds) {
                       const auto groups = static_cast<std::uint32_t>(each) / subgroups;
                       Sample sample = chains.timed(cores * groups, rounds, trip * groups * rounds);
                       if (groups > 1) sample.cycles.reset(); // a subgroup that waits for its scheduler from the start reads the clock late: up to 8 % of the dispatch were seen to be missing
                       return sample;
                   }},
                  of_core);
    bench.evidence.shape = {.group_size = choice.group_size, .unroll = choice.repeat};
}

std::vector<Finding> rate_findings(const Series& series, const DeviceInfo& device) {
    const auto curve = curve_of(series);
    if (curve.empty()) return {};
    const CurvePoint best = highest(curve);
    const Operation& operation = *kOperation.in(series.id.options);
    std::string text = fmt::format("{}: {} with {} chains and {:g} subgroups a core", operation.name, format_si(best.y * 1e9, "op/s"), kChains.in(series.id.options), best.x);
    const auto point = std::ranges::find(series.points, best.x, &Point::x);
    if (const auto clock = clock_at(series, *point); device.core_cycles && clock && device.cores)
        text += fmt::format(", {} operations a clock and core", fmt::format("{:.4g}", best.y * 1e3 / *clock / device.cores));
    return {finding_of(series, {.name = std::string(operation.name), .value = best.y, .text = text + step_text(series, operation), .x = {best.x}})};
}
} // namespace

const Probe kRate{
    .name = "rate",
    .question = "Throughput of an operation?",
    .explanation = "All cores run independent chains of one operation: 1 to 8 chains in a work-item, 4 to 32 subgroups on a core. A fused multiply-add counts as two operations.",
    .picture = "A rise with chains and subgroups until the unit is busy in every cycle, then flat.",
    .method = literature::kWong,
    .x = {"subgroups per core"},
    .unit = "Gop/s",
    .chart = Chart::table,
    .run_noise = run_noise::levels,
    .paths = {"global"},
    .variants = kOperation.each() * kChains.each({"8"}) + kOperation.each({"fma.f32", "fma.f64", "fma.f16x2", "add.u32", "rcp.f32"}) * kChains.each({"4", "2", "1"}),
    .accepts = {option::subgroup},
    .quick = {.paths = {}, .variants = kQuickOperations},
    .run = measure_rate,
    .findings = rate_findings,
    .kernel = rate_kernel,
};

std::string step_text(const Series& series, const Operation& operation) {
    const auto& kernel = series.evidence.kernel;
    if (!kernel || kernel->step_instructions.empty()) return "";
    return fmt::format("; a step ({}) is {}", operation.step, step_instructions_text(kernel->step_instructions));
}

} // namespace sonde
