// Methods on a periodic lattice whose step makes new numbers of a cell from those of its neighbours: lattice Boltzmann,
// stencils.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "core/measure/workload.h"

namespace sonde {

/// A number that a step needs: of that array, of the cell so far away.
struct Neighbour {
    std::uint32_t array;
    int x, y, z;
};

/// A kernel with the arguments of kernels/lbm.h, as data.
struct LatticeMethod {
    std::string_view kernel;
    std::uint32_t arrays; // of numbers, read and written once by a step; neighbours' numbers are read from a cache
    bool has_flags;       // a byte of a cell
    double operations;    // additions, multiplications and divisions of a cell, as the kernel's text has them
    float least;          // numbers begin between this and twice as much, at random
    std::span<const Neighbour> neighbours;
    /// What the host makes of the neighbours' numbers, in their order.
    void (*update)(std::span<const double> neighbours, bool solid, std::span<double> next);

    /// Bytes of both lattices, with flags.
    std::uint64_t footprint(std::uint64_t cells) const;
    std::uint64_t lattice_bytes(std::uint64_t cells) const;
};
extern const LatticeMethod kLatticeBoltzmann, kSevenPoints;

/// Sides of a box of so many cells, a power of two, as its kernels are told.
struct Box {
    explicit Box(std::uint64_t cells);
    std::uint32_t row, plane, cells;
    std::uint64_t stride() const; // words from one array to the next
    /// The number of the cell that lies so far from `cell`.
    std::uint32_t at(std::uint32_t cell, const Neighbour&) const;
    /// One side is a wall.
    bool is_solid(std::uint32_t cell) const { return cell < plane; }
};

KernelChoice lattice_kernel(const DeviceInfo&, const LatticeMethod&);

/// Two lattices in turn.
class Lattice final : public Workload {
public:
    Lattice(Bench&, const LatticeMethod&, const KernelChoice&, std::uint64_t cells);
    Demand demand() const override;
    double units() const override { return box_.cells; }
    void append(std::vector<Launch>&, std::uint64_t step) const override;
    /// The sum over all numbers, and some cells of the last step.
    void check(std::uint64_t steps) override;

private:
    std::uint32_t mass_of(const Buffer&);
    void check_filled(std::uint32_t seed, const FillPattern& numbers);
    void check_cell(std::uint32_t cell, const Buffer& before, const Buffer& after);

    Bench& bench_;
    const LatticeMethod& method_;
    const Box box_;
    const Share share_;
    const kernel_args::Lbm args_;
    const std::shared_ptr<Kernel> kernel_, summer_;
    std::unique_ptr<Buffer> lattices_[2], flags_, sums_;
    std::uint32_t mass_ = 0; // at first, in steps of 2^-16
};

/// Sizes of it that the device takes, and their measurement.
void measure_lattice(Bench&, const LatticeMethod&);

} // namespace sonde
