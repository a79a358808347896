// workload.gemm: products of square matrices, by their rows.
#include "core/measure/gemm.h"
#include "core/probes/probes.h"

namespace sonde {

const Probe kWorkloadGemm{
    .name = "workload.gemm",
    .question = "Products of f32 matrices by size?",
    .explanation = "C = A x B of square matrices in single precision, by multiply-adds of the cores, not of matrix units. A workgroup of 256 work-items makes 128 x 128 numbers of C: the scratchpad holds 8 columns of A and 8 rows of B at a time, a work-item 8 x 8 sums in registers. Processors take smaller tiles. A multiply-add counts as two operations.",
    .picture = "A rise with the size until all cores have tiles to make, then a share of the rate of multiply-adds.",
    .method = "Volkov and Demmel, Benchmarking GPUs to Tune Dense Linear Algebra (SC 2008)",
    .x = {"rows"},
    .unit = "Gop/s",
    .run_noise = run_noise::alike,
    .paths = {"scratchpad"},
    .run = measure_gemm,
    .findings = workload_findings,
    .kernel = [](const DeviceInfo& info, const Path&, const Options&) { return gemm_kernel(gemm_tiles(info)); },
};

} // namespace sonde
