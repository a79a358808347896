// mix: read rate from L1 of loads on two paths at once, against each path alone: one pipe, or two that add up.
#include <cmath>

#include "core/measure/traffic.h"
#include "core/probes/probes.h"

namespace sonde {

namespace {
constexpr std::uint32_t kWideWords = 4; // words: wide loads, so that the pipes and not the instructions are the limit
constexpr std::uint32_t kRows = 20;     // of a round: a row is 5 % of it
const Choice<const Path*> kOtherPath = other_path({"texel", "scratchpad", "constant", "global"});
constexpr std::uint32_t kGroupSize = 64; // of a workgroup: with so few all that it reads fits any L1
constexpr std::uint32_t kReadersPerCore = 32;
constexpr std::uint32_t kPositions = 4; // a path's rows begin at so many places in turn
constexpr double kPercent = 100.0 / kRows;

KernelChoice mix_kernel(const DeviceInfo& info, const Path&, const Options& options) {
    return {.name = "mix_paths",
        .group_size = info.cpu ? info.subgroup : std::min(kGroupSize, info.largest_group),
        .defines = {{"WIDTH", std::to_string(kWideWords)}, {"LOADS", std::to_string(kLoadsInFlight)}, {"WIDE_B", "1"}},
        .b = kOtherPath.in(options)};
}

/// One path's memory, and what a lane reads there.
struct Side {
    std::unique_ptr<Buffer> memory = nullptr;
    std::uint32_t seed = 0;

    /// Sum of the words of a lane's first `rows` rows.
    std::uint32_t sum(
        std::uint32_t lane, std::uint32_t lanes, std::uint32_t span, std::uint32_t step, std::uint32_t rows) const {
        std::uint32_t sum = 0;
        for (std::uint32_t position = 0; position < kPositions; ++position) {
            const std::uint32_t visits = rows / kPositions + (position < rows % kPositions ? 1 : 0);
            std::uint32_t row = 0;
            for (std::uint32_t word = 0; word < kLoadsInFlight * kWideWords; ++word)
                row += fill_word(std::uint64_t{lane + position * step % span + word / kWideWords * lanes} * kWideWords +
                                     word % kWideWords,
                    Bench::kFillPeriod, seed);
            sum += visits * row;
        }
        return sum;
    }
};

struct Mixer {
    Bench& bench;
    const KernelChoice choice = mix_kernel(bench.info, bench.path, bench.request.id.options);
    const Path& other = *choice.b;
    const std::uint32_t lanes = choice.group_size, groups = bench.info.cores * (bench.info.cpu ? 1 : kReadersPerCore);
    const std::uint32_t span = std::max(lanes, 16u), step = span / kPositions * 3,
                        elements = span + kLoadsInFlight * lanes, bytes = elements * kWideWords * 4;
    const std::shared_ptr<Kernel> kernel = bench.kernel(choice);
    const std::unique_ptr<Buffer> result = bench.allocate_result(std::size_t{lanes} * groups);
    Side a = {}, b = {};

    void new_memory() {
        a.memory.reset();
        b.memory.reset();
        a.seed = bench.next_seed(), b.seed = bench.next_seed();
        a.memory = bench.allocate(bytes, bytes);
        bench.fill(*a.memory, bytes, a.seed);
        bench.step(fmt::format("allocate as much for {}", other.name));
        b.memory = bench.device.allocate(other.space, bytes);
        bench.fill(*b.memory, bytes, b.seed);
    }

