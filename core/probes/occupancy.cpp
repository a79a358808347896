// occupancy: what a small workgroup's time is worth while each holds scratchpad, by how much: from it follows how many a core takes at once.
#include <algorithm>

#include <fmt/format.h>

#include "core/analysis/traffic.h"
#include "core/base/text.h"
#include "core/measure/structure_probe.h"
#include "core/measure/traffic.h"
#include "core/probes/probes.h"

namespace sonde {

namespace {
constexpr std::uint32_t kOfCore = 192;   // workgroups per core of a launch: many numbers at once divide it
constexpr std::uint32_t kStage = 128;    // words
constexpr std::uint32_t kHops = 16;      // loads of a round (kernels/occupancy.h)
constexpr std::uint32_t kSlots = 1 << 17, kShift = 5; // of the chain: 16 MiB, of which a first level holds next to nothing
constexpr std::uint64_t kScratchpadStep = 256;  // bytes of scratchpad

std::uint32_t group_size_of(const DeviceInfo& info) { return info.subgroup; }

class Holder {
public:
    Holder(Bench& bench, const Kernel& kernel)
        : bench_(bench), kernel_(kernel), chain_(kSlots, kShift, bench.next_seed()), memory_(bench.allocate(kStage * 4, kStage * 4)),
          links_(bench.allocate_result(std::size_t{kSlots} << kShift)), result_(bench.allocate_result(2 * std::size_t{kOfCore} * bench.info.cores * group_size_of(bench.info))) {
        const std::uint32_t seed = bench.next_seed();
        bench.fill(*memory_, kStage * 4, seed);
        for (std::uint32_t word = 0; word < kStage; ++word) words_.push_back(fill_word(word, Bench::kFillPeriod, seed));
        bench.run_helper(*bench.helper_kernel("chain", {{"LINK_WORDS", "1"}}), *links_, kSlots, chain_.kernel_args());
        std::uint32_t at = chain_.start();
        for (std::uint32_t hop = 0; hop < kSlots; ++hop, at = chain_.next(at)) {
            order_.push_back(at);
            place_[at >> kShift] = hop;
        }
    }

    /// Steps are rounds of all workgroups that a core was given.
    Sample timed(std::uint32_t of_core, std::uint64_t scratchpad, std::uint32_t rounds) {
        const kernel_args::Occupancy args{.rounds = rounds, .slots = kSlots, .shift = kShift, .stage = kStage};
        const std::uint32_t groups = of_core * bench_.info.cores, lanes = group_size_of(bench_.info);
        const auto [sample, out] = bench_.launch(kernel_, args, {.a = memory_.get(), .b = links_.get(), .out = *result_, .groups = groups, .scratchpad_bytes = static_cast<std::uint32_t>(scratchpad)},
                                                 static_cast<double>(rounds) * of_core, 2 * std::size_t{groups} * lanes);
        for (std::uint32_t group = 0; group < groups; ++group) {
            const std::uint32_t end = order_[(place_[group % kSlots] + std::uint64_t{rounds} * kHops) % kSlots];
            for (std::uint32_t lane = 0; lane < lanes; ++lane) {
                const std::size_t item = 2 * (std::size_t{group} * lanes + lane);
                if (out[item] != end || out[item + 1] != words_[lane % kStage]) throw Error(fmt::format("workgroup {} ended at {}, the host's walk at {}", group, out[item], end));
            }
        }
        bench_.checked("every work-item's last word of every dispatch against the host's walk");
        return sample;
    }

private:
    Bench& bench_;
    const Kernel& kernel_;
    const Chain chain_;
    std::unique_ptr<Buffer> memory_, links_, result_;
    std::vector<std::uint32_t> words_, order_, place_ = std::vector<std::uint32_t>(kSlots); // the scratchpad's; the chain's stops in order; of each slot the number there
};

/// Shares of the most that a workgroup may have, and as little as the kernel needs.
std::vector<std::uint64_t> scratchpads(const DeviceInfo& info) {
    std::vector<std::uint64_t> sizes{std::max<std::uint64_t>(kScratchpadStep, kStage * 4)};
    for (const std::uint64_t share : {64, 48, 32, 24, 16, 12, 8, 6, 5, 4, 3, 2, 1}) sizes.push_back(info.scratchpad_bytes / share / kScratchpadStep * kScratchpadStep);
    std::erase_if(sizes, [](std::uint64_t size) { return size < kStage * 4; });
    std::sort(sizes.begin(), sizes.end());
    sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
    return sizes;
}
} // namespace

static KernelChoice occupancy_kernel(const DeviceInfo& info, const Path&, const Options&) {
    return {.name = "occupancy", .group_size = group_size_of(info), .defines = {}, .chases = true, .b = find_path("global")};
}

static void measure_occupancy(Bench& bench) {
    if (bench.info.cpu) throw Unsupported("a processor takes its workgroups one after another");
    if (bench.info.scratchpad_bytes < kStage * 4) throw Unsupported("there is no scratchpad");
    bench.wake_clocks();
    const auto kernel = bench.kernel(occupancy_kernel(bench.info, bench.path, {}));
    Holder holder(bench, *kernel);
    constexpr std::uint32_t kMost = 1u << 14;
    bench.step("one workgroup per core");
    bench.evidence["groups_per_core"] = kOfCore;
    bench.evidence["group_size"] = group_size_of(bench.info);
    bench.evidence["alone_ns"] = bench.rough_slope(1, kMost, [&](std::uint32_t rounds) { return holder.timed(1, kStage * 4, rounds); });
    bench.measure({.work = {.most = kMost}, .dispatch = [&](std::uint64_t held, std::uint32_t rounds) { return holder.timed(kOfCore, held, rounds); }}, scratchpads(bench.info));
}

static std::vector<Finding> occupancy_findings(const Series& series, const Json&) {
    const double alone = series.evidence.value("alone_ns", 0.0), of_core = series.evidence.value("groups_per_core", 0.0);
    std::vector<Finding> findings;
    if (alone <= 0) return findings;
    for (const CurvePoint& point : curve_of(series)) {
        const double resident = resident_workgroups(of_core, alone, point.latency);
        const Conclusion conclusion{resident, resident, resident, 0.9, "", {point.bytes}};
        for (Finding& finding : as_finding(series, conclusion, "occupancy", format_bytes(point.bytes), "workgroups",
                                           [&](double value) { return fmt::format("a core takes {:g} workgroups of {} work-items at once that hold {} each", value, series.evidence.value("group_size", 0), format_bytes(point.bytes)); }))
            findings.push_back(std::move(finding));
    }
    return findings;
}

const Probe kOccupancy{
    .name = "occupancy",
    .question = "Resident workgroups per core by scratchpad held?",
    .explanation = "Many small workgroups that wait for memory, each holding scratchpad. The time of all of them, beside that of one per core, tells how many run on a core together.",
    .x_name = "scratchpad",
    .x_unit = "bytes",
    .unit = "ns",
    .measure = Measure::time_per_step,
    .axis = Axis::amount,
    .chart = Chart::curve,
    .run_noise = run_noise::alike,
    .paths = {"scratchpad"},
    .variants = {{}},
    .accepts = {"carveout"},
    .quick = {.paths = {}, .variants = 0},
    .run = measure_occupancy,
    .findings = occupancy_findings,
    .kernel = occupancy_kernel,
};

} // namespace sonde
