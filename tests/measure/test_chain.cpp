// The chain is one random cycle over all its slots, and the host's walk needs no memory.
#include <set>

#include <doctest/doctest.h>

#include "core/measure/chain.h"

using namespace sonde;

TEST_CASE("a chain of any size is a single cycle that the walk follows") {
    for (const std::uint32_t slots : {1u, 2u, 3u, 4u, 5u, 7u, 8u, 31u, 100u, 1000u, 4096u, 65537u})
        for (const std::uint32_t seed : {1u, 77u, 0xffffffffu}) {
            CAPTURE(slots);
            CAPTURE(seed);
            const Chain chain(slots, 5, seed);
            std::uint32_t at = chain.start();
            std::set<std::uint32_t> seen;
            for (std::uint32_t load = 0; load < slots; ++load) {
                REQUIRE(at == chain.walk(load));
                REQUIRE(at % 32 == 0);
                REQUIRE(at / 32 < slots);
                seen.insert(at);
                at = chain.next(at);
            }
            CHECK(seen.size() == slots);
            CHECK(at == chain.start());
            CHECK(chain.walk(std::uint64_t{slots} * 1000003) == chain.start());
        }
}

TEST_CASE("another seed gives another cycle, and loads are not near") {
    const Chain one(4096, 0, 1), two(4096, 0, 2);
    int same = 0, near = 0;
    for (std::uint32_t slot = 0; slot < 4096; ++slot) {
        same += one.next(slot) == two.next(slot);
        const std::uint32_t next = one.next(slot);
        near += (next > slot ? next - slot : slot - next) < 8;
    }
    CHECK(same < 20); // 1 expected
    CHECK(near < 60); // 15 expected
}

TEST_CASE("loads are spread evenly: every quarter of the footprint follows every other about equally often") {
    const Chain chain(1u << 16, 0, 42);
    int counts[4][4] = {};
    for (std::uint32_t slot = 0; slot < (1u << 16); ++slot) ++counts[slot >> 14][chain.next(slot) >> 14];
    for (const auto& row : counts)
        for (const int count : row) CHECK(count == doctest::Approx(4096).epsilon(0.08));
}

TEST_CASE("the fill repeats after its period and is not constant") {
    CHECK(fill_word(5, 1024, 9) == fill_word(5 + 1024, 1024, 9));
    CHECK(fill_word(5, 1024, 9) != fill_word(6, 1024, 9));
    CHECK(fill_word(5, 1024, 9) != fill_word(5, 1024, 10));
}