    /// `rounds` of kRows rows, of which `rows_b` are the other path's. Throws Error where a work-item did not read what
    /// the host knows.
    Sample timed(std::uint32_t rounds, std::uint32_t rows_b) {
        const bool staged = other.stage == Stage::scratchpad;
        const std::uint32_t rows_a = kRows - rows_b, subgroup = std::min(bench.info.subgroup, lanes);
        const kernel_args::MixPaths args{.rounds = rounds,
            .rows_a = rows_a,
            .rows_b = rows_b,
            .span = span,
            .step = step,
            .subgroup = subgroup,
            .stage = staged ? elements : 0};
        const double bytes_read =
            static_cast<double>(rounds) * kRows * kLoadsInFlight * kWideWords * 4 * lanes * groups;
        const auto [sample, out] = bench.launch(*kernel, args,
            {.a = a.memory.get(),
                .b = b.memory.get(),
                .out = *result,
                .groups = groups,
                .scratchpad_bytes = staged ? bytes : 0},
            bytes_read, std::size_t{lanes} * groups);
        for (std::uint32_t lane = 0; lane < lanes; ++lane) {
            const std::uint32_t sum =
                a.sum(lane, lanes, span, step, rounds * rows_a) + b.sum(lane, lanes, span, step, rounds * rows_b);
            for (std::uint32_t item = lane; item < out.size(); item += lanes)
                if (out[item] != sum)
                    throw Error(
                        fmt::format("work-item {} read words that add up to {:#010x}, the host's sum is {:#010x}", item,
                            out[item], sum));
        }
        bench.checked(
            "the sum of the words that each work-item of each dispatch read on both paths, against the host's");
        return sample;
    }
};

/// With what lies in textures and in the scratchpad; all else on request, a path with itself as well.
bool mix_by_default(std::string_view path, const Options& variant) {
    const std::string_view with = kOtherPath.in(variant)->name;
    return with == "scratchpad" || (with == "texel" && path != "texel");
}

void measure_mix(Bench& bench) {
    bench.wake_clocks();
    Mixer mixer{.bench = bench};
    bench.evidence.shape = {
        .group_size = mixer.lanes, .groups = mixer.groups, .loads_in_flight = kLoadsInFlight, .width = kWideWords * 4};
    bench.evidence.footprint_bytes = mixer.bytes; // of each path
    std::vector<std::uint64_t> mixed;
    if (!is_brief(bench.profile)) mixed = {25, 50, 75};
    const Experiment experiment{
        .work = {.most = bench.info.loop_trips ? (bench.info.loop_trips - 8) / kRows : 1u << 18},
        .dispatch = [&](std::uint64_t share, std::uint32_t rounds) {
            return mixer.timed(rounds, static_cast<std::uint32_t>(static_cast<double>(share) / kPercent));
        }};
    bench.each_block([&](int block) {
        mixer.new_memory();
        const auto ns = bench.measure_block(experiment, block, {0, 100});
        if (block == 0 && ns.size() == 2) { // and the share at which both take the same time, from their rates alone
            const double rows = std::clamp(std::round(kRows * ns.at(0) / (ns.at(0) + ns.at(100))), 1.0, kRows - 1.0);
            if (const auto share = static_cast<std::uint64_t>(rows * kPercent); std::ranges::count(mixed, share) == 0)
                mixed.push_back(share);
        }
        bench.measure_block(experiment, block, mixed);
    });
}

/// What loads on two paths read together where they take strict turns: the harmonic mean of the rates alone. `share`:
/// of the second, 0 to 1.
double in_turns(double a, double b, double share) { return 1 / ((1 - share) / a + share / b); }

std::vector<Finding> mix_findings(const Series& series, const DeviceInfo&) {
    constexpr double kAsInTurns = 1.1, kAddUp = 0.9, kFaster = 1.02;
    const auto curve = curve_of(series); // by share
    if (curve.size() < 3 || curve.front().x != 0 || curve.back().x != 100) return {};
    const double a = curve.front().y, b = curve.back().y;
    const auto gain = [&](const CurvePoint& point) { return point.y / in_turns(a, b, point.x / 100); };
    const auto mixed = std::span(curve).subspan(1, curve.size() - 2);
    const CurvePoint& both = *std::max_element(mixed.begin(), mixed.end(),
        [&](const CurvePoint& one, const CurvePoint& other) { return gain(one) < gain(other); });
    const std::string with(kOtherPath.in(series.id.options)->name);
    const auto rate = [](double gb_per_second) { return format_si(gb_per_second * 1e9, "B/s"); };
    const bool faster_mixed = std::any_of(mixed.begin(), mixed.end(), [&](const CurvePoint& point) {
        return point.y * (1 - point.x / 100) > kFaster * a || point.y * point.x / 100 > kFaster * b;
    });
    const std::string verdict = faster_mixed               ? "doubtful, as one path reads faster in the mix than alone"
                                : gain(both) <= kAsInTurns ? "the two paths do not overlap"
                                : both.y >= kAddUp * (a + b) ? "the rates add up"
                                                             : "the two paths overlap in part";
    return {finding_of(
        series, {.name = with,
                    .value = gain(both),
                    .unit = "times the serialised rate",
                    .rows = {{fmt::format("{} alone", series.id.path), a, "GB/s", {}}, {with + " alone", b, "GB/s", {}},
                        {fmt::format("with {:g} % on {}", both.x, with), both.y, "GB/s", {}},
                        {"times one path after the other", gain(both), "times", {}}},
                    .text = fmt::format("each path alone in this kernel: {} {}, {} {}. With {:g} % on {} "
                                        "{}, {:.2f} times the rate of one path after the other ({}): {}",
                        series.id.path, rate(a), with, rate(b), both.x, with, rate(both.y), gain(both),
                        rate(in_turns(a, b, both.x / 100)), verdict),
                    .x = {curve.front().x, both.x, curve.back().x}})};
}
} // namespace

const Probe kMix{
    .name = "mix",
    .question = "Do loads on two paths add up, or share one pipe?",
    .explanation = "Each work-item reads on two paths from L1, in a growing share of the second. Rates that add up "
                   "come from two pipes; the harmonic mean of both is what one pipe gives that serves them in turn.",
    .picture = "A hump in the middle where two pipes work side by side; a straight or sagging line where one pipe "
               "serves both.",
    .x = {"share of the other path", "%"},
    .unit = "GB/s",
    .run_noise = run_noise::alike,
    .paths = {"global", "texel"},
    .variants = kOtherPath.each(),
    .quick = {.seconds = 0.06, .paths = {"global"}, .variants = 1},
    .run = measure_mix,
    .findings = mix_findings,
    .kernel = mix_kernel,
    .by_default = mix_by_default,
};

} // namespace sonde
