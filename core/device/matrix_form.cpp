// The table of matrix forms.
#include "core/device/matrix_form.h"

#include <cmath>
#include <cstdlib>

namespace sonde {

std::uint64_t NumberFormat::bits_of(std::int64_t value) const {
    const std::uint64_t mask = ~std::uint64_t{0} >> (64 - bits);
    if (!is_float()) return static_cast<std::uint64_t>(value) & mask;
    if (value == 0) return 0;
    const auto magnitude = static_cast<double>(std::abs(value));
    const int power = std::ilogb(magnitude);
    const auto field = static_cast<std::uint64_t>(power + (1 << (exponent - 1)) - 1),
               fraction = static_cast<std::uint64_t>(std::ldexp(magnitude, static_cast<int>(mantissa) - power));
    return (std::uint64_t{value < 0} << (bits - 1)) |
           (((field - 1) << mantissa) + fraction); // the fraction's leading one adds to the exponent
}

double NumberFormat::value_of(std::uint64_t word) const {
    if (!is_float())
        return static_cast<double>(is_signed ? static_cast<std::int64_t>(word << (64 - bits)) >> (64 - bits)
                                             : static_cast<std::int64_t>(word));
    const auto field = static_cast<int>(word >> mantissa & ((std::uint64_t{1} << exponent) - 1));
    const std::uint64_t one = std::uint64_t{1} << mantissa, fraction = (word & (one - 1)) + (field ? one : 0);
    const double value = std::ldexp(
        static_cast<double>(fraction), std::max(field, 1) - (1 << (exponent - 1)) + 1 - static_cast<int>(mantissa));
    return word >> (bits - 1) & 1 ? -value : value;
}

namespace {
using enum MatrixForm::Operands;

struct Row {
    std::string_view name;
    MatrixForm form;
    Feature needs;
    std::string_view sass, gcn = "", gen = "";
};
constexpr std::string_view kHmma = "HMMA(\\..*)?", kImma = "IMMA(\\..*)?", kBmma = "BMMA(\\..*)?",
                           kImmaOrCall = "(IMMA|CALL)(\\..*)?", kBmmaOrCall = "(BMMA|CALL)(\\..*)?",
                           kDmma = "DMMA(\\..*)?", kFloat8 = "(QMMA|HMMA)(\\..*)?", kCooperative = "[HIQ]MMA(\\..*)?",
                           kWmma = "v_(wmma|swmmac)_.*", kMfma = "v_mfma_.*", kDpas = "dpas.*";
constexpr std::uint32_t kHalfBits = 11; // of sums in f16
constexpr std::uint32_t kFloat8Bits =
    14; // wgmma of 8-bit floats drops what lies more than 13 places below the largest summand (seen on an H200)

constexpr Row kRows[] = {
    {"mma.f16.f32.m16n8k16", {fragments, 16, 8, 16, &kF16, &kF32}, Feature::mma, kHmma},
    {"mma.f16.f16.m16n8k16", {fragments, 16, 8, 16, &kF16, &kF16, kHalfBits}, Feature::mma, kHmma},
    {"mma.bf16.f32.m16n8k16", {fragments, 16, 8, 16, &kBf16, &kF32}, Feature::mma, kHmma},
    {"mma.tf32.f32.m16n8k8", {fragments, 16, 8, 8, &kTf32, &kF32}, Feature::mma, kHmma},
    {"mma.e4m3.f32.m16n8k32", {fragments, 16, 8, 32, &kE4m3, &kF32, 24, 0, "HMMA"}, Feature::mma_float8, kFloat8},
    {"mma.e5m2.f32.m16n8k32", {fragments, 16, 8, 32, &kE5m2, &kF32, 24, 0, "HMMA"}, Feature::mma_float8, kFloat8},
    {"mma.s8.s32.m16n8k32", {fragments, 16, 8, 32, &kS8, &kS32}, Feature::mma, kImma},
    {"mma.u8.s32.m16n8k32", {fragments, 16, 8, 32, &kU8, &kS32}, Feature::mma, kImma},
    {"mma.b1.s32.m16n8k256", {fragments, 16, 8, 256, &kB1, &kS32}, Feature::mma, kBmma},
    {"mma.f64.f64.m8n8k4", {fragments, 8, 8, 4, &kF64, &kF64}, Feature::mma, kDmma},
    {"mma.f64.f64.m16n8k4", {fragments, 16, 8, 4, &kF64, &kF64}, Feature::mma_wide_float64, kDmma},
    {"mma.f64.f64.m16n8k8", {fragments, 16, 8, 8, &kF64, &kF64}, Feature::mma_wide_float64, kDmma},
    {"mma.f64.f64.m16n8k16", {fragments, 16, 8, 16, &kF64, &kF64}, Feature::mma_wide_float64, kDmma},
    {"mma.f16.f32.m16n8k8", {fragments, 16, 8, 8, &kF16, &kF32}, Feature::mma, kHmma},
    {"mma.tf32.f32.m16n8k4", {fragments, 16, 8, 4, &kTf32, &kF32}, Feature::mma, kHmma},
    {"mma.s8.s32.m16n8k16", {fragments, 16, 8, 16, &kS8, &kS32}, Feature::mma, kImma},
    {"mma.f16.f16.m16n8k8", {fragments, 16, 8, 8, &kF16, &kF16, kHalfBits}, Feature::mma, kHmma},
    {"mma.bf16.f32.m16n8k8", {fragments, 16, 8, 8, &kBf16, &kF32}, Feature::mma, kHmma},
    {"mma.s8.s32.m8n8k16", {fragments, 8, 8, 16, &kS8, &kS32}, Feature::mma, kImma},
    {"mma.u8.s32.m16n8k16", {fragments, 16, 8, 16, &kU8, &kS32}, Feature::mma, kImma},
    {"mma.b1.s32.m8n8k128", {fragments, 8, 8, 128, &kB1, &kS32}, Feature::mma, kBmma},
    {"mma.b1.s32.m16n8k128", {fragments, 16, 8, 128, &kB1, &kS32}, Feature::mma, kBmma},
    {"mma.u8.s32.m8n8k16", {fragments, 8, 8, 16, &kU8, &kS32}, Feature::mma, kImma},
    {"mma.s4.s32.m8n8k32", {fragments, 8, 8, 32, &kS4, &kS32, 24, 0, "CALL"}, Feature::mma, kImmaOrCall},
    {"mma.s4.s32.m16n8k32", {fragments, 16, 8, 32, &kS4, &kS32, 24, 0, "CALL"}, Feature::mma, kImmaOrCall},
    {"mma.s4.s32.m16n8k64", {fragments, 16, 8, 64, &kS4, &kS32, 24, 0, "CALL"}, Feature::mma, kImmaOrCall},
    {"mma.u4.s32.m8n8k32", {fragments, 8, 8, 32, &kU4, &kS32, 24, 0, "CALL"}, Feature::mma, kImmaOrCall},
    {"mma.u4.s32.m16n8k32", {fragments, 16, 8, 32, &kU4, &kS32, 24, 0, "CALL"}, Feature::mma, kImmaOrCall},
    {"mma.u4.s32.m16n8k64", {fragments, 16, 8, 64, &kU4, &kS32, 24, 0, "CALL"}, Feature::mma, kImmaOrCall},
    {"mma-xor.b1.s32.m8n8k128", {fragments, 8, 8, 128, &kB1, &kS32, 24, 0, "CALL", true}, Feature::mma, kBmmaOrCall},
    {"mma-xor.b1.s32.m16n8k128", {fragments, 16, 8, 128, &kB1, &kS32, 24, 0, "CALL", true}, Feature::mma, kBmmaOrCall},
    {"mma-xor.b1.s32.m16n8k256", {fragments, 16, 8, 256, &kB1, &kS32, 24, 0, "CALL", true}, Feature::mma, kBmmaOrCall},
    {"mma.e4m3.f16.m16n8k16", {fragments, 16, 8, 16, &kE4m3, &kF16, kHalfBits, 0, "HMMA"}, Feature::mma_float8,
        kFloat8},
    {"mma.e4m3.f16.m16n8k32", {fragments, 16, 8, 32, &kE4m3, &kF16, kHalfBits, 0, "HMMA"}, Feature::mma_float8,
        kFloat8},
    {"mma.e5m2.f16.m16n8k16", {fragments, 16, 8, 16, &kE5m2, &kF16, kHalfBits, 0, "HMMA"}, Feature::mma_float8,
        kFloat8},
    {"mma.e5m2.f16.m16n8k32", {fragments, 16, 8, 32, &kE5m2, &kF16, kHalfBits, 0, "HMMA"}, Feature::mma_float8,
        kFloat8},
    {"mma.e4m3.f32.m16n8k16", {fragments, 16, 8, 16, &kE4m3, &kF32, 24, 0, "HMMA"}, Feature::mma_float8, kFloat8},
    {"mma.e5m2.f32.m16n8k16", {fragments, 16, 8, 16, &kE5m2, &kF32, 24, 0, "HMMA"}, Feature::mma_float8, kFloat8},
    {"mma-sp.f16.f32.m16n8k32", {fragments, 16, 8, 32, &kF16, &kF32, 24, 4}, Feature::mma_sparse, kHmma},
    {"mma-sp.bf16.f32.m16n8k32", {fragments, 16, 8, 32, &kBf16, &kF32, 24, 4}, Feature::mma_sparse, kHmma},
    {"mma-sp.tf32.f32.m16n8k16", {fragments, 16, 8, 16, &kTf32, &kF32, 24, 2}, Feature::mma_sparse, kHmma},
    {"mma-sp.s8.s32.m16n8k64", {fragments, 16, 8, 64, &kS8, &kS32, 24, 4}, Feature::mma_sparse, kImma},
    {"mma-sp.f16.f16.m16n8k32", {fragments, 16, 8, 32, &kF16, &kF16, kHalfBits, 4}, Feature::mma_sparse, kHmma},
    {"mma-sp.f16.f32.m16n8k16", {fragments, 16, 8, 16, &kF16, &kF32, 24, 4}, Feature::mma_sparse, kHmma},
    {"mma-sp.f16.f16.m16n8k16", {fragments, 16, 8, 16, &kF16, &kF16, kHalfBits, 4}, Feature::mma_sparse, kHmma},
    {"mma-sp.bf16.f32.m16n8k16", {fragments, 16, 8, 16, &kBf16, &kF32, 24, 4}, Feature::mma_sparse, kHmma},
    {"mma-sp.tf32.f32.m16n8k8", {fragments, 16, 8, 8, &kTf32, &kF32, 24, 2}, Feature::mma_sparse, kHmma},
    {"mma-sp.u8.s32.m16n8k64", {fragments, 16, 8, 64, &kU8, &kS32, 24, 4}, Feature::mma_sparse, kImma},
    {"mma-sp.s8.s32.m16n8k32", {fragments, 16, 8, 32, &kS8, &kS32, 24, 4}, Feature::mma_sparse, kImma},
    {"mma-sp.u8.s32.m16n8k32", {fragments, 16, 8, 32, &kU8, &kS32, 24, 4}, Feature::mma_sparse, kImma},
    {"mma-sp.s4.s32.m16n8k64", {fragments, 16, 8, 64, &kS4, &kS32, 24, 8, "CALL"}, Feature::mma_sparse, kImmaOrCall},
    {"mma-sp.s4.s32.m16n8k128", {fragments, 16, 8, 128, &kS4, &kS32, 24, 8, "CALL"}, Feature::mma_sparse, kImmaOrCall},
    {"mma-sp.u4.s32.m16n8k64", {fragments, 16, 8, 64, &kU4, &kS32, 24, 8, "CALL"}, Feature::mma_sparse, kImmaOrCall},
    {"mma-sp.u4.s32.m16n8k128", {fragments, 16, 8, 128, &kU4, &kS32, 24, 8, "CALL"}, Feature::mma_sparse, kImmaOrCall},
    {"mma-sp.e4m3.f32.m16n8k64", {fragments, 16, 8, 64, &kE4m3, &kF32, 24, 4, "HMMA"}, Feature::mma_float8, kFloat8},
    {"mma-sp.e5m2.f32.m16n8k64", {fragments, 16, 8, 64, &kE5m2, &kF32, 24, 4, "HMMA"}, Feature::mma_float8, kFloat8},
    {"wgmma.f16.f32.m64n256k16", {tiles, 64, 256, 16, &kF16, &kF32}, Feature::wgmma, "HGMMA(\\..*)?"},
    {"wgmma.bf16.f32.m64n256k16", {tiles, 64, 256, 16, &kBf16, &kF32}, Feature::wgmma, "HGMMA(\\..*)?"},
    {"wgmma.tf32.f32.m64n256k8", {tiles, 64, 256, 8, &kTf32, &kF32}, Feature::wgmma, "HGMMA(\\..*)?"},
    {"wgmma.e4m3.f32.m64n256k32", {tiles, 64, 256, 32, &kE4m3, &kF32, kFloat8Bits}, Feature::wgmma, "QGMMA(\\..*)?"},
    {"wgmma.e5m2.f32.m64n256k32", {tiles, 64, 256, 32, &kE5m2, &kF32, kFloat8Bits}, Feature::wgmma, "QGMMA(\\..*)?"},
    {"wgmma.s8.s32.m64n256k32", {tiles, 64, 256, 32, &kS8, &kS32}, Feature::wgmma, "IGMMA(\\..*)?"},
    {"wgmma-sp.f16.f32.m64n256k32", {tiles, 64, 256, 32, &kF16, &kF32, 24, 4}, Feature::wgmma, "HGMMA(\\..*)?"},
    {"wgmma-sp.bf16.f32.m64n256k32", {tiles, 64, 256, 32, &kBf16, &kF32, 24, 4}, Feature::wgmma, "HGMMA(\\..*)?"},
    {"wgmma-sp.tf32.f32.m64n256k16", {tiles, 64, 256, 16, &kTf32, &kF32, 24, 2}, Feature::wgmma, "HGMMA(\\..*)?"},
    {"wgmma-sp.e4m3.f32.m64n256k64", {tiles, 64, 256, 64, &kE4m3, &kF32, kFloat8Bits, 4}, Feature::wgmma,
        "QGMMA(\\..*)?"},
    {"wgmma-sp.e5m2.f32.m64n256k64", {tiles, 64, 256, 64, &kE5m2, &kF32, kFloat8Bits, 4}, Feature::wgmma,
        "QGMMA(\\..*)?"},
    {"wgmma-sp.s8.s32.m64n256k64", {tiles, 64, 256, 64, &kS8, &kS32, 24, 4}, Feature::wgmma, "IGMMA(\\..*)?"},
    {"mfma.f16.f32.m16n16k16", {rows, 16, 16, 16, &kF16, &kF32}, Feature::mfma, "", kMfma},
    {"mfma.bf16.f32.m16n16k16", {rows, 16, 16, 16, &kBf16, &kF32}, Feature::mfma_bfloat16, "", kMfma},
    {"mfma.f32.f32.m16n16k4", {rows, 16, 16, 4, &kF32, &kF32}, Feature::mfma, "", kMfma},
    {"wmma.f16.f32.m16n16k16", {rows, 16, 16, 16, &kF16, &kF32}, Feature::wmma, "", kWmma},
    {"wmma.bf16.f32.m16n16k16", {rows, 16, 16, 16, &kBf16, &kF32}, Feature::wmma, "", kWmma},
    {"wmma.s8.s32.m16n16k16", {rows, 16, 16, 16, &kS8, &kS32}, Feature::wmma, "", kWmma},
    {"dpas.f16.f32.m8n8k16", {columns, 8, 8, 16, &kF16, &kF32}, Feature::dpas8, "", "", kDpas},
    {"dpas.bf16.f32.m8n8k16", {columns, 8, 8, 16, &kBf16, &kF32}, Feature::dpas8, "", "", kDpas},
    {"dpas.s8.s32.m8n8k32", {columns, 8, 8, 32, &kS8, &kS32}, Feature::dpas8, "", "", kDpas},
    {"dpas.f16.f32.m8n16k16", {columns, 8, 16, 16, &kF16, &kF32}, Feature::dpas16, "", "", kDpas},
    {"dpas.bf16.f32.m8n16k16", {columns, 8, 16, 16, &kBf16, &kF32}, Feature::dpas16, "", "", kDpas},
    {"dpas.s8.s32.m8n16k32", {columns, 8, 16, 32, &kS8, &kS32}, Feature::dpas16, "", "", kDpas},
    {"coopmat.f16.f32.m16n16k16", {rows, 16, 16, 16, &kF16, &kF32}, Feature::cooperative_matrix, kCooperative, kWmma},
    {"coopmat.f16.f16.m16n16k16", {rows, 16, 16, 16, &kF16, &kF16, kHalfBits}, Feature::cooperative_matrix,
        kCooperative, kWmma},
    {"coopmat.bf16.f32.m16n16k16", {rows, 16, 16, 16, &kBf16, &kF32}, Feature::cooperative_matrix, kCooperative, kWmma},
    {"coopmat.s8.s32.m16n16k32", {rows, 16, 16, 32, &kS8, &kS32}, Feature::cooperative_matrix, kCooperative, kWmma},
    {"coopmat.u8.u32.m16n16k32", {rows, 16, 16, 32, &kU8, &kU32}, Feature::cooperative_matrix, kCooperative, kWmma},
    {"coopmat.s8.s32.m16n16k16", {rows, 16, 16, 16, &kS8, &kS32}, Feature::cooperative_matrix, kCooperative, kWmma},
    {"coopmat.u8.u32.m16n16k16", {rows, 16, 16, 16, &kU8, &kU32}, Feature::cooperative_matrix, kCooperative, kWmma},
    {"coopmat.e4m3.f32.m16n16k16", {rows, 16, 16, 16, &kE4m3, &kF32}, Feature::cooperative_matrix, kCooperative, kWmma},
    {"coopmat.e4m3.f32.m16n16k32", {rows, 16, 16, 32, &kE4m3, &kF32}, Feature::cooperative_matrix, kCooperative, kWmma},
    {"coopmat.e5m2.f32.m16n16k16", {rows, 16, 16, 16, &kE5m2, &kF32}, Feature::cooperative_matrix, kCooperative, kWmma},
    {"coopmat.e5m2.f32.m16n16k32", {rows, 16, 16, 32, &kE5m2, &kF32}, Feature::cooperative_matrix, kCooperative, kWmma},
    {"coopmat.f16.f32.m16n8k16", {rows, 16, 8, 16, &kF16, &kF32}, Feature::cooperative_matrix, kCooperative, kWmma},
    {"coopmat.f16.f16.m16n8k16", {rows, 16, 8, 16, &kF16, &kF16, kHalfBits}, Feature::cooperative_matrix, kCooperative,
        kWmma},
    {"coopmat.f16.f32.m16n8k8", {rows, 16, 8, 8, &kF16, &kF32}, Feature::cooperative_matrix, kCooperative, kWmma},
    {"coopmat.f16.f16.m16n8k8", {rows, 16, 8, 8, &kF16, &kF16, kHalfBits}, Feature::cooperative_matrix, kCooperative,
        kWmma},
    {"coopmat.s8.s32.m16n8k32", {rows, 16, 8, 32, &kS8, &kS32}, Feature::cooperative_matrix, kCooperative, kWmma},
    {"coopmat.u8.u32.m16n8k32", {rows, 16, 8, 32, &kU8, &kU32}, Feature::cooperative_matrix, kCooperative, kWmma},
    {"coopmat.f16.f32.m8n16k16", {rows, 8, 16, 16, &kF16, &kF32}, Feature::cooperative_matrix, kCooperative, kWmma},
    {"coopmat.bf16.f32.m8n16k16", {rows, 8, 16, 16, &kBf16, &kF32}, Feature::cooperative_matrix, kCooperative, kWmma},
    {"coopmat.s8.s32.m8n16k32", {rows, 8, 16, 32, &kS8, &kS32}, Feature::cooperative_matrix, kCooperative, kWmma},
    {"coopmat.f16.f32.m8n8k16", {rows, 8, 8, 16, &kF16, &kF32}, Feature::cooperative_matrix, kCooperative, kWmma},
    {"coopmat.s8.s32.m8n8k32", {rows, 8, 8, 32, &kS8, &kS32}, Feature::cooperative_matrix, kCooperative, kWmma},
    {"coopmat.f16.f32.m8n8k8", {rows, 8, 8, 8, &kF16, &kF32}, Feature::cooperative_matrix, kCooperative, kWmma},
    {"coopmat.f32.f32.m8n8k8", {rows, 8, 8, 8, &kF32, &kF32}, Feature::cooperative_matrix, kCooperative, kWmma},
};

constexpr double kInStep = 2; // with B, and with the second one
} // namespace

std::span<const Operation> all_matrix_forms() {
    static const std::vector<Operation> operations = [] {
        std::vector<Operation> made;
        for (const Row& row : kRows)
            made.push_back({.name = row.name,
                .step = "D = A x B + D, D = A x C + D",
                .number = Number::u32,
                .work = kInStep * 2 * row.form.m * row.form.n * row.form.k,
                .in_step = static_cast<std::uint32_t>(kInStep),
                .needs = {row.needs},
                .sass = row.sass,
                .gcn = row.gcn,
                .gen = row.gen,
                .model = nullptr,
                .lanes = Operation::Lanes::subgroup,
                .matrix = &row.form});
        return made;
    }();
    return operations;
}

} // namespace sonde
