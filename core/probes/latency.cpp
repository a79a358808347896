// latency: a chase along one random cycle over all slots of a footprint, by footprint.
#include "core/analysis/level_findings.h"
#include "core/measure/chase.h"
#include "core/probes/probes.h"

namespace sonde {

KernelChoice latency_kernel(const DeviceInfo& info, const Path& path, const Options&) { return chase_kernel(info, path); }

static void measure_latency(Bench& bench) {
    bench.wake_clocks();
    Chase(bench).sweep_footprints();
}

const Probe kLatency{
    .name = "latency",
    .question = "Load latency by footprint?",
    .explanation = "One subgroup follows a random cycle through a buffer; each load depends on the one before. Plateaus are levels of the hierarchy, the edges between them their capacities.",
    .picture = "A staircase: flat in L1 (20 to 60 ns on a GPU), a step to L2, a step to DRAM (300 to 600 ns); a further rise behind it is the TLB.",
    .method = literature::kSaavedra,
    .x = kFootprint,
    .run_noise = run_noise::levels,
    .paths = every_path(),
    .accepts = {option::carveout, option::banks},
    .quick = {.paths = {"global", "global.pointer", "constant", "scratchpad"}, .variants = 0},
    .run = measure_latency,
    .findings = latency_findings,
    .kernel = latency_kernel,
};

} // namespace sonde
