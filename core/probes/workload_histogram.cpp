// workload.histogram: words counted in 256 bins, by how many words there are and how they are distributed.
#include <bit>

#include "core/measure/workload.h"
#include "core/probes/probes.h"

namespace sonde {

namespace {
constexpr std::uint32_t kBins = 256;
constexpr std::uint64_t kFewestOfGroup = 4096; // words: a workgroup's own bins are few beside them

/// Which bits of a random word are its bin (kernels/histogram.h), and the layout in which the probe atomics adds
/// likewise; to a few addresses it does not.
struct Distribution {
    std::uint32_t shift, mask;
    std::string_view layout;
};
/// skewed: a bit of the bin is set in one of four words, so that one of ten falls into bin 0.
const Choice<Distribution> kDistribution{
    "data", {{"uniform", {0, kBins - 1, "few-addresses"}}, {"skewed", {8, kBins - 1, "few-addresses"}},
                {"one-bin", {0, 0, "same-address"}}}};

KernelChoice histogram_kernel(const DeviceInfo& info, const Path&, const Options&) {
    return {.name = "histogram", .group_size = workload_group_size(info), .atomic = true, .b = find_path("global")};
}

class Histogram final : public Workload {
public:
    Histogram(Bench& bench, const KernelChoice& choice, const Distribution& distribution, std::uint64_t words)
        : bench_(bench),
          distribution_(distribution),
          words_(words),
          groups_(groups_of(bench.info, choice.group_size, words)),
          args_{.own = static_cast<std::uint32_t>(words / groups_),
              .shift = distribution.shift,
              .mask = distribution.mask,
              .bins = kBins},
          kernel_(bench.kernel(choice)),
          data_(bench.device.allocate(Space::global, words * 4)),
          bins_(bench.allocate_result(kBins)),
          counts_(bench.allocate_result(std::size_t{kBins} * groups_)) {
        bench.fill(*data_, words * 4, seed_);
        bench.write_words(*bins_, std::vector<std::uint32_t>(kBins, 0));
    }

    Demand demand() const override {
        return {.footprint_bytes = 4.0 * static_cast<double>(words_),
            .read_bytes = 4,
            .atomics = 1,
            .launches = 1 / units(),
            .atomics_path = std::string(bench_.path.name),
            .atomics_layout = std::string(distribution_.layout)};
    }
    double units() const override { return static_cast<double>(words_); }
    void append(std::vector<Launch>& launches, std::uint64_t) const override {
        launches.push_back({.kernel = *kernel_,
            .a = bins_.get(),
            .b = data_.get(),
            .out = *counts_,
            .args = Bench::words_of(args_),
            .groups = groups_,
            .scratchpad_bytes = local() ? kBins * 4 : 0});
    }

    /// A scratchpad's counts are of the last step, those in memory of all.
    void check(std::uint64_t steps) override {
        std::vector<std::uint32_t> should(kBins, 0), counts(kBins, 0);
        for (std::uint64_t word = 0; word < Bench::kFillPeriod; ++word) {
            const std::uint32_t value = fill_word(word, Bench::kFillPeriod, seed_);
            should[value & (value >> distribution_.shift) & distribution_.mask] +=
                static_cast<std::uint32_t>(words_ / Bench::kFillPeriod * (local() ? 1 : steps));
        }
        const auto found = bench_.read_words(local() ? *counts_ : *bins_, std::size_t{kBins} * (local() ? groups_ : 1));
        for (std::size_t word = 0; word < found.size(); ++word) counts[word % kBins] += found[word];
        for (std::uint32_t bin = 0; bin < kBins; ++bin)
            if (counts[bin] != should[bin])
                throw Error(fmt::format("bin {} holds {}, not {}", bin, counts[bin], should[bin]));
        bench_.checked("the counts of all bins, after all steps of a size");
    }

private:
    static std::uint32_t groups_of(const DeviceInfo& info, std::uint32_t group_size, std::uint64_t words) {
        if (info.cpu) return std::min(share_of(info, words).groups, static_cast<std::uint32_t>(words / kFewestOfGroup));
        const std::uint32_t filling = info.cores * std::max(1u, info.filling() / group_size);
        return static_cast<std::uint32_t>(std::min<std::uint64_t>(std::bit_floor(filling), words / kFewestOfGroup));
    }
    bool local() const { return bench_.path.stage == Stage::scratchpad; }

    Bench& bench_;
    const Distribution& distribution_;
    const std::uint64_t words_;
    const std::uint32_t groups_, seed_ = bench_.next_seed();
    const kernel_args::Histogram args_;
    const std::shared_ptr<Kernel> kernel_;
    const std::unique_ptr<Buffer> data_, bins_, counts_;
};

void measure_histogram(Bench& bench) {
    const Options& options = bench.request.id.options;
    const KernelChoice choice = histogram_kernel(bench.info, bench.path, options);
    if (bench.path.stage == Stage::scratchpad && bench.info.scratchpad_bytes < kBins * 4)
        throw Unsupported(
            fmt::format("a scratchpad has {} bytes, {} are needed", bench.info.scratchpad_bytes, kBins * 4));
    bench.evidence.unit_of_work = "word counted";
    bench.wake_clocks();
    const std::uint64_t largest = std::min(bench.end_of_sweep(), bench.info.reach_of(Space::global).bytes);
    const auto words =
        powers_of_two(bench.profile, Bench::kFillPeriod, [&](std::uint64_t count) { return count * 4 <= largest; });
    measure_workload(bench, words, {.fewest = Bench::kFillPeriod}, [&](std::uint64_t, std::uint64_t count) {
        return std::make_unique<Histogram>(bench, choice, kDistribution.in(options), count);
    });
    bench.evidence.shape = {.group_size = choice.group_size};
}
} // namespace

const Probe kWorkloadHistogram{
    .name = "workload.histogram",
    .question = "Words counted by distribution and size?",
    .explanation =
        "Words are counted in 256 bins by atomic additions: each workgroup in a scratchpad of its own, or all in the "
        "same bins in memory. The words fall into all bins alike, mostly into a few, or all into one.",
    .picture = "A rise with the number of words, then the rate of atomic additions, or of reads where these are "
               "faster; lowest with one bin.",
    .method = "Gómez-Luna et al., An optimized approach to histogram computation on GPU (Machine Vision and "
              "Applications, 2013)",
    .workload = "Histogram",
    .x = {"words"},
    .unit = "Gop/s",
    .run_noise = run_noise::alike,
    .paths = {"scratchpad", "global"},
    .variants = kDistribution.each(),
    .quick = {.seconds = 0.13, .paths = {"scratchpad"}, .variants = 1},
    .run = measure_histogram,
    .findings = workload_findings,
    .kernel = histogram_kernel,
};

} // namespace sonde
