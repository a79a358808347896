// Rules of load times: what makes each speak, and what does not.
#include <doctest/doctest.h>

#include "tests/diagnosis/made_up.h"

using namespace sonde;
using namespace sonde::made_up;

namespace {
const Cases kLoadTimesCases{
    {"mean_of_two_kinds",
        "On global.cg at 6 MiB (L2 far) through a:0 50 % of loads take as long as DRAM's fastest 2 % (600 cycles or "
        "more), and 0 % as long as DRAM's median. Latencies of L2 far and DRAM overlap: cause unknown.",
        [](MadeUp& card) { in_two_parts(card), card.single_loads("a:0", 6 * kMiB, 50); },
        [](MadeUp& card) { in_two_parts(card), card.single_loads("a:0", 6 * kMiB, 10); }},
    {"mean_of_two_kinds", "L2 far", [](MadeUp& card) { in_two_parts(card), card.single_loads("a:0", 6 * kMiB, 70); },
        [](MadeUp& card) { in_two_parts(card), card.single_loads("a:0", 12 * kMiB, 70); }}, // beyond its end
    // it begins between 4 and 4.76 MiB, and ends between 8 and 9.51
    {"mean_of_two_kinds", "at 5 MiB (L2 far)",
        [](MadeUp& card) { in_two_parts(card), card.single_loads("a:0", 5 * kMiB, 70); },
        [](MadeUp& card) { in_two_parts(card), card.single_loads("a:0", 4.5 * kMiB, 70); }},
    {"mean_of_two_kinds", "at 8 MiB (L2 far)",
        [](MadeUp& card) { in_two_parts(card), card.single_loads("a:0", 8 * kMiB, 70); },
        [](MadeUp& card) { in_two_parts(card), card.single_loads("a:0", 9 * kMiB, 70); }},
};
} // namespace

TEST_CASE("rules of load times: each speaks where it must and is silent where it must") { kLoadTimesCases.check(); }
