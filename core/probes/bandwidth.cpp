// bandwidth: independent loads from a footprint by every work-item of the device, by footprint and width.
#include "core/measure/traffic.h"
#include "core/probes/probes.h"

namespace sonde {

namespace {
/// Where a sweep ends, in what a footprint is on this path.
std::uint64_t largest_of(Bench& bench, const Geometry& geometry) {
    if (bench.path.stage == Stage::nothing) return bench.largest_footprint();
    if (bench.path.stage != Stage::each_lane) return bench.info.scratchpad_bytes;
    bench.evidence.footprint = "the arrays of all lanes of a core";
    return kPrivateBytes * geometry.shape.group_size;
}

KernelChoice bandwidth_kernel(const DeviceInfo& info, const Path& path, const Options& options) {
    return read_kernel(info, path, launch_shapes(info, path, options)[0], option::width.in(options));
}

void measure_bandwidth(Bench& bench) {
    const std::uint32_t width = option::width.in(bench.request.id.options);
    if (bench.path.stage != Stage::nothing && bench.path.stage != Stage::each_lane && bench.info.scratchpad_bytes < kSmallestFootprint) throw Unsupported("there is no scratchpad");
    bench.evidence.operation = "read";
    bench.wake_clocks();
    Movers<Reader> readers = all_readers(bench, width);
    std::uint64_t largest = largest_of(bench, readers.first().geometry());
    const bool each_lane = bench.path.stage == Stage::each_lane;
    const std::uint64_t granule = footprint_granule(readers.first().geometry());
    std::unique_ptr<Buffer> memory;
    std::optional<FillSum> sums;
    Reader* reader = nullptr;
    const auto prepare = [&](std::uint64_t size, const std::string&) {
        reader = readers.best(size, [&](Reader& each) { return each.aim(*memory, *sums, size); });
        return Work{.most = reader->most(), .times_longer = times_longer(size), .x = static_cast<double>(reader->footprint())};
    };
    const Experiment experiment{.prepare = prepare, .dispatch = [&](std::uint64_t, std::uint32_t count) { return reader->timed(count); }};
    for (int block = 0; block < bench.profile.blocks; ++block) {
        if (block > 0) readers.complete();
        memory.reset();
        memory = bench.allocate(each_lane ? kPrivateBytes : largest, kSmallestFootprint);
        const std::uint32_t seed = bench.next_seed();
        const std::uint64_t filled = bench.fill_source(*memory, seed);
        if (!each_lane) largest = std::min(largest, filled);
        sums.emplace(Bench::kFillPeriod, seed);
        bench.measure_block(experiment, block, bench.sizes(std::max(kSmallestFootprint, granule), largest, granule));
    }
}
} // namespace

const Probe kBandwidth{
    .name = "bandwidth",
    .question = "Read bandwidth by footprint?",
    .explanation = "All cores read a buffer with independent loads. The launch shape that reads fastest is searched for at each size. Steps down are the ends of L1 and L2; the last plateau is DRAM.",
    .picture = "High while all cores read from their L1, lower in L2, lowest and flat in DRAM: 85 to 95 % of what the bus carries.",
    .method = literature::kStream,
    .x = kFootprint,
    .unit = "GB/s",
    .run_noise = run_noise::levels,
    .paths = {"global", "global.ca", "global.cg", "global.readonly", "private", "texel", "image2d", "constant", "scratchpad", "cluster", "host"},
    .variants = option::width.each(),
    .accepts = {option::carveout, option::banks, option::shape},
    .quick = {.paths = {"global", "scratchpad"}, .variants = 1},
    .run = measure_bandwidth,
    .kernel = bandwidth_kernel,
};

} // namespace sonde
