// partitions: several waves of one workgroup walk chains of their own, each of which fits the first level: how many of them fit together.
#include <bit>

#include <fmt/format.h>

#include "core/probes/structure_probe.h"

namespace sonde {

namespace {
constexpr double kSlice = 0.75; // of the first level: two do not fit
constexpr std::uint32_t kMostWaves = 32;

/// The waves' chains, one behind the other in one memory.
class Waves {
public:
    Waves(Bench& bench, std::uint64_t slice_bytes)
        : bench_(bench), slot_(slot_bytes(bench.info, bench.path)), slots_(static_cast<std::uint32_t>(slice_bytes / slot_)), builder_(bench.helper_kernel("chain", chain_defines(bench.path))),
          result_(bench.allocate_result(4 + std::size_t{kMostWaves} * bench.info.subgroup)) {}

    std::uint32_t slice_words() const { return slots_ * (slot_ / 4); }

    void build(std::uint32_t waves) {
        memory_.reset();
        memory_ = bench_.allocate(std::uint64_t{waves} * slice_words() * 4, std::uint64_t{waves} * slice_words() * 4);
        chains_.clear();
        for (std::uint32_t wave = 0; wave < waves; ++wave) {
            chains_.emplace_back(ChainShape{.slots = slots_, .shift = static_cast<std::uint32_t>(std::countr_zero(slot_ / 4)), .first = wave * slice_words()}, bench_.next_seed());
            bench_.run_helper(*builder_, *memory_, slots_, chains_.back().kernel_args(memory_->address().value_or(0)));
        }
        const KernelChoice choice = partitions_kernel(bench_.info, bench_.path, {});
        kernel_ = bench_.kernel({.name = choice.name, .group_size = waves * bench_.info.subgroup, .defines = choice.defines, .chases = true});
    }

    /// Every wave begins at its slice's first word; no chain's start is another's.
    Sample timed(std::uint32_t steps) {
        const std::uint32_t warm = (slots_ + 7) / 8 * 8;
        const std::uint64_t base = memory_->address().value_or(0);
        const std::uint32_t args[] = {0, bench_.info.subgroup, slice_words(), warm, steps, 0, static_cast<std::uint32_t>(base), static_cast<std::uint32_t>(base >> 32)};
        const Launch launch{.kernel = *kernel_, .a = memory_.get(), .out = *result_, .args = args};
        const Timing timing = bench_.device.run({&launch, 1})[0];
        const auto lanes = static_cast<std::uint32_t>(chains_.size()) * bench_.info.subgroup;
        const auto out = bench_.read_words(*result_, 4 + lanes);
        for (std::uint32_t lane = 0; lane < lanes; ++lane) check(out[4 + lane], lane / bench_.info.subgroup, warm + steps);
        return {.steps = static_cast<double>(steps), .host_ns = timing.host_ns, .device_ns = timing.device_ns, .cycles = clock_difference(bench_.info, out)};
    }

private:
    void check(std::uint32_t reached, std::uint32_t wave, std::uint64_t hops) {
        const Chain& chain = chains_[wave];
        if (first_hop_.size() <= wave || first_hop_[wave].first != &chain) first_hop_.resize(chains_.size());
        auto& [of, hop] = first_hop_[wave];
        if (of != &chain) { // which hop of the cycle the slice's first slot is
            of = &chain;
            hop = 0;
            while (chain.walk(hop) != wave * slice_words()) ++hop;
        }
        if (reached != link_number(bench_.path, chain.walk(hop + hops))) throw Error(fmt::format("wave {} ended in the wrong place after {} hops", wave, hops));
    }

    Bench& bench_;
    const std::uint32_t slot_, slots_;
    std::unique_ptr<Kernel> builder_, kernel_;
    std::unique_ptr<Buffer> memory_, result_;
    std::vector<Chain> chains_;
    std::vector<std::pair<const Chain*, std::uint64_t>> first_hop_;
};
} // namespace

KernelChoice partitions_kernel(const DeviceInfo& info, const Path& path, const std::map<std::string, std::string>&) {
    KernelChoice choice = chase_kernel(info, path);
    choice.name = "waves";
    return choice;
}

void measure_partitions(Bench& bench) {
    if (bench.info.cpu || bench.info.subgroup == 1) throw Unsupported("a processor's thread runs one wave after another");
    bench.wake_clocks();
    Chase chase(bench);
    chase.new_memory();
    const Level level = level_of(chase.levels(kFirstLevelEnds), 0);
    Waves waves(bench, static_cast<std::uint64_t>(kSlice * level.capacity_on));
    const std::uint32_t most = std::min(bench.info.largest_group / bench.info.subgroup, kMostWaves);
    std::vector<std::uint64_t> counts;
    for (std::uint32_t count = 1; count <= most && std::uint64_t{count} * waves.slice_words() * 4 <= chase.largest(); count *= 2) counts.push_back(count);
    for (int block = 0; block < bench.profile.blocks; ++block)
        bench.sweep(block, counts, [&](std::uint64_t count, const std::string&) {
            waves.build(static_cast<std::uint32_t>(count));
            return bench.take_pairs(static_cast<double>(count), block, 64, chase.most_steps(), [&](std::uint32_t steps) { return waves.timed(steps); });
        });
    bench.evidence["slice_bytes"] = waves.slice_words() * 4;
    bench.evidence["output_checked"] = "the last link of every lane of every dispatch against the host's walk";
}

std::vector<Finding> partitions_findings(const Series& series, const Json&) {
    const auto levels = levels_in(series.evidence);
    if (levels.size() < 2) return {};
    const Conclusion conclusion = private_caches(curve_of(series), levels[0].ns, levels[1].ns);
    return as_finding(series, conclusion, "partitions", "L1", "caches", [&](double count) {
        if (conclusion.high > count) return fmt::format("{:.0f} waves of one workgroup find room each for itself: at least so many caches, or one that was not filled", count);
        return count == 1 ? std::string("all waves of a workgroup share one first level") : fmt::format("a workgroup's waves have {:.0f} first levels of their own", count);
    });
}

} // namespace sonde
