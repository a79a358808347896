// clock-read: what it costs to read the kernel's clock.
#include <bit>

#include "core/probes/probes.h"

namespace sonde {

namespace {
constexpr std::uint32_t kMostReads = 64;      // of a loop trip
constexpr std::uint32_t kMostClockReads = 1u << 20; // of a dispatch: what passes stays within 31 bits
constexpr std::size_t kItemWords = 5;         // that a work-item leaves (kernels/clock_read.h)

KernelChoice reading_kernel(const DeviceInfo& info, std::uint32_t reads) { return {.name = "clock_read", .group_size = std::max(1u, info.subgroup), .needs = {Feature::repeated_text}, .repeat = reads}; }
KernelChoice clock_read_kernel(const DeviceInfo& info, const Path&, const Options&) { return reading_kernel(info, kMostReads); }

std::vector<std::uint64_t> numbers_of_reads(const Profile& profile) {
    if (profile.blocks == 1) return {1, 8, kMostReads}; // each is a kernel of its own
    return {1, 2, 4, 8, 16, 32, kMostReads};
}
std::vector<KernelChoice> clock_read_kernels(const DeviceInfo& info, const Path&, const Options&, const Profile& profile) {
    std::vector<KernelChoice> kernels;
    for (const std::uint64_t reads : numbers_of_reads(profile)) kernels.push_back(reading_kernel(info, static_cast<std::uint32_t>(reads)));
    return kernels;
}

struct ClockReader {
    ClockReader(Bench& on, std::uint32_t count) : bench(on), reads(count) {}

    Bench& bench;
    const std::uint32_t reads;
    const KernelChoice choice = reading_kernel(bench.info, reads);
    const std::shared_ptr<Kernel> kernel = bench.kernel(choice);
    const std::unique_ptr<Buffer> result = bench.allocate_result(kItemWords * choice.group_size);

    std::uint32_t most_rounds() const {
        const std::uint32_t most = kMostClockReads / reads;
        return bench.info.loop_trips ? std::min(most, bench.info.loop_trips - 1) : most;
    }

    /// One subgroup; cycles of its first work-item.
    Sample timed(std::uint32_t rounds) {
        auto [sample, out] = bench.launch(*kernel, kernel_args::ClockRead{.rounds = rounds}, {.out = *result}, static_cast<double>(rounds) * reads, kItemWords * choice.group_size);
        for (std::size_t item = 0; item < choice.group_size; ++item) {
            const auto words = std::span(out).subspan(item * kItemWords);
            const double cycles = *clock_difference(bench.info, words);
            const std::uint32_t passed = words[4];
            if (passed >> 31 || std::bit_floor(passed) > cycles) throw Error(fmt::format("work-item {}: from the first read to the others passed {:#x}, to the last one {:.0f}", item, passed, cycles));
            if (item == 0) sample.cycles = cycles;
        }
        bench.checked("no read is earlier than the first one or later than the last, in every work-item of every dispatch");
        return sample;
    }
};

void measure_clock_read(Bench& bench) {
    if (bench.info.clock.empty()) throw Unsupported("kernels have no clock here");
    bench.wake_clocks();
    std::optional<ClockReader> reader;
    const auto prepare = [&](std::uint64_t reads, const std::string&) {
        reader.emplace(bench, static_cast<std::uint32_t>(reads));
        return Work{.most = reader->most_rounds()};
    };
    bench.measure({.prepare = prepare, .dispatch = [&](std::uint64_t, std::uint32_t rounds) { return reader->timed(rounds); }}, numbers_of_reads(bench.profile));
    bench.evidence.operation = bench.info.clock;
    bench.evidence.shape = {.group_size = reader->choice.group_size, .groups = 1, .unroll = reader->reads};
}

std::vector<Finding> clock_read_findings(const Series& series, const DeviceInfo& device) {
    const auto last = std::ranges::max_element(series.points, {}, &Point::x);
    if (last == series.points.end() || !last->median) return {};
    std::string text = fmt::format("a read of {}, each behind the one before: {:.3g} ns", device.clock, *last->median);
    if (last->cycles) text += fmt::format(", {:.4g} {}", *last->cycles, device.core_cycles ? "cycles" : "ticks of its own");
    return {finding_of(series, {.name = device.clock, .value = *last->median, .text = text, .x = {last->x}})};
}
} // namespace

const Probe kClockRead{
    .name = "clock-read",
    .question = "What does reading the clock cost?",
    .explanation = "One subgroup reads the clock that kernels have, each time after it has used the read before, 1 to 64 times in a trip of its loop. "
                   "The time is the device's timer's; cycles are those that the clock itself counts meanwhile.",
    .picture = "A fall from the loop's own cost to that of a read, flat from some 16 reads on.",
    .method = literature::kWong,
    .x = {"reads"},
    .run_noise = run_noise::levels,
    .paths = {"global"},
    .run = measure_clock_read,
    .findings = clock_read_findings,
    .kernel = clock_read_kernel,
    .further_kernels = clock_read_kernels,
};

} // namespace sonde
