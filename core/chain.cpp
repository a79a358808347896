// The host's walk. It uses the very text that the kernels are compiled from, so a wrong answer is the device's.
#include "core/chain.h"

#include <algorithm>
#include <bit>

namespace sonde {

namespace {
using uint = std::uint32_t;
#define FUNCTION [[maybe_unused]] static inline
#include "kernels/permutation.h"
#undef FUNCTION
} // namespace

Chain::Chain(std::uint32_t slots, std::uint32_t shift, std::uint32_t seed) : slots_(slots), shift_(shift), seed_(seed) {
    const auto bits = static_cast<std::uint32_t>(std::max(2, static_cast<int>(std::bit_width(slots - 1u))));
    low_ = bits / 2;
    high_ = bits - low_;
}

std::uint32_t fill_word(std::uint64_t word, std::uint32_t period, std::uint32_t seed) {
    return scramble(static_cast<std::uint32_t>(word & (period - 1)), seed);
}

std::uint32_t Chain::start() const { return permuted(0, slots_, low_, high_, seed_) << shift_; }

std::uint32_t Chain::walk(std::uint64_t hops) const {
    return permuted(static_cast<std::uint32_t>(hops % slots_), slots_, low_, high_, seed_) << shift_;
}

std::uint32_t Chain::next(std::uint32_t word) const {
    const std::uint32_t position = position_of(word >> shift_, slots_, low_, high_, seed_);
    return permuted((position + 1) % slots_, slots_, low_, high_, seed_) << shift_;
}

} // namespace sonde
