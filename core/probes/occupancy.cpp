// occupancy: time of many small workgroups while each holds scratchpad, by how much: from it follows how many are resident on a core.
#include <algorithm>
#include <cmath>
#include <ranges>

#include "core/analysis/traffic.h"
#include "core/measure/traffic.h"
#include "core/probes/probes.h"

namespace sonde {

namespace {
constexpr double kMostOfCore = 4096;    // that a file may claim
constexpr std::uint32_t kOfCore = 192;   // workgroups per core of a launch: many numbers at once divide it
constexpr std::uint32_t kStage = 128;    // words
constexpr std::uint32_t kHops = 16;      // loads of a round (kernels/occupancy.h)
constexpr std::uint32_t kSlots = 1 << 17, kShift = 5; // of the chain: 16 MiB, of which L1 holds next to nothing
constexpr std::uint64_t kScratchpadStep = 256;  // bytes of scratchpad

struct Holder {
    Bench& bench;
    const Kernel& kernel;
    const std::uint32_t lanes = bench.info.subgroup;
    const Chain chain{kSlots, kShift, bench.next_seed()};
    const std::unique_ptr<Buffer> memory = bench.allocate(kStage * 4, kStage * 4), links = bench.allocate_result(std::size_t{kSlots} << kShift);
    const std::unique_ptr<Buffer> result = bench.allocate_result(2 * std::size_t{kOfCore} * bench.info.cores * lanes);
    std::vector<std::uint32_t> words = {}, order = {}, place = std::vector<std::uint32_t>(kSlots); // the scratchpad's; the chain's stops in order; of each slot the number there

    void prepare() {
        const std::uint32_t seed = bench.next_seed();
        bench.fill(*memory, kStage * 4, seed);
        for (std::uint32_t word = 0; word < kStage; ++word) words.push_back(fill_word(word, Bench::kFillPeriod, seed));
        bench.run_helper(*bench.helper_kernel("chain", {{"LINK_WORDS", "1"}}), *links, kSlots, chain.kernel_args());
        std::uint32_t at = chain.start();
        for (std::uint32_t stop = 0; stop < kSlots; ++stop, at = chain.next(at)) {
            order.push_back(at);
            place[at >> kShift] = stop;
        }
    }

