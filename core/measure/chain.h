// A chain on the host's side: the parameters that the `chain` kernel builds it from, and where a walk along it ends.
#pragma once
#include <array>
#include <cstdint>

#include "kernel_args.h"

namespace sonde {

/// How slots lie in a source: one behind the other, or as blocks of 8 x 4 words, 16 x 8, ... in rows of kImageRow
/// (SLOT_WORD in kernels/vocabulary.h).
enum class SlotOrder { linear, blocks };

/// How a chain lies in its memory; kernels/chain.h says what the fields do there.
struct ChainShape {
    std::uint32_t slots = 1; // at least one
    std::uint32_t shift = 0; // log2 of the words of a slot
    SlotOrder order = SlotOrder::linear;
    std::uint32_t first = 0;  // words before the first slot
    bool spread = false;      // each slot's link in 32 bytes of its own choice
    std::uint32_t second = 0; // words from a slot's first stop to its second; 0: it has one
    std::uint32_t scale = 0;  // log2 of the words that a word stands for, where links are addresses
};

/// One random cycle over slots of 2^shift words each; see kernels/permutation.h for how.
class Chain {
public:
    /// The seed picks the cycle.
    Chain(const ChainShape&, std::uint32_t seed);
    Chain(std::uint32_t slots, std::uint32_t shift, std::uint32_t seed, SlotOrder order = SlotOrder::linear)
        : Chain(ChainShape{.slots = slots, .shift = shift, .order = order}, seed) {}

    /// The arguments of the `chain` kernel, but for the address of the memory.
    kernel_args::Chain kernel_args() const {
        return {.begin = 0,
            .end = shape_.slots,
            .slots = shape_.slots,
            .shift = shape_.shift,
            .low = low_,
            .high = high_,
            .seed = seed_,
            .first = shape_.first,
            .spread = spread(),
            .second = shape_.second,
            .scale = shape_.scale};
    }
    /// Word index of the stop at which `start()` begins every walk.
    std::uint32_t start() const;
    /// Word index reached after `loads` loads from the start.
    std::uint32_t walk(std::uint64_t loads) const;
    /// Word index stored in the stop at word index `word`.
    std::uint32_t next(std::uint32_t word) const;
    /// Words that the slots span, from the memory's begin.
    std::uint64_t words() const;
    /// Hops of one round.
    std::uint64_t length() const { return std::uint64_t{shape_.slots} * stops(); }
    const ChainShape& shape() const { return shape_; }
    std::uint32_t slots() const { return shape_.slots; }
    std::uint32_t shift() const { return shape_.shift; }

private:
    std::uint32_t stops() const { return shape_.second ? 2 : 1; }
    std::uint32_t spread() const { return shape_.spread ? (1u << shape_.shift) - 1 : 0; }
    std::uint32_t word_of(std::uint32_t slot) const;
    std::uint32_t slot_of(std::uint32_t word) const;

    ChainShape shape_;
    std::uint32_t low_, high_, seed_;
};

/// The hash that kernels call `scramble` (kernels/permutation.h).
std::uint32_t scrambled(std::uint32_t value, std::uint32_t key);

/// What the `fill` kernel makes of random words; by itself it leaves them.
struct FillPattern {
    std::uint32_t rare = 0; // a mask: words whose number has one of its bits are zero
    std::array<std::uint32_t, 2> keep{0xFFFFFFFFu, 0xFFFFFFFFu}, set{0, 0}; // bits of words of even and of odd number
};

/// Word `word` of what the `fill` kernel writes: random data that repeats after `period` words (a power of two).
std::uint32_t fill_word(std::uint64_t word, std::uint32_t period, std::uint32_t seed, const FillPattern& = {});
/// That kernel's arguments for the first `words`.
kernel_args::Fill fill_args(std::uint32_t words, std::uint32_t period, std::uint32_t seed, const FillPattern& = {});

} // namespace sonde
