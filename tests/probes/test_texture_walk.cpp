// texture-walk: what it says of series.
#include <doctest/doctest.h>

#include "tests/probes/probe_series.h"

using namespace sonde;

TEST_CASE("texture-walk: what a texel takes in the smallest and the largest image") {
    CHECK(said(made("texture-walk", "image2d", {{"order", "columns"}}, {{4096, 40}, {16384, 41}, {32u << 20, 90}}))
              .ends_with("a walk along columns takes 40 ns per texel of 32 x 32, and 90 ns per texel of 2048 x 4096"));
    CHECK(said(made("texture-walk", "image2d", {{"order", "morton"}}, {{4096, 40}, {16384, 50}}))
              .ends_with("a walk in Morton order takes 40 ns per texel of 32 x 32, and 50 ns per texel of 64 x 64"));
}
