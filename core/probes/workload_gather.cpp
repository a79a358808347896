// workload.gather: reads at random places of a table, as a sparse matrix times a vector has them, by size of the table.
#include "core/measure/workload.h"
#include "core/probes/probes.h"

namespace sonde {

namespace {
constexpr std::uint32_t kGathers = 8; // of a row, as in kernels/gather.h
constexpr std::uint64_t kGatherRows = 1u << 20,
                        kGatherRowsOfProcessor = 1u << 14, // many times what a device has under way
    kFewestRows = 1u << 12;                                // of a card on which more would last too long
constexpr std::uint32_t kDistinct = 1u << 31;              // places: none repeats
constexpr std::uint64_t kFewestWords = 1u << 12;

KernelChoice gather_kernel(const DeviceInfo& info, const Path&, const Options&) {
    return {.name = "gather", .group_size = workload_group_size(info), .b = find_path("global")};
}

class Gather final : public Workload {
public:
    Gather(Bench& bench, const KernelChoice& choice, std::uint64_t words, std::uint64_t rows)
        : bench_(bench),
          words_(words),
          rows_(rows),
          share_(share_of(bench.info, rows_)),
          args_{.rows = static_cast<std::uint32_t>(rows_), .own = share_.own},
          places_({.keep = {static_cast<std::uint32_t>(words - 1), static_cast<std::uint32_t>(words - 1)}}),
          kernel_(bench.kernel(choice)),
          table_(bench.allocate(words * 4, words * 4)),
          indices_(bench.allocate_result(rows_ * kGathers)),
          sums_(bench.allocate_result(rows_)) {
        bench.fill(*table_, words * 4, table_seed_);
        const auto all = static_cast<std::uint32_t>(rows_ * kGathers);
        bench.run_helper(*bench.helper_kernel("fill"), *indices_, all, fill_args(all, kDistinct, index_seed_, places_));
    }

    Demand demand() const override {
        const double table = 4.0 * static_cast<double>(words_), each_row = 4.0 / kGathers,
                     streamed = static_cast<double>(rows_) * kGathers * (4 + each_row);
        const double items =
            kernel_->resident_groups(0).value_or(std::max(1u, bench_.info.filling() / share_.group_size)) *
            static_cast<double>(share_.group_size) * bench_.info.cores;
        Demand demand{.footprint_bytes = table + streamed,
            .read_bytes = 4,
            .written_bytes = each_row,
            .random_loads = 1,
            .launches = 1 / units(),
            .random_footprint_bytes = table};
        if (!bench_.info.cpu) demand.loads_in_flight = std::min(items, static_cast<double>(rows_)) * kGathers;
        return demand;
    }
    double units() const override { return static_cast<double>(rows_) * kGathers; }
    void append(std::vector<Launch>& launches, std::uint64_t) const override {
        launches.push_back({.kernel = *kernel_,
            .a = table_.get(),
            .b = indices_.get(),
            .out = *sums_,
            .args = Bench::words_of(args_),
            .groups = share_.groups});
    }

    void check(std::uint64_t) override {
        const auto sums = bench_.read_words(*sums_, rows_);
        for (std::uint64_t row = 0; row < rows_; ++row) {
            std::uint32_t sum = 0;
            for (std::uint64_t n = 0; n < kGathers; ++n)
                sum += fill_word(
                    fill_word(n * rows_ + row, kDistinct, index_seed_, places_), Bench::kFillPeriod, table_seed_);
            if (sums[row] != sum)
                throw Error(fmt::format("the sum of row {} is {:#010x}, the host's {:#010x}", row, sums[row], sum));
        }
        bench_.checked("the sums of all rows, after all steps of a size, against the host's");
    }

private:
    Bench& bench_;
    const std::uint64_t words_, rows_;
    const Share share_;
    const kernel_args::Gather args_;
    const std::uint32_t table_seed_ = bench_.next_seed(), index_seed_ = bench_.next_seed();
    const FillPattern places_;
    const std::shared_ptr<Kernel> kernel_;
    const std::unique_ptr<Buffer> table_, indices_, sums_;
};

void measure_gather(Bench& bench) {
    const KernelChoice choice = gather_kernel(bench.info, bench.path, {});
    bench.evidence.unit_of_work = "word of the table";
    bench.wake_clocks();
    const std::uint64_t largest = std::min(bench.end_of_sweep(), bench.info.reach_of(bench.path.space).bytes);
    const std::uint64_t rows = bench.info.cpu ? kGatherRowsOfProcessor : kGatherRows,
                        besides = rows * (kGathers + 1) * 4; // bytes of the list and the sums
    auto sizes =
        powers_of_two(bench.profile, kFewestWords, [&](std::uint64_t words) { return words * 4 + besides <= largest; });
    std::ranges::transform(sizes, sizes.begin(), [](std::uint64_t words) { return words * 4; });
    measure_workload(bench, sizes, {.fewest = kFewestRows, .most = rows}, [&](std::uint64_t bytes, std::uint64_t own) {
        return std::make_unique<Gather>(bench, choice, bytes / 4, own);
    });
    bench.evidence.shape = {.group_size = choice.group_size, .loads_in_flight = kGathers};
}
} // namespace

const Probe kWorkloadGather{
    .name = "workload.gather",
    .question = "Random reads of a sparse product by size of the vector?",
    .explanation = "Each row adds up eight words of a table at random places, which it reads from a list: the reads of "
                   "a sparse matrix times a vector. Four bytes of the list are read for each word of the table.",
    .picture = "A staircase downwards: the rate of random words from each cache, then from DRAM, where a whole sector "
               "comes for each.",
    .method = "Bell and Garland, Implementing Sparse Matrix-Vector Multiplication on Throughput-Oriented Processors "
              "(SC 2009)",
    .workload = "Gather",
    .x = {"table", "bytes"},
    .unit = "Gop/s",
    .run_noise = run_noise::alike,
    .paths = {"global"},
    .quick = {.seconds = 0.46},
    .run = measure_gather,
    .findings = workload_findings,
    .kernel = gather_kernel,
};

} // namespace sonde
