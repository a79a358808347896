// Rules of atomic operations: what makes each speak, and what does not.
#include <doctest/doctest.h>

#include "tests/diagnosis/made_up.h"

using namespace sonde;
using namespace sonde::made_up;

namespace {
const Cases kCases{
    {"atomics_apart", "Atomics on scratchpad with layout=consecutive: 8 Top/s through a:0 and 2 Top/s through b:0. Cause unknown.",
     [](MadeUp& card) { card.curve("atomics", "a:0", "scratchpad", {{"layout", "consecutive"}}, {{132, 8000}}), card.curve("atomics", "b:0", "scratchpad", {{"layout", "consecutive"}}, {{132, 2000}}); },
     [](MadeUp& card) { card.curve("atomics", "a:0", "scratchpad", {{"layout", "consecutive"}}, {{132, 8000}}), card.curve("atomics", "b:0", "scratchpad", {{"layout", "consecutive"}}, {{132, 7000}}); }},
    {"atomics_apart", "Atomics on global with layout=consecutive: at least 8 Top/s through a:0 and 2 Top/s through b:0. Cause unknown.", // the highest still rises
     [](MadeUp& card) { card.curve("atomics", "a:0", "global", {{"layout", "consecutive"}}, {{132, 4000}, {528, 8000}}), card.curve("atomics", "b:0", "global", {{"layout", "consecutive"}}, {{132, 2000}, {528, 2000}}); },
     [](MadeUp& card) { card.curve("atomics", "a:0", "global", {{"layout", "consecutive"}}, {{132, 8000}, {528, 8000}}), card.curve("atomics", "b:0", "global", {{"layout", "consecutive"}}, {{132, 1000}, {528, 2000}}); }},
    {"atomics_apart", "Atomics on global with layout=distinct-lines: 90 Gop/s through a:0 and 60 Gop/s through b:0, 1.5 times apart (and u64 1.4 times). Cause unknown.", // types that differ alike stand together
     [](MadeUp& card) {
         for (const auto& [id, plain, wide] : {std::tuple{"a:0", 90.0, 84.0}, {"b:0", 60.0, 60.0}}) card.curve("atomics", id, "global", {{"layout", "distinct-lines"}}, {{132, plain}}), card.curve("atomics", id, "global", {{"layout", "distinct-lines"}, {"type", "u64"}}, {{132, wide}});
     },
     [](MadeUp& card) { card.curve("atomics", "a:0", "global", {{"layout", "distinct-lines"}}, {{132, 90}}), card.curve("atomics", "b:0", "global", {{"layout", "distinct-lines"}}, {{132, 85}}); }},
    {"atomics_joined", "Additions on one address on global, each lane's counted: 44 Gop/s through b:0 and 1.37 Gop/s through a:0, at least 32 times apart, consistent with one atomic instruction per subgroup of",
     [](MadeUp& card) { card.curve("atomics", "a:0", "global", {{"layout", "same-address"}}, {{1, 1}, {100, 1.37}}), card.curve("atomics", "b:0", "global", {{"layout", "same-address"}}, {{1, 4}, {100, 44}}); },
     [](MadeUp& card) { // on many addresses, or a driver that is a little slower
         card.curve("atomics", "a:0", "global", {{"layout", "same-address"}}, {{1, 1}, {100, 1.37}}), card.curve("atomics", "b:0", "global", {{"layout", "same-address"}}, {{1, 1}, {100, 2.2}});
         card.curve("atomics", "a:0", "global", {{"layout", "distinct-lines"}}, {{1, 1}, {100, 1.37}}), card.curve("atomics", "b:0", "global", {{"layout", "distinct-lines"}}, {{1, 4}, {100, 44}});
     }},
    {"atomics_joined", "Additions on one address on scratchpad (one address per workgroup), each lane's counted: 44 Gop/s through b:0",
     [](MadeUp& card) { card.curve("atomics", "a:0", "scratchpad", {{"layout", "same-address"}}, {{1, 1}, {100, 1.37}}), card.curve("atomics", "b:0", "scratchpad", {{"layout", "same-address"}}, {{1, 4}, {100, 44}}); },
     [](MadeUp& card) { card.curve("atomics", "a:0", "scratchpad", {{"layout", "same-address"}}, {{1, 1}, {100, 1.37}}); }},
};
} // namespace

TEST_CASE("rules of atomic operations: each speaks where it must and is silent where it must") { kCases.check(); }
