// workload.lbm: a lattice Boltzmann method, by cells of its box.
#include "core/measure/lattice.h"
#include "core/probes/probes.h"

namespace sonde {

const Probe kWorkloadLbm{
    .name = "workload.lbm",
    .question = "Lattice Boltzmann updates by size?",
    .explanation = "A lattice Boltzmann method in a box with a wall (D3Q19, single precision, two lattices): 153 bytes "
                   "of each cell are read or written in a step. Each step is a launch. The prediction takes the "
                   "bandwidth that copies and reads have at that footprint.",
    .picture = "A rise with the size until the device is filled, then the rate that the caches allow, and beyond them "
               "that of DRAM.",
    .method = "Wellein et al., On the single processor performance of simple lattice Boltzmann kernels (Computers and "
              "Fluids, 2006)",
    .workload = "LBM",
    .x = {"cells"},
    .unit = "GLUP/s",
    .run_noise = run_noise::alike,
    .paths = {"global"},
    .quick = {.seconds = 0.25},
    .run = [](Bench& bench) { measure_lattice(bench, kLatticeBoltzmann); },
    .findings = workload_findings,
    .kernel = [](const DeviceInfo& info, const Path&,
                  const Options&) { return lattice_kernel(info, kLatticeBoltzmann); },
};

} // namespace sonde
