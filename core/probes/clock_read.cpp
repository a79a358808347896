// clock-read: what it costs to read the kernel's clock.
#include <bit>

#include "core/probes/probes.h"

namespace sonde {

namespace {
constexpr std::uint32_t kMostReads = 64;            // of a loop trip
constexpr std::uint32_t kMostClockReads = 1u << 20; // of a dispatch: what passes stays within 31 bits
constexpr std::size_t kItemWords = 6;               // that a work-item leaves (kernels/clock_read.h)

struct Counter {
    std::string_view word, define, name;
    OtherClock clock;
    bool core_cycles;
    std::uint32_t bits;
};
constexpr Counter kCounters[] = {{"clock", "READS_CLOCK", "clock, of 32 bits", OtherClock::ptx_clock, true, 32},
    {"globaltimer", "READS_GLOBALTIMER", "globaltimer", OtherClock::ptx_globaltimer, false, 64},
    {"device", "READS_DEVICE_CLOCK", "VK_KHR_shader_clock, device", OtherClock::shader_device, false, 64}};

std::optional<const Counter*> parse_counter(const std::string& text) {
    const auto found = std::ranges::find(kCounters, text, &Counter::word);
    return found == std::end(kCounters) ? std::nullopt : std::optional<const Counter*>(&*found);
}
std::optional<std::uint32_t> parse_between(const std::string& text) {
    for (const std::uint32_t number : {0u, 1u, 4u, 16u})
        if (text == std::to_string(number)) return number;
    return std::nullopt;
}
const Setting<const Counter*> kCounter{"clock",
    "another counter than the API's usual one: clock or globaltimer (CUDA, and OpenCL on NVIDIA's), device (Vulkan)",
    parse_counter};
const Setting<std::uint32_t> kBetween{"between",
    "operations of a chain between two reads, of which the first takes what the read gave: 0, 1, 4 or 16",
    parse_between};

std::optional<std::string> why_lacking(const DeviceInfo& info, const Counter& counter) {
    return info.has(counter.clock) ? std::nullopt : std::optional(fmt::format("kernels have no {} here", counter.name));
}
std::string name_read(const DeviceInfo& info, const Options& options) {
    const auto counter = kCounter.in(options);
    return counter ? std::string((*counter)->name) : info.clock;
}

KernelChoice reading_kernel(const DeviceInfo& info, const Options& options, std::uint32_t reads) {
    KernelChoice choice{.name = "clock_read",
        .group_size = std::max(1u, info.subgroup),
        .needs = {Feature::repeated_text},
        .repeat = reads};
    if (const auto counter = kCounter.in(options)) choice.defines.emplace_back((*counter)->define, "1");
    if (const auto between = kBetween.in(options)) choice.defines.emplace_back("BETWEEN", std::to_string(*between));
    return choice;
}
KernelChoice clock_read_kernel(const DeviceInfo& info, const Path&, const Options& options) {
    return reading_kernel(info, options, kMostReads);
}

std::vector<std::uint64_t> numbers_of_reads(const Profile& profile) {
    if (profile.blocks == 1) return {1, 8, kMostReads}; // each is a kernel of its own
    return {1, 2, 4, 8, 16, 32, kMostReads};
}
std::vector<KernelChoice> clock_read_kernels(
    const DeviceInfo& info, const Path&, const Options& options, const Profile& profile) {
    std::vector<KernelChoice> kernels;
    for (const std::uint64_t reads : numbers_of_reads(profile))
        kernels.push_back(reading_kernel(info, options, static_cast<std::uint32_t>(reads)));
    return kernels;
}

/// The chain between the reads, so many steps further.
std::uint32_t stepped(std::uint32_t number, std::uint64_t steps) {
    for (std::uint64_t n = 0; n < steps; ++n) number = number * number + 1013904223u;
    return number;
}

struct ClockReader {
    ClockReader(Bench& on, std::uint32_t count) : bench(on), reads(count) {}

    Bench& bench;
    const std::uint32_t reads;
    const Options& options = bench.request.id.options;
    const Counter* const counter = kCounter.in(options).value_or(nullptr); // null: the usual one
    const std::uint32_t between = kBetween.in(options).value_or(0);
    const KernelChoice choice = reading_kernel(bench.info, options, reads);
    const std::shared_ptr<Kernel> kernel = bench.kernel(choice);
    const std::unique_ptr<Buffer> result = bench.allocate_result(kItemWords * choice.group_size);

    std::uint32_t most_rounds() const {
        const std::uint32_t most = kMostClockReads / reads / std::max(1u, between);
        return bench.info.loop_trips ? std::min(most, bench.info.loop_trips - 1) : most;
    }