    /// Steps are rounds of all workgroups that a core was given.
    Sample timed(std::uint32_t of_core, std::uint64_t scratchpad, std::uint32_t rounds) {
        const kernel_args::Occupancy args{.rounds = rounds, .slots = kSlots, .shift = kShift, .stage = kStage};
        const std::uint32_t groups = of_core * bench.info.cores;
        const auto [sample, out] = bench.launch(kernel, args, {.a = memory.get(), .b = links.get(), .out = *result, .groups = groups, .scratchpad_bytes = static_cast<std::uint32_t>(scratchpad)},
                                                static_cast<double>(rounds) * of_core, 2 * std::size_t{groups} * lanes);
        for (std::uint32_t group = 0; group < groups; ++group) {
            const std::uint32_t end = order[(place[group % kSlots] + std::uint64_t{rounds} * kHops) % kSlots];
            for (std::uint32_t lane = 0; lane < lanes; ++lane) {
                const std::size_t item = 2 * (std::size_t{group} * lanes + lane);
                if (out[item] != end || out[item + 1] != words[lane % kStage]) throw Error(fmt::format("workgroup {} ended at {}, the host's walk at {}", group, out[item], end));
            }
        }
        bench.checked("every work-item's last word of every dispatch against the host's walk");
        return sample;
    }
};

/// Shares of the most that a workgroup may have, and as little as the kernel needs.
std::vector<std::uint64_t> scratchpads(const DeviceInfo& info) {
    std::vector<std::uint64_t> sizes{std::max<std::uint64_t>(kScratchpadStep, kStage * 4)};
    for (const std::uint64_t share : {64, 48, 32, 24, 16, 12, 8, 6, 5, 4, 3, 2, 1}) sizes.push_back(info.scratchpad_bytes / share / kScratchpadStep * kScratchpadStep);
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
    bench.evidence.alone_ns = bench.rough_slope(1, kMost, [&](std::uint32_t rounds) { return holder.timed(1, kStage * 4, rounds); }, 5); // all counts follow from it
    const auto dispatch = [&](std::uint64_t held, std::uint32_t rounds) { return holder.timed(kOfCore, held, rounds); };
    const auto sizes = scratchpads(bench.info);
    bench.measure({.work = {.most = kMost}, .dispatch = dispatch}, sizes);
    for (const std::uint64_t held : sizes) // a launch with as much came before: some drivers have to be asked for more than a default
        if (const auto resident = kernel->resident_groups(static_cast<std::uint32_t>(held))) bench.evidence.resident_by_driver[std::to_string(held)] = *resident;
}

/// How many are resident, as a range: one workgroup alone takes up to so much longer or shorter than one among many.
constexpr double kAloneKnownTo = 0.08;

std::vector<Finding> occupancy_findings(const Series& series, const DeviceInfo& device) {
    const double alone = series.evidence.alone_ns.value_or(0), of_core = series.evidence.groups_per_core.value_or(0);
    const auto curve = curve_of(series);
    if (alone <= 0 || curve.empty() || of_core > kMostOfCore) return {};
    double limit = device.threads_per_core ? std::floor(device.threads_per_core / std::max(1.0, double(series.evidence.group_size.value_or(1)))) : of_core; // no core holds more
    if (const auto& said = series.evidence.resident_by_driver; !said.empty()) limit = std::min(limit, std::max_element(said.begin(), said.end(), [](const auto& a, const auto& b) { return a.second < b.second; })->second);
    std::vector<std::string> unlike;
    std::vector<std::pair<std::string, double>> counts; // and the largest scratchpad with which it is that
    std::vector<double> xs;
    for (const CurvePoint& point : curve) {
        const double least = resident_workgroups(of_core, alone * (1 - kAloneKnownTo), point.y), most = std::max(least, std::min(limit, resident_workgroups(of_core, alone * (1 + kAloneKnownTo), point.y)));
        const std::string count = fmt::format("{}{}", least == most ? fmt::format("{:g}", least) : fmt::format("{:g}-{:g}", least, most), most == of_core ? " (the most tried)" : "");
        if (counts.empty() || counts.back().first != count) counts.emplace_back(count, point.x);
        counts.back().second = point.x;
        xs.push_back(point.x);
        const auto driver = series.evidence.resident_by_driver.find(fmt::format("{:.0f}", point.x));
        if (driver != series.evidence.resident_by_driver.end() && (driver->second < least || driver->second > most)) unlike.push_back(fmt::format("{} at {}", driver->second, format_bytes(point.x)));
    }
    const std::string driver = series.evidence.resident_by_driver.empty() ? "" : unlike.empty() ? fmt::format("; the driver's occupancy query agrees at all {} sizes", curve.size()) : fmt::format("; the driver's occupancy query says {}", fmt::join(unlike, ", "));
    std::vector<std::string> texts;
    texts.reserve(counts.size());
    for (const auto& [count, largest] : counts) texts.push_back(fmt::format("{} to {}", count, format_bytes(largest)));
    return {finding_of(series, {.name = format_bytes(curve.back().x), .value = resident_workgroups(of_core, alone, curve.back().y), .unit = "workgroups",
                                .text = fmt::format("resident workgroups of {} work-items per core, by the scratchpad of each: {}{}", series.evidence.group_size.value_or(0), fmt::join(texts, ", "), driver),
                                .x = xs})};
}
} // namespace

const Probe kOccupancy{
    .name = "occupancy",
    .question = "Resident workgroups per core by scratchpad held?",
    .explanation = "Many small workgroups that wait for memory, each holding scratchpad. The time of all of them, beside that of one per core, gives the number resident per core.",
    .picture = "Steps: where a workgroup holds more scratchpad, fewer of them are resident and the time rises.",
    .x = {"scratchpad", "bytes"},
    .run_noise = run_noise::alike,
    .paths = {"scratchpad"},
    .accepts = {option::carveout},
    .run = measure_occupancy,
    .findings = occupancy_findings,
    .kernel = occupancy_kernel,
};

} // namespace sonde
