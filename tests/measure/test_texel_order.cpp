// Walks over an image's texels: each is met once in a round, and in Morton order squares are finished one after the
// other.
#include <doctest/doctest.h>

#include <set>

#include "core/measure/texel_order.h"

using namespace sonde;

TEST_CASE("every order meets each texel of a rectangle once, and then begins again") {
    for (const TexelOrder order : {TexelOrder::rows, TexelOrder::columns, TexelOrder::morton})
        for (const TexelRectangle rectangle : {TexelRectangle{8, 8}, TexelRectangle{8, 32}}) {
            std::set<std::uint32_t> met;
            for (std::uint64_t position = 0; position < rectangle.texels(); ++position) {
                const std::uint32_t word = rectangle.word(order, position);
                CHECK(word % kImageRow < rectangle.columns);
                CHECK(word / kImageRow < rectangle.rows);
                met.insert(word);
            }
            CHECK(met.size() == rectangle.texels());
            CHECK(rectangle.word(order, rectangle.texels()) == rectangle.word(order, 0));
        }
}

TEST_CASE("neighbours of an order are neighbours along a row, along a column, or in a square") {
    const TexelRectangle rectangle{8, 16};
    CHECK(rectangle.word(TexelOrder::rows, 1) == 1);
    CHECK(rectangle.word(TexelOrder::columns, 1) == kImageRow);
    const std::uint32_t square[] = {0, 1, kImageRow, kImageRow + 1};
    for (std::uint32_t position = 0; position < 4; ++position)
        CHECK(rectangle.word(TexelOrder::morton, position) == square[position]);
    CHECK(rectangle.word(TexelOrder::morton, 16) == 4);             // 4 x 4 texels are finished
    CHECK(rectangle.word(TexelOrder::morton, 64) == 8 * kImageRow); // 8 x 8
}
