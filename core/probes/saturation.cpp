// workgroups: bandwidth from the last level and from memory, by how many workgroups read at once.
#include <algorithm>

#include <fmt/format.h>

#include "core/analysis/traffic.h"
#include "core/base/text.h"
#include "core/measure/structure_probe.h"
#include "core/measure/traffic.h"
#include "core/probes/probes.h"

namespace sonde {

namespace {
constexpr std::uint32_t kWidth = 4; // words

/// Half of the last level, or far more than it holds.
std::uint64_t footprint_of(Bench& bench) {
    const std::uint64_t cache = bench.last_level();
    if (bench.request.id.options.at("level") == "LLC") return cache / 2 / 512 * 512;
    return (bench.info.cpu ? std::min(bench.largest_footprint(), 2 * cache) : bench.largest_footprint()) / 512 * 512;
}

LaunchShape shape_of(const DeviceInfo& info) { return info.cpu ? LaunchShape{4, info.subgroup, 1} : LaunchShape{4, std::min(512u, info.largest_group), 1}; }

/// 1, 2, 4, ..., and quarters of what fills the device: as many work-items as its cores can hold.
std::vector<std::uint64_t> numbers(const DeviceInfo& info) {
    const std::uint64_t full = std::uint64_t{info.cores} * (info.cpu ? 2 : std::max(1u, info.filling() / shape_of(info).group_size));
    std::vector<std::uint64_t> all{std::max<std::uint64_t>(1, info.cores / 2), info.cores, full / 2, full, 2 * full};
    for (std::uint64_t n = 1; n < full; n *= 2) all.push_back(n);
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
}
} // namespace

static KernelChoice workgroups_kernel(const DeviceInfo& info, const Path& path, const Options&) {
    return read_kernel(info, path, shape_of(info), kWidth);
}

static void measure_workgroups(Bench& bench) {
    bench.wake_clocks();
    const auto kernel = bench.kernel(workgroups_kernel(bench.info, bench.path, {}));
    const Geometry whole = geometry_of(bench.info, bench.path, shape_of(bench.info), kWidth);
    const std::uint64_t footprint = footprint_of(bench);
    bench.end_reason.clear(); // the footprint is what was chosen, however far the path reaches
    bench.evidence["operation"] = "read";
    bench.evidence["footprint_bytes"] = footprint;
    bench.evidence["group_size"] = whole.shape.group_size;
    std::unique_ptr<Buffer> memory;
    std::optional<FillSum> sums;
    std::optional<Reader> reader;
    const auto begin = [&](int) {
        memory.reset();
        memory = bench.allocate(footprint, 4096);
        const std::uint32_t seed = bench.next_seed();
        bench.fill(*memory, memory->bytes() / 4 * 4, seed);
        sums.emplace(Bench::kFillPeriod, seed);
    };
    Reader all(bench, *kernel, whole);
    const auto prepare = [&](std::uint64_t groups, const std::string&) {
        Geometry geometry = whole;
        geometry.shape.groups = static_cast<std::uint32_t>(groups);
        reader.emplace(bench, *kernel, geometry);
        all.aim(*memory, *sums, memory->bytes());
        const auto once = static_cast<std::uint32_t>(memory->bytes() / all.geometry().bytes_of_all() + 1);
        all.timed(std::min(once, all.most())); // so that the shared level holds what it can, whoever reads
        reader->aim(*memory, *sums, memory->bytes());
        return Work{.most = reader->most(), .times_longer = times_longer(footprint)};
    };
    bench.measure({.begin = begin, .prepare = prepare, .dispatch = [&](std::uint64_t, std::uint32_t count) { return reader->timed(count); }}, numbers(bench.info));
}

static std::vector<Finding> workgroups_findings(const Series& series, const Json&) {
    const auto curve = curve_of(series);
    const Conclusion conclusion = levels_off(curve);
    return as_finding(series, conclusion, "saturation", series.id.options.at("level"), "workgroups", [&](double value) {
        const double most = std::max_element(curve.begin(), curve.end(), [](const CurvePoint& a, const CurvePoint& b) { return a.latency < b.latency; })->latency;
        return fmt::format("of {} one workgroup of {} work-items reads {}, {} of them 95 % of the most, which is {}", format_bytes(series.evidence.value("footprint_bytes", 0.0)), series.evidence.value("group_size", 0),
                           format_si(curve[0].latency * 1e9, "B/s"), value, format_si(most * 1e9, "B/s"));
    });
}

const Probe kSaturation{
    .name = "saturation",
    .question = "How many workgroups saturate L2 and DRAM?",
    .explanation = "Read bandwidth by the number of workgroups, from a footprint in L2 or in DRAM. The curve rises with each workgroup until the level is saturated.",
    .x_name = "workgroups",
    .x_unit = "",
    .unit = "GB/s",
    .measure = Measure::steps_per_time,
    .axis = Axis::amount,
    .chart = Chart::curve,
    .run_noise = run_noise::by_cores,
    .paths = {"global", "global.cg"},
    .variants = {{{"level", "LLC"}}, {{"level", "DRAM"}}},
    .accepts = {},
    .quick = {.paths = {"global"}, .variants = 0},
    .run = measure_workgroups,
    .findings = workgroups_findings,
    .kernel = workgroups_kernel,
};

} // namespace sonde
