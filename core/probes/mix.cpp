// mix: what loads on two paths at once bring from the first level, against each path alone: one pipe, or two that add up.
#include <algorithm>
#include <array>
#include <numeric>

#include <fmt/format.h>

#include "core/base/text.h"
#include "core/measure/structure_probe.h"
#include "core/measure/traffic.h"
#include "core/probes/probes.h"

namespace sonde {

static KernelChoice mix_kernel(const DeviceInfo& info, const Path&, const Options& options);

namespace {
constexpr std::uint32_t kWideWords = 4; // words: wide loads, so that the pipes and not the instructions are the limit
constexpr std::uint32_t kRows = 20;                // of a round: a row is 5 % of it
constexpr std::uint32_t kGroupSize = 64;               // of a workgroup: with so few all that it reads lies in any first level
constexpr std::uint32_t kReadersPerCore = 32;
constexpr std::uint32_t kPositions = 4;            // a path's rows begin at so many places in turn
constexpr double kPercent = 100.0 / kRows;

/// One path's memory, and what a lane reads there.
class Side {
public:
    Side(std::unique_ptr<Buffer> memory, std::uint32_t seed) : memory_(std::move(memory)), seed_(seed) {}
    const Buffer* memory() const { return memory_.get(); }
    /// Sum of the words of a lane's first `rows` rows.
    std::uint32_t sum(std::uint32_t lane, std::uint32_t lanes, std::uint32_t span, std::uint32_t step, std::uint32_t rows) const {
        std::uint32_t sum = 0;
        for (std::uint32_t position = 0; position < kPositions; ++position) {
            const std::uint32_t visits = rows / kPositions + (position < rows % kPositions ? 1 : 0);
            std::uint32_t row = 0;
            for (std::uint32_t word = 0; word < kLoadsInFlight * kWideWords; ++word)
                row += fill_word(std::uint64_t{lane + position * step % span + word / kWideWords * lanes} * kWideWords + word % kWideWords, Bench::kFillPeriod, seed_);
            sum += visits * row;
        }
        return sum;
    }

private:
    std::unique_ptr<Buffer> memory_;
    std::uint32_t seed_;
};

class Mixer {
public:
    explicit Mixer(Bench& bench)
        : bench_(bench), other_(path_named(bench.request.id.options.at("other_path"))), lanes_(mix_kernel(bench.info, bench.path, bench.request.id.options).group_size),
          groups_(bench.info.cores * (bench.info.cpu ? 1 : kReadersPerCore)), span_(std::max(lanes_, 16u)), step_(span_ / kPositions * 3), elements_(span_ + kLoadsInFlight * lanes_),
          kernel_(bench.kernel(mix_kernel(bench.info, bench.path, bench.request.id.options))), result_(bench.allocate_result(std::size_t{lanes_} * groups_)) {
        bench.evidence["shape"] = {{"group_size", lanes_}, {"groups", groups_}, {"loads_in_flight", kLoadsInFlight}, {"width", kWideWords * 4}};
        bench.evidence["footprint_bytes"] = bytes(); // of each path
    }

    void new_memory() {
        a_.reset();
        b_.reset();
        const std::uint32_t seed_a = bench_.next_seed(), seed_b = bench_.next_seed();
        auto memory = bench_.allocate(bytes(), bytes());
        bench_.fill(*memory, bytes(), seed_a);
        a_ = std::make_unique<Side>(std::move(memory), seed_a);
        bench_.step(fmt::format("allocate as much for {}", other_.name));
        memory = bench_.device.allocate(other_.space, bytes());
        bench_.fill(*memory, bytes(), seed_b);
        b_ = std::make_unique<Side>(std::move(memory), seed_b);
    }

    /// `rounds` of kRows rows, of which `rows_b` are the other path's. Throws Error where a work-item did not read what the host knows.
    Sample timed(std::uint32_t rounds, std::uint32_t rows_b) {
        const bool staged = other_.stage == Stage::scratchpad;
        const std::uint32_t rows_a = kRows - rows_b, wave = std::min(bench_.info.subgroup, lanes_);
        const kernel_args::Mix args{.rounds = rounds, .rows_a = rows_a, .rows_b = rows_b, .span = span_, .step = step_, .wave = wave, .stage = staged ? elements_ : 0};
        const double bytes_read = static_cast<double>(rounds) * kRows * kLoadsInFlight * kWideWords * 4 * lanes_ * groups_;
        const auto [sample, out] = bench_.launch(*kernel_, args, {.a = a_->memory(), .b = b_->memory(), .out = *result_, .groups = groups_, .scratchpad_bytes = staged ? bytes() : 0}, bytes_read, std::size_t{lanes_} * groups_);
        for (std::uint32_t lane = 0; lane < lanes_; ++lane) {
            const std::uint32_t sum = a_->sum(lane, lanes_, span_, step_, rounds * rows_a) + b_->sum(lane, lanes_, span_, step_, rounds * rows_b);
            for (std::uint32_t group = 0; group < groups_; ++group)
                if (out[group * lanes_ + lane] != sum)
                    throw Error(fmt::format("work-item {} read words that add up to {:#010x}, the host's sum is {:#010x}", group * lanes_ + lane, out[group * lanes_ + lane], sum));
        }
        bench_.checked("the sum of the words that each work-item of each dispatch read on both paths, against the host's");
        return sample;
    }