    /// One subgroup; cycles of its first work-item.
    Sample timed(std::uint32_t rounds) {
        auto [sample, out] = bench.launch(*kernel, kernel_args::ClockRead{.rounds = rounds}, {.out = *result},
            static_cast<double>(rounds) * reads, kItemWords * choice.group_size);
        const std::uint32_t chain = stepped(1, std::uint64_t{rounds} * reads * between);
        for (std::size_t item = 0; item < choice.group_size; ++item) {
            const auto words = std::span(out).subspan(item * kItemWords);
            const double cycles =
                counter && counter->bits == 32 ? words[2] - words[0] : *clock_difference(bench.info, words);
            const std::uint32_t passed = words[4];
            if (passed >> 31 || std::bit_floor(passed) > cycles)
                throw Error(
                    fmt::format("work-item {}: from the first read to the others passed {:#x}, to the last one {:.0f}",
                        item, passed, cycles));
            if (words[5] != chain)
                throw Error(
                    fmt::format("work-item {}: the chain between reads arrives at {:#010x}, the host's at {:#010x}",
                        item, words[5], chain));
            if (item == 0 && (!counter || counter->core_cycles || !bench.info.core_cycles))
                sample.cycles = cycles; // else they would be taken for the core's
        }
        bench.checked("no read is earlier than the first one or later than the last, in every work-item of every "
                      "dispatch; the chain between reads against the host's");
        return sample;
    }
};

void measure_clock_read(Bench& bench) {
    if (bench.info.clock.empty()) throw Unsupported("kernels have no clock here");
    const Options& options = bench.request.id.options;
    if (const auto counter = kCounter.in(options))
        if (const auto reason = why_lacking(bench.info, **counter)) throw Unsupported(*reason);
    bench.wake_clocks();
    std::optional<ClockReader> reader;
    const auto prepare = [&](std::uint64_t reads, const std::string&) {
        reader.emplace(bench, static_cast<std::uint32_t>(reads));
        return Work{.most = reader->most_rounds()};
    };
    bench.measure(
        {.prepare = prepare, .dispatch = [&](std::uint64_t, std::uint32_t rounds) { return reader->timed(rounds); }},
        numbers_of_reads(bench.profile));
    bench.evidence.operation = name_read(bench.info, options);
    bench.evidence.shape = {.group_size = reader->choice.group_size, .groups = 1, .unroll = reader->reads};
}

std::vector<Finding> clock_read_findings(const Series& series, const DeviceInfo& device) {
    const auto last = std::ranges::max_element(series.points, {}, &Point::x);
    if (last == series.points.end() || !last->median) return {};
    const std::string name = name_read(device, series.id.options);
    const auto between = kBetween.in(series.id.options);
    const std::string where =
        between ? fmt::format("with {} operation{} of a chain between two reads", *between, *between == 1 ? "" : "s")
                : "each behind the one before";
    std::string text = fmt::format("a read of {}, {}: {:.3g} ns", name, where, *last->median);
    if (last->cycles)
        text += fmt::format(", {:.4g} {}", *last->cycles, device.core_cycles ? "cycles" : "ticks of its own");
    const std::string finding_name = between ? fmt::format("{}, {} between", name, *between) : name;
    std::vector<FindingRow> rows{{"a read of " + finding_name, *last->median, series.unit}};
    if (last->cycles && device.core_cycles) rows[0].cycles = last->cycles;
    else if (last->cycles) rows.push_back({"ticks of its own", *last->cycles, "ticks"});
    return {finding_of(
        series, {.name = finding_name, .value = *last->median, .rows = std::move(rows), .text = text, .x = {last->x}})};
}
} // namespace

const Probe kClockRead{
    .name = "clock-read",
    .question = "What does reading the clock cost?",
    .explanation = "One subgroup reads the clock that kernels have, each time after it has used the read before, 1 to "
                   "64 times in a trip of its loop. "
                   "The time is the device's timer's; cycles are those that the clock itself counts meanwhile. "
                   "On request other counters (clock=...), and operations between two reads (between=...): a read "
                   "waits for its turn in the order of instructions, not for their results.",
    .picture = "A fall from the loop's own cost to that of a read, flat from some 16 reads on.",
    .method = literature::kWong,
    .x = {"reads"},
    .run_noise = run_noise::levels,
    .paths = {"global"},
    .accepts = {kCounter, kBetween},
    .quick = {.seconds = 0.04},
    .run = measure_clock_read,
    .findings = clock_read_findings,
    .kernel = clock_read_kernel,
    .further_kernels = clock_read_kernels,
};

} // namespace sonde
