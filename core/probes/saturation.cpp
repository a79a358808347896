// saturation: read bandwidth from the LLC and from DRAM by the number of workgroups.
#include "core/analysis/traffic.h"
#include "core/measure/traffic.h"
#include "core/probes/probes.h"

namespace sonde {

namespace {
constexpr std::uint32_t kWidth = 4; // words

/// Loads in flight and work-items of each workgroup; how many workgroups there are is what is swept.
LaunchShape saturating_shape(const DeviceInfo& info, const Options& options) {
    LaunchShape shape = option::shape.in(options).value_or(LaunchShape{4, std::min(512u, info.largest_group), 1});
    if (shape.groups_per_core != 1) throw Unsupported("workgroups are what is swept: a shape like 8x256x1");
    if (shape.group_size > info.largest_group)
        throw Unsupported(fmt::format("a workgroup has at most {} work-items", info.largest_group));
    if (info.cpu && option::shape.in(options))
        throw Unsupported("a processor's thread runs work-items one after another");
    if (info.cpu) shape.group_size = info.subgroup;
    return shape;
}

/// 1, 2, 4, ..., and quarters of what fills the device: as many work-items as its cores can hold. Of a shape that was
/// asked for, a few.
std::vector<std::uint64_t> numbers(const DeviceInfo& info, const Options& options) {
    if (option::shape.asked(options)) return {1, 2, 4};
    const std::uint64_t full =
        std::uint64_t{info.cores} *
        (info.cpu ? 2 : std::max(1u, info.filling() / saturating_shape(info, options).group_size));
    std::vector<std::uint64_t> all{std::max<std::uint64_t>(1, info.cores / 2), info.cores, full / 2, full, 2 * full};
    for (std::uint64_t n = 1; n < full; n *= 2) all.push_back(n);
    return distinct(all);
}

KernelChoice saturation_kernel(const DeviceInfo& info, const Path& path, const Options& options) {
    KernelChoice choice = read_kernel(info, path, saturating_shape(info, options), kWidth, options);
    if (!info.core_name.empty())
        choice.defines.emplace_back("SHOWS_CORE", "1"); // it tells the cores that workgroups run on, where the API does
    return choice;
}

/// One workgroup's loads in flight and work-items, in the LLC; by indices and by pointers, which no driver checks
/// against a buffer's size.
bool saturation_by_default(std::string_view path, const Options& variant) {
    const bool shaped = option::shape.asked(variant);
    return path == "global" ||
           (shaped ? path == "global.pointer" : path == "global.cg" || !option::from_dram.in(variant));
}

void measure_saturation(Bench& bench) {
    bench.wake_clocks();
    const Options& options = bench.request.id.options;
    const auto kernel = bench.kernel(saturation_kernel(bench.info, bench.path, options));
    Geometry whole = geometry_of(bench.info, bench.path, saturating_shape(bench.info, options), kWidth);
    whole.shows_core = !bench.info.core_name.empty();
    // Half of the LLC, or far more than its capacity.
    const std::uint64_t cache = bench.last_level(), largest = bench.info.cpu
                                                                  ? std::min(bench.largest_footprint().bytes, 2 * cache)
                                                                  : bench.largest_footprint().bytes;
    const std::uint64_t footprint =
        (option::from_dram.in(options) ? bench.beyond_last_level(largest) : std::min(largest, cache / 2)) / 512 * 512;
    bench.evidence.operation = "read";
    bench.evidence.footprint_bytes = footprint;
    bench.evidence.group_size = whole.shape.group_size;
    bench.evidence.shape = {.group_size = whole.shape.group_size, .loads_in_flight = whole.loads, .turns = whole.turns};
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
        const std::uint32_t pieces = option::from_dram.in(options) ? 4 : 1; // all of DRAM at once may take too long
        const auto once = static_cast<std::uint32_t>(memory->bytes() / pieces / all.geometry().bytes_of_all() + 1);
        for (std::uint32_t piece = 0; piece < pieces; ++piece) // warms the shared level, whichever cores read then
            all.timed(std::min(once, all.most()));
        reader->aim(*memory, *sums, memory->bytes());
        return Work{.most = reader->most(), .times_longer = times_longer(footprint)};
    };
    const auto dispatch = [&](std::uint64_t groups, std::uint32_t count) {
        const Sample sample = reader->timed(count);
        if (whole.shows_core)
            bench.evidence.cores_of_groups[static_cast<double>(groups)] = static_cast<double>(reader->cores_seen());
        return sample;
    };
    bench.measure({.begin = begin, .prepare = prepare, .dispatch = dispatch}, numbers(bench.info, options));
}

/// On how many cores so many workgroups ran: each on one of its own, or fewer; as far as the kernel tells.
void append_cores(std::vector<FindingRow>& rows, const Evidence& evidence, const std::string& place, double groups) {
    if (const auto cores = at_x(evidence.cores_of_groups, groups)) rows.push_back({place, *cores, "cores"});
}

/// What each number of workgroups was asked with.
void append_shape(std::vector<FindingRow>& rows, const Evidence& evidence) {
    if (evidence.footprint_bytes)
        rows.push_back({"footprint", static_cast<double>(*evidence.footprint_bytes), "bytes"});
    const ShapeEvidence shape = evidence.shape.value_or(ShapeEvidence());
    if (const auto items = evidence.group_size ? evidence.group_size : shape.group_size)
        rows.push_back({"work-items of a workgroup", static_cast<double>(*items), "work-items"});
    if (shape.loads_in_flight)
        rows.push_back({"independent loads of 16 bytes", static_cast<double>(*shape.loads_in_flight), "loads"});
}

std::string workgroups_text(double groups) { return fmt::format("{:g} workgroup{}", groups, groups == 1 ? "" : "s"); }

Finding one_shape_finding(const Series& series, const std::vector<CurvePoint>& curve) {
    std::vector<FindingRow> rows;
    for (const CurvePoint& point : curve) {
        rows.push_back({workgroups_text(point.x), point.y, series.unit});
        append_cores(rows, series.evidence, "cores of " + workgroups_text(point.x), point.x);
    }
    append_shape(rows, series.evidence);
    return finding_of(series,
        {.name = fmt::format("{} {}", option::from_dram.word(series.id.options), option::shape.word(series.id.options)),
            .value = curve[0].y,
            .unit = "GB/s",
            .rows = std::move(rows),
            .x = {curve[0].x}});
}

/// From how many workgroups on nearly all of the highest rate is reached, and where more of them lose a tenth of it.
std::vector<FindingRow> rows_of_saturation(
    const Series& series, const std::vector<CurvePoint>& curve, const Conclusion& found) {
    std::vector<FindingRow> rows{{"workgroups for 95 % of the most", found.value, "workgroups"}};
    if (found.value) {
        if (found.low < *found.value) rows[0].range = std::pair(found.low, *found.value);
        append_cores(rows, series.evidence, "cores of those", *found.value);
    }
    rows.push_back({"at the most", highest(curve).y, series.unit});
    rows.push_back({workgroups_text(curve[0].x), curve[0].y, series.unit});
    rows.push_back({"most workgroups tried", curve.back().x, "workgroups"});
    append_shape(rows, series.evidence);
    const auto behind =
        std::ranges::find_if(curve, [&](const CurvePoint& point) { return found.value && point.x > *found.value; });
    const auto worst =
        std::min_element(behind, curve.end(), [](const CurvePoint& a, const CurvePoint& b) { return a.y < b.y; });
    if (worst != curve.end() && is_much_lower(*worst, highest(curve))) {
        rows.push_back({"lowest beyond", worst->y, series.unit});
        rows.push_back({"workgroups of the lowest", worst->x, "workgroups"});
    }
    return rows;
}

std::vector<Finding> saturation_findings(const Series& series, const DeviceInfo&) {
    const auto curve = curve_of(series);
    if (curve.empty()) return {};
    if (option::shape.asked(series.id.options)) return {one_shape_finding(series, curve)};
    const Conclusion found = levels_off(curve);
    return {told_by_rows(finding_of(series, found, option::from_dram.word(series.id.options), "workgroups", nullptr),
        rows_of_saturation(series, curve, found))};
}
} // namespace

const Probe kSaturation{
    .name = "saturation",
    .question = "How many workgroups saturate L2 and DRAM?",
    .explanation = "Read bandwidth by the number of workgroups, from a footprint in L2 or in DRAM. The curve rises "
                   "with each workgroup until the level is saturated. With `shape` one to four workgroups have so many "
                   "loads in flight and work-items. Workgroups store the core that they run on, where the API tells.",
    .picture = "A straight rise, then flat: the bend is the number of workgroups that saturates the level.",
    .x = {"workgroups"},
    .unit = "GB/s",
    .peak = Peak::dram,
    .run_noise = run_noise::by_cores,
    .published = {.method = "bandwidth", .rates = RateOf::one_core},
    .paths = {"global", "global.cg", "global.pointer"},
    .variants = option::from_dram.each() +
                option::from_dram.each({"LLC"}) *
                    option::shape.each({"2x512x1", "8x512x1", "4x64x1", "4x256x1", "4x1024x1", "8x1024x1"}),
    .accepts = {option::shape},
    .quick = {.seconds = 0.27, .paths = {"global"}, .variants = 2},
    .run = measure_saturation,
    .findings = saturation_findings,
    .kernel = saturation_kernel,
    .by_default = saturation_by_default,
};

} // namespace sonde
