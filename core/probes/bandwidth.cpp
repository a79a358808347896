// bandwidth: independent loads from a footprint by every work-item of the device, by footprint and width; and of zeros
// beside random data.
#include "core/analysis/findings.h"
#include "core/analysis/traffic.h"
#include "core/measure/asked_footprints.h"
#include "core/measure/traffic.h"
#include "core/probes/probes.h"

namespace sonde {

namespace {
/// Where a sweep ends, in what a footprint is on this path.
std::uint64_t largest_of(Bench& bench, const Geometry& geometry) {
    if (bench.path.stage == Stage::nothing) return bench.end_of_sweep();
    if (bench.path.stage != Stage::each_lane) return bench.info.scratchpad_bytes;
    bench.evidence.footprint = "the arrays of all lanes of a core";
    return kPrivateBytes * geometry.shape.group_size;
}

KernelChoice bandwidth_kernel(const DeviceInfo& info, const Path& path, const Options& options) {
    return read_kernel(info, path, launch_shapes(info, path, options)[0], option::width.in(options) / 4, options);
}

std::vector<KernelChoice> bandwidth_kernels(
    const DeviceInfo& info, const Path& path, const Options& options, const Profile& profile) {
    std::vector<KernelChoice> kernels;
    for (const LaunchShape& shape : launch_shapes(info, path, options, is_brief(profile)))
        kernels.push_back(read_kernel(info, path, shape, option::width.in(options) / 4, options));
    return kernels;
}

/// `rare` of Bench::fill: of zeros one word of a period is none, so that a sum tells what was read.
constexpr std::uint32_t kZeros = Bench::kFillPeriod - 1;
bool reads_other_data(const Options& options) { return option::data.asked(options); }
/// Other data of the card's own memory, elsewhere on request.
bool bandwidth_by_default(std::string_view path, const Options& variant) {
    return path == "global" || !reads_other_data(variant);
}

/// In the LLC, and far beyond it: other data are compared with random ones there.
std::vector<std::uint64_t> sizes_by_data(Bench& bench, std::uint64_t largest, std::uint64_t granule) {
    if (bench.path.stage != Stage::nothing)
        return {largest / 2 / granule * granule}; // no caches are behind it; a driver may refuse all of the scratchpad
    std::vector<std::uint64_t> sizes;
    for (const std::uint64_t half_caches : {1, 8, 32})
        sizes.push_back(
            std::min(std::max({bench.last_level() / 2 * half_caches, kSmallestFootprint, granule}), largest) / granule *
            granule);
    return asked_of(bench, distinct(std::move(sizes)), std::max(kSmallestFootprint, granule), largest, granule);
}

void measure_bandwidth(Bench& bench) {
    const std::uint32_t width = option::width.in(bench.request.id.options) / 4;
    if (bench.path.stage != Stage::nothing && bench.path.stage != Stage::each_lane &&
        bench.info.scratchpad_bytes < kSmallestFootprint)
        throw Unsupported("there is no scratchpad");
    bench.evidence.operation = "read";
    bench.wake_clocks();
    Movers<Reader> readers = all_readers(bench, width);
    std::uint64_t largest = asked_end(bench, largest_of(bench, readers.first().geometry()));
    const bool each_lane = bench.path.stage == Stage::each_lane;
    const std::uint64_t granule = footprint_granule(readers.first().geometry());
    std::unique_ptr<Buffer> memory;
    std::optional<FillSum> sums;
    Reader* reader = nullptr;
    std::map<std::uint64_t, std::uint64_t> footprint_of; // by what was asked for
    const auto prepare = [&](std::uint64_t size, const std::string&) {
        reader = readers.best(size, [&](Reader& each) { return each.aim(*memory, *sums, size); });
        footprint_of[size] = reader->footprint();
        return Work{
            .most = reader->most(), .times_longer = times_longer(size), .x = static_cast<double>(reader->footprint())};
    };
    const bool other_data = reads_other_data(bench.request.id.options);
    Experiment experiment{
        .prepare = prepare, .dispatch = [&](std::uint64_t, std::uint32_t count) { return reader->timed(count); }};
    bench.each_block([&](int block) {
        if (block > 0) readers.complete();
        memory.reset();
        memory = bench.allocate(each_lane ? kPrivateBytes : largest, kSmallestFootprint);
        const auto measured = [&](const FillPattern& data, bool kept) {
            const std::uint32_t seed = bench.next_seed();
            const std::uint64_t filled = bench.fill_source(*memory, seed, Bench::FillOrder::by_block, data);
            if (!each_lane) largest = std::min(largest, filled);
            sums.emplace(Bench::kFillPeriod, seed, data);
            experiment.kept = kept;
            auto sizes = other_data ? sizes_by_data(bench, largest, granule)
                                    : bench.sizes(std::max(kSmallestFootprint, granule), largest, granule);
            std::erase_if(sizes,
                [&](std::uint64_t size) { return !readers.any([&](const Reader& each) { return each.takes(size); }); });
            if (sizes.empty())
                throw Unsupported(fmt::format(
                    "this launch shape reads footprints far beyond all caches, and {} are not", format_bytes(largest)));
            return bench.measure_block(experiment, block, sizes);
        };
        const auto of_random = measured({}, !other_data); // ns a byte
        if (!other_data) return;
        for (const auto& [bytes, ns] : measured({.rare = kZeros}, true))
            if (of_random.contains(bytes))
                bench.evidence.random_reads.push_back({.bytes = footprint_of.at(bytes),
                    .gb_per_s = 1 / of_random.at(bytes),
                    .times = of_random.at(bytes) / ns});
    });
}

/// What the workgroups of clusters read at the most, and each of them.
Finding cluster_finding(const Series& series, const CurvePoint& best) {
    const std::uint32_t groups = series.evidence.shape.value_or(ShapeEvidence()).groups.value_or(0),
                        size = option::cluster.in(series.id.options).value_or(2);
    const char* peers = option::peers.in(series.id.options) == Peers::all ? "each other one's scratchpad in turn"
                                                                          : "the next one's scratchpad";
    return finding_of(series,
        {.name = fmt::format("cluster {}", size),
            .value = best.y,
            .unit = "GB/s",
            .rows = {{"workgroups", static_cast<double>(groups), "workgroups"}, {"read by all at most", best.y, "GB/s"},
                {"by each workgroup", best.y / std::max(groups, 1u), "GB/s"}},
            .text = fmt::format("in clusters of {}, each workgroup reads {}: {} at most, {} for each of {} workgroups",
                size, peers, format_si(best.y * 1e9, "B/s"), format_si(best.y * 1e9 / std::max(groups, 1u), "B/s"),
                groups),
            .x = {best.x}});
}

std::vector<FindingRow> rows_of_data(const DataEffect& effect, const std::string& data) {
    const std::string over = " over " + format_bytes(effect.bytes);
    return {{"random data" + over, effect.random_gb_per_s, "GB/s"},
        {data + over, effect.times * effect.random_gb_per_s, "GB/s"},
        {data + over + (effect.seen ? ", times" : ", times, whose noise is not known"), effect.times, "times"}};
}

/// Of footprints where other data are read at another rate, or one block tells no noise, a finding each; of the rest
/// one.
std::vector<Finding> data_findings(const Series& series) {
    if (series.evidence.random_reads.empty()) return {};
    const std::string& data = option::data.word(series.id.options);
    std::vector<Finding> found;
    std::vector<DataEffect> alike;
    for (const DataEffect& each : effects_of_data(series.evidence.random_reads, run_noise::levels)) {
        if (each.seen == false) {
            alike.push_back(each);
            continue;
        }
        found.push_back(finding_of(
            series, {.name = format_bytes(each.bytes),
                        .value = each.times,
                        .unit = "times random data",
                        .rows = rows_of_data(each, data),
                        .text = fmt::format("reads of {} over {}: {:.3f} x of random data ({:.4g} and {:.4g} GB/s){}",
                            data, format_bytes(each.bytes), each.times, each.times * each.random_gb_per_s,
                            each.random_gb_per_s, each.seen ? "" : ": one block, whose noise is not known"),
                        .x = {each.bytes}}));
    }
    if (alike.empty()) return found;
    std::vector<std::string> sizes;
    sizes.reserve(alike.size());
    std::vector<FindingRow> rows;
    for (const DataEffect& each : alike) {
        sizes.push_back(format_bytes(each.bytes));
        const std::vector<FindingRow> own = rows_of_data(each, data);
        rows.insert(rows.end(), own.begin(), own.end());
    }
    const double farthest =
        std::ranges::max(alike, {}, [](const DataEffect& each) { return std::abs(std::log(each.times)); }).times;
    found.push_back(finding_of(series,
        {.name = data,
            .value = farthest,
            .unit = "times random data",
            .rows = std::move(rows),
            .text =
                fmt::format("{} are read at the rate of random data over {}: {:.3f} x at the farthest, within noise",
                    data, fmt::join(sizes, ", "), farthest),
            .x = {alike.front().bytes, alike.back().bytes}}));
    return found;
}

std::vector<Finding> bandwidth_findings(const Series& series, const DeviceInfo&) {
    std::vector<Finding> found = data_findings(series);
    if (const auto curve = curve_of(series); series.id.path == "cluster" && !curve.empty())
        found.insert(found.begin(), cluster_finding(series, highest(curve)));
    return found;
}
} // namespace

const Probe kBandwidth{
    .name = "bandwidth",
    .question = "Read bandwidth by footprint?",
    .explanation = "All cores read a buffer with independent loads. The launch shape that reads fastest is searched "
                   "for at each size. Steps down are the ends of L1 and L2; the last plateau is DRAM. With data=zeros "
                   "it holds random data, then zeros: a card that compresses data reads zeros faster.",
    .picture = "High while all cores read from their L1, lower in L2, lowest and flat in DRAM: 85 to 95 % of its peak.",
    .method = literature::kStream,
    .x = kFootprint,
    .unit = "GB/s",
    .peak = Peak::dram,
    .run_noise = run_noise::levels,
    .published = {.method = "bandwidth", .rates = RateOf::all_cores},
    .paths = {"global", "global.ca", "global.cg", "global.readonly", "global.pointer", "private", "texel", "image2d",
        "constant", "scratchpad", "cluster", "host", "peer", "peer.cg"},
    .variants = option::width.each({"16", "4", "8"}) +
                option::width.each({"16"}) * (option::data.each({"zeros"}) + option::cluster.each({"4", "8", "16"}) +
                                                 option::cluster.each({"4", "16"}) * option::peers.each({"all"})),
    .accepts = {option::carveout, option::banks, option::subgroup, option::shape, option::cluster, option::peers,
        option::peer, option::footprint},
    .quick = {.seconds = 0.81,
        .paths = {"global", "scratchpad", "peer"},
        .variants = 2, // loads of 16 and of 4 bytes
        .paths_of_one = {"scratchpad", "peer"},
        .unasked = true},
    .run = measure_bandwidth,
    .findings = bandwidth_findings,
    .kernel = bandwidth_kernel,
    .further_kernels = bandwidth_kernels,
    .by_default = bandwidth_by_default,
};

} // namespace sonde
