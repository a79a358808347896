// Rules of load times: what makes each speak, and what does not.
#include <doctest/doctest.h>

#include "tests/diagnosis/made_up.h"

using namespace sonde;
using namespace sonde::made_up;

namespace {
const Cases kCases{
    {"mean_of_two_kinds", "Loads of L2 far are in part as slow as loads from DRAM. Through a:0 50 % of those at 6 MiB take 600 cycles or more, the others 308 in the median.",
     [](MadeUp& card) { in_two_parts(card), card.single_loads("a:0", 6 * kMiB, 50); },
     [](MadeUp& card) { in_two_parts(card), card.single_loads("a:0", 6 * kMiB, 10); }},
    {"mean_of_two_kinds", "L2 far", [](MadeUp& card) { in_two_parts(card), card.single_loads("a:0", 6 * kMiB, 70); },
     [](MadeUp& card) { in_two_parts(card), card.single_loads("a:0", 12 * kMiB, 70); }}, // beyond its end
};
} // namespace

TEST_CASE("rules of load times: each speaks where it must and is silent where it must") { kCases.check(); }
