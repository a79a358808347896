// launch: what it costs to start a kernel that does nothing: behind others in a queue, and when each is waited for.
#include <fmt/format.h>

#include "core/measure/structure_probe.h"
#include "core/probes/probes.h"

namespace sonde {

static KernelChoice launch_kernel(const DeviceInfo& info, const Path&, const Options&);

namespace {
constexpr std::uint32_t kMostLaunches = 1u << 13, kMostLaunchesCpu = 1u << 16; // of a batch: a processor's may be no more than a call

class Launches {
public:
    Launches(Bench& bench, bool waited)
        : bench_(bench), waited_(waited), kernel_(bench.kernel(launch_kernel(bench.info, bench.path, {}))), result_(bench.allocate_result(1)) {
        const std::uint32_t zero = 0;
        const Copy copy{.from_host = &zero, .to = result_.get(), .bytes = sizeof zero};
        bench.device.copy({&copy, 1});
    }

    /// All launches of a batch run: each of them counts.
    void check() {
        constexpr std::uint32_t kCounted = 24;
        run(std::vector<std::uint32_t>(kCounted, 1), 2);
        expect(kCounted);
    }

    Sample timed(std::uint32_t launches, std::uint32_t groups) {
        std::vector<std::uint32_t> marks(launches, 0);
        marks.back() = 1;
        const double host_ns = run(marks, groups);
        expect(1);
        return {.steps = static_cast<double>(launches), .host_ns = host_ns, .device_ns = std::nullopt, .cycles = std::nullopt};
    }

private:
    double run(const std::vector<std::uint32_t>& marks, std::uint32_t groups) {
        std::vector<Launch> launches;
        launches.reserve(marks.size());
        for (const std::uint32_t& mark : marks) launches.push_back({.kernel = *kernel_, .out = *result_, .args = {&mark, 1}, .groups = groups});
        if (!waited_) return bench_.device.run(launches, Timed::whole)[0].host_ns * static_cast<double>(launches.size());
        double all_ns = 0;
        for (const Launch& launch : launches) all_ns += bench_.device.run({&launch, 1}, Timed::whole)[0].host_ns;
        return all_ns;
    }

    void expect(std::uint32_t more) {
        counted_ += more;
        if (const std::uint32_t found = bench_.read_words(*result_, 1)[0]; found != counted_) throw Error(fmt::format("launches counted to {} instead of {}", found, counted_));
        bench_.checked("a count to which each launch of a batch adds, and then the last one of each batch");
    }

    Bench& bench_;
    const bool waited_;
    std::unique_ptr<Kernel> kernel_;
    std::unique_ptr<Buffer> result_;
    std::uint32_t counted_ = 0;
};
} // namespace

static KernelChoice launch_kernel(const DeviceInfo& info, const Path&, const Options&) {
    return {.name = "empty", .group_size = info.cpu ? 1 : info.subgroup, .defines = {}};
}

static void measure_launch(Bench& bench) {
    bench.wake_clocks();
    Launches launches(bench, bench.request.id.options.at("test") == "waited");
    launches.check();
    std::vector<std::uint64_t> groups{1};
    for (const std::uint64_t more : {std::uint64_t{bench.info.cores}, std::uint64_t{bench.info.cores} * 16})
        if (more > groups.back()) groups.push_back(more);
    const std::uint32_t most = bench.info.cpu ? kMostLaunchesCpu : kMostLaunches;
    bench.measure({.work = {.granule = 8, .most = most}, .dispatch = [&](std::uint64_t count, std::uint32_t work) { return launches.timed(work, static_cast<std::uint32_t>(count)); }}, groups);
}

static std::vector<Finding> launch_findings(const Series& series, const Json&) {
    const auto curve = curve_of(series);
    if (curve.empty()) return {};
    const Conclusion conclusion{curve.front().latency, 0, 0, 0.9, "", {curve.front().bytes}};
    return as_finding(series, conclusion, "launch", series.id.options.at("test"), series.unit, [&](double ns) {
        return series.id.options.at("test") == "waited" ? fmt::format("an empty kernel that is waited for takes {:.3g} us, from the call to its end", ns / 1e3)
                                                        : fmt::format("an empty kernel behind others in a queue takes {:.3g} us", ns / 1e3);
    });
}

const Probe kLaunch{
    .name = "launch",
    .question = "Launch overhead of an empty kernel?",
    .explanation = "An empty kernel behind others in a queue, and one that is waited for each time: overhead and round trip.",
    .x_name = "workgroups",
    .x_unit = "",
    .unit = "ns",
    .measure = Measure::time_per_step,
    .axis = Axis::amount,
    .chart = Chart::curve,
    .run_noise = run_noise::by_host,
    .paths = {"global"},
    .variants = {{{"test", "queued"}}, {{"test", "waited"}}},
    .accepts = {},
    .quick = {.paths = {}, .variants = 0},
    .run = measure_launch,
    .findings = launch_findings,
    .kernel = launch_kernel,
};

} // namespace sonde
