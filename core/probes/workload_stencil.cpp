// workload.stencil: a stencil of 7 points, by cells of its box.
#include "core/measure/lattice.h"
#include "core/probes/probes.h"

namespace sonde {

const Probe kWorkloadStencil{
    .name = "workload.stencil",
    .question = "Updates of a 7-point stencil by size?",
    .explanation = "Each cell of a periodic box becomes a mean of itself and its six neighbours, from one lattice into "
                   "the other. A cell's number is read once where a cache keeps three planes, and written once: 8 "
                   "bytes. Each step is a launch.",
    .picture = "A rise with the size until the device is filled, then the rate that the caches allow, and beyond them "
               "that of DRAM; a fall where three planes leave the cache.",
    .method = "Datta et al., Stencil Computation Optimization and Auto-tuning on State-of-the-Art Multicore "
              "Architectures (SC 2008)",
    .workload = "Stencil",
    .x = {"cells"},
    .unit = "GLUP/s",
    .run_noise = run_noise::alike,
    .paths = {"global"},
    .quick = {.seconds = 0.14},
    .run = [](Bench& bench) { measure_lattice(bench, kSevenPoints); },
    .findings = workload_findings,
    .kernel = [](const DeviceInfo& info, const Path&, const Options&) { return lattice_kernel(info, kSevenPoints); },
};

} // namespace sonde
