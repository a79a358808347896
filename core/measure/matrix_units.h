// Chains of matrix multiply-adds on a device: their operands, and the sums that they must arrive at.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/device/matrix_form.h"
#include "core/measure/bench.h"

namespace sonde {

/// Where nobody tells how many workgroups a core holds: registers that it has at least, and those of a lane besides
/// matrices and sums.
inline constexpr std::uint32_t kCoreRegisters = 1u << 16, kOtherRegisters = 32;

/// Operands of the chains of one team of lanes, and its sums, as words in the form's own order.
class MatrixChains {
public:
    MatrixChains(const MatrixForm&, std::uint32_t chains, DataKind);
    /// Of all chains, and behind them the zeros that sums begin as.
    std::vector<std::uint32_t> operands() const;
    /// After one product with B, and so many steps: B and C in turn.
    std::vector<std::uint32_t> sums_after(std::uint64_t steps) const;
    /// Throws Error where the words hold other sums.
    void check(std::span<const std::uint32_t> words, std::uint64_t steps) const;
    std::size_t words() const { return chains_.size() * form_.sum_words(); }

private:
    struct Chain {
        std::vector<std::int64_t> a, b, c; // rows of k
        std::vector<std::uint32_t> stands; // of a sparse A: which half of each group of numbers is stored, the first or
                                           // only one's place in the lower two bits
        std::vector<std::int64_t> first, step; // sums of A x B, and what a step adds
    };
    const MatrixForm& form_;
    std::vector<Chain> chains_;
};

/// Chains with which a core full of subgroups keeps its matrix units busy; its registers hold one sum of m64n256 for
/// each of its schedulers.
inline std::uint32_t sufficient_chains(const MatrixForm& form) {
    return form.operands == MatrixForm::Operands::tiles ? 1 : 4;
}

/// The kernel of `chains` independent chains, with `repeat` steps of each in a trip of its loop, in workgroups of so
/// many subgroups.
KernelChoice matrix_kernel(
    const DeviceInfo&, const Operation&, std::uint32_t chains, std::uint32_t repeat, std::uint32_t subgroups);

/// Bytes of scratchpad that a workgroup of it holds its operands in.
std::uint32_t matrix_scratchpad_bytes(const MatrixForm&);

/// Launches such a kernel and compares what it leaves.
class MatrixUnits {
public:
    /// `groups`: workgroups of a core. Throws DoesNotFit where a core's registers do not hold all of them at a time:
    /// later ones would wait, and their clocks not show it.
    MatrixUnits(Bench&, const KernelChoice&, DataKind, std::uint32_t groups);
    /// One dispatch of so many trips of the loop on all cores; the sample's unit of work is an operation. Throws Error
    /// where a sum is wrong.
    enum class Check { all, first_group }; // whose sums are read back and compared
    Sample timed(std::uint32_t rounds, Check check = Check::all);
    /// Trips of a dispatch whose sums stay exact and that the device's loops allow.
    std::uint32_t most_rounds() const;

private:
    void check_residency() const;
    std::uint32_t teams() const { return std::max(1u, choice_.group_size / form_.lanes(bench_.info.subgroup)); }
    std::size_t group_words() const { return 4 + teams() * chains_.words(); }

    Bench& bench_;
    const KernelChoice choice_;
    const MatrixForm& form_;
    const std::uint32_t groups_; // of a core
    const MatrixChains chains_;
    const std::shared_ptr<Kernel> kernel_;
    const std::vector<std::uint32_t> operand_words_;
    const std::unique_ptr<Buffer> operands_, result_;
};

} // namespace sonde
