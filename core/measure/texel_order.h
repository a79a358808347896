// Orders in which a walk visits all texels of a rectangle of an image.
#pragma once
#include <cstdint>

#include "core/device/path.h"

namespace sonde {

/// Along each row in turn, along each column in turn, or by Morton numbers, whose even bits are the place along the row
/// and odd ones the row.
enum class TexelOrder { rows, columns, morton };

/// The even bits of a number, side by side.
constexpr std::uint32_t even_bits(std::uint32_t number) {
    number &= 0x55555555u;
    number = (number | number >> 1) & 0x33333333u;
    number = (number | number >> 2) & 0x0F0F0F0Fu;
    number = (number | number >> 4) & 0x00FF00FFu;
    return (number | number >> 8) & 0x0000FFFFu;
}

/// A rectangle of as many texels along a row as there are rows, or of whole rows of an image; both powers of two, and
/// no fewer rows than texels of one.
struct TexelRectangle {
    std::uint32_t columns = 1, rows = 1;
    std::uint64_t texels() const { return std::uint64_t{columns} * rows; }

    /// Number of the word, in an image's rows of kImageRow, that a walk visits as its `position`-th; it goes round and
    /// round.
    std::uint32_t word(TexelOrder order, std::uint64_t position) const {
        const auto at = static_cast<std::uint32_t>(position % texels());
        if (order == TexelOrder::rows) return at / columns * kImageRow + at % columns;
        if (order == TexelOrder::columns) return at % rows * kImageRow + at / rows;
        const std::uint32_t square = columns * columns, in_square = at % square; // one square below the other
        return (at / square * columns + even_bits(in_square >> 1)) * kImageRow + even_bits(in_square);
    }
};

} // namespace sonde
