// split: what is left of the first level while a workgroup holds a share of the scratchpad that it may have. A share of 0 is what an API gives
// without being asked.
#include <cstdlib>

#include <fmt/format.h>

#include "core/analysis/level_findings.h"
#include "core/base/text.h"
#include "core/measure/structure_probe.h"
#include "core/probes/probes.h"

namespace sonde {

namespace {
constexpr std::uint64_t kSplitEnds = 2 << 20; // bytes
} // namespace

static KernelChoice split_kernel(const DeviceInfo& info, const Path& path, const Options& options) {
    KernelChoice choice = chase_kernel(info, path);
    if (options.at("scratchpad") != "0") choice.defines.emplace_back("HELD", "1");
    return choice;
}

static void measure_split(Bench& bench) {
    if (bench.info.cpu) throw Unsupported("a processor's scratchpad is ordinary memory");
    bench.wake_clocks();
    const auto percent = static_cast<std::uint32_t>(std::stoul(bench.request.id.options.at("scratchpad")));
    const std::uint32_t held = static_cast<std::uint32_t>(std::uint64_t{bench.info.scratchpad_bytes} * percent / 100 / 1024 * 1024);
    if (percent > 0 && held == 0) throw Unsupported("there is no scratchpad");
    bench.evidence["scratchpad_bytes"] = held;
    Chase chase(bench, 0, held);
    if (chase.largest() > kSplitEnds) bench.end_reason = fmt::format("ends at {}: no core's share of a first level is larger", format_bytes(kSplitEnds));
    chase.sweep_footprints(kSplitEnds);
}

namespace {
/// "while it holds 12 KiB of scratchpad (of the 48 KiB that it may have)", "at a carve-out of 50 %", or "without scratchpad".
std::string circumstances(const Series& series, double held, double limit) {
    const auto carveout = series.id.options.find("carveout");
    const std::string asked = carveout == series.id.options.end() ? "" : fmt::format("at a carve-out of {}{}", carveout->second, carveout->second.ends_with("KiB") ? "" : " %");
    if (held == 0) return asked.empty() ? "without scratchpad" : asked;
    return fmt::format("{}{}while it holds {} of scratchpad (of the {} that it may have)", asked, asked.empty() ? "" : ", ", format_bytes(held), format_bytes(limit));
}
} // namespace

static std::vector<Finding> split_findings(const Series& series, const Json& device) {
    const double held = series.evidence.value("scratchpad_bytes", 0.0), limit = device.value("scratchpad_bytes", 0.0);
    std::vector<Finding> findings;
    for (Finding& level : level_findings(series, device)) {
        if (level.name != "L1" || !level.capacity_bytes->second) continue;
        const auto& [on, off] = *level.capacity_bytes;
        level.kind = "carveout";
        level.text = fmt::format("{} {}: {} a workgroup's first level holds {}", series.id.device, series.id.path,
                                 circumstances(series, held, limit),
                                 format_byte_range(on, *off));
        level.value = on;
        level.unit = "bytes";
        findings.push_back(std::move(level));
    }
    return findings;
}

const Probe kCarveout{
    .name = "carveout",
    .question = "L1 capacity by scratchpad held?",
    .explanation = "A latency sweep of L1 while the workgroup holds scratchpad, or while a carve-out is asked for. Where one memory serves both, L1 ends earlier.",
    .x_name = "footprint",
    .x_unit = "bytes",
    .unit = "ns",
    .measure = Measure::time_per_step,
    .axis = Axis::footprint,
    .chart = Chart::curve,
    .run_noise = run_noise::levels,
    .paths = {"global"},
    .variants = {{{"scratchpad", "0"}}, {{"carveout", "50"}, {"scratchpad", "0"}}, {{"carveout", "100"}, {"scratchpad", "0"}}, {{"scratchpad", "25"}}, {{"scratchpad", "50"}}, {{"scratchpad", "90"}}},
    .accepts = {"carveout"},
    .quick = {.paths = {}, .variants = 1},
    .run = measure_split,
    .findings = split_findings,
    .kernel = split_kernel,
};

} // namespace sonde
