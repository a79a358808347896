// Matrix forms: operations of a matrix unit, D = A x B + D. A form is a row of a table of operations: shape, number
// formats, and how a kernel hands over operands.
#pragma once
#include <cstdint>
#include <string_view>

#include "core/device/operation.h"

namespace sonde {

/// A number's bits. Without an exponent an integer.
struct NumberFormat {
    std::string_view name;
    std::uint32_t bits, exponent, mantissa;
    bool is_signed = true;
    bool is_float() const { return exponent != 0; }
    /// Of a value that the format holds exactly; of a larger integer its low bits.
    std::uint64_t bits_of(std::int64_t value) const;
    /// The value of such bits.
    double value_of(std::uint64_t bits) const;
};

inline constexpr NumberFormat kF16{"f16", 16, 5, 10}, kBf16{"bf16", 16, 8, 7}, kTf32{"tf32", 32, 8, 23},
    kE4m3{"e4m3", 8, 4, 3}, kE5m2{"e5m2", 8, 5, 2}, kF32{"f32", 32, 8, 23}, kF64{"f64", 64, 11, 52}, kS8{"s8", 8, 0, 0},
    kU8{"u8", 8, 0, 0, false}, kS4{"s4", 4, 0, 0}, kU4{"u4", 4, 0, 0, false}, kB1{"b1", 1, 0, 0, false},
    kS32{"s32", 32, 0, 0}, kU32{"u32", 32, 0, 0, false};

/// m x n sums of k products each.
struct MatrixForm {
    /// Who holds the operands. fragments: a subgroup of 32 lanes in registers, as mma.sync has them. tiles: four such
    /// subgroups in the scratchpad, by descriptors, as wgmma has them. rows: a subgroup, in whatever way the language's
    /// own load of rows leaves them. columns: the same, where the subgroup has to have n lanes.
    enum class Operands { fragments, tiles, rows, columns } operands;
    std::uint32_t m, n, k;
    const NumberFormat *in, *sum;
    std::uint32_t exact_bits = 24; // sums of integers are exact below 2 to the power of that
    std::uint32_t sparse = 0; // numbers in a row of A of which half are zeros that nobody stores: 4, 2, or 8 of which
                              // pairs are stored; 0: all are stored
    std::string_view emulated_by = ""; // what the mnemonic begins with of the instruction that stands in where a chip
                                       // lacks the form's own; CALL: a function
    bool exclusive_or = false;         // stands for the product of two bits

    /// Lanes that do one together.
    std::uint32_t lanes(std::uint32_t subgroup) const {
        return operands == Operands::tiles ? 128 : operands == Operands::fragments ? 32 : subgroup;
    }
    /// In memory rows of A, B and D follow each other.
    bool lies_in_rows() const { return operands == Operands::rows || operands == Operands::columns; }
    /// Numbers of a row of A that are stored.
    std::uint32_t stored_k() const { return sparse ? k / 2 : k; }
    /// 32-bit words of the sums.
    std::uint32_t sum_words() const { return m * n * sum->bits / 32; }
};

/// Operations that the vendor documents for a core and clock, a multiply-add counted as two, and of a sparse A the
/// zeros as well; nullopt: as above. Of NVIDIA's data-centre chips: whitepapers of Volta, Turing, A100 and H100, peak
/// rates over cores and boost clock.
std::optional<double> documented_rate(const MatrixForm&, std::span<const Fact>);

/// The matrix forms, as operations: `work` and `in_step` are of a whole form and not of a work-item. A step is two of
/// them, with a second matrix B of which the sums of floating-point numbers stay small.
std::span<const Operation> all_matrix_forms();

} // namespace sonde
