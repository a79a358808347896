// occupancy: time of many small workgroups while each holds scratchpad, by how much: from it follows how many are
// resident on a core.
#include <algorithm>
#include <cmath>
#include <ranges>

#include "core/probes/resident.h"

namespace sonde {

namespace {
constexpr std::uint32_t kOfCore = 192;         // workgroups per core of a launch: many numbers at once divide it
constexpr std::uint32_t kStage = 128;          // words
constexpr std::uint32_t kHops = 16;            // loads of a round (kernels/occupancy.h)
constexpr std::uint64_t kScratchpadStep = 256; // bytes of scratchpad

struct Holder {
    Bench& bench;
    const Kernel& kernel;
    const std::uint32_t lanes = bench.info.subgroup;
    const WalkedChain chain{bench};
    const std::unique_ptr<Buffer> memory = bench.allocate(kStage * 4, kStage * 4),
                                  result = bench.allocate_result(2 * std::size_t{kOfCore} * bench.info.cores * lanes);
    std::vector<std::uint32_t> words = {}; // the scratchpad's

    void prepare() {
        const std::uint32_t seed = bench.next_seed();
        bench.fill(*memory, kStage * 4, seed);
        for (std::uint32_t word = 0; word < kStage; ++word) words.push_back(fill_word(word, Bench::kFillPeriod, seed));
    }

    /// Steps are rounds of all workgroups that a core was given.
    Sample timed(std::uint32_t of_core, std::uint64_t scratchpad, std::uint32_t rounds) {
        const kernel_args::Occupancy args{
            .rounds = rounds, .slots = WalkedChain::kSlots, .shift = WalkedChain::kShift, .stage = kStage};
        const std::uint32_t groups = of_core * bench.info.cores;
        const auto [sample, out] = bench.launch(kernel, args,
            {.a = memory.get(),
                .b = &chain.links(),
                .out = *result,
                .groups = groups,
                .scratchpad_bytes = static_cast<std::uint32_t>(scratchpad)},
            static_cast<double>(rounds) * of_core, 2 * std::size_t{groups} * lanes);
        for (std::uint32_t group = 0; group < groups; ++group) {
            const std::uint32_t end = chain.end_of(group, std::uint64_t{rounds} * kHops);
            for (std::uint32_t lane = 0; lane < lanes; ++lane) {
                const std::size_t item = 2 * (std::size_t{group} * lanes + lane);
                if (out[item] != end || out[item + 1] != words[lane % kStage])
                    throw Error(fmt::format("workgroup {} ended at {}, the host's walk at {}", group, out[item], end));
            }
        }
        bench.checked("every work-item's last word of every dispatch against the host's walk");
        return sample;
    }
};

/// Shares of the most that a workgroup may have, and as little as the kernel needs.
std::vector<std::uint64_t> scratchpads(const DeviceInfo& info) {
    std::vector<std::uint64_t> sizes{std::max<std::uint64_t>(kScratchpadStep, kStage * 4)};
    for (const std::uint64_t share : {64, 48, 32, 24, 16, 12, 8, 6, 5, 4, 3, 2, 1})
        sizes.push_back(info.scratchpad_bytes / share / kScratchpadStep * kScratchpadStep);
    std::erase_if(sizes, [](std::uint64_t size) { return size < kStage * 4; });
    return distinct(sizes);
}

KernelChoice occupancy_kernel(const DeviceInfo& info, const Path&, const Options&) {
    return {.name = "occupancy", .group_size = info.subgroup, .chases = true, .b = find_path("global")};
}

void measure_occupancy(Bench& bench) {
    if (bench.info.cpu) throw Unsupported("a processor runs its workgroups one after another");
    if (bench.info.scratchpad_bytes < kStage * 4) throw Unsupported("there is no scratchpad");
    bench.wake_clocks();
    const auto kernel = bench.kernel(occupancy_kernel(bench.info, bench.path, {}));
    Holder holder{.bench = bench, .kernel = *kernel};
    holder.prepare();
    constexpr std::uint32_t kMost = 1u << 14;
    bench.step("one workgroup per core");
    bench.evidence.groups_per_core = kOfCore;
    bench.evidence.group_size = bench.info.subgroup;
    bench.evidence.alone_ns = bench.rough_slope(
        1, kMost, [&](std::uint32_t rounds) { return holder.timed(1, kStage * 4, rounds); },
        5); // all counts follow from it
    const auto dispatch = [&](std::uint64_t held, std::uint32_t rounds) { return holder.timed(kOfCore, held, rounds); };
    const auto sizes = scratchpads(bench.info);
    bench.measure({.work = {.most = kMost}, .dispatch = dispatch}, sizes);
    for (const std::uint64_t held :
        sizes) // a launch with as much came before: some drivers have to be asked for more than a default
        if (const auto resident = kernel->resident_groups(static_cast<std::uint32_t>(held)))
            bench.evidence.resident_by_driver[static_cast<double>(held)] = *resident;
}

std::vector<Finding> occupancy_findings(const Series& series, const DeviceInfo& device) {
    return resident_findings(series, device,
        {.by = "the scratchpad of each", .text = format_bytes, .subgroups = [](double) { return 1.0; }});
}
} // namespace

const Probe kOccupancy{
    .name = "occupancy",
    .question = "Resident workgroups per core by scratchpad held?",
    .explanation = "Many small workgroups that wait for memory, each holding scratchpad. The time of all of them, "
                   "beside that of one per core, gives the number resident per core.",
    .picture = "Steps: where a workgroup holds more scratchpad, fewer of them are resident and the time rises.",
    .x = {"scratchpad", "bytes"},
    .run_noise = run_noise::alike,
    .paths = {"scratchpad"},
    .accepts = {option::carveout},
    .quick = {.seconds = 0.70},
    .run = measure_occupancy,
    .findings = occupancy_findings,
    .kernel = occupancy_kernel,
};

} // namespace sonde
