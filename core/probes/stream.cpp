// stream: independent stores to a footprint by every work-item of the device, alone (write), behind a load from
// elsewhere (copy), or behind a load from the same address (modify), by footprint and width; and BabelStream's
// operations on numbers, by footprint and type.
#include "core/measure/asked_footprints.h"
#include "core/measure/workload.h"
#include "core/measure/writer.h"
#include "core/probes/probes.h"

namespace sonde {

namespace {
template <class Rows> auto choice_of(const OptionName& name, const Rows& rows) {
    Choice<const typename Rows::value_type*> choice{name, {}};
    for (const auto& row : rows) choice.words.emplace_back(row.name, &row);
    return choice;
}
const auto kStreamOperation = choice_of(option::operation, kStreamOperations);
const auto kStreamType = choice_of(option::type, kStreamNumbers);
const Choice<Factor> kFactor{
    "factor", {{"argument", Factor::argument}, {"constant", Factor::constant}}}; // else a literal

std::vector<std::string_view> operations_on(bool numbers) {
    std::vector<std::string_view> names;
    for (const StreamOperation& operation : kStreamOperations)
        if (operation.of_numbers == numbers) names.push_back(operation.name);
    return names;
}

Writing writing_of(const Options& options) {
    const StreamOperation* operation = kStreamOperation.in(options);
    return {
        operation, operation->of_numbers ? kStreamType.in(options) : nullptr, kFactor.in_or(options, Factor::literal)};
}

std::uint32_t words_of_access(const Options& options) {
    const StreamNumber* type = writing_of(options).type;
    return type ? type->words : option::width.in(options) / 4;
}

/// BabelStream's are of the card's own memory, streaming accesses as wide as can be; elsewhere and narrower ones on
/// request.
bool stream_by_default(std::string_view path, const Options& variant) {
    const Writing writing = writing_of(variant);
    return path == "global" || (!writing.type && ((path != "global.cs" && path != "peer") ||
                                                     words_of_access(variant) * 4 == path_named(path).widest_bytes));
}

std::vector<LaunchShape> stream_shapes(const DeviceInfo& info, const Path& path, const Options& options, bool briefly) {
    std::vector<LaunchShape> shapes = writing_shapes(info, path, options, briefly);
    const StreamOperation& operation = *writing_of(options).operation;
    std::erase_if(shapes, [&](const LaunchShape& shape) {
        return shape.groups_per_core == kOnce && (operation.sums() || operation.repeats());
    });
    return shapes;
}

std::vector<KernelChoice> stream_kernels(
    const DeviceInfo& info, const Path& path, const Options& options, const Profile& profile) {
    std::vector<KernelChoice> kernels;
    for (const LaunchShape& shape : stream_shapes(info, path, options, is_brief(profile)))
        kernels.push_back(write_kernel(info, path, shape, words_of_access(options), writing_of(options)));
    return kernels;
}

KernelChoice stream_kernel(const DeviceInfo& info, const Path& path, const Options& options) {
    return write_kernel(
        info, path, writing_shapes(info, path, options)[0], words_of_access(options), writing_of(options));
}

/// Of a byte that is moved.
Demand demand_of(const StreamOperation& operation, const StreamNumber& type) {
    const double all = operation.reads + operation.writes;
    return {.read_bytes = operation.reads / all,
        .written_bytes = operation.writes / all,
        .operations = operation.operations / (all * type.words * 4),
        .operation = type.name == "f32" ? "" : fmt::format("fma.{}", type.name)};
}

void measure_stream(Bench& bench) {
    const bool local = bench.path.stage == Stage::scratchpad;
    const Options& options = bench.request.id.options;
    const Writing writing = writing_of(options);
    const std::uint32_t width = words_of_access(options);
    if (writing.factor != Factor::literal && bench.path.name != "global")
        throw Unsupported("where the factor comes from is asked on path global");
    if (local && bench.info.scratchpad_bytes < kSmallestFootprint) throw Unsupported("there is no scratchpad");
    bench.evidence.operation = writing.text();
    bench.evidence.unit_of_work = writing.operation->reads == 0    ? "bytes written"
                                  : writing.operation->writes == 0 ? "bytes read"
                                                                   : "bytes read and bytes written, both counted";
    if (writing.type) bench.evidence.demand = {demand_of(*writing.operation, *writing.type)};
    bench.wake_clocks();
    Movers<Writer> writers(bench);
    for (const LaunchShape& shape : stream_shapes(bench.info, bench.path, options, is_brief(bench.profile)))
        writers.add(shape, write_kernel(bench.info, bench.path, shape, width, writing),
            geometry_of(bench.info, bench.path, shape, width), writing);
    std::uint64_t largest = asked_end(bench, local ? bench.info.scratchpad_bytes : bench.end_of_sweep());
    Writer* writer = nullptr;
    std::unique_ptr<Buffer> memory;
    const auto prepare = [&](std::uint64_t size, const std::string&) {
        writer = writers.best(size, [&](Writer& each) { return each.aim(*memory, size); });
        return Work{.granule = writer->granule(),
            .most = writer->most(),
            .times_longer = times_longer(size),
            .x = static_cast<double>(writer->footprint())};
    };
    const Experiment experiment{
        .prepare = prepare, .dispatch = [&](std::uint64_t, std::uint32_t count) { return writer->timed(count); }};
    bench.each_block([&](int block) {
        memory.reset();
        memory = bench.allocate(largest, kSmallestFootprint);
        largest = std::min<std::uint64_t>(largest, memory->bytes() / 512 * 512);
        auto sizes = bench.sizes(kSmallestFootprint, largest, 512);
        std::erase_if(sizes,
            [&](std::uint64_t size) { return !writers.any([&](const Writer& each) { return each.takes(size); }); });
        if (sizes.empty())
            throw Unsupported(fmt::format("{} are less than a tile for each workgroup", format_bytes(largest)));
        if (sizes.back() < largest)
            bench.ending = {.bytes = sizes.back(),
                .why = bench.info.loop_trips
                           ? fmt::format("a kernel may not run more than {} loop trips here", bench.info.loop_trips)
                           : "sums of more products are not exact"};
        bench.measure_block(experiment, block, sizes);
        writers.complete();
    });
}
} // namespace

const Probe kStream{
    .name = "stream",
    .question = "Write, copy and triad bandwidth by footprint?",
    .explanation = "All cores store to a buffer: alone, behind a load from elsewhere (copy), or behind a load from the "
                   "same place (modify). BabelStream's scale, add, triad and dot work on numbers of 64 and 32 bits. "
                   "Bytes read and bytes written both count.",
    .picture = "As bandwidth, often somewhat lower; a copy counts the bytes read and the bytes written.",
    .method = literature::kStream,
    .x = kFootprint,
    .unit = "GB/s",
    .peak = Peak::dram,
    .run_noise = run_noise::alike,
    .published = {.method = "bandwidth", .rates = RateOf::all_cores},
    .paths = {"global", "global.cs", "scratchpad", "host", "peer"},
    .variants = option::width.each({"16", "8", "4"}) * kStreamOperation.each(operations_on(false)) +
                kStreamOperation.each(operations_on(true)) * kStreamType.each() +
                kStreamOperation.each({"scale"}) * kStreamType.each() * kFactor.each(),
    .accepts = {option::carveout, option::banks, option::subgroup, option::shape, option::peer, option::footprint},
    .quick = {.seconds = 0.92,
        .paths = {"global", "peer"},
        .variants = 2, // fill, and copy, from which the limits of workloads are
        .paths_of_one = {"peer"}},
    .run = measure_stream,
    .findings = workload_findings,
    .kernel = stream_kernel,
    .further_kernels = stream_kernels,
    .by_default = stream_by_default,
};

} // namespace sonde
