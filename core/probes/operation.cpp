// operation: latency of a dependent operation.
#include "core/measure/arithmetic.h"
#include "core/probes/arithmetic_options.h"

namespace sonde {

namespace {
constexpr std::uint64_t kLongest = 512; // steps of a loop trip

KernelChoice operation_kernel(const DeviceInfo& info, const Path&, const Options& options) { return arithmetic_kernel(info, *kOperation.in(options), 1, kLongest); }

void measure_operation(Bench& bench) {
    const Operation& operation = *kOperation.in(bench.request.id.options);
    bench.evidence.operation = operation.name;
    bench.wake_clocks();
    std::optional<Arithmetic> chain;
    chain.emplace(bench, operation_kernel(bench.info, bench.path, bench.request.id.options), 1); // what a device lacks shows here
    std::uint32_t repeat = 0;
    const auto prepare = [&](std::uint64_t steps, const std::string&) {
        repeat = static_cast<std::uint32_t>(steps);
        chain.emplace(bench, arithmetic_kernel(bench.info, operation, 1, repeat), 1);
        return Work{.most = chain->most_rounds()};
    };
    std::vector<std::uint64_t> lengths{kLongest, 256, 64, 16, 4, 1}; // what a run's time cuts off is the loop's share, not the latency
    if (bench.profile.blocks == 1) lengths = {kLongest}; // each is a kernel of its own
    bench.measure({.prepare = prepare, .dispatch = [&](std::uint64_t, std::uint32_t rounds) { return chain->timed(1, rounds, static_cast<double>(rounds) * repeat); }}, lengths);
    bench.kernel(operation_kernel(bench.info, bench.path, bench.request.id.options)); // whose listing is shown
    bench.evidence.shape = {.group_size = std::max(1u, bench.info.subgroup), .groups = 1, .unroll = kLongest};
}

std::vector<Finding> operation_findings(const Series& series, const DeviceInfo&) {
    const auto last = std::ranges::max_element(series.points, {}, &Point::x);
    if (last == series.points.end() || !last->median) return {};
    const Operation& operation = *kOperation.in(series.id.options);
    const double in_step = operation.in_step;
    std::string text = last->cycles ? fmt::format("{}: {} cycles ({} ns)", operation.name, fmt::format("{:.4g}", *last->cycles / in_step), fmt::format("{:.4g}", *last->median / in_step)) : fmt::format("{}: {} ns", operation.name, fmt::format("{:.4g}", *last->median / in_step));
    return {finding_of(series, {.name = std::string(operation.name), .value = *last->median / in_step, .cycles = last->cycles ? std::optional(*last->cycles / in_step) : std::nullopt, .text = text + step_text(series, operation), .x = {last->x}})};
}
} // namespace

const Probe kOperationProbe{
    .name = "operation",
    .question = "Latency of a dependent operation?",
    .explanation = "One subgroup runs a chain of one operation, each step needing the one before; a barrier is one of eight subgroups. The loop holds 1 to 512 steps, so that the share of the loop itself shows.",
    .picture = "A fall from the loop's own cost to the latency of a step, flat from some 64 steps on.",
    .method = literature::kWong,
    .x = {"steps"},
    .chart = Chart::table,
    .run_noise = run_noise::levels,
    .paths = {"global"},
    .variants = kOperation.each(),
    .accepts = {option::subgroup},
    .quick = {.paths = {}, .variants = kQuickOperations},
    .run = measure_operation,
    .findings = operation_findings,
    .kernel = operation_kernel,
};

} // namespace sonde
