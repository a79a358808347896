// The host's walk. It uses the very text that the kernels are compiled from, so a wrong answer is the device's.
#include "core/measure/chain.h"

#include <algorithm>
#include <bit>

#include "core/device/path.h"

namespace sonde {

namespace {
using uint = std::uint32_t;
#define FUNCTION [[maybe_unused]] static inline
#include "kernels/permutation.h"
#undef FUNCTION
} // namespace

Chain::Chain(const ChainShape& shape, std::uint32_t seed) : shape_(shape), seed_(seed) {
    const auto bits = static_cast<std::uint32_t>(std::max(2, static_cast<int>(std::bit_width(shape.slots - 1u))));
    low_ = bits / 2;
    high_ = bits - low_;
}

std::uint32_t scrambled(std::uint32_t value, std::uint32_t key) { return scramble(value, key); }

std::uint32_t fill_word(std::uint64_t word, std::uint32_t period, std::uint32_t seed, const FillPattern& pattern) {
    const std::uint32_t random =
        (word & pattern.rare) == 0 ? scramble(static_cast<std::uint32_t>(word & (period - 1)), seed) : 0;
    return (random & pattern.keep[word % 2]) | pattern.set[word % 2];
}

kernel_args::Fill fill_args(std::uint32_t words, std::uint32_t period, std::uint32_t seed, const FillPattern& pattern) {
    return {.begin = 0,
        .end = words,
        .period = period,
        .seed = seed,
        .rare = pattern.rare,
        .keep_even = pattern.keep[0],
        .keep_odd = pattern.keep[1],
        .set_even = pattern.set[0],
        .set_odd = pattern.set[1]};
}

/// SLOT_WORD and its inverse: a block of 2^shift words in an image.
struct Block {
    explicit Block(std::uint32_t shift)
        : width(8u << (shift - 5) / 2), height(4u << (shift - 5) / 2), columns(kImageRow / width) {}
    std::uint32_t width, height, columns; // words, rows of them, blocks side by side
};

std::uint32_t Chain::word_of(std::uint32_t slot) const {
    if (shape_.order == SlotOrder::linear) return shape_.first + (slot << shape_.shift) + spread_of(slot, spread());
    const Block block(shape_.shift);
    return slot / block.columns * block.height * kImageRow + slot % block.columns * block.width;
}

std::uint32_t Chain::slot_of(std::uint32_t word) const {
    if (shape_.order == SlotOrder::linear) return (word - shape_.first) >> shape_.shift;
    const Block block(shape_.shift);
    return word / (block.height * kImageRow) * block.columns + word % kImageRow / block.width;
}

std::uint64_t Chain::words() const {
    if (shape_.order == SlotOrder::linear) return shape_.first + (std::uint64_t{shape_.slots} << shape_.shift);
    const Block block(shape_.shift);
    return std::uint64_t{(shape_.slots + block.columns - 1) / block.columns} * block.height * kImageRow;
}

std::uint32_t Chain::start() const { return walk(0); }

std::uint32_t Chain::walk(std::uint64_t loads) const {
    const std::uint32_t slot =
        permuted(static_cast<std::uint32_t>(loads / stops() % shape_.slots), shape_.slots, low_, high_, seed_);
    return word_of(slot) + (loads % stops() ? shape_.second : 0);
}

std::uint32_t Chain::next(std::uint32_t word) const {
    const std::uint32_t slot = slot_of(word);
    if (shape_.second && word == word_of(slot)) return word + shape_.second;
    return word_of(permuted(
        (position_of(slot, shape_.slots, low_, high_, seed_) + 1) % shape_.slots, shape_.slots, low_, high_, seed_));
}

} // namespace sonde
