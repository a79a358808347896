// Products of square matrices: by kernels/gemm.h in single precision, or by a vendor's library; and the check of all of
// C.
#pragma once
#include <cstdint>
#include <memory>

#include "core/device/matrix_form.h"
#include "core/measure/workload.h"

namespace sonde {

/// How kernels/gemm.h shares C out on a device.
struct GemmTiles {
    std::uint32_t side = 8; // numbers of C along a workgroup's tile

    std::uint32_t items() const { return (side / 8) * (side / 8); }
    std::uint32_t scratchpad_bytes() const;
    std::uint32_t groups(std::uint32_t rows) const { return (rows / side) * (rows / side); }
    /// Bytes that a step's tiles of A and B have.
    std::uint32_t step_bytes() const;
    /// Different bytes that a subgroup loads from the scratchpad for each addition and each multiplication of a lane.
    double scratchpad_bytes_of_operation(std::uint32_t subgroup) const;
};
GemmTiles gemm_tiles(const DeviceInfo&);
KernelChoice gemm_kernel(const GemmTiles&);

/// A product of square matrices whose workgroups make tiles of C, and what an addition or multiplication of it demands.
struct TiledProduct {
    double rows, tile_rows, tile_columns, number_bytes;
    std::uint32_t group_size, scratchpad_bytes;

    double groups() const { return rows / tile_rows * (rows / tile_columns); }
    /// `own`: bytes of the scratchpad that subgroups load for it.
    Demand demand(const Kernel&, const DeviceInfo&, double own) const;
};

/// Words of random numbers of a format, whose products and sums are exact in single precision in any order.
struct ExactNumbers {
    const NumberFormat& format;
    FillPattern pattern;
    std::uint32_t in_word() const { return 32 / format.bits; }
    /// Number `index` of what the `fill` kernel writes; 16 times it is whole.
    double at(std::uint64_t index, std::uint32_t seed) const;
    void fill(Bench&, Buffer&, std::uint64_t words, std::uint32_t seed) const;
};
/// Throws Error for a format that has none.
const ExactNumbers& exact_numbers(const NumberFormat&);

/// A product of square matrices with C in single precision, all of which is checked. A step makes C anew.
class SquareProduct : public Workload {
public:
    /// Multiplications and additions.
    double units() const override { return 2.0 * rows_ * rows_ * rows_; }
    /// All of C by its product with a random vector, modulo 2^28, and some cells by themselves.
    void check(std::uint64_t steps) final;

protected:
    /// Of the factors one tells C's rows apart, as they lie in memory, and the other one its columns.
    enum class Factor { rows, columns };
    SquareProduct(Bench&, std::uint32_t rows, const ExactNumbers&);
    /// Element of the factor in its memory.
    virtual std::uint64_t place(Factor, std::uint32_t line, std::uint32_t k) const = 0;
    /// By k: the factor's numbers, in sixteenths, times scrambled(line, seed), added up over all lines modulo 2^28.
    virtual std::vector<std::uint32_t> sums(Factor, std::uint32_t seed) = 0;
    float number(Factor factor, std::uint32_t line, std::uint32_t k) const {
        return static_cast<float>(numbers_.at(place(factor, line, k), seed_of(factor)));
    }
    std::uint32_t seed_of(Factor factor) const { return factor == Factor::rows ? seed_rows_ : seed_columns_; }
    /// Of each row of a matrix in single precision, with the vector of random words that kernels/row_products.h tells.
    std::vector<std::uint32_t> row_products(const Buffer& matrix, std::uint32_t seed);

    Bench& bench_;
    const std::uint32_t rows_;
    const ExactNumbers& numbers_;
    std::unique_ptr<Buffer> by_rows_, by_columns_, c_; // the factors and C

private:
    void check_cell(std::uint32_t row, std::uint32_t column);

    const std::uint32_t seed_rows_, seed_columns_;
    const std::shared_ptr<Kernel> rows_kernel_;
    std::unique_ptr<Buffer> products_;
};

/// A, by columns, times B, by rows.
class Gemm final : public SquareProduct {
public:
    Gemm(Bench&, const KernelChoice&, std::uint32_t rows);
    Demand demand() const override;
    void append(std::vector<Launch>&, std::uint64_t step) const override;

private:
    std::uint64_t place(Factor, std::uint32_t line, std::uint32_t k) const override {
        return std::uint64_t{k} * rows_ + line;
    }
    std::vector<std::uint32_t> sums(Factor, std::uint32_t seed) override;

    const GemmTiles tiles_;
    const kernel_args::Gemm args_;
    const std::shared_ptr<Kernel> kernel_;
};

/// Of A the rows lie one behind the other, of B the columns.
class ProductOfLines : public SquareProduct {
protected:
    using SquareProduct::SquareProduct;

private:
    std::uint64_t place(Factor, std::uint32_t line, std::uint32_t k) const override {
        return std::uint64_t{line} * rows_ + k;
    }
    std::vector<std::uint32_t> sums(Factor, std::uint32_t seed) override;
};

/// The same by the vendor's library: of C the columns lie one behind the other.
class LibraryGemm final : public ProductOfLines {
public:
    LibraryGemm(Bench&, const NumberFormat&, std::uint32_t rows);
    Demand demand() const override;
    void append(std::vector<Launch>&, std::uint64_t step) const override;

private:
    const LibraryKernel product_;
};

/// Of a product's rows; no library and no tile has fewer.
inline constexpr StepItems kRowsOfStep{.fewest = 128, .power = 3};
/// Rows of a ProductOfLines that the device takes, `fewest` at least.
std::vector<std::uint64_t> sizes_of_lines(Bench&, const NumberFormat&, std::uint64_t fewest);
/// Sizes that the device takes, and their measurement.
void measure_gemm(Bench&);
void measure_library_gemm(Bench&, const NumberFormat&);

} // namespace sonde
