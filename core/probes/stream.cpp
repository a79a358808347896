// write: independent stores to a footprint by every work-item of the device, alone (write), behind a load from elsewhere (copy), or
// behind a load from the same place (modify), by footprint and width.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "core/base/text.h"
#include "core/measure/traffic.h"
#include "core/probes/probes.h"

namespace sonde {

namespace {
constexpr std::array<std::pair<std::string_view, Operation>, 3> kOperations{{{"write", Operation::write}, {"copy", Operation::copy}, {"modify", Operation::modify}}};

Operation operation_of(const Options& options) {
    for (const auto& [name, operation] : kOperations)
        if (name == options.at("operation")) return operation;
    throw Error("no such operation");
}

Movers<Writer> all_writers(Bench& bench) {
    const auto& options = bench.request.id.options;
    const std::uint32_t width = width_of(options);
    Movers<Writer> writers(bench);
    for (const LaunchShape& shape : writing_shapes(bench.info, bench.path, options, is_brief(bench.profile)))
        writers.add(shape, write_kernel(bench.info, bench.path, shape, width, operation_of(options)), geometry_of(bench.info, bench.path, shape, width), operation_of(options));
    return writers;
}
} // namespace

static KernelChoice write_probe_kernel(const DeviceInfo& info, const Path& path, const Options& options) {
    return write_kernel(info, path, writing_shapes(info, path, options)[0], width_of(options), operation_of(options));
}

static void measure_write(Bench& bench) {
    const bool local = bench.path.stage == Stage::scratchpad;
    if (local && bench.info.scratchpad_bytes < kSmallestFootprint) throw Unsupported("there is no scratchpad");
    bench.evidence["operation"] = bench.request.id.options.at("operation");
    bench.evidence["unit_of_work"] = operation_of(bench.request.id.options) == Operation::write ? "bytes written" : "bytes read and bytes written, both counted";
    bench.wake_clocks();
    Movers<Writer> writers = all_writers(bench);
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

const Probe kStream{
    .name = "stream",
    .question = "Write and copy bandwidth by footprint?",
    .explanation = "All cores store to a buffer: alone, behind a load from elsewhere (copy), or behind a load from the same place (modify). Bytes read and bytes written both count.",
    .x_name = "footprint",
    .x_unit = "bytes",
    .unit = "GB/s",
    .measure = Measure::steps_per_time,
    .axis = Axis::footprint,
    .chart = Chart::curve,
    .run_noise = run_noise::alike,
    .paths = {"global", "scratchpad", "host"},
    .variants = {{{"operation", "fill"}, {"width", "16"}}, {{"operation", "copy"}, {"width", "16"}}, {{"operation", "modify"}, {"width", "16"}}, {{"operation", "fill"}, {"width", "8"}}, {{"operation", "copy"}, {"width", "8"}}, {{"operation", "modify"}, {"width", "8"}}, {{"operation", "fill"}, {"width", "4"}}, {{"operation", "copy"}, {"width", "4"}}, {{"operation", "modify"}, {"width", "4"}}},
    .accepts = {"carveout", "banks", "shape"},
    .quick = {.paths = {"global"}, .variants = 1},
    .run = measure_write,
    .findings = nullptr,
    .kernel = write_probe_kernel,
};

} // namespace sonde
