// Rules of copies: what makes each speak, and what does not.
#include <doctest/doctest.h>

#include "tests/diagnosis/made_up.h"

using namespace sonde;
using namespace sonde::made_up;

namespace {
const Cases kCases{
    {"copies_by_address", "pageable memory to-device through a:0, 1 MiB per transfer: 4 GB/s at odd addresses and 8 GB/s at multiples of 4 KiB; cause unknown.",
     [](MadeUp& card) { card.aligned("a:0", "1", 4), card.aligned("a:0", "4096", 8); },
     [](MadeUp& card) { card.aligned("a:0", "1", 7), card.aligned("a:0", "4096", 8), card.aligned("b:0", "1", 2); }},
    {"copies_by_address", "1 MiB per transfer: 4 GB/s at odd addresses",
     [](MadeUp& card) { card.aligned("a:0", "1", 4), card.aligned("a:0", "4096", 8); },
     [](MadeUp& card) { card.aligned("a:0", "1", 8, 0.0014), card.aligned("a:0", "4096", 8, 0.0024); }}, // a few bytes: the overhead of a copy
};
} // namespace

TEST_CASE("rules of copies: each speaks where it must and is silent where it must") { kCases.check(); }
