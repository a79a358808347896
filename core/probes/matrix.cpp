// matrix: throughput and latency of matrix units, by independent accumulators of a subgroup and subgroups of a core.
#include "core/analysis/findings.h"
#include "core/measure/matrix_units.h"
#include "core/probes/arithmetic_options.h"

namespace sonde {

namespace {
constexpr std::uint32_t kMatrixSteps =
    32; // of all chains in a loop trip, two multiply-adds each: the loop's own instructions are less than one percent
constexpr std::uint32_t kMostTogether = 8;   // subgroups of a workgroup: few enough for any number of registers
constexpr std::uint32_t kMostSubgroups = 32; // of a core

const Choice<std::uint32_t> kAccumulators{"chains", {{"4", 4}, {"8", 8}, {"2", 2}, {"1", 1}}};

/// Those that a quick run takes come first.
constexpr std::string_view kFirstForms[] = {"mma.f16.f32.m16n8k16", "wgmma.f16.f32.m64n256k16",
    "coopmat.f16.f32.m16n16k16", "mma.bf16.f32.m16n8k16", "wgmma.bf16.f32.m64n256k16", "mma.tf32.f32.m16n8k8",
    "wgmma.tf32.f32.m64n256k8", "mma.f64.f64.m16n8k16", "mma.s8.s32.m16n8k32", "wgmma.s8.s32.m64n256k32",
    "coopmat.s8.s32.m16n16k32", "mma.e4m3.f32.m16n8k32", "wgmma.e4m3.f32.m64n256k32"};
const Choice<const Operation*> kForm = choice_of_operations(kFirstForms, all_matrix_forms());

/// Each form with the accumulators that suffice for its best rate, those that are measured first in front; then with
/// one, whose point of one subgroup is the latency; the rest of the map of those that a quick run takes; and zeros, at
/// which a card draws least power.
std::vector<Options> matrix_variants() {
    std::vector<Options> best, one, rest, zeros;
    for (const auto& word : kForm.words) {
        const auto with = [&](std::uint32_t chains, DataKind data) {
            return kForm.as(word.second) * kAccumulators.as(chains) * option::data.as(data);
        };
        const std::uint32_t chains = sufficient_chains(*word.second->matrix);
        best.push_back(with(chains, DataKind::integers));
        if (chains > 1) one.push_back(with(1, DataKind::integers));
        if (chains > 1 && best.size() <= std::size(kFirstForms))
            rest.push_back(with(2, DataKind::integers)), rest.push_back(with(8, DataKind::integers));
        if (chains == 1 || best.size() <= std::size(kFirstForms)) zeros.push_back(with(chains, DataKind::zeros));
    }
    return best + one + rest + zeros;
}

KernelChoice kernel_at(const DeviceInfo& info, const Options& options, std::uint32_t subgroups) {
    const std::uint32_t chains = kAccumulators.in(options);
    return matrix_kernel(info, *kForm.in(options), chains, kMatrixSteps / chains, std::min(subgroups, kMostTogether));
}
KernelChoice matrix_probe_kernel(const DeviceInfo& info, const Path&, const Options& options) {
    return kernel_at(info, options, kMostTogether);
}

void measure_matrix(Bench& bench) {
    const Options& options = bench.request.id.options;
    const Operation& form = *kForm.in(options);
    bench.evidence.operation = form.name;
    if (const auto reason = why_lacking(bench.device, form)) throw Unsupported(*reason);
    bench.wake_clocks();
    const std::uint32_t least =
        std::max(1u, form.matrix->lanes(bench.info.subgroup) / std::max(1u, bench.info.subgroup));
    std::vector<std::uint64_t> of_core; // subgroups
    for (std::uint32_t subgroups = least; subgroups <= kMostSubgroups; subgroups *= 2)
        if (bench.profile.blocks > 1 || subgroups == least ||
            (subgroups >= kMostTogether && subgroups < kMostSubgroups))
            of_core.push_back(subgroups);
    std::optional<MatrixUnits> units;
    const auto prepare = [&](std::uint64_t subgroups, const std::string&) {
        const auto together = static_cast<std::uint32_t>(subgroups);
        units.reset();
        units.emplace(bench, kernel_at(bench.info, options, together), option::data.in(options),
            std::max(1u, together / kMostTogether));
        return Work{.most = units->most_rounds()};
    };
    bench.measure(
        {.prepare = prepare, .dispatch = [&](std::uint64_t, std::uint32_t rounds) { return units->timed(rounds); }},
        of_core);
    bench.evidence.shape = {.group_size = bench.measuring.choice.group_size, .unroll = bench.measuring.choice.repeat};
}

constexpr double kAsFast = 0.99;
constexpr double kBusy = 1.1; // times the rate of dependent ones: they leave the unit idle

/// Core cycles from one multiply-add of a core to the next.
std::optional<double> cycles_each(const Point& point, const Operation& form, const DeviceInfo& device) {
    if (!point.cycles || !device.core_cycles || !device.cores) return std::nullopt;
    return *point.cycles * device.cores * form.work / form.in_step;
}

std::vector<Finding> matrix_findings(const Series& series, const DeviceInfo& device) {
    const auto curve = curve_of(series);
    if (curve.empty()) return {};
    const CurvePoint best = *std::ranges::find_if(
        curve, [&](const CurvePoint& each) { return each.y >= kAsFast * highest(curve).y; }); // by the fewest subgroups
    const Operation& form = *kForm.in(series.id.options);
    const std::uint32_t chains = kAccumulators.in(series.id.options);
    const char* unit = form.matrix->in->is_float() ? "FLOP/s" : "op/s";
    std::string text = fmt::format("{}: {}{} on {} with {} chain{} and {:g} subgroups a core", form.name,
        ends_early(series) ? "at least " : "", format_si(best.y * 1e9, unit),
        option::data.in(series.id.options) == DataKind::zeros ? "zeros"
        : form.matrix->in->bits == 1                          ? "random bits"
                                                              : "small integers",
        chains, chains == 1 ? "" : "s", best.x);
    const auto point = std::ranges::find(series.points, best.x, &Point::x);
    std::vector<FindingRow> rows{{std::string(form.name), best.y, series.unit}};
    if (const auto cycles = cycles_each(*point, form, device)) {
        rows.push_back({"one of a core", *cycles, "cycles"});
        text += fmt::format(
            ". One m{}n{}k{} every {:.4g} cycles of a core", form.matrix->m, form.matrix->n, form.matrix->k, *cycles);
    }
    if (device.core_cycles)
        text += point->clock_mhz ? fmt::format(", at {:.0f} MHz", *point->clock_mhz) : ", core clock not counted";
    if (form.matrix->sparse)
        text += fmt::format(
            ". {} of {} numbers of A are stored, zeros counted", form.matrix->sparse / 2, form.matrix->sparse);
    if (is_emulated(series, form.matrix->emulated_by))
        text += form.matrix->emulated_by == "CALL" ? ". By a subroutine, whose instructions are not listed"
                                                   : fmt::format(". Emulated by {}", form.matrix->emulated_by);
    std::vector<Finding> found{finding_of(series, {.name = std::string(form.name),
                                                      .value = best.y,
                                                      .rows = std::move(rows),
                                                      .text = text + step_text(series, form, ". A"),
                                                      .x = {best.x}})};
    const Point& first = series.points.front();
    if (chains != 1 || !first.median || !device.cores ||
        first.x * std::max(1u, device.subgroup) > form.matrix->lanes(device.subgroup))
        return found;
    const auto cycles = cycles_each(first, form, device);
    const double ns = device.cores * form.work / form.in_step / *first.median;
    found.push_back(
        finding_of(series, {.name = latency_finding(form.name),
                               .value = ns,
                               .unit = "ns",
                               .cycles = cycles,
                               .text = fmt::format("{}: dependent multiply-adds follow each other every {}{:.4g} ns{}",
                                   form.name, cycles ? fmt::format("{:.4g} cycles, ", *cycles) : "", ns,
                                   series.points.back().x > first.x && best.y < kBusy * *first.median
                                       ? ", and independent ones no faster: the latency is at most that"
                                       : ""),
                               .x = {first.x}}));
    return found;
}
} // namespace

const Probe kMatrix{
    .name = "matrix",
    .question = "Throughput and latency of matrix units?",
    .explanation = "All cores multiply and add whole matrices (D = A x B + D): 1 to 8 independent accumulators in a "
                   "subgroup, 1 to 32 subgroups on a core. A multiply-add counts as two operations, also where A is "
                   "sparse (mma.sp) and half of it zeros that no register holds; and every sum is compared with the "
                   "host's. One accumulator and one subgroup show the latency.",
    .picture = "A rise with accumulators and subgroups until the unit is busy in every cycle, then flat.",
    .method = "Sun et al., Dissecting Tensor Cores via Microbenchmarks (IEEE TPDS 2023); Luo et al., Dissecting the "
              "NVIDIA Hopper Architecture through Microbenchmarking (2025)",
    .x = {"subgroups per core"},
    .unit = "Gop/s",
    .chart = Chart::table,
    .peak = Peak::documented,
    .run_noise = run_noise::levels,
    .published = {.method = "arithmetic throughput", .rates = RateOf::all_cores},
    .paths = {"global"},
    .variants = matrix_variants(),
    .quick = {.seconds = 0.08, .variants = std::size(kFirstForms), .unasked = true},
    .run = measure_matrix,
    .findings = matrix_findings,
    .kernel = matrix_probe_kernel,
};

} // namespace sonde
