// A chain on the host's side: the parameters that the `chain` kernel builds it from, and where a walk along it ends.
#pragma once
#include <cstdint>
#include <vector>

namespace sonde {

/// How slots lie in a source: one behind the other, or as blocks of 8 x 4 words in rows of kImageRow (SLOT_WORD in kernels/vocabulary.h).
enum class SlotOrder { linear, blocks };

/// One random cycle over `slots` slots of 2^shift words each; see kernels/permutation.h for how.
class Chain {
public:
    /// slots >= 1; the seed picks the cycle.
    Chain(std::uint32_t slots, std::uint32_t shift, std::uint32_t seed, SlotOrder order = SlotOrder::linear);

    /// The argument block of the `chain` kernel; `address`: of the memory, where links are addresses and the kernel cannot know it.
    std::vector<std::uint32_t> kernel_args(std::uint64_t address = 0) const {
        return {slots_, shift_, low_, high_, seed_, static_cast<std::uint32_t>(address), static_cast<std::uint32_t>(address >> 32)};
    }
    /// Word index of the slot at which `start()` begins every walk.
    std::uint32_t start() const;
    /// Word index reached after `hops` hops from the start.
    std::uint32_t walk(std::uint64_t hops) const;
    /// Word index stored in the slot at word index `word`.
    std::uint32_t next(std::uint32_t word) const;
    /// Words that the slots span.
    std::uint64_t words() const;
    std::uint32_t slots() const { return slots_; }
    std::uint32_t shift() const { return shift_; }

private:
    std::uint32_t word_of(std::uint32_t slot) const;
    std::uint32_t slot_of(std::uint32_t word) const;

    std::uint32_t slots_, shift_, low_, high_, seed_;
    SlotOrder order_;
};

/// Word `word` of what the `fill` kernel writes: random data that repeats after `period` words (a power of two).
std::uint32_t fill_word(std::uint64_t word, std::uint32_t period, std::uint32_t seed);

} // namespace sonde
