// rate: throughput of an operation, by independent chains of a work-item and subgroups of a core.
#include <algorithm>
#include <optional>

#include "core/measure/arithmetic.h"
#include "core/probes/arithmetic_options.h"

namespace sonde {

namespace {
constexpr std::uint32_t kSubgroups =
    4; // of a workgroup: as many as a core has schedulers, and so few workgroups that all of them run at a time

const Choice<std::uint32_t> kChains{"chains", {{"8", 8}, {"4", 4}, {"2", 2}, {"1", 1}}};

/// Fewer chains than fill every unit, of some operations by default and of the others on request.
const std::vector<std::string_view> kByFewerChains{"fma.f32", "fma.f64", "fma.f16x2", "add.u32", "rcp.f32"};
bool is_by_fewer_chains(const Options& variant) {
    return std::ranges::find(kByFewerChains, kOperation.word(variant)) != kByFewerChains.end();
}
bool rate_by_default(std::string_view, const Options& variant) {
    return kChains.in(variant) == 8 || is_by_fewer_chains(variant);
}
std::vector<Options> rate_variants() {
    const std::vector<Options> fewer = kChains.each({"4", "2", "1"});
    std::vector<Options> on_request = kOperation.each();
    std::erase_if(on_request, is_by_fewer_chains);
    return kOperation.each() * kChains.each({"8"}) + kOperation.each(kByFewerChains) * fewer + on_request * fewer;
}

/// Where the work is: of one core, all in a workgroup.
enum class Cores { one };
const Setting<Cores> kCores{option::cores,
    "one: a single workgroup on the card, of one subgroup up to the largest workgroup",
    [](const std::string& value) { return value == "one" ? std::optional(Cores::one) : std::nullopt; }};

KernelChoice rate_kernel(const DeviceInfo& info, const Path&, const Options& options) {
    const std::uint32_t chains = kChains.in(options);
    KernelChoice choice =
        arithmetic_kernel(info, *kOperation.in(options), chains, steps_of_trip(info, *kOperation.in(options)) / chains);
    if (!info.cpu) choice.group_size = std::min(info.largest_group, choice.group_size * kSubgroups);
    return choice;
}

/// The same of a workgroup that is alone on the card.
std::vector<std::uint64_t> subgroups_alone(std::uint32_t least, std::uint32_t most, bool quick) {
    if (quick && most > least) return {most, least}; // each is a kernel of its own
    std::vector<std::uint64_t> numbers;
    for (std::uint64_t number = least; number <= most; number *= 2) numbers.push_back(number);
    std::ranges::reverse(numbers);
    return numbers;
}

/// Subgroups of a core, from all that are resident to one (or what the operation is of), so that a run's time cuts off
/// the few; a workgroup holds up to `of_group`.
std::vector<std::uint64_t> subgroups_of_core(
    std::uint32_t least, std::uint32_t of_group, std::uint32_t resident, bool quick) {
    std::vector<std::uint64_t> numbers;
    for (std::uint64_t few = least; few < of_group && !quick; few *= 2)
        numbers.push_back(few); // each is a kernel of its own
    for (std::uint64_t groups = quick ? std::min(resident, 2u) : 1; groups <= resident; groups *= 2)
        numbers.push_back(groups * of_group);
    std::ranges::reverse(numbers);
    return numbers;
}

void measure_rate(Bench& bench) {
    const Options& options = bench.request.id.options;
    const Operation& operation = *kOperation.in(options);
    const KernelChoice choice = rate_kernel(bench.info, bench.path, options);
    constexpr std::uint32_t kMostGroups = 8;
    bench.evidence.operation = operation.name;
    bench.wake_clocks();
    const bool alone = kCores.in(options).has_value();
    const std::uint32_t cores = alone ? 1 : bench.info.cores, subgroup = std::max(1u, bench.info.subgroup),
                        least = arithmetic_kernel(bench.info, operation, 1, 1).group_size / subgroup;
    const std::uint32_t of_group = (alone && !bench.info.cpu ? bench.info.largest_group : choice.group_size) / subgroup,
                        resident = bench.info.cpu || alone
                                       ? 1
                                       : std::clamp(bench.info.filling() / choice.group_size, 1u, kMostGroups);
    const std::vector<std::uint64_t> subgroups_of =
        alone ? subgroups_alone(least, of_group, bench.profile.blocks == 1)
              : subgroups_of_core(least, of_group, resident, bench.profile.blocks == 1);
    std::optional<Arithmetic> chains;
    chains.emplace(bench, choice, cores); // what a device lacks shows here
    const auto groups_of = [&](std::uint64_t subgroups) {
        return static_cast<std::uint32_t>(std::max<std::uint64_t>(1, subgroups / of_group));
    };
    const auto prepare = [&](std::uint64_t subgroups, const std::string&) {
        KernelChoice own = choice;
        own.group_size = static_cast<std::uint32_t>(std::min<std::uint64_t>(subgroups, of_group)) * subgroup;
        chains.emplace(bench, own, cores * groups_of(subgroups));
        return Work{.most = chains->most_rounds()};
    };
    const double trip =
        operation.work * steps_of_trip(bench.info, operation) * subgroup * cores; // of one subgroup a core
    const auto dispatch = [&](std::uint64_t subgroups, std::uint32_t rounds) {
        Sample sample =
            chains->timed(cores * groups_of(subgroups), rounds, trip * static_cast<double>(subgroups) * rounds);
        if (groups_of(subgroups) > 1 || (alone && subgroups > kSubgroups))
            sample.cycles.reset(); // a subgroup that waits for its scheduler from the start reads the clock late: up to
                                   // 8 % of the dispatch were seen to be missing
        return sample;
    };
    bench.measure({.prepare = prepare, .dispatch = dispatch}, subgroups_of);
    bench.kernel(choice); // whose listing is shown
    bench.evidence.shape = {.group_size = choice.group_size, .unroll = choice.repeat};
}

/// What one subgroup alone on its core takes for a step; nullopt where it was not measured, or in no cycles.
std::optional<double> cycles_alone(const Series& series, const DeviceInfo& device, const Operation& operation) {
    const auto alone = std::ranges::find(series.points, 1.0, &Point::x);
    if (alone == series.points.end() || !alone->cycles || !device.core_cycles || !device.cores || !device.subgroup)
        return std::nullopt;
    const bool on_card = kCores.in(series.id.options).has_value();
    return *alone->cycles * (on_card ? 1 : device.cores) * device.subgroup * operation.work;
}

std::string numbered(double number, std::string_view word) {
    return fmt::format("{:g} {}{}", number, word, number == 1 ? "" : "s");
}

std::vector<Finding> rate_findings(const Series& series, const DeviceInfo& device) {
    const auto curve = curve_of(series);
    if (curve.empty()) return {};
    const CurvePoint best = highest(curve);
    const Operation& operation = *kOperation.in(series.id.options);
    const bool alone = kCores.in(series.id.options).has_value();
    std::string text = fmt::format("{}: {} with {} and {} {}", operation.name, format_si(best.y * 1e9, "op/s"),
        numbered(kChains.in(series.id.options), "chain"), numbered(best.x, "subgroup"),
        alone ? "on one core, the others idle" : "a core");
    const auto point = std::ranges::find(series.points, best.x, &Point::x);
    const std::string name = std::string(operation.name) + (alone ? " on one core" : "");
    std::vector<FindingRow> rows{{name, best.y, series.unit}};
    if (const auto clock = clock_at(series, *point); device.core_cycles && clock && device.cores) {
        rows.push_back({"a clock and core", best.y * 1e3 / *clock / (alone ? 1 : device.cores), "operations"});
        text += fmt::format(", {:.4g} operations a clock and core", *rows.back().value);
    }
    if (const auto cycles = cycles_alone(series, device, operation)) {
        rows.push_back({"a step alone", *cycles, "cycles"});
        text += fmt::format("; one subgroup alone{} takes {:.3g} cycles a step", alone ? " on the card" : "", *cycles);
    }
    return {finding_of(series, {.name = name,
                                   .value = best.y,
                                   .rows = std::move(rows),
                                   .text = text + step_text(series, operation),
                                   .x = {best.x}})};
}
} // namespace

const Probe kRate{
    .name = "rate",
    .question = "Throughput of an operation?",
    .explanation = "All cores run independent chains of one operation: 1 to 8 chains in a work-item, 1 to 32 subgroups "
                   "on a core, four of them in a workgroup; with cores=one a single workgroup on one core of the card. "
                   "A fused multiply-add counts as two operations.",
    .picture = "A rise with chains and subgroups until the unit is busy in every cycle, then flat.",
    .method = literature::kWong,
    .x = {"subgroups per core"},
    .unit = "Gop/s",
    .chart = Chart::table,
    .peak = Peak::documented,
    .run_noise = run_noise::levels,
    .published = {.method = "arithmetic throughput", .rates = RateOf::all_cores},
    .paths = {"global"},
    .variants = rate_variants(),
    .accepts = {option::subgroup, kCores},
    .quick = {.seconds = 0.06, .variants = kQuickOperations, .unasked = true},
    .run = measure_rate,
    .findings = rate_findings,
    .kernel = rate_kernel,
    .by_default = rate_by_default,
};

std::string step_text(const Series& series, const Operation& operation, std::string_view begin) {
    const auto& kernel = series.evidence.kernel;
    if (!kernel || kernel->step_instructions.empty()) return "";
    return fmt::format("{} step ({}) is {}{}", begin, operation.step, is_sequence(operation) ? "a sequence: " : "",
        step_instructions_text(kernel->step_instructions, kFewInstructions));
}

} // namespace sonde