    std::uint32_t most() const { return bench_.info.loop_trips ? (bench_.info.loop_trips - 8) / kRows : 1u << 18; }

private:
    std::uint32_t bytes() const { return elements_ * kWideWords * 4; }

    Bench& bench_;
    const Path& other_;
    const std::uint32_t lanes_, groups_, span_, step_, elements_;
    std::unique_ptr<Kernel> kernel_;
    std::unique_ptr<Buffer> result_;
    std::unique_ptr<Side> a_, b_;
};

/// The share of the other path at which both are at work for the same time, in percent, from their rates alone.
std::uint64_t share_for_equal_times(double rate_a, double rate_b) {
    const double rows = std::clamp(std::round(kRows * rate_b / (rate_a + rate_b)), 1.0, kRows - 1.0);
    return static_cast<std::uint64_t>(rows * kPercent);
}
} // namespace

/// With what lies in textures and in the scratchpad; all else on request, a path with itself as well.
static bool mix_by_default(std::string_view path, const Options& variant) {
    const std::string& with = variant.at("other_path");
    return with == "scratchpad" || (with == "texel" && path != "texel");
}

static KernelChoice mix_kernel(const DeviceInfo& info, const Path&, const Options& options) {
    return {.name = "mix", .group_size = info.cpu ? info.subgroup : std::min(kGroupSize, info.largest_group),
            .defines = {{"WIDTH", std::to_string(kWideWords)}, {"LOADS", std::to_string(kLoadsInFlight)}, {"WIDE_B", "1"}}, .b = &path_named(options.at("other_path"))};
}

static void measure_mix(Bench& bench) {
    bench.wake_clocks();
    Mixer mixer(bench);
    std::vector<std::uint64_t> mixed;
    if (!is_brief(bench.profile)) mixed = {25, 50, 75};
    const Experiment experiment{.work = {.most = mixer.most()}, .dispatch = [&](std::uint64_t share, std::uint32_t rounds) {
        return mixer.timed(rounds, static_cast<std::uint32_t>(static_cast<double>(share) / kPercent));
    }};
    for (int block = 0; block < bench.profile.blocks; ++block) {
        mixer.new_memory();
        const auto ns = bench.measure_block(experiment, block, {0, 100});
        if (block == 0 && ns.size() == 2)
            if (const std::uint64_t equal = share_for_equal_times(1 / ns.at(0), 1 / ns.at(100)); std::find(mixed.begin(), mixed.end(), equal) == mixed.end()) mixed.push_back(equal);
        bench.measure_block(experiment, block, mixed);
    }
}

static std::vector<Finding> mix_findings(const Series& series, const Json&) {
    constexpr double kOnePipe = 1.1, kTwoPipes = 0.9;
    const auto curve = curve_of(series); // by share
    if (curve.size() < 3 || curve.front().bytes != 0 || curve.back().bytes != 100) return {};
    const double a = curve.front().latency, b = curve.back().latency;
    const auto best = std::max_element(curve.begin() + 1, curve.end() - 1, [](const CurvePoint& one, const CurvePoint& two) { return one.latency < two.latency; });
    const double times = best->latency / std::max(a, b);
    Conclusion conclusion{times, times, times, 0.9, "", {curve.front().bytes, best->bytes, curve.back().bytes}};
    const std::string with = series.id.options.at("other_path");
    const char* verdict = times <= kOnePipe ? "no more than the larger alone: they share one pipe" : best->latency >= kTwoPipes * (a + b) ? "as much as both alone: they add up" : "more than the larger, less than both: they share a part of the way";
    const auto rate = [](double gb_per_second) { return format_si(gb_per_second * 1e9, "B/s"); };
    return as_finding(series, conclusion, "mix", with, "of the larger alone", [&](double) {
        return fmt::format("loads on {} bring {} from the first level, on {} {}, on both at once {} ({:g} % of them on {}): {}", series.id.path, rate(a), with, rate(b), rate(best->latency), best->bytes, with, verdict);
    });
}

const Probe kMix{
    .name = "mix",
    .question = "Do loads on two paths add up, or share one pipe?",
    .explanation = "Each work-item reads on two paths from L1, in a growing share of the second. Where both together are no faster than the faster one alone, one pipe serves both.",
    .x_name = "share",
    .x_unit = "%",
    .unit = "GB/s",
    .measure = Measure::steps_per_time,
    .axis = Axis::amount,
    .chart = Chart::curve,
    .run_noise = run_noise::alike,
    .paths = {"global", "texel"},
    .variants = {{{"other_path", "texel"}}, {{"other_path", "scratchpad"}}, {{"other_path", "constant"}}, {{"other_path", "global"}}},
    .accepts = {},
    .quick = {.paths = {"global"}, .variants = 1},
    .run = measure_mix,
    .findings = mix_findings,
    .kernel = mix_kernel,
    .by_default = mix_by_default,
};

} // namespace sonde
