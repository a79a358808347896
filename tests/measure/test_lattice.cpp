// Lattices: their boxes, and checks of their steps.
#include <algorithm>
#include <string>

#include <doctest/doctest.h>

#include "core/measure/lattice.h"
#include "tests/measure/workload_bench.h"

using namespace sonde;

TEST_CASE("lattices: right steps pass, a cell that is off, or a step too few, does not") {
    for (const LatticeMethod* method : {&kLatticeBoltzmann, &kSevenPoints}) {
        CAPTURE(std::string(method->kernel));
        ByHand by_hand;
        Lattice lattice(by_hand.bench, *method, lattice_kernel(by_hand.bench.info, *method), 4096);
        CHECK_NOTHROW(lattice.check(0));
        const Launch last = by_hand.steps(lattice, 3);
        CHECK_NOTHROW(lattice.check(3));
        CHECK_THROWS_WITH_AS(lattice.check(4), doctest::Contains("of cell "), Error);
        const auto words = by_hand.bench.read_words(last.out, 64);
        auto other = words;
        for (std::uint32_t& word : other) word = 0;
        by_hand.bench.write_words(last.out, other);
        CHECK_THROWS_WITH_AS(lattice.check(3), doctest::Contains("is off by"), Error);
        std::ranges::reverse_copy(words, other.begin()); // as much as before
        by_hand.bench.write_words(last.out, other);
        CHECK_THROWS_WITH_AS(lattice.check(3), doctest::Contains("number 0 of cell 0"), Error);
    }
}

TEST_CASE("a box's cells have their neighbours across its sides") {
    const Box box(1 << 13); // 32 x 16 x 16
    CHECK(box.row == 32);
    CHECK(box.plane == 32 * 16);
    CHECK(box.at(0, {0, -1, 0, 0}) == 31);
    CHECK(box.at(31, {0, 1, 0, 0}) == 0);
    CHECK(box.at(5, {0, 0, -1, 0}) == 15 * 32 + 5);
    CHECK(box.at(15 * 32 + 5, {0, 0, 1, 0}) == 5);
    CHECK(box.at(5, {0, 1, 1, -1}) == 15 * 512 + 32 + 6);
    CHECK(box.at(8191, {0, 1, 1, 1}) == 0);
}
