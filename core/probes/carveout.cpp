// carveout: capacity of L1 while a workgroup holds so many bytes of scratchpad, the same through every API, or with a
// carve-out requested.
#include "core/analysis/level_findings.h"
#include "core/data/footprints.h"
#include "core/probes/probes.h"

namespace sonde {

namespace {
constexpr std::uint64_t kL1Ends = 2 << 20; // bytes: no core's L1 is larger

constexpr std::uint32_t kLargest = ~0u; // what a workgroup may have
const Choice<std::uint32_t> kHeld{"scratchpad",
    {{"0", 0}, {"16B", 16}, {"4KiB", 4 << 10}, {"12KiB", 12 << 10}, {"48KiB", 48 << 10}, {"largest", kLargest}}};

KernelChoice carveout_kernel(const DeviceInfo& info, const Path& path, const Options& options) {
    KernelChoice choice = chase_kernel(info, path);
    if (kHeld.in(options) != 0) choice.defines.emplace_back("HELD", "1");
    return choice;
}

void measure_carveout(Bench& bench) {
    if (bench.info.cpu) throw Unsupported("a processor's scratchpad is ordinary memory");
    bench.wake_clocks();
    const std::uint32_t asked = kHeld.in(bench.request.id.options),
                        held = asked == kLargest ? bench.info.scratchpad_bytes : asked;
    if (held > bench.info.scratchpad_bytes || (asked > 0 && held == 0))
        throw Unsupported(
            fmt::format("a workgroup may have {} of scratchpad", format_bytes(bench.info.scratchpad_bytes)));
    bench.evidence.scratchpad_bytes = held;
    Chase chase(bench, {.held_bytes = held});
    if (chase.largest() > kL1Ends) bench.ending = {.bytes = kL1Ends, .why = "no core's L1 is larger"};
    try {
        chase.sweep_footprints(kL1Ends);
    } catch (const DoesNotFit& error) {
        if (held == 0) throw;
        throw Unsupported(fmt::format(
            "{} of scratchpad, which the driver reports, are refused: {}", format_bytes(held), error.what()));
    }
}

std::vector<Finding> carveout_findings(const Series& series, const DeviceInfo& device) {
    const double held = series.evidence.scratchpad_bytes.value_or(0);
    std::vector<std::string> with;
    if (const auto asked = option::carveout.in(series.id.options))
        with.push_back(
            fmt::format("a carve-out of {}{}", asked->value, asked->unit == Carveout::Unit::percent ? " %" : "KiB"));
    if (held > 0)
        with.push_back(
            fmt::format("{} of {} scratchpad held", format_bytes(held), format_bytes(device.scratchpad_bytes)));
    if (with.empty()) with = {"no scratchpad held"};
    const auto levels = level_findings(series, device);
    if (levels.empty()) return {};
    Finding found = levels[0];
    const auto& [on, off] = *found.capacity_bytes;
    found.kind = "carveout";
    found.value = off ? std::optional(on) : std::nullopt;
    found.rows = {{off ? "L1 holds" : "no end of L1 up to", on, "bytes"}};
    if (off) found.rows[0].range = std::pair(on, *off);
    else found.no_value = NoValue::not_seen;
    if (held > 0) found.rows.push_back({"scratchpad held", held, "bytes"});
    found.unit = "bytes";
    found.text = fmt::format("{} with {}",
        off ? fmt::format("L1 holds {}", format_byte_range(on, *off))
            : fmt::format("no end of L1 seen up to {}", format_bytes(on)),
        fmt::join(with, " and "));
    return {finding_of(series, std::move(found))};
}
} // namespace

const Probe kCarveout{
    .name = "carveout",
    .question = "L1 capacity by scratchpad held?",
    .explanation = "A latency sweep of L1 while the workgroup holds scratchpad, or with a carve-out requested. Where "
                   "one memory serves both, L1 ends earlier.",
    .picture = "The staircase of latency, with L1's end moved to smaller footprints as more scratchpad is held.",
    .x = kFootprint,
    .run_noise = run_noise::levels,
    .paths = {"global"},
    .variants = kHeld.each() + option::carveout.each({"50", "100"}) * kHeld.each({"0"}),
    .accepts = {option::carveout, option::footprint},
    .quick = {.seconds = 0.23, .variants = 1},
    .run = measure_carveout,
    .findings = carveout_findings,
    .kernel = carveout_kernel,
};

} // namespace sonde
