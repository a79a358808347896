// workload.gemm: products of square matrices, by their rows.
#include "core/measure/gemm_matrix.h"
#include "core/probes/arithmetic_options.h"

namespace sonde {

namespace {
/// Those that a quick run takes come first.
constexpr std::string_view kFirstProducts[] = {"mma.f16.f32.m16n8k16", "coopmat.f16.f32.m16n16k16"};
const Choice<const Operation*> kProductForm = [] {
    Choice<const Operation*> forms = choice_of_operations(kFirstProducts, all_matrix_forms());
    std::erase_if(forms.words, [](const auto& word) { return !is_form_of_products(*word.second); });
    return forms;
}();

/// nullptr: multiply-adds of f32.
const Operation* form_of_products(const Options& options) { return kProductForm.in_or(options, nullptr); }

void measure_products(Bench& bench) {
    const Operation* form = form_of_products(bench.request.id.options);
    if (form) measure_matrix_gemm(bench, *form);
    else measure_gemm(bench);
}

KernelChoice kernel_of_products(const DeviceInfo& info, const Path&, const Options& options) {
    const Operation* form = form_of_products(options);
    return form ? gemm_matrix_kernel(info, *form) : gemm_kernel(gemm_tiles(info));
}
} // namespace

const Probe kWorkloadGemm{
    .name = "workload.gemm",
    .question = "Products of matrices by size?",
    .explanation =
        "C = A x B of square matrices in single precision, by multiply-adds of the cores, not of matrix units: a "
        "workgroup of 256 work-items makes 128 x 128 numbers of C, the scratchpad holds 8 columns of A and 8 rows of B "
        "at a time, a work-item 8 x 8 sums in registers. Processors take smaller tiles. With operation=..., a form of "
        "the probe matrix, matrix units multiply f16 and add up f32: a workgroup makes up to 128 x 128 numbers, in "
        "steps of 32 columns of A and rows of B. A multiply-add counts as two operations.",
    .picture = "A rise with the size until all cores have tiles to make, then a share of the rate of multiply-adds, or "
               "of the matrix units.",
    .method = "Volkov and Demmel, Benchmarking GPUs to Tune Dense Linear Algebra (SC 2008)",
    .workload = "GEMM",
    .x = {"rows"},
    .unit = "Gop/s",
    .peak = Peak::documented,
    .run_noise = run_noise::alike,
    .paths = {"scratchpad"},
    .variants = std::vector<Options>(1) + kProductForm.each(),
    .quick = {.seconds = 0.43, .variants = 1 + std::size(kFirstProducts)},
    .run = measure_products,
    .findings = workload_findings,
    .kernel = kernel_of_products,
};

} // namespace sonde
