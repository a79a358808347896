// Chains of one length, one behind the other in one memory, for as many walkers as there are slices.
#pragma once
#include <memory>
#include <vector>

#include "core/measure/bench.h"
#include "core/measure/chain.h"

namespace sonde {

inline constexpr double kSliceOfLevel = 0.75; // of a level that walkers may share: two slices do not fit

class Slices {
public:
    Slices(Bench&, std::uint64_t slice_bytes);

    std::uint32_t slots() const { return slots_; }               // of a slice
    std::uint32_t words() const { return slots_ * (slot_ / 4); } // of a slice
    std::uint32_t count() const { return static_cast<std::uint32_t>(chains_.size()); }
    const Buffer* memory() const { return memory_.get(); }

    /// New memory and new chains.
    void build(std::uint32_t count);
    /// Throws Error unless a walk of so many hops from a slice's first word ends at the link `reached`.
    void check(std::uint32_t reached, std::uint32_t slice, std::uint64_t hops) const;

private:
    Bench& bench_;
    const std::uint32_t slot_, slots_;
    std::unique_ptr<Kernel> builder_;
    std::unique_ptr<Buffer> memory_;
    std::vector<Chain> chains_;
    std::vector<std::uint64_t> first_hop_; // of each chain's cycle: where the slice's first slot is
};

} // namespace sonde
