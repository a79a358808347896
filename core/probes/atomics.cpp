// atomics: throughput of atomic operations on one address, on neighbouring words and on words a line apart, by
// operation and type.
#include "core/analysis/traffic.h"
#include "core/probes/probes.h"

#include <bit>
#include <limits>

namespace sonde {

namespace {
constexpr std::uint32_t kUnrolled = 16; // operations of a loop trip

/// Their numbers in kernels/atomics.h. `add`, and what says so, drops its result: some compilers make another
/// instruction of that, or one for all lanes. It is what is measured where no operation is named.
enum class AtomicOperation { add, fetch_add, exchange, compare_swap, exchange_no_result, compare_swap_no_result };
const Choice<AtomicOperation> kAtomicOperation{option::operation,
    {{"add", AtomicOperation::add}, {"fetch-add", AtomicOperation::fetch_add}, {"exchange", AtomicOperation::exchange},
        {"compare-swap", AtomicOperation::compare_swap}, {"exchange-no-result", AtomicOperation::exchange_no_result},
        {"compare-swap-no-result", AtomicOperation::compare_swap_no_result}}};
bool is_exchange(AtomicOperation operation) {
    return operation == AtomicOperation::exchange || operation == AtomicOperation::exchange_no_result;
}
bool is_comparison(AtomicOperation operation) {
    return operation == AtomicOperation::compare_swap || operation == AtomicOperation::compare_swap_no_result;
}

/// Of a cell; u32 where none is named.
enum class AtomicType { u32, u64, f32, f64 };
const Choice<AtomicType> kAtomicType{option::type,
    {{"u32", AtomicType::u32}, {"u64", AtomicType::u64}, {"f32", AtomicType::f32}, {"f64", AtomicType::f64}}};

/// The first word is meant where the options have none.
template <class T> T meant(const Choice<T>& choice, const Options& options) {
    return choice.in_or(options, choice.words.front().second);
}
template <class T> std::string_view word_of(const Choice<T>& choice, const Options& options) {
    return choice.asked(options) ? choice.word(options) : choice.words.front().first;
}
/// "u32 add"
std::string atomic_text(const Options& options) {
    return fmt::format("{} {}", word_of(kAtomicType, options), word_of(kAtomicOperation, options));
}

/// A number of a type, as words in memory.
struct Cell {
    AtomicType type;

    std::uint32_t words() const { return type == AtomicType::u64 || type == AtomicType::f64 ? 2 : 1; }
    /// Sums of ones are exact up to here. Integers wrap around.
    double exact() const {
        return type == AtomicType::f32   ? 0x1p24
               : type == AtomicType::f64 ? 0x1p53
                                         : std::numeric_limits<double>::infinity();
    }
    /// The number's bits; those of a u32 are its last 32.
    std::uint64_t bits(std::uint64_t number) const {
        return type == AtomicType::f32   ? std::bit_cast<std::uint32_t>(static_cast<float>(number))
               : type == AtomicType::f64 ? std::bit_cast<std::uint64_t>(static_cast<double>(number))
               : type == AtomicType::u64 ? number
                                         : number & 0xffffffffu;
    }
    std::uint64_t bits_at(std::span<const std::uint32_t> memory, std::size_t cell) const {
        return words() == 1 ? memory[cell] : memory[cell * 2] | std::uint64_t{memory[cell * 2 + 1]} << 32;
    }
    std::string text(std::uint64_t bits) const {
        return type == AtomicType::f32   ? fmt::format("{}", std::bit_cast<float>(static_cast<std::uint32_t>(bits)))
               : type == AtomicType::f64 ? fmt::format("{}", std::bit_cast<double>(bits))
                                         : fmt::format("{}", bits);
    }
    std::vector<std::uint32_t> filled(std::size_t cells, std::uint64_t number) const {
        std::vector<std::uint32_t> memory(cells * words());
        for (std::size_t word = 0; word < memory.size(); ++word)
            memory[word] = static_cast<std::uint32_t>(bits(number) >> (word % words() * 32));
        return memory;
    }
};
Cell cell_of(const Options& options) { return {meant(kAtomicType, options)}; }
/// Between the cells of neighbouring work-items, in cells: 1 for cells side by side, so that work-items share a line.
std::uint32_t stride_of(const Options& options) {
    const CellLayout layout = option::layout.in(options);
    return layout == CellLayout::same_address  ? 0
           : layout == CellLayout::consecutive ? 1
                                               : kLineWords / cell_of(options).words();
}

KernelChoice atomics_kernel(const DeviceInfo& info, const Path&, const Options& options) {
    KernelChoice choice{.name = "atomics",
        .group_size = info.cpu ? info.subgroup : std::min(256u, info.largest_group),
        .defines = {{"OPERATION", std::to_string(static_cast<int>(meant(kAtomicOperation, options)))}},
        .atomic = true};
    const auto typed = [&](const char* define, Feature need) {
        choice.defines.emplace_back(define, "1");
        if (cell_of(options).words() == 2) choice.defines.emplace_back("WIDTH", "2");
        choice.needs = {need};
    };
    switch (cell_of(options).type) {
    case AtomicType::u32:
        break;
    case AtomicType::u64:
        typed("TYPE_U64", Feature::atomic_int64);
        break;
    case AtomicType::f32:
        typed("TYPE_F32", Feature::atomic_add_float32);
        break;
    case AtomicType::f64:
        typed("TYPE_F64", Feature::atomic_add_float64);
        break;
    }
    return choice;
}

struct Adder {
    Bench& bench;
    const Kernel& kernel;
    const std::uint32_t group_size, groups;
    const AtomicOperation operation = meant(kAtomicOperation, bench.request.id.options);
    const Cell cell = cell_of(bench.request.id.options);
    const bool staged = bench.path.stage == Stage::scratchpad;
    const std::uint32_t stride = stride_of(bench.request.id.options),
                        group_stride = staged ? 0 : group_size * stride; // cells
    const std::uint32_t cells = (groups - 1) * group_stride + (group_size - 1) * stride + 1, stage = staged ? cells : 0,
                        cell_bytes = 4 * cell.words();
    const std::uint32_t sharers = stride != 0 ? 1 : staged ? group_size : group_size * groups; // work-items of a cell
    std::unique_ptr<Buffer> memory =
        bench.allocate(std::uint64_t{cells} * cell_bytes, std::uint64_t{cells} * cell_bytes);
    std::unique_ptr<Buffer> result =
        bench.allocate_result(std::max<std::size_t>(std::size_t{stage} * groups * cell.words(), 1));
    std::uint64_t added = 0; // to each cell by each work-item that has it

