// Products of square matrices by matrix units: kernels/gemm_matrix.h, for each matrix form of f16 with sums in f32 that
// a subgroup does.
#pragma once
#include <cstdint>
#include <memory>

#include "core/measure/gemm.h"

namespace sonde {

/// Whether kernels/gemm_matrix.h has the form.
bool is_form_of_products(const Operation&);

/// How the kernel shares C out: a subgroup makes 4 x `across` matrices of the form, a workgroup has 2 x
/// `subgroups_across` subgroups.
struct MatrixTiles {
    const MatrixForm& form;
    std::uint32_t lanes; // of a subgroup
    std::uint32_t across = 8, subgroups_across = 4;

    std::uint32_t rows() const;
    std::uint32_t columns() const { return subgroups_across * across * form.n; }
    std::uint32_t items() const;
    /// Sums that a lane holds.
    std::uint32_t sums() const;
    std::uint32_t scratchpad_bytes() const;
    std::uint32_t groups(std::uint32_t n) const { return n / rows() * (n / columns()); }
    /// Bytes that a subgroup loads from the scratchpad for an addition or multiplication.
    double scratchpad_bytes_of_operation() const;
};
/// As large as registers, scratchpad and workgroups allow.
MatrixTiles matrix_tiles(const DeviceInfo&, const MatrixForm&);
KernelChoice gemm_matrix_kernel(const DeviceInfo&, const Operation&);

/// A, by rows, times B, by columns.
class MatrixGemm final : public ProductOfLines {
public:
    MatrixGemm(Bench&, const Operation&, std::uint32_t rows);
    Demand demand() const override;
    void append(std::vector<Launch>&, std::uint64_t step) const override;

private:
    const Operation& operation_;
    const MatrixTiles tiles_;
    const kernel_args::GemmMatrix args_;
    const std::shared_ptr<Kernel> kernel_;
};

/// Sizes that the device takes, and their measurement.
void measure_matrix_gemm(Bench&, const Operation&);

} // namespace sonde
