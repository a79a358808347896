// atomics: throughput of atomic operations on one address, on neighbouring words and on words a line apart.
#include "core/probes/probes.h"

namespace sonde {

namespace {
constexpr std::uint32_t kUnrolled = 16; // operations of a loop trip

/// Their numbers in kernels/atomics.h. `add` drops its result: some compilers make another instruction of that, or one for all lanes. It is what is
/// measured where no operation is named.
enum class AtomicOperation { add, fetch_add, exchange, compare_swap };
const Choice<AtomicOperation> kAtomicOperation{"operation", {{"add", AtomicOperation::add}, {"fetch-add", AtomicOperation::fetch_add}, {"exchange", AtomicOperation::exchange}, {"compare-swap", AtomicOperation::compare_swap}}};
AtomicOperation atomic_operation_of(const Options& options) { return options.contains("operation") ? kAtomicOperation.in(options) : AtomicOperation::add; }

KernelChoice atomics_kernel(const DeviceInfo& info, const Path&, const Options& options) {
    return {.name = "atomics", .group_size = info.cpu ? info.subgroup : std::min(256u, info.largest_group), .defines = {{"OPERATION", std::to_string(static_cast<int>(atomic_operation_of(options)))}}, .atomic = true};
}

/// Words between the cells of neighbouring work-items.
const Choice<std::uint32_t> kLayout{"layout", {{"same-address", 0}, {"consecutive", 1}, {"distinct-lines", kLineWords}}}; // words between two cells

struct Adder {
    Bench& bench;
    const Kernel& kernel;
    const std::uint32_t group_size, groups;
    const AtomicOperation operation = atomic_operation_of(bench.request.id.options);
    const bool staged = bench.path.stage == Stage::scratchpad;
    const std::uint32_t stride = kLayout.in(bench.request.id.options), group_stride = staged ? 0 : group_size * stride;
    const std::uint32_t cells = (groups - 1) * group_stride + (group_size - 1) * stride + 1, stage = staged ? cells : 0; // words
    std::unique_ptr<Buffer> memory = bench.allocate(std::uint64_t{cells} * 4, std::uint64_t{cells} * 4);
    std::unique_ptr<Buffer> result = bench.allocate_result(std::max(stage * groups, 1u));
    std::uint32_t added = 0; // to each cell by each work-item that has it

    Sample timed(std::uint32_t trips) {
        const kernel_args::Atomics args{.lane_stride = stride, .group_stride = group_stride, .trips = trips, .stage = stage};
        const double additions = static_cast<double>(group_size) * groups * trips * kUnrolled;
        const auto [sample, out] = bench.launch(kernel, args, {.a = memory.get(), .out = *result, .groups = groups, .scratchpad_bytes = stage * 4}, additions, std::size_t{stage} * groups);
        added += trips * kUnrolled;
        // A scratchpad's cells begin at zero each time, those in memory go on counting.
        if (staged) expect(out, trips * kUnrolled, 1);
        return sample;
    }

    /// What all dispatches have left in memory.
    void check() const {
        if (!staged) expect(bench.read_words(*memory, cells), added, groups);
    }

    /// `sharers`: how many workgroups work on a cell that all share. An exchange leaves its operand, which is 1; comparisons, which begin at 1, leave 0
    /// in a cell of one work-item, and 0 or 1 where many take turns.
    void expect(const std::vector<std::uint32_t>& words, std::uint32_t each, std::uint32_t sharers) const {
        const std::uint32_t sum = each * (stride == 0 ? group_size * sharers : 1), step = std::max(1u, stride);
        const std::uint32_t left = operation == AtomicOperation::exchange ? 1 : operation == AtomicOperation::compare_swap ? 0 : sum;
        const bool either = operation == AtomicOperation::compare_swap && stride == 0;
        for (std::size_t at = 0; at < words.size(); at += step)
            if (words[at] != left && !(either && words[at] == 1)) throw Error(fmt::format("cell {} holds {}, not {}", at, words[at], left));
        bench.checked("what every cell holds against the operations on it");
    }
};

void measure_atomics(Bench& bench) {
    const bool scratchpad = bench.path.stage == Stage::scratchpad;
    const Options& options = bench.request.id.options;
    if (scratchpad && kLayout.in(options) == kLineWords) throw Unsupported("a scratchpad has no lines");
    const KernelChoice choice = atomics_kernel(bench.info, bench.path, options);
    const std::uint32_t needed = ((choice.group_size - 1) * kLayout.in(options) + 1) * 4;
    if (scratchpad && needed > bench.info.scratchpad_bytes) throw Unsupported(fmt::format("a scratchpad has {} bytes, {} are needed", bench.info.scratchpad_bytes, needed));
    bench.wake_clocks();
    const auto kernel = bench.kernel(choice);
    std::optional<Adder> adder;
    const auto prepare = [&](std::uint64_t groups, const std::string&) {
        adder.emplace(Adder{.bench = bench, .kernel = *kernel, .group_size = choice.group_size, .groups = static_cast<std::uint32_t>(groups)});
        bench.write_words(*adder->memory, std::vector<std::uint32_t>(adder->cells, adder->operation == AtomicOperation::compare_swap));
        return Work{.most = bench.info.loop_trips ? bench.info.loop_trips - 1 : 1u << 22};
    };
    bench.measure({.prepare = prepare, .dispatch = [&](std::uint64_t, std::uint32_t trips) { return adder->timed(trips); }, .verify = [&] { adder->check(); }},
                  distinct<std::uint64_t>({1, bench.info.cores, std::uint64_t{bench.info.cores} * 4}));
    bench.evidence.shape = {.group_size = choice.group_size, .unroll = kUnrolled};
}

std::vector<Finding> atomics_findings(const Series& series, const DeviceInfo&) {
    const auto curve = curve_of(series);
    if (curve.empty()) return {};
    const CurvePoint best = highest(curve);
    const std::string& cells = series.id.options.at("layout");
    const char* where = cells == "consecutive" ? "neighbouring words" : cells == "distinct-lines" ? "words a line apart" : series.id.path == "scratchpad" ? "one address per workgroup" : "one address";
    const std::string instruction = atomic_instruction(series);
    const auto rate = [](const CurvePoint& point) { return format_si(point.y * 1e9, "op/s"); };
    return {finding_of(series, {.name = cells, .value = best.y,
                                .text = fmt::format("{} on {} with {:g} workgroup{}, {} with one; each lane's operation counts{}", rate(best), where, best.x, best.x == 1 ? "" : "s", rate(curve.front()), instruction.empty() ? "" : fmt::format("; instruction {}", instruction)), .x = {best.x}})};
}
} // namespace

const Probe kAtomics{
    .name = "atomics",
    .question = "Throughput of atomic operations?",
    .explanation = "All work-items add to one address, to neighbouring words, or to words a line apart, by the number of workgroups. Also with the result used, with exchange, and with compare-and-swap.",
    .picture = "A rise with the number of workgroups to the rate of the atomic units; lowest where all add to one address.",
    .method = literature::kWong,
    .x = {"workgroups"},
    .unit = "Gop/s",
    .run_noise = run_noise::one_line,
    .paths = {"scratchpad", "global"},
    .variants = kLayout.each() + kLayout.each() * kAtomicOperation.each({"fetch-add", "exchange", "compare-swap"}),
    .quick = {.paths = {}, .variants = 1},
    .run = measure_atomics,
    .findings = atomics_findings,
    .kernel = atomics_kernel,
};

} // namespace sonde
