// first-run: what the first execution of code costs.
#include <cmath>

#include "core/measure/arithmetic.h"
#include "core/probes/arithmetic_options.h"

namespace sonde {

namespace {
constexpr std::uint32_t
    kChainsOfRun = 4,
    kStepsOfRun = 512; // independent chains, and steps of each: 32 KiB of code where an instruction takes 16 bytes
constexpr std::uint64_t kRuns = 8;
constexpr double kSeen = 0.03; // share by which the first run differs from the last

enum class Began { awake, idle };
const Choice<Began> kBegan{"card", {{"awake", Began::awake}, {"idle", Began::idle}}};

KernelChoice first_run_kernel(const DeviceInfo& info, const Path&, const Options&) {
    return arithmetic_kernel(info, *find_operation("fma.f32"), kChainsOfRun, kStepsOfRun);
}

void measure_first_run(Bench& bench) {
    if (bench.info.cpu) throw Unsupported("on a processor a run of this code is shorter than the timers tell apart");
    const KernelChoice choice = first_run_kernel(bench.info, bench.path, {});
    bench.evidence.operation = choice.operation->name;
    bench.wake_clocks();
    const Arithmetic shown(bench, choice, 1); // whose listing is the evidence
    std::optional<Arithmetic> chains;
    const auto begin = [&] {
        chains.emplace(bench, choice, 1, Arithmetic::Module::fresh); // the card is idle meanwhile
        chains->timed(1, 0, 0);                                      // what the first launch alone costs
        if (kBegan.in(bench.request.id.options) == Began::awake) bench.wake_again();
    };
    std::vector<std::uint64_t> runs;
    for (std::uint64_t run = 1; run <= kRuns; ++run) runs.push_back(run);
    const std::uint32_t turns = bench.profile.blocks == 1 ? 3 : 8 * static_cast<std::uint32_t>(bench.profile.blocks);
    bench.measure_in_turns(runs, turns, begin, [&](std::uint32_t trips) {
        return chains->timed(1, trips, static_cast<double>(trips) * choice.repeat * kChainsOfRun);
    });
    bench.evidence.shape = {.group_size = choice.group_size, .groups = 1, .unroll = choice.repeat};
}

std::vector<Finding> first_run_findings(const Series& series, const DeviceInfo&) {
    std::vector<Point> runs;
    std::ranges::copy_if(
        series.points, std::back_inserter(runs), [](const Point& point) { return point.median.has_value(); });
    if (runs.size() < 2 || runs.front().x != 1) return {};
    const Point &first = runs.front(), &next = runs[1], &last = runs.back();
    const auto text = [](const Point& point) {
        return point.cycles ? fmt::format("{:.3g} cycles", *point.cycles) : fmt::format("{:.3g} ns", *point.median);
    };
    const double ratio = first.cycles && last.cycles ? *first.cycles / *last.cycles : *first.median / *last.median;
    const bool seen = std::abs(ratio - 1) > kSeen;
    std::vector<FindingRow> rows;
    rows.reserve(runs.size());
    for (const Point& run : runs)
        rows.push_back({fmt::format("an instruction in run {:g}", run.x), *run.median, series.unit, {}, run.cycles});
    return {finding_of(series,
        {.name = "first run",
            .value = first.median,
            .cycles = first.cycles,
            .rows = std::move(rows),
            .text = fmt::format(
                "an instruction takes {} in the first run of its code, {} in run {:g}, {} in run {:g}{}", text(first),
                text(next), next.x, text(last), last.x, seen ? "" : ": later runs take as long as the first"),
            .x = {first.x, last.x}})};
}
} // namespace

const Probe kFirstRun{
    .name = "first-run",
    .question = "Cost of the first execution of code?",
    .explanation = "A kernel that was just loaded runs a long piece of code (fma.f32, four chains) once in each of "
                   "eight dispatches; the time of a dispatch that skips the code is subtracted from each. "
                   "With card=awake all cores compute before, so that the clock is up.",
    .picture = "The first run is slower, while instructions come from memory; the others are equal.",
    .x = {"run"},
    .run_noise = run_noise::by_host,
    .times_host = true,
    .by_cycles = true,
    .paths = {"global"},
    .variants = kBegan.each(),
    .quick = {.seconds = 0.84, .variants = 1},
    .run = measure_first_run,
    .findings = first_run_findings,
    .kernel = first_run_kernel,
};

} // namespace sonde
