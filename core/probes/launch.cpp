// launch: overhead of an empty kernel, behind others in a queue and when each is waited for.
#include "core/probes/probes.h"

namespace sonde {

namespace {
constexpr std::uint32_t kMostLaunches = 1u << 13,
                        kMostLaunchesCpu = 1u << 16; // of a batch: a processor's may be no more than a call

struct Launches {
    Bench& bench;
    const Kernel& kernel;
    const bool waited;
    const std::unique_ptr<Buffer> result = bench.allocate_result(1);
    std::uint32_t counted = 0;

    /// Launches of which each adds its mark to a count: host ns for all of them.
    double run(const std::vector<std::uint32_t>& marks, std::uint32_t groups) {
        std::vector<Launch> launches;
        launches.reserve(marks.size());
        for (const std::uint32_t& mark : marks)
            launches.push_back({.kernel = kernel, .out = *result, .args = {&mark, 1}, .groups = groups});
        double all_ns = 0;
        if (waited)
            for (const Launch& launch : launches) all_ns += bench.device.run({&launch, 1}, Timed::whole)[0].host_ns;
        else all_ns = bench.device.run(launches, Timed::whole)[0].host_ns * static_cast<double>(launches.size());
        for (const std::uint32_t mark : marks) counted += mark;
        if (const std::uint32_t found = bench.read_words(*result, 1)[0]; found != counted)
            throw Error(fmt::format("launches counted to {} instead of {}", found, counted));
        bench.checked("a count to which each launch of a batch adds, and then the last one of each batch");
        return all_ns;
    }

    Sample timed(std::uint32_t count, std::uint32_t groups) {
        std::vector<std::uint32_t> marks(count, 0);
        marks.back() = 1;
        return {.steps = static_cast<double>(count), .host_ns = run(marks, groups)};
    }
};

KernelChoice launch_kernel(const DeviceInfo& info, const Path&, const Options&) {
    return {.name = "empty", .group_size = info.cpu ? 1 : info.subgroup};
}

void measure_launch(Bench& bench) {
    bench.wake_clocks();
    const auto kernel = bench.kernel(launch_kernel(bench.info, bench.path, {}));
    Launches launches{.bench = bench, .kernel = *kernel, .waited = option::waited_for.in(bench.request.id.options)};
    bench.write_words(*launches.result, std::vector<std::uint32_t>{0});
    launches.run(std::vector<std::uint32_t>(24, 1), 2); // all launches of a batch run: each of them counts
    bench.measure(
        {.work = {.granule = 8, .most = bench.info.cpu ? kMostLaunchesCpu : kMostLaunches},
            .dispatch = [&](std::uint64_t groups,
                            std::uint32_t count) { return launches.timed(count, static_cast<std::uint32_t>(groups)); }},
        distinct<std::uint64_t>({1, bench.info.cores, std::uint64_t{bench.info.cores} * 16}));
}

std::vector<Finding> launch_findings(const Series& series, const DeviceInfo&) {
    const auto curve = curve_of(series);
    if (curve.empty()) return {};
    return {finding_of(series, {.name = option::waited_for.word(series.id.options),
                                   .value = curve.front().y,
                                   .rows = {{"one workgroup", curve.front().y, series.unit}},
                                   .x = {curve.front().x}})};
}
} // namespace

const Probe kLaunch{
    .name = "launch",
    .question = "Launch overhead of an empty kernel?",
    .explanation =
        "An empty kernel behind others in a queue, and one that is waited for each time: overhead and round trip.",
    .picture = "Flat: some microseconds for each kernel in a queue, several times that where each is waited for.",
    .method = "CUDA Kernel Overhead (University of Virginia, www.cs.virginia.edu/~mwb7w/cuda_support)",
    .x = {"workgroups"},
    .value_of = "an empty kernel",
    .run_noise = run_noise::by_host,
    .times_host = true,
    .paths = {"global"},
    .variants = option::waited_for.each(),
    .quick = {.seconds = 0.04},
    .run = measure_launch,
    .findings = launch_findings,
    .kernel = launch_kernel,
};

} // namespace sonde
