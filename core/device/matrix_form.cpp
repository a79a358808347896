// The table of matrix forms.
#include "core/device/matrix_form.h"

#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

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
    std::string_view instruction;
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
    {"mma", {fragments, 16, 8, 16, &kF16, &kF32}, Feature::mma, kHmma},
    {"mma", {fragments, 16, 8, 16, &kF16, &kF16, kHalfBits}, Feature::mma, kHmma},
    {"mma", {fragments, 16, 8, 16, &kBf16, &kF32}, Feature::mma, kHmma},
    {"mma", {fragments, 16, 8, 8, &kTf32, &kF32}, Feature::mma, kHmma},
    {"mma", {fragments, 16, 8, 32, &kE4m3, &kF32, 24, 0, "HMMA"}, Feature::mma_float8, kFloat8},
    {"mma", {fragments, 16, 8, 32, &kE5m2, &kF32, 24, 0, "HMMA"}, Feature::mma_float8, kFloat8},
    {"mma", {fragments, 16, 8, 32, &kS8, &kS32}, Feature::mma, kImma},
    {"mma", {fragments, 16, 8, 32, &kU8, &kS32}, Feature::mma, kImma},
    {"mma", {fragments, 16, 8, 256, &kB1, &kS32}, Feature::mma, kBmma},
    {"mma", {fragments, 8, 8, 4, &kF64, &kF64}, Feature::mma, kDmma},
    {"mma", {fragments, 16, 8, 4, &kF64, &kF64}, Feature::mma_wide_float64, kDmma},
    {"mma", {fragments, 16, 8, 8, &kF64, &kF64}, Feature::mma_wide_float64, kDmma},
    {"mma", {fragments, 16, 8, 16, &kF64, &kF64}, Feature::mma_wide_float64, kDmma},
    {"mma", {fragments, 16, 8, 8, &kF16, &kF32}, Feature::mma, kHmma},
    {"mma", {fragments, 16, 8, 4, &kTf32, &kF32}, Feature::mma, kHmma},
    {"mma", {fragments, 16, 8, 16, &kS8, &kS32}, Feature::mma, kImma},
    {"mma", {fragments, 16, 8, 8, &kF16, &kF16, kHalfBits}, Feature::mma, kHmma},
    {"mma", {fragments, 16, 8, 8, &kBf16, &kF32}, Feature::mma, kHmma},
    {"mma", {fragments, 8, 8, 16, &kS8, &kS32}, Feature::mma, kImma},
    {"mma", {fragments, 16, 8, 16, &kU8, &kS32}, Feature::mma, kImma},
    {"mma", {fragments, 8, 8, 128, &kB1, &kS32}, Feature::mma, kBmma},
    {"mma", {fragments, 16, 8, 128, &kB1, &kS32}, Feature::mma, kBmma},
    {"mma", {fragments, 8, 8, 16, &kU8, &kS32}, Feature::mma, kImma},
    {"mma", {fragments, 8, 8, 32, &kS4, &kS32, 24, 0, "CALL"}, Feature::mma, kImmaOrCall},
    {"mma", {fragments, 16, 8, 32, &kS4, &kS32, 24, 0, "CALL"}, Feature::mma, kImmaOrCall},
    {"mma", {fragments, 16, 8, 64, &kS4, &kS32, 24, 0, "CALL"}, Feature::mma, kImmaOrCall},
    {"mma", {fragments, 8, 8, 32, &kU4, &kS32, 24, 0, "CALL"}, Feature::mma, kImmaOrCall},
    {"mma", {fragments, 16, 8, 32, &kU4, &kS32, 24, 0, "CALL"}, Feature::mma, kImmaOrCall},
    {"mma", {fragments, 16, 8, 64, &kU4, &kS32, 24, 0, "CALL"}, Feature::mma, kImmaOrCall},
    {"mma-xor", {fragments, 8, 8, 128, &kB1, &kS32, 24, 0, "CALL", true}, Feature::mma, kBmmaOrCall},
    {"mma-xor", {fragments, 16, 8, 128, &kB1, &kS32, 24, 0, "CALL", true}, Feature::mma, kBmmaOrCall},
    {"mma-xor", {fragments, 16, 8, 256, &kB1, &kS32, 24, 0, "CALL", true}, Feature::mma, kBmmaOrCall},
    {"mma", {fragments, 16, 8, 16, &kE4m3, &kF16, kHalfBits, 0, "HMMA"}, Feature::mma_float8, kFloat8},
    {"mma", {fragments, 16, 8, 32, &kE4m3, &kF16, kHalfBits, 0, "HMMA"}, Feature::mma_float8, kFloat8},
    {"mma", {fragments, 16, 8, 16, &kE5m2, &kF16, kHalfBits, 0, "HMMA"}, Feature::mma_float8, kFloat8},
    {"mma", {fragments, 16, 8, 32, &kE5m2, &kF16, kHalfBits, 0, "HMMA"}, Feature::mma_float8, kFloat8},
    {"mma", {fragments, 16, 8, 16, &kE4m3, &kF32, 24, 0, "HMMA"}, Feature::mma_float8, kFloat8},
    {"mma", {fragments, 16, 8, 16, &kE5m2, &kF32, 24, 0, "HMMA"}, Feature::mma_float8, kFloat8},
    {"mma-sp", {fragments, 16, 8, 32, &kF16, &kF32, 24, 4}, Feature::mma_sparse, kHmma},
    {"mma-sp", {fragments, 16, 8, 32, &kBf16, &kF32, 24, 4}, Feature::mma_sparse, kHmma},
    {"mma-sp", {fragments, 16, 8, 16, &kTf32, &kF32, 24, 2}, Feature::mma_sparse, kHmma},
    {"mma-sp", {fragments, 16, 8, 64, &kS8, &kS32, 24, 4}, Feature::mma_sparse, kImma},
    {"mma-sp", {fragments, 16, 8, 32, &kF16, &kF16, kHalfBits, 4}, Feature::mma_sparse, kHmma},
    {"mma-sp", {fragments, 16, 8, 16, &kF16, &kF32, 24, 4}, Feature::mma_sparse, kHmma},
    {"mma-sp", {fragments, 16, 8, 16, &kF16, &kF16, kHalfBits, 4}, Feature::mma_sparse, kHmma},
    {"mma-sp", {fragments, 16, 8, 16, &kBf16, &kF32, 24, 4}, Feature::mma_sparse, kHmma},
    {"mma-sp", {fragments, 16, 8, 8, &kTf32, &kF32, 24, 2}, Feature::mma_sparse, kHmma},
    {"mma-sp", {fragments, 16, 8, 64, &kU8, &kS32, 24, 4}, Feature::mma_sparse, kImma},
    {"mma-sp", {fragments, 16, 8, 32, &kS8, &kS32, 24, 4}, Feature::mma_sparse, kImma},
    {"mma-sp", {fragments, 16, 8, 32, &kU8, &kS32, 24, 4}, Feature::mma_sparse, kImma},
    {"mma-sp", {fragments, 16, 8, 64, &kS4, &kS32, 24, 8, "CALL"}, Feature::mma_sparse, kImmaOrCall},
    {"mma-sp", {fragments, 16, 8, 128, &kS4, &kS32, 24, 8, "CALL"}, Feature::mma_sparse, kImmaOrCall},
    {"mma-sp", {fragments, 16, 8, 64, &kU4, &kS32, 24, 8, "CALL"}, Feature::mma_sparse, kImmaOrCall},
    {"mma-sp", {fragments, 16, 8, 128, &kU4, &kS32, 24, 8, "CALL"}, Feature::mma_sparse, kImmaOrCall},
    {"mma-sp", {fragments, 16, 8, 64, &kE4m3, &kF32, 24, 4, "HMMA"}, Feature::mma_float8, kFloat8},
    {"mma-sp", {fragments, 16, 8, 64, &kE5m2, &kF32, 24, 4, "HMMA"}, Feature::mma_float8, kFloat8},
    {"wgmma", {tiles, 64, 256, 16, &kF16, &kF32}, Feature::wgmma, "HGMMA(\\..*)?"},
    {"wgmma", {tiles, 64, 256, 16, &kBf16, &kF32}, Feature::wgmma, "HGMMA(\\..*)?"},
    {"wgmma", {tiles, 64, 256, 8, &kTf32, &kF32}, Feature::wgmma, "HGMMA(\\..*)?"},
    {"wgmma", {tiles, 64, 256, 32, &kE4m3, &kF32, kFloat8Bits}, Feature::wgmma, "QGMMA(\\..*)?"},
    {"wgmma", {tiles, 64, 256, 32, &kE5m2, &kF32, kFloat8Bits}, Feature::wgmma, "QGMMA(\\..*)?"},
    {"wgmma", {tiles, 64, 256, 32, &kS8, &kS32}, Feature::wgmma, "IGMMA(\\..*)?"},
    {"wgmma-sp", {tiles, 64, 256, 32, &kF16, &kF32, 24, 4}, Feature::wgmma, "HGMMA(\\..*)?"},
    {"wgmma-sp", {tiles, 64, 256, 32, &kBf16, &kF32, 24, 4}, Feature::wgmma, "HGMMA(\\..*)?"},
    {"wgmma-sp", {tiles, 64, 256, 16, &kTf32, &kF32, 24, 2}, Feature::wgmma, "HGMMA(\\..*)?"},
    {"wgmma-sp", {tiles, 64, 256, 64, &kE4m3, &kF32, kFloat8Bits, 4}, Feature::wgmma, "QGMMA(\\..*)?"},
    {"wgmma-sp", {tiles, 64, 256, 64, &kE5m2, &kF32, kFloat8Bits, 4}, Feature::wgmma, "QGMMA(\\..*)?"},
    {"wgmma-sp", {tiles, 64, 256, 64, &kS8, &kS32, 24, 4}, Feature::wgmma, "IGMMA(\\..*)?"},
    {"mfma", {rows, 16, 16, 16, &kF16, &kF32}, Feature::mfma, "", kMfma},
    {"mfma", {rows, 16, 16, 16, &kBf16, &kF32}, Feature::mfma_bfloat16, "", kMfma},
    {"mfma", {rows, 16, 16, 4, &kF32, &kF32}, Feature::mfma, "", kMfma},
    {"wmma", {rows, 16, 16, 16, &kF16, &kF32}, Feature::wmma, "", kWmma},
    {"wmma", {rows, 16, 16, 16, &kBf16, &kF32}, Feature::wmma, "", kWmma},
    {"wmma", {rows, 16, 16, 16, &kS8, &kS32}, Feature::wmma, "", kWmma},
    {"dpas", {columns, 8, 8, 16, &kF16, &kF32}, Feature::dpas8, "", "", kDpas},
    {"dpas", {columns, 8, 8, 16, &kBf16, &kF32}, Feature::dpas8, "", "", kDpas},
    {"dpas", {columns, 8, 8, 32, &kS8, &kS32}, Feature::dpas8, "", "", kDpas},
    {"dpas", {columns, 8, 16, 16, &kF16, &kF32}, Feature::dpas16, "", "", kDpas},
    {"dpas", {columns, 8, 16, 16, &kBf16, &kF32}, Feature::dpas16, "", "", kDpas},
    {"dpas", {columns, 8, 16, 32, &kS8, &kS32}, Feature::dpas16, "", "", kDpas},
    {"coopmat", {rows, 16, 16, 16, &kF16, &kF32}, Feature::cooperative_matrix, kCooperative, kWmma},
    {"coopmat", {rows, 16, 16, 16, &kF16, &kF16, kHalfBits}, Feature::cooperative_matrix, kCooperative, kWmma},
    {"coopmat", {rows, 16, 16, 16, &kBf16, &kF32}, Feature::cooperative_matrix, kCooperative, kWmma},
    {"coopmat", {rows, 16, 16, 32, &kS8, &kS32}, Feature::cooperative_matrix, kCooperative, kWmma},
    {"coopmat", {rows, 16, 16, 32, &kU8, &kU32}, Feature::cooperative_matrix, kCooperative, kWmma},
    {"coopmat", {rows, 16, 16, 16, &kS8, &kS32}, Feature::cooperative_matrix, kCooperative, kWmma},
    {"coopmat", {rows, 16, 16, 16, &kU8, &kU32}, Feature::cooperative_matrix, kCooperative, kWmma},
    {"coopmat", {rows, 16, 16, 16, &kE4m3, &kF32}, Feature::cooperative_matrix, kCooperative, kWmma},
    {"coopmat", {rows, 16, 16, 32, &kE4m3, &kF32}, Feature::cooperative_matrix, kCooperative, kWmma},
    {"coopmat", {rows, 16, 16, 16, &kE5m2, &kF32}, Feature::cooperative_matrix, kCooperative, kWmma},
    {"coopmat", {rows, 16, 16, 32, &kE5m2, &kF32}, Feature::cooperative_matrix, kCooperative, kWmma},
    {"coopmat", {rows, 16, 8, 16, &kF16, &kF32}, Feature::cooperative_matrix, kCooperative, kWmma},
    {"coopmat", {rows, 16, 8, 16, &kF16, &kF16, kHalfBits}, Feature::cooperative_matrix, kCooperative, kWmma},
    {"coopmat", {rows, 16, 8, 8, &kF16, &kF32}, Feature::cooperative_matrix, kCooperative, kWmma},
    {"coopmat", {rows, 16, 8, 8, &kF16, &kF16, kHalfBits}, Feature::cooperative_matrix, kCooperative, kWmma},
    {"coopmat", {rows, 16, 8, 32, &kS8, &kS32}, Feature::cooperative_matrix, kCooperative, kWmma},
    {"coopmat", {rows, 16, 8, 32, &kU8, &kU32}, Feature::cooperative_matrix, kCooperative, kWmma},
    {"coopmat", {rows, 8, 16, 16, &kF16, &kF32}, Feature::cooperative_matrix, kCooperative, kWmma},
    {"coopmat", {rows, 8, 16, 16, &kBf16, &kF32}, Feature::cooperative_matrix, kCooperative, kWmma},
    {"coopmat", {rows, 8, 16, 32, &kS8, &kS32}, Feature::cooperative_matrix, kCooperative, kWmma},
    {"coopmat", {rows, 8, 8, 16, &kF16, &kF32}, Feature::cooperative_matrix, kCooperative, kWmma},
    {"coopmat", {rows, 8, 8, 32, &kS8, &kS32}, Feature::cooperative_matrix, kCooperative, kWmma},
    {"coopmat", {rows, 8, 8, 8, &kF16, &kF32}, Feature::cooperative_matrix, kCooperative, kWmma},
    {"coopmat", {rows, 8, 8, 8, &kF32, &kF32}, Feature::cooperative_matrix, kCooperative, kWmma},
};

constexpr double kInStep = 2; // with B, and with the second one
} // namespace

/// "mma.f16.f32.m16n8k16", of each row.
static std::vector<std::string> form_names() {
    std::vector<std::string> names;
    for (const auto& [instruction, form, needs, sass, gcn, gen] : kRows)
        names.push_back(
            fmt::format("{}.{}.{}.m{}n{}k{}", instruction, form.in->name, form.sum->name, form.m, form.n, form.k));
    return names;
}

std::span<const Operation> all_matrix_forms() {
    static const std::vector<std::string> names = form_names();
    static const std::vector<Operation> operations = [] {
        std::vector<Operation> made;
        for (const Row& row : kRows)
            made.push_back({.name = names[made.size()],
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
                .matrix = &row.form,
                .instruction = row.instruction});
        return made;
    }();
    return operations;
}

} // namespace sonde
