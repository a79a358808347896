// Chains of an operation on a device, and what they must arrive at.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/measure/bench.h"

namespace sonde {

/// What a work-item's chains carry after each number of steps that was asked for, as the host computes it. A step costs
/// about 2 ns a chain and lane.
class ChainModel {
public:
    /// `lanes`: numbers of the lanes, all that `operation` needs of a subgroup; `model`: one of its models.
    ChainModel(
        const Operation& operation, Operation::Model model, std::vector<std::uint32_t> lanes, std::uint32_t chains);
    /// The word of each of these lanes (folded), after so many steps.
    std::vector<std::uint32_t> words_after(std::uint64_t steps);

private:
    const Operation& operation_;
    Operation::Model model_;
    std::uint32_t chains_;
    std::vector<std::uint32_t> lanes_;
    std::map<std::uint64_t, std::vector<ChainState>> known_; // by steps: chain by chain, all lanes of it
};

/// The chains of one operation, and the rounding that their results show.
class FollowedChains {
public:
    FollowedChains(const Operation&, std::uint32_t group_size, std::uint32_t subgroup, std::uint32_t chains);
    /// Compares the words of a workgroup's work-items after so many steps with the host's. Throws Error where they
    /// differ.
    void check(std::span<const std::uint32_t> words, std::uint64_t steps);
    /// One of the operation's `roundings` once a check told; "" where it rounds in one way only.
    const std::string& rounding() const { return rounding_; }
    /// Of `near` operations: how far any checked word was from the host's.
    double farthest_ulps() const { return farthest_ulps_; }
    const Operation& operation() const { return operation_; }

private:
    const Operation& operation_;
    std::vector<std::uint32_t> lanes_; // whose results the host computes
    ChainModel model_;
    std::optional<ChainModel> otherwise_;
    std::optional<double> allowed_; // of approximate operations: near_ulps
    std::string rounding_;
    double farthest_ulps_ = 0;
};

/// The kernel of `chains` independent chains, with `repeat` steps of each in a trip of its loop; a workgroup is one
/// subgroup, or eight where the operation is a workgroup's.
KernelChoice arithmetic_kernel(const DeviceInfo&, const Operation&, std::uint32_t chains, std::uint32_t repeat);
/// Eight chains in each work-item, `second_chains` (1 to 7) of them of another operation.
KernelChoice arithmetic_kernel(const DeviceInfo&, const Operation& first, const Operation& second,
    std::uint32_t second_chains, std::uint32_t repeat);
inline constexpr std::uint32_t kChainsOfTwo = 8;
/// One chain of two operations in turn, or of one: each step takes the result of the one before through an instruction
/// of logic that changes nothing, so that the host follows both apart.
KernelChoice alternating_kernel(
    const DeviceInfo&, const Operation& first, const Operation& second, std::uint32_t repeat);

/// Its arguments for so many trips of its loop.
kernel_args::Arithmetic arithmetic_args(const KernelChoice&, std::uint32_t rounds);
/// All words of the table that operations load from.
std::vector<std::uint32_t> table_words();

/// Launches such a kernel and compares what it leaves.
class Arithmetic {
public:
    /// Of a shared kernel no series knows when it first ran; a fresh one has not run.
    enum class Module { shared, fresh };
    /// `groups`: workgroups at most.
    Arithmetic(Bench&, const KernelChoice&, std::uint32_t groups, Module = Module::shared);
    /// One dispatch of so many workgroups and trips of the loop; `work`: the sample's unit of work, of all of it.
    /// Throws Error where a result is wrong.
    Sample timed(std::uint32_t groups, std::uint32_t rounds, double work);
    /// Trips of a dispatch that the host can follow in a moment and the device's loops allow.
    std::uint32_t most_rounds() const;

private:
    void check(std::span<const std::uint32_t> words, std::uint64_t steps);
    std::unique_ptr<Buffer> filled_table() const; // that the operation loads from; null: it loads nothing
    std::size_t group_words() const {
        return 4 + std::size_t{choice_.group_size} * (choice_.second ? 2 : 1);
    } // that a workgroup leaves

    Bench& bench_;
    const KernelChoice choice_;
    const std::shared_ptr<Kernel> kernel_;
    const std::unique_ptr<Buffer> result_, table_;
    std::vector<FollowedChains> followed_; // of each operation
};

} // namespace sonde
