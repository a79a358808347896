// stream: independent stores to a footprint by every work-item of the device, alone (write), behind a load from elsewhere (copy), or
// behind a load from the same address (modify), by footprint and width.
#include "core/measure/traffic.h"
#include "core/probes/probes.h"

namespace sonde {

namespace {
const Choice<Writing> kWriting{"operation", {{"fill", Writing::write}, {"copy", Writing::copy}, {"modify", Writing::modify}}};

KernelChoice stream_kernel(const DeviceInfo& info, const Path& path, const Options& options) {
    return write_kernel(info, path, writing_shapes(info, path, options)[0], option::width.in(options), kWriting.in(options));
}

void measure_stream(Bench& bench) {
    const bool local = bench.path.stage == Stage::scratchpad;
    const Options& options = bench.request.id.options;
    const Writing operation = kWriting.in(options);
    const std::uint32_t width = option::width.in(options);
    if (local && bench.info.scratchpad_bytes < kSmallestFootprint) throw Unsupported("there is no scratchpad");
    bench.evidence.operation = options.at("operation");
    bench.evidence.unit_of_work = operation == Writing::write ? "bytes written" : "bytes read and bytes written, both counted";
    bench.wake_clocks();
    Movers<Writer> writers(bench);
    for (const LaunchShape& shape : writing_shapes(bench.info, bench.path, options, is_brief(bench.profile)))
        writers.add(shape, write_kernel(bench.info, bench.path, shape, width, operation), geometry_of(bench.info, bench.path, shape, width), operation);
    std::uint64_t largest = local ? bench.info.scratchpad_bytes : bench.largest_footprint();
    Writer* writer = nullptr;
    std::unique_ptr<Buffer> memory;
    const auto prepare = [&](std::uint64_t size, const std::string&) {
        writer = writers.best(size, [&](Writer& each) { return each.aim(*memory, size); });
        return Work{.granule = writer->granule(), .most = writer->most(), .times_longer = times_longer(size), .x = static_cast<double>(writer->footprint())};
    };
    const Experiment experiment{.prepare = prepare, .dispatch = [&](std::uint64_t, std::uint32_t count) { return writer->timed(count); }};
    for (int block = 0; block < bench.profile.blocks; ++block) {
        memory.reset();
        memory = bench.allocate(largest, kSmallestFootprint);
        largest = std::min<std::uint64_t>(largest, memory->bytes() / 512 * 512);
        auto sizes = bench.sizes(kSmallestFootprint, largest, 512);
        std::erase_if(sizes, [&](std::uint64_t size) { return !writers.any([&](const Writer& each) { return each.takes(size); }); });
        if (sizes.empty()) throw Unsupported(fmt::format("{} are less than a tile for each workgroup", format_bytes(static_cast<double>(largest))));
        if (sizes.back() < largest) bench.end_reason = fmt::format("ends at {}: a kernel may not run more than {} loop trips here", format_bytes(static_cast<double>(sizes.back())), bench.info.loop_trips);
        bench.measure_block(experiment, block, sizes);
        writers.complete();
    }
}
} // namespace

const Probe kStream{
    .name = "stream",
    .question = "Write and copy bandwidth by footprint?",
    .explanation = "All cores store to a buffer: alone, behind a load from elsewhere (copy), or behind a load from the same place (modify). Bytes read and bytes written both count.",
    .picture = "As bandwidth, often somewhat lower; a copy counts the bytes read and the bytes written.",
    .method = literature::kStream,
    .x = kFootprint,
    .unit = "GB/s",
    .run_noise = run_noise::alike,
    .paths = {"global", "scratchpad", "host"},
    .variants = option::width.each() * kWriting.each(),
    .accepts = {option::carveout, option::banks, option::shape},
    .quick = {.paths = {"global"}, .variants = 1},
    .run = measure_stream,
    .kernel = stream_kernel,
};

} // namespace sonde
