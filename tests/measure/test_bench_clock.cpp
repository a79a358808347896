// What kernels' clock words say.
#include <doctest/doctest.h>

#include "core/measure/bench.h"

using namespace sonde;

TEST_CASE("a dispatch of several workgroups takes the cycles of its slowest one; without a clock none are known") {
    const std::vector<std::uint32_t> words{10, 0, 30, 0, 7, 10, 0, 110, 0, 7, 10, 0, 60, 0,
        7}; // begin and end, two words each, and a word of the kernel's own
    DeviceInfo info{.clock = "clock64"};
    CHECK(longest_clock_difference(info, words, 5) == 100.0);
    info.clock.clear();
    CHECK(!longest_clock_difference(info, words, 5));
}

TEST_CASE("a clock that has long run past its low word tells a dispatch's cycles all the same") {
    const std::vector<std::uint32_t> words{0xFFFFFFF0u, 5, 0x10, 6};
    CHECK(clock_difference({.clock = "clock64"}, words) == 32.0);
}
