// workload.gemm-library: products of square matrices by the vendor's library, by their rows: a yardstick for
// workload.gemm and for the rates of matrix units.
#include "core/measure/gemm.h"
#include "core/probes/probes.h"

namespace sonde {

namespace {
const Choice<const NumberFormat*> kNumbers{
    option::numbers, {{"f16", &kF16}, {"e4m3", &kE4m3}, {"f32", &kF32}, {"tf32", &kTf32}, {"bf16", &kBf16}}};
} // namespace

const Probe kWorkloadGemmLibrary{
    .name = "workload.gemm-library",
    .question = "Products of matrices by the vendor's library?",
    .explanation = "C = A x B of square matrices by the vendor's library (cuBLASLt), which is opened at run time where "
                   "it is installed: a yardstick for workload.gemm and for the probe matrix. Sums are f32, rows of A "
                   "and columns of B contiguous, and the algorithm is the first one that the library's heuristics "
                   "name. All of C is checked. A multiply-add counts as two operations.",
    .picture = "A rise with the size, then a share of the rate of the matrix units; f32 reaches a share of the rate of "
               "multiply-adds.",
    .workload = "Gemm-library",
    .x = {"rows"},
    .unit = "Gop/s",
    .run_noise = run_noise::alike,
    .published = {.method = "library product"},
    .paths = {"global"},
    .variants = kNumbers.each(),
    .quick = {.seconds = 0.42, .variants = 3},
    .run = [](Bench& bench) { measure_library_gemm(bench, *kNumbers.in(bench.request.id.options)); },
    .findings = library_findings,
    .kernel =
        [](const DeviceInfo& info, const Path&, const Options&) {
            return KernelChoice{.name = "row_products",
                .group_size = info.cpu ? info.subgroup : std::min(256u, info.largest_group),
                .defines = {{"TYPE_F32", "1"}}};
        }, // the check's
};

} // namespace sonde
