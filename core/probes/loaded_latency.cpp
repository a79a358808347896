// loaded: what a hop takes while more and more waves of one workgroup want the same memory; every work-item follows a chain of its own.
#include <algorithm>
#include <bit>
#include <map>

#include <fmt/format.h>

#include "core/measure/structure_probe.h"
#include "core/probes/probes.h"

namespace sonde {

static KernelChoice loaded_kernel(const DeviceInfo& info, const Path& path, const Options&);

namespace {
constexpr std::uint32_t kMostWaves = 32;
constexpr std::uint64_t kScratchpadBytes = 16 * 1024;     // of `local`
constexpr std::uint64_t kLastLevelEnds = 128ull << 20;    // bytes: where a path that passes by the first level is looked for its own
constexpr std::uint32_t kWarmRows = 8192;                 // up to here every wave walks all rows before it is timed
constexpr double kShare = 0.5;                            // of the level

std::uint32_t stride_of(const Bench& bench) { return static_cast<std::uint32_t>(std::stoul(bench.request.id.options.at("stride"))); }

/// Rows of one word for each lane, `stride` words apart. All lanes go from row to row in the same random order, each along its own links; the
/// waves begin at places that are evenly spread.
class Walkers {
public:
    Walkers(Bench& bench, std::uint64_t bytes)
        : bench_(bench), lanes_(bench.info.subgroup), stride_(stride_of(bench)), shift_(static_cast<std::uint32_t>(std::bit_width(lanes_ * stride_ - 1))),
          rows_(static_cast<std::uint32_t>(std::max<std::uint64_t>(bytes / row_bytes(), 1))), chain_({.slots = rows_, .shift = shift_}, bench.next_seed()),
          memory_(bench.allocate(std::uint64_t{rows_} * row_bytes(), std::uint64_t{rows_} * row_bytes())), result_(bench.allocate_result(4 + std::size_t{kMostWaves} * lanes_)) {
        const auto builder = bench.helper_kernel("chain", chain_defines(bench.path));
        const std::uint32_t seed = bench.next_seed();
        for (std::uint32_t lane = 0; lane < lanes_; ++lane) {
            const Chain lanes_own({.slots = rows_, .shift = shift_, .first = lane * stride_}, seed);
            if (lane == 0) chain_ = lanes_own;
            bench.run_helper(*builder, *memory_, rows_, lanes_own.kernel_args(memory_->address().value_or(0)));
        }
    }

    std::uint64_t bytes() const { return std::uint64_t{rows_} * row_bytes(); }
    std::uint32_t rows() const { return rows_; }

    /// The kernels of the series differ in nothing but the workgroup's size: the first one is its evidence.
    void gather(std::uint32_t waves) {
        waves_ = waves;
        std::unique_ptr<Kernel>& kernel = kernels_[waves];
        if (kernel) return;
        KernelChoice choice = loaded_kernel(bench_.info, bench_.path, bench_.request.id.options);
        choice.group_size = waves * lanes_;
        kernel = kernels_.size() == 1 ? bench_.kernel(choice) : bench_.compile(choice);
    }

    Sample timed(std::uint32_t steps) {
        const std::uint32_t warm = rows_ <= kWarmRows ? (rows_ + 7) / 8 * 8 : 0;
        write(words_after(0));
        const std::uint32_t staged = bench_.path.stage == Stage::scratchpad ? rows_ << shift_ : 0;
        auto [sample, out] = bench_.launch(*kernels_.at(waves_), kernel_args::Loaded{.warm = warm, .steps = steps, .stage = staged}, {.a = memory_.get(), .out = *result_, .scratchpad_bytes = staged * 4},
                                           steps, 4 + std::size_t{waves_} * lanes_);
        const auto expected = words_after(warm + steps);
        for (std::size_t lane = 0; lane < expected.size(); ++lane)
            if (out[4 + lane] != expected[lane]) throw Error(fmt::format("work-item {} ended in the wrong place after {} hops", lane, warm + steps));
        bench_.checked(kLinksChecked);
        sample.cycles = clock_difference(bench_.info, out);
        return sample;
    }

private:
    std::uint32_t row_bytes() const { return 4u << shift_; }

    /// Where each work-item stands after so many hops.
    std::vector<std::uint32_t> words_after(std::uint64_t hops) const {
        std::vector<std::uint32_t> words;
        for (std::uint32_t wave = 0; wave < waves_; ++wave) {
            const std::uint32_t first = chain_.walk(std::uint64_t{rows_} * wave / waves_ + hops);
            for (std::uint32_t lane = 0; lane < lanes_; ++lane) words.push_back(first + lane * stride_);
        }
        return words;
    }