    void begin() {
        bench.write_words(*memory, cell.filled(cells, is_comparison(operation) ? 1 : 0));
        added = 0;
    }

    /// Loop trips of a dispatch after which sums are still exact.
    double most_trips() const { return cell.exact() / kUnrolled / sharers; }

    Sample timed(std::uint32_t trips) {
        const std::uint64_t each = std::uint64_t{trips} * kUnrolled;
        if (!staged && static_cast<double>(added + each) * sharers > cell.exact()) {
            check();
            begin();
        }
        const kernel_args::Atomics args{
            .lane_stride = stride, .group_stride = group_stride, .trips = trips, .stage = stage};
        const double additions = static_cast<double>(each) * group_size * groups;
        const auto [sample, out] = bench.launch(kernel, args,
            {.a = memory.get(), .out = *result, .groups = groups, .scratchpad_bytes = stage * cell_bytes}, additions,
            std::size_t{stage} * groups * cell.words());
        added += each;
        // A scratchpad's cells begin at zero each time, those in memory go on counting.
        if (staged) expect(out, each);
        return sample;
    }

    /// What all dispatches since `begin` have left in memory.
    void check() const {
        if (!staged) expect(bench.read_words(*memory, std::size_t{cells} * cell.words()), added);
    }

    /// An exchange leaves its operand, which is 1; comparisons, which begin at 1, leave 0 in a cell of one work-item,
    /// and 0 or 1 where many take turns.
    void expect(const std::vector<std::uint32_t>& words, std::uint64_t each) const {
        const std::uint64_t left = cell.bits(is_exchange(operation)     ? 1
                                             : is_comparison(operation) ? 0
                                                                        : each * sharers);
        const bool either = is_comparison(operation) && stride == 0;
        for (std::size_t at = 0; at < words.size() / cell.words(); at += std::max(1u, stride)) {
            const std::uint64_t found = cell.bits_at(words, at);
            if (found != left && !(either && found == cell.bits(1)))
                throw Error(fmt::format("cell {} holds {}, not {}", at, cell.text(found), cell.text(left)));
        }
        bench.checked("what every cell holds against the operations on it");
    }
};

void measure_atomics(Bench& bench) {
    const bool scratchpad = bench.path.stage == Stage::scratchpad;
    const Options& options = bench.request.id.options;
    if (scratchpad && option::layout.in(options) == CellLayout::distinct_lines)
        throw Unsupported("a scratchpad has no lines");
    const KernelChoice choice = atomics_kernel(bench.info, bench.path, options);
    const std::uint32_t needed = ((choice.group_size - 1) * stride_of(options) + 1) * cell_of(options).words() * 4;
    if (scratchpad && needed > bench.info.scratchpad_bytes)
        throw Unsupported(fmt::format("a scratchpad has {} bytes, {} are needed", bench.info.scratchpad_bytes, needed));
    bench.evidence.operation = atomic_text(options);
    bench.wake_clocks();
    const auto kernel = bench.kernel(choice);
    std::optional<Adder> adder;
    const auto prepare = [&](std::uint64_t groups, const std::string&) {
        adder.emplace(Adder{.bench = bench,
            .kernel = *kernel,
            .group_size = choice.group_size,
            .groups = static_cast<std::uint32_t>(groups)});
        if (adder->most_trips() < 2)
            throw DoesNotFit(fmt::format(
                "sums of {} work-items' ones are exact up to {:.0f} only", adder->sharers, adder->cell.exact()));
        adder->begin();
        const std::uint32_t most = bench.info.loop_trips ? bench.info.loop_trips - 1 : 1u << 22;
        return Work{.most = static_cast<std::uint32_t>(std::min<double>(most, adder->most_trips()))};
    };
    bench.measure({.prepare = prepare,
                      .dispatch = [&](std::uint64_t, std::uint32_t trips) { return adder->timed(trips); },
                      .verify = [&] { adder->check(); }},
        distinct<std::uint64_t>({1, bench.info.cores, std::uint64_t{bench.info.cores} * 4}));
    bench.evidence.shape = {.group_size = choice.group_size, .unroll = kUnrolled};
}

std::vector<Finding> atomics_findings(const Series& series, const DeviceInfo&) {
    const auto curve = curve_of(series);
    if (curve.empty()) return {};
    const CurvePoint& best = highest(curve);
    const auto shape = series.evidence.shape.value_or(ShapeEvidence{});
    const auto plateau = plateau_around(curve, best);
    const CurvePoint &from = plateau.front(), &to = plateau.back();
    const double bytes = series.id.path == "scratchpad" ? 0
                                                        : shape.group_size.value_or(0) * stride_of(series.id.options) *
                                                              cell_of(series.id.options).words() * 4;
    const bool rises = plateau.size() == 1 && curve.size() > 2 && to.x == curve.back().x; // to the last one
    const auto row = [&](const char* place, const CurvePoint& point) {
        return FindingRow{place, point.y, series.unit, rates_of_blocks(series, point.x)};
    };
    std::vector<FindingRow> rows{
        row("at the most", best), {"workgroups that reach it", to.x, "workgroups", std::pair(from.x, to.x)}};
    if (rises) {
        const CurvePoint& before = curve[curve.size() - 2];
        rows.push_back(row("with fewer workgroups", before));
        rows.push_back({"fewer workgroups", before.x, "workgroups"});
    }
    if (from.x > curve.front().x) rows.push_back(row("one workgroup", curve.front()));
    if (bytes > 0) rows.push_back({"own words", to.x * bytes, "bytes", std::pair(from.x * bytes, to.x * bytes)});
    rows.push_back({.place = "operation",
        .text = fmt::format("{} on {}", atomic_text(series.id.options), atomic_cells(series.id))});
    if (const std::string instruction = atomic_instruction(series); !instruction.empty())
        rows.push_back({.place = "instruction", .text = instruction});
    return {finding_of(series,
        {.name = option::layout.word(series.id.options), .value = best.y, .rows = std::move(rows), .x = {best.x}})};
}

double noise_of_neighbours(std::string_view path, const Options& options, double workgroups) {
    return path == "global" && option::layout.is(options, CellLayout::consecutive) && workgroups > 1
               ? run_noise::neighbours
               : 0;
}

/// To another card the additions of words, and comparisons, which locks are made of; the others on request.
bool atomics_by_default(std::string_view path, const Options& variant) {
    return path != "peer" ||
           (!kAtomicType.asked(variant) &&
               (!kAtomicOperation.asked(variant) || kAtomicOperation.is(variant, AtomicOperation::compare_swap)));
}

const std::vector<std::string_view> kWideAndFloating{"u64", "f32", "f64"};
} // namespace

const Probe kAtomics{
    .name = "atomics",
    .question = "Throughput of atomic operations?",
    .explanation =
        "All work-items add to one address, to neighbouring words, or to words a line apart, by the number of "
        "workgroups. Each lane's operation counts. Also with the result used, with exchange and compare-and-swap, "
        "their results used or not, and on integers of 64 bits and floating-point numbers.",
    .picture =
        "A rise with the number of workgroups to the rate of the atomic units; lowest where all add to one address.",
    .method = "Gómez-Luna et al., Performance Modeling of Atomic Additions on GPU Scratchpad Memory (IEEE TPDS, 2012)",
    .x = {"workgroups"},
    .unit = "Gop/s",
    .value_of = "each lane's operation counts",
    .run_noise = run_noise::one_line,
    .noisier = noise_of_neighbours,
    .published = {.method = "atomic throughput"},
    .paths = {"scratchpad", "global", "peer"},
    .variants =
        option::layout.each() +
        option::layout.each() * kAtomicOperation.each({"fetch-add", "exchange", "compare-swap", "exchange-no-result",
                                    "compare-swap-no-result"}) +
        option::layout.each() * kAtomicType.each(kWideAndFloating) +
        option::layout.each() * kAtomicOperation.each({"fetch-add"}) * kAtomicType.each(kWideAndFloating) +
        option::layout.each() *
            kAtomicOperation.each({"exchange", "compare-swap", "exchange-no-result", "compare-swap-no-result"}) *
            kAtomicType.each({"u64"}),
    .accepts = {option::peer},
    .quick = {.seconds = 0.06, .variants = 2}, // consecutive ones are a limit of workload.histogram
    .run = measure_atomics,
    .findings = atomics_findings,
    .kernel = atomics_kernel,
    .by_default = atomics_by_default,
};

} // namespace sonde
