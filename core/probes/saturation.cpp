// saturation: read bandwidth from the LLC and from DRAM by the number of workgroups.
#include "core/analysis/traffic.h"
#include "core/measure/traffic.h"
#include "core/probes/probes.h"

namespace sonde {

namespace {
constexpr std::uint32_t kWidth = 4; // words
const Choice<bool> kIsDram{"level", {{"LLC", false}, {"DRAM", true}}};

LaunchShape shape_of(const DeviceInfo& info) { return {4, info.cpu ? info.subgroup : std::min(512u, info.largest_group), 1}; }

/// 1, 2, 4, ..., and quarters of what fills the device: as many work-items as its cores can hold.
std::vector<std::uint64_t> numbers(const DeviceInfo& info) {
    const std::uint64_t full = std::uint64_t{info.cores} * (info.cpu ? 2 : std::max(1u, info.filling() / shape_of(info).group_size));
    std::vector<std::uint64_t> all{std::max<std::uint64_t>(1, info.cores / 2), info.cores, full / 2, full, 2 * full};
    for (std::uint64_t n = 1; n < full; n *= 2) all.push_back(n);
    return distinct(all);
}

KernelChoice saturation_kernel(const DeviceInfo& info, const Path& path, const Options&) {
    return read_kernel(info, path, shape_of(info), kWidth);
}

void measure_saturation(Bench& bench) {
    bench.wake_clocks();
    const auto kernel = bench.kernel(saturation_kernel(bench.info, bench.path, {}));
    const Geometry whole = geometry_of(bench.info, bench.path, shape_of(bench.info), kWidth);
    // Half of the LLC, or far more than its capacity.
    const std::uint64_t cache = bench.last_level(), largest = bench.info.cpu ? std::min(bench.largest_footprint(), 2 * cache) : bench.largest_footprint();
    const std::uint64_t footprint = (kIsDram.in(bench.request.id.options) ? largest : std::min(largest, cache / 2)) / 512 * 512;
    bench.end_reason.clear(); // the footprint is what was chosen, however far the path reaches
    bench.evidence.operation = "read";
    bench.evidence.footprint_bytes = footprint;
    bench.evidence.group_size = whole.shape.group_size;
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
        all.timed(std::min(once, all.most())); // warms the shared level, whichever cores read then
        reader->aim(*memory, *sums, memory->bytes());
        return Work{.most = reader->most(), .times_longer = times_longer(footprint)};
    };
    bench.measure({.begin = begin, .prepare = prepare, .dispatch = [&](std::uint64_t, std::uint32_t count) { return reader->timed(count); }}, numbers(bench.info));
}

std::vector<Finding> saturation_findings(const Series& series, const DeviceInfo&) {
    const auto curve = curve_of(series);
    const Conclusion found = levels_off(curve);
    return {finding_of(series, found, series.id.options.at("level"), "workgroups", [&](double value) {
        const std::string from = found.low < value ? fmt::format("{:g} to {:g}", found.low, value) : fmt::format("{:g}", value);
        return fmt::format("from a footprint of {}, one workgroup of {} work-items reads {}; {} workgroups reach 95 % of the maximum of {}", format_bytes(static_cast<double>(series.evidence.footprint_bytes.value_or(0))),
                           series.evidence.group_size.value_or(0), format_si(curve[0].y * 1e9, "B/s"), from, format_si(highest(curve).y * 1e9, "B/s"));
    })};
}
} // namespace

const Probe kSaturation{
    .name = "saturation",
    .question = "How many workgroups saturate L2 and DRAM?",
    .explanation = "Read bandwidth by the number of workgroups, from a footprint in L2 or in DRAM. The curve rises with each workgroup until the level is saturated.",
    .picture = "A straight rise, then flat: the bend is the number of workgroups that saturates the level.",
    .x = {"workgroups"},
    .unit = "GB/s",
    .run_noise = run_noise::by_cores,
    .paths = {"global", "global.cg"},
    .variants = kIsDram.each(),
    .quick = {.paths = {"global"}, .variants = 0},
    .run = measure_saturation,
    .findings = saturation_findings,
    .kernel = saturation_kernel,
};

} // namespace sonde
