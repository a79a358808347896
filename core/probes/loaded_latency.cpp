// loaded-latency: what a load takes while more and more subgroups of one workgroup want the same memory; every
// work-item follows a chain of its own.
#include <bit>

#include "core/probes/probes.h"

namespace sonde {

namespace {
constexpr std::uint64_t kScratchpadBytes = 16 * 1024;  // of `local`
constexpr std::uint64_t kLastLevelEnds = 128ull << 20; // bytes: where a path that passes by L1 is looked for its own
constexpr std::uint32_t kWarmRows = 8192;              // up to here every subgroup walks all rows before it is timed
constexpr double kShare = 0.5;                         // of the level

const Choice<std::uint32_t> kStride{"stride", {{"1", 1}, {"4", 4}}}; // words

/// Rows of one word for each lane, `stride` words apart. All lanes go from row to row in the same random order, each
/// along its own links; the subgroups begin at places that are evenly spread.
class Rows {
public:
    Rows(Bench& bench, std::uint64_t bytes)
        : bench_(bench),
          lanes_(bench.info.subgroup),
          stride_(kStride.in(bench.request.id.options)),
          shift_(static_cast<std::uint32_t>(std::bit_width(lanes_ * stride_ - 1))),
          rows_(static_cast<std::uint32_t>(std::max<std::uint64_t>(bytes / (4u << shift_), 1))),
          chain_({.slots = rows_, .shift = shift_}, bench.next_seed()),
          memory_(bench.allocate(this->bytes(), this->bytes())) {
        const auto builder = bench.helper_kernel("chain", chain_defines(bench.path));
        const std::uint32_t seed = bench.next_seed();
        for (std::uint32_t lane = 0; lane < lanes_; ++lane) {
            const Chain lanes_own({.slots = rows_, .shift = shift_, .first = lane * stride_}, seed);
            if (lane == 0) chain_ = lanes_own;
            bench.run_helper(*builder, *memory_, rows_, lanes_own.kernel_args());
        }
    }

    std::uint64_t bytes() const { return std::uint64_t{rows_} * (4u << shift_); }

    SubgroupWalks walks(std::uint32_t subgroups) const {
        const std::uint32_t staged = bench_.path.stage == Stage::scratchpad ? rows_ << shift_ : 0;
        return {
            .args = {.steps = 0, .warm = rows_ <= kWarmRows ? (rows_ + 7) / 8 * 8 : 0, .stage = staged, .rounds = 1},
            .sources = {.a = memory_.get(), .scratchpad_bytes = staged * 4},
            .word =
                [this, subgroups](std::uint32_t walker, std::uint64_t loads) {
                    return chain_.walk(std::uint64_t{rows_} * (walker / lanes_) / subgroups + loads) +
                           walker % lanes_ * stride_;
                },
            .most_steps = bench_.info.loop_trips ? (bench_.info.loop_trips - kWarmRows / 8 - 64) * 64 : 1u << 24};
    }

private:
    Bench& bench_;
    const std::uint32_t lanes_, stride_, shift_, rows_;
    Chain chain_;
    std::unique_ptr<Buffer> memory_;
};

/// Half of the level that the path meets first.
std::uint64_t footprint(Bench& bench) {
    if (bench.path.stage == Stage::scratchpad)
        return std::min<std::uint64_t>(kScratchpadBytes, bench.info.scratchpad_bytes);
    Chase chase(bench);
    chase.new_memory(std::min(chase.largest(), kLastLevelEnds));
    auto levels = chase.levels(kFirstLevelEnds);
    if (levels.size() < 2) { // a path that passes by L1
        bench.evidence.levels.clear();
        levels = chase.levels(std::min(chase.largest(), kLastLevelEnds));
    }
    return static_cast<std::uint64_t>(kShare * level_of(levels, 0).capacity_on);
}
} // namespace

static void measure_loaded_latency(Bench& bench) {
    if (bench.info.cpu || bench.info.subgroup == 1)
        throw Unsupported("a processor's thread runs one subgroup after another");
    bench.wake_clocks();
    const Rows rows(bench, footprint(bench));
    bench.evidence.footprint_bytes = rows.bytes();
    bench.evidence.lanes = bench.info.subgroup;
    sweep_subgroups(bench, own_clocks_kernel(bench.info, bench.path, {}),
        numbers_of_subgroups(bench.info, ~0ull, bench.profile.blocks > 1),
        [&](std::uint32_t subgroups) { return rows.walks(subgroups); });
}

static std::vector<KernelChoice> loaded_latency_kernels(
    const DeviceInfo& info, const Path& path, const Options& options, const Profile& profile) {
    return subgroup_kernels(
        info, own_clocks_kernel(info, path, options), numbers_of_subgroups(info, ~0ull, profile.blocks > 1));
}

static std::vector<Finding> loaded_latency_findings(const Series& series, const DeviceInfo&) {
    const auto curve = curve_of(series);
    if (curve.empty()) return {};
    const CurvePoint &alone = curve.front(), &loaded = curve.back();
    Finding found{.name = "stride " + kStride.word(series.id.options),
        .unit = "times",
        .rows = {{"a load of one subgroup", alone.y, series.unit, {}, series.points.front().cycles}},
        .x = {alone.x}};
    if (curve.size() == 1) {
        found.no_value = NoValue::inconclusive;
        return {finding_of(series, std::move(found))};
    }
    const bool early = ends_early(series); // what a core reaches lies beyond
    const double bytes_per_ns = early ? 0 : loaded.x * series.evidence.lanes.value_or(0) * 4 / loaded.y;
    const std::optional<double> last = series.points.back().cycles;
    const auto clocks = std::ranges::find(series.evidence.subgroup_clocks, loaded.x, &SubgroupClocks::subgroups);
    found.value = loaded.y / alone.y;
    found.x.push_back(loaded.x);
    found.rows.push_back({fmt::format("of {:g} subgroups", loaded.x), loaded.y, series.unit, {}, last});
    found.rows.push_back({"times as long", found.value, "times"});
    if (bytes_per_ns > 0) found.rows.push_back({"rate of a core", bytes_per_ns, "GB/s"});
    if (clocks != series.evidence.subgroup_clocks.end() && last && !early) {
        found.rows.push_back({"of the median subgroup", clocks->median, "cycles"});
        found.rows.push_back({"of all subgroups", clocks->median, "cycles", std::pair(clocks->least, clocks->most)});
    }
    return {finding_of(series, std::move(found))};
}

const Probe kLoadedLatency{
    .name = "loaded-latency",
    .question = "Load latency under contention?",
    .explanation = "Every work-item follows a chain of its own while more and more subgroups of one workgroup do. "
                   "Latency stays flat until the level is saturated. The value is the slowest subgroup's; each one's "
                   "own clock is kept as evidence.",
    .picture = "Flat, then a steep rise: the bend is where the level is saturated.",
    .method = literature::kMess,
    .x = {"subgroups"},
    .value_of = "a dependent load of the slowest subgroup",
    .run_noise = run_noise::alike,
    .paths = {"scratchpad", "global", "global.ca", "global.cg"},
    .variants = kStride.each(),
    .accepts = {option::carveout, option::subgroup},
    .quick = {.seconds = 0.14, .paths = {"scratchpad"}, .variants = 1},
    .run = measure_loaded_latency,
    .findings = loaded_latency_findings,
    .kernel = own_clocks_kernel,
    .further_kernels = loaded_latency_kernels,
};

} // namespace sonde
