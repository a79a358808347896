// operation: latency of a dependent operation.
#include "core/measure/arithmetic.h"
#include "core/probes/arithmetic_options.h"

namespace sonde {

namespace {
constexpr double kLongerTakes = 1.05; // times the latency, where a longer loop is worth a word

KernelChoice operation_kernel(const DeviceInfo& info, const Path&, const Options& options) {
    return arithmetic_kernel(info, *kOperation.in(options), 1, steps_of_trip(info, *kOperation.in(options)));
}

/// The latency first: what a run's time cuts off is the loop's share, and what a loop costs that is longer than some
/// instruction caches.
std::vector<std::uint64_t> operation_lengths(
    const DeviceInfo& info, const Operation& operation, const Profile& profile) {
    const std::uint64_t shown = steps_of_trip(info, operation);
    if (profile.blocks == 1) return {shown}; // each is a kernel of its own
    std::vector<std::uint64_t> lengths{shown};
    for (const std::uint64_t length : {1024, 256, 64, 16, 4, 1})
        if (length != shown && (length < shown || shown == kLatencySteps)) lengths.push_back(length);
    return lengths;
}

void measure_operation(Bench& bench) {
    const Operation& operation = *kOperation.in(bench.request.id.options);
    bench.evidence.operation = operation.name;
    bench.wake_clocks();
    std::optional<Arithmetic> chain;
    chain.emplace(
        bench, operation_kernel(bench.info, bench.path, bench.request.id.options), 1); // what a device lacks shows here
    std::uint32_t repeat = 0;
    const auto prepare = [&](std::uint64_t steps, const std::string&) {
        repeat = static_cast<std::uint32_t>(steps);
        chain.emplace(bench, arithmetic_kernel(bench.info, operation, 1, repeat), 1);
        return Work{.most = chain->most_rounds()};
    };
    bench.measure({.prepare = prepare,
                      .dispatch =
                          [&](std::uint64_t, std::uint32_t rounds) {
                              return chain->timed(1, rounds, static_cast<double>(rounds) * repeat);
                          }},
        operation_lengths(bench.info, operation, bench.profile));
    bench.kernel(operation_kernel(bench.info, bench.path, bench.request.id.options)); // whose listing is shown
    bench.evidence.shape = {
        .group_size = std::max(1u, bench.info.subgroup), .groups = 1, .unroll = steps_of_trip(bench.info, operation)};
}

/// What one of the operations of a step takes.
FindingRow row_of_step(std::string place, const Point& point, double in_step) {
    return {std::move(place), *point.median / in_step, "ns", {},
        point.cycles ? std::optional(*point.cycles / in_step) : std::nullopt};
}

constexpr double kWaitsOften = 0.05; // waits for a barrier in a step, whose time no stall count tells then

/// Cycles of a step by the compiler's stall counts, which hold for operations of fixed latency alone.
std::optional<double> stall_cycles_of_step(const Series& series) {
    const auto& kernel = series.evidence.kernel;
    if (!kernel || !kernel->loop_issue || !kernel->loop_issue->steps) return std::nullopt;
    const LoopIssueEvidence& loop = *kernel->loop_issue;
    if (loop.waiting > kWaitsOften * *loop.steps) return std::nullopt;
    return loop.stall_cycles / *loop.steps;
}

std::vector<Finding> operation_findings(const Series& series, const DeviceInfo&) {
    const Point* last = latency_point(series);
    if (!last || !last->median) return {};
    const Operation& operation = *kOperation.in(series.id.options);
    const double in_step = operation.in_step;
    std::string text =
        last->cycles
            ? fmt::format("{}: {} cycles ({} ns)", operation.name, fmt::format("{:.4g}", *last->cycles / in_step),
                  fmt::format("{:.4g}", *last->median / in_step))
            : fmt::format("{}: {} ns", operation.name, fmt::format("{:.4g}", *last->median / in_step));
    const auto longest = std::ranges::max_element(series.points, {}, &Point::x);
    std::vector<FindingRow> rows{row_of_step(std::string(operation.name), *last, in_step)};
    if (longest->median && *longest->median > kLongerTakes * *last->median) {
        rows.push_back(row_of_step(fmt::format("in a loop of {:g}", longest->x), *longest, in_step));
        text += fmt::format(
            "; with {:g} steps in the loop {:.3g} times as long", longest->x, *longest->median / *last->median);
    }
    if (const auto stalls = stall_cycles_of_step(series)) {
        rows.push_back({"by the compiler's stall counts", *stalls / in_step, "cycles"});
        text += fmt::format("; the compiler's stall counts: {:.4g} cycles", *stalls / in_step);
    }
    return {finding_of(series, {.name = std::string(operation.name),
                                   .value = *last->median / in_step,
                                   .cycles = rows[0].cycles,
                                   .rows = rows,
                                   .text = text + step_text(series, operation),
                                   .x = {last->x}})};
}
} // namespace

const Probe kOperationProbe{
    .name = "operation",
    .question = "Latency of a dependent operation?",
    .explanation = "One subgroup runs a chain of one operation, each step needing the one before; a barrier is one of "
                   "eight subgroups. The loop holds 1 to 1024 steps, so that the share of the loop itself shows; fewer "
                   "of operations that are several instructions, whose code has to fit the first instruction cache (32 "
                   "to 256), and on a processor (64). The latency is that of 512, or of the most. Where NVIDIA's "
                   "compiler tells the scheduler how long a result takes, its count stands beside the measured one.",
    .picture = "A fall from the loop's own cost to the latency of a step, flat from some 64 steps on.",
    .method = literature::kWong,
    .x = {"steps"},
    .chart = Chart::table,
    .role = [](const Options&) { return Role::step; },
    .run_noise = run_noise::levels,
    .paths = {"global"},
    .variants = kOperation.each(),
    .accepts = {option::subgroup},
    .quick = {.seconds = 0.03, .variants = kQuickOperations, .unasked = true},
    .run = measure_operation,
    .findings = operation_findings,
    .kernel = operation_kernel,
};

} // namespace sonde
