// Products of square matrices in single precision: what kernels/gemm.h is launched with, and the check of all of C.
#pragma once
#include <cstdint>
#include <memory>

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

/// A, by columns, times B, by rows. A step makes C anew.
class Gemm final : public Workload {
public:
    Gemm(Bench&, const KernelChoice&, std::uint32_t rows);
    Demand demand() const override;
    /// Multiplications and additions.
    double units() const override { return 2.0 * rows_ * rows_ * rows_; }
    void append(std::vector<Launch>&, std::uint64_t step) const override;
    /// All of C by its product with a random vector, modulo 2^28, and some cells by themselves.
    void check(std::uint64_t steps) override;

private:
    std::vector<std::uint32_t> products(const Buffer& matrix, std::uint32_t seed);
    void check_cell(std::uint32_t row, std::uint32_t column);

    Bench& bench_;
    const std::uint32_t rows_;
    const GemmTiles tiles_;
    const kernel_args::Gemm args_;
    const std::uint32_t seed_a_, seed_b_;
    const std::shared_ptr<Kernel> kernel_, rows_kernel_;
    std::unique_ptr<Buffer> a_, b_, c_, products_;
};

/// Sizes that the device takes, and their measurement.
void measure_gemm(Bench&);

} // namespace sonde
