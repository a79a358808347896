// The host's walk. It uses the very text that the kernels are compiled from, so a wrong answer is the device's.
#include "core/chain.h"

#include <algorithm>
#include <bit>

#include "core/path.h"

namespace sonde {

namespace {
using uint = std::uint32_t;
#define FUNCTION [[maybe_unused]] static inline
#include "kernels/permutation.h"
#undef FUNCTION
} // namespace

Chain::Chain(std::uint32_t slots, std::uint32_t shift, std::uint32_t seed, SlotOrder order)
    : slots_(slots), shift_(shift), seed_(seed), order_(order) {
    const auto bits = static_cast<std::uint32_t>(std::max(2, static_cast<int>(std::bit_width(slots - 1u))));
    low_ = bits / 2;
    high_ = bits - low_;
}

std::uint32_t fill_word(std::uint64_t word, std::uint32_t period, std::uint32_t seed) {
    return scramble(static_cast<std::uint32_t>(word & (period - 1)), seed);
}

// SLOT_WORD and its inverse: a row of blocks is 4 rows of words, a block 8 words wide.
constexpr std::uint32_t kBlockColumns = kImageRow / 8;

std::uint32_t Chain::word_of(std::uint32_t slot) const {
    if (order_ == SlotOrder::linear) return slot << shift_;
    return slot / kBlockColumns * 4 * kImageRow + slot % kBlockColumns * 8;
}

std::uint32_t Chain::slot_of(std::uint32_t word) const {
    if (order_ == SlotOrder::linear) return word >> shift_;
    return word / (4 * kImageRow) * kBlockColumns + word % kImageRow / 8;
}

std::uint64_t Chain::words() const {
    if (order_ == SlotOrder::linear) return std::uint64_t{slots_} << shift_;
    return std::uint64_t{(slots_ + kBlockColumns - 1) / kBlockColumns} * 4 * kImageRow;
}

std::uint32_t Chain::start() const { return walk(0); }

std::uint32_t Chain::walk(std::uint64_t hops) const {
    return word_of(permuted(static_cast<std::uint32_t>(hops % slots_), slots_, low_, high_, seed_));
}

std::uint32_t Chain::next(std::uint32_t word) const {
    const std::uint32_t position = position_of(slot_of(word), slots_, low_, high_, seed_);
    return word_of(permuted((position + 1) % slots_, slots_, low_, high_, seed_));
}

} // namespace sonde