    void write(const std::vector<std::uint32_t>& words) {
        const Copy copy{.from_host = words.data(), .to = result_.get(), .bytes = words.size() * 4, .to_offset = 16};
        bench_.device.copy({&copy, 1});
    }

    Bench& bench_;
    const std::uint32_t lanes_, stride_, shift_, rows_;
    Chain chain_;
    std::uint32_t waves_ = 1;
    std::map<std::uint32_t, std::unique_ptr<Kernel>> kernels_; // by waves
    std::unique_ptr<Buffer> memory_, result_;
};

/// Half of the level that the path meets first.
std::uint64_t footprint(Bench& bench) {
    if (bench.path.stage == Stage::scratchpad) return std::min<std::uint64_t>(kScratchpadBytes, bench.info.scratchpad_bytes);
    Chase chase(bench);
    chase.new_memory(std::min(chase.largest(), kLastLevelEnds));
    auto levels = chase.levels(kFirstLevelEnds);
    if (levels.size() < 2) { // a path that passes by the first level
        bench.evidence.erase("levels");
        levels = chase.levels(std::min(chase.largest(), kLastLevelEnds));
    }
    return static_cast<std::uint64_t>(kShare * level_of(levels, 0).capacity_on);
}
} // namespace

static KernelChoice loaded_kernel(const DeviceInfo& info, const Path& path, const Options&) {
    KernelChoice choice = chase_kernel(info, path);
    choice.name = "loaded";
    return choice;
}

static void measure_loaded(Bench& bench) {
    if (bench.info.cpu || bench.info.subgroup == 1) throw Unsupported("a processor's thread runs one wave after another");
    bench.wake_clocks();
    Walkers walkers(bench, footprint(bench));
    bench.evidence["footprint_bytes"] = walkers.bytes();
    bench.evidence["lanes"] = bench.info.subgroup;
    std::vector<std::uint64_t> counts;
    for (std::uint32_t waves = 1; waves <= std::min(kMostWaves, bench.info.largest_group / bench.info.subgroup); waves *= 2) counts.push_back(waves);
    const std::uint32_t most = bench.info.loop_trips ? (bench.info.loop_trips - kWarmRows / 8 - 64) * 64 : 1u << 24;
    const auto prepare = [&](std::uint64_t waves, const std::string&) {
        walkers.gather(static_cast<std::uint32_t>(waves));
        return Work{.granule = 64, .most = most};
    };
    bench.measure({.prepare = prepare, .dispatch = [&](std::uint64_t, std::uint32_t steps) { return walkers.timed(steps); }}, counts);
}

static std::vector<Finding> loaded_findings(const Series& series, const Json&) {
    const auto curve = curve_of(series);
    if (curve.size() < 2) return {};
    const CurvePoint &alone = curve.front(), &crowd = curve.back();
    const double lanes = series.evidence.value("lanes", 0.0), bytes_per_ns = crowd.bytes * lanes * 4 / crowd.latency;
    const Conclusion conclusion{crowd.latency / alone.latency, 0, 0, 0.9, "", {alone.bytes, crowd.bytes}};
    const std::optional<double> first = series.points.front().cycles, last = series.points.back().cycles;
    const std::string cycles = first && last ? fmt::format(" ({:.1f} and {:.1f} cycles)", *first, *last) : "";
    return as_finding(series, conclusion, "loaded-latency", "stride " + series.id.options.at("stride"), "times", [&](double) {
        return fmt::format("a hop takes {:.4g} {} with one wave and {:.4g} with {:g}{}; {:.3g} GB/s by then", alone.latency, series.unit, crowd.latency, crowd.bytes, cycles, bytes_per_ns);
    });
}

const Probe kLoadedLatency{
    .name = "loaded-latency",
    .question = "Load latency under contention?",
    .explanation = "Every work-item follows a chain of its own while more and more subgroups of one workgroup do. Latency stays flat until the level is saturated.",
    .x_name = "subgroups",
    .x_unit = "",
    .unit = "ns",
    .measure = Measure::time_per_step,
    .axis = Axis::amount,
    .chart = Chart::curve,
    .run_noise = run_noise::alike,
    .paths = {"scratchpad", "global", "global.ca", "global.cg"},
    .variants = {{{"stride", "1"}}, {{"stride", "4"}}},
    .accepts = {"carveout"},
    .quick = {.paths = {"scratchpad"}, .variants = 1},
    .run = measure_loaded,
    .findings = loaded_findings,
    .kernel = loaded_kernel,
};

} // namespace sonde
