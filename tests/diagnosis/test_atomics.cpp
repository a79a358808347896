// Rules of atomic operations: what makes each speak, and what does not.
#include <tuple>

#include <doctest/doctest.h>

#include "tests/diagnosis/made_up.h"

using namespace sonde;
using namespace sonde::made_up;

namespace {
const Cases kAtomicsCases{
    {"atomics_apart",
        "Atomic u32 add on neighbouring words in scratchpad: 8 Top/s through a:0 and 2 Top/s through b:0, 4.0 times "
        "apart with 132 workgroups; cause unknown.",
        [](MadeUp& card) {
            card.curve("atomics", "a:0", "scratchpad", {{"layout", "consecutive"}}, {{132, 8000}}),
                card.curve("atomics", "b:0", "scratchpad", {{"layout", "consecutive"}}, {{132, 2000}});
        },
        [](MadeUp& card) {
            card.curve("atomics", "a:0", "scratchpad", {{"layout", "consecutive"}}, {{132, 8000}}),
                card.curve("atomics", "b:0", "scratchpad", {{"layout", "consecutive"}}, {{132, 7000}});
        }},
    {"atomics_apart",
        "Atomic u32 add on neighbouring words in global memory: 8 Top/s through a:0 and 2 Top/s through b:0, 4.0 times "
        "apart with 528 workgroups and 2.0 with 132; cause unknown.", // with as many workgroups
        [](MadeUp& card) {
            card.curve("atomics", "a:0", "global", {{"layout", "consecutive"}}, {{132, 4000}, {528, 8000}}),
                card.curve("atomics", "b:0", "global", {{"layout", "consecutive"}}, {{132, 2000}, {528, 2000}});
        },
        [](MadeUp& card) {
            card.curve("atomics", "a:0", "global", {{"layout", "consecutive"}}, {{132, 8000}, {528, 8000}}),
                card.curve("atomics", "b:0", "global", {{"layout", "consecutive"}}, {{264, 1000}});
        }},
    {"atomics_apart",
        "Atomic u32 add on words a line apart in global memory: 450 Gop/s through a:0 and 342 Gop/s through b:0",
        [](MadeUp& card) {
            for (const auto& [id, rate] : {std::pair{"a:0", 450.0}, {"b:0", 342.0}})
                card.curve("atomics", id, "global", {{"layout", "distinct-lines"}}, {{132, rate}});
        },
        [](MadeUp& card) {
            for (const auto& [id, rate] : {std::pair{"a:0", 450.0}, {"b:0", 342.0}})
                card.curve("atomics", id, "global", {{"layout", "consecutive"}}, {{132, rate}});
        }}, // two runs of one device lie so far apart
    {"atomics_apart",
        "Atomic u32 add on words a line apart in global memory: 90 Gop/s through a:0 and 60 Gop/s through b:0, 1.5 "
        "times apart with 132 workgroups; cause unknown. Likewise with 132 workgroups u64 1.4 times.", // types that
                                                                                                       // differ alike
                                                                                                       // stand together
        [](MadeUp& card) {
            for (const auto& [id, plain, wide] : {std::tuple{"a:0", 90.0, 84.0}, {"b:0", 60.0, 60.0}})
                card.curve("atomics", id, "global", {{"layout", "distinct-lines"}}, {{132, plain}}),
                    card.curve("atomics", id, "global", {{"layout", "distinct-lines"}, {"type", "u64"}}, {{132, wide}});
        },
        [](MadeUp& card) {
            card.curve("atomics", "a:0", "global", {{"layout", "distinct-lines"}}, {{132, 90}}),
                card.curve("atomics", "b:0", "global", {{"layout", "distinct-lines"}}, {{132, 85}});
        }},
    {"atomics_apart",
        "60 Gop/s through a:0 and 52 Gop/s through b:0 (not ranked: they differ by less than scatter and the noise "
        "assumed between runs); 30 Gop/s through c:0, 1.7-2.0 times apart with 132 workgroups", // one between two joins
                                                                                                // them
        [](MadeUp& card) {
            for (const auto& [id, rate] : {std::pair{"a:0", 60.0}, {"b:0", 52.0}, {"c:0", 30.0}})
                card.curve("atomics", id, "global", {{"layout", "distinct-lines"}}, {{132, rate}});
        },
        [](MadeUp& card) {
            for (const auto& [id, rate] : {std::pair{"a:0", 60.0}, {"b:0", 52.5}, {"c:0", 45.5}})
                card.curve("atomics", id, "global", {{"layout", "distinct-lines"}}, {{132, rate}});
        }},
    {"atomics_apart",
        "Atomic u32 fetch-add on neighbouring words in global memory: 12 Gop/s through a:0 and 1.9 Gop/s through b:0, "
        "6.3 times apart with one workgroup; with 528: 330 Gop/s through a:0 and 310 Gop/s through b:0 (not ranked: "
        "they differ by less than scatter and the noise assumed between runs); cause unknown.", // one workgroup alone
        [](MadeUp& card) {
            for (const auto& [id, alone, all] : {std::tuple{"a:0", 12.0, 330.0}, {"b:0", 1.9, 310.0}})
                card.curve("atomics", id, "global", {{"layout", "consecutive"}, {"operation", "fetch-add"}},
                    {{1, alone}, {528, all}});
        },
        [](MadeUp& card) {
            for (const char* id : {"a:0", "b:0"})
                card.curve("atomics", id, "global", {{"layout", "consecutive"}, {"operation", "fetch-add"}},
                    {{1, 12}, {528, 330}});
        }},
    {"atomics_joined",
        "Atomic u32 add on one address in global memory: 44 Gop/s through b:0 and 1.37 Gop/s through a:0, 32 times "
        "apart with 100 workgroups and 4.0 with one; every lane's addition counts; consistent with one atomic "
        "instruction per subgroup of",
        [](MadeUp& card) {
            card.curve("atomics", "a:0", "global", {{"layout", "same-address"}}, {{1, 1}, {100, 1.37}}),
                card.curve("atomics", "b:0", "global", {{"layout", "same-address"}}, {{1, 4}, {100, 44}});
        },
        [](MadeUp& card) { // on many addresses, or a driver that is a little slower
            card.curve("atomics", "a:0", "global", {{"layout", "same-address"}}, {{1, 1}, {100, 1.37}}),
                card.curve("atomics", "b:0", "global", {{"layout", "same-address"}}, {{1, 1}, {100, 2.2}});
            card.curve("atomics", "a:0", "global", {{"layout", "distinct-lines"}}, {{1, 1}, {100, 1.37}}),
                card.curve("atomics", "b:0", "global", {{"layout", "distinct-lines"}}, {{1, 4}, {100, 44}});
        }},
    {"atomics_joined", "Atomic u32 add on one address per workgroup in scratchpad: 44 Gop/s through b:0",
        [](MadeUp& card) {
            card.curve("atomics", "a:0", "scratchpad", {{"layout", "same-address"}}, {{1, 1}, {100, 1.37}}),
                card.curve("atomics", "b:0", "scratchpad", {{"layout", "same-address"}}, {{1, 4}, {100, 44}});
        },
        [](MadeUp& card) {
            card.curve("atomics", "a:0", "scratchpad", {{"layout", "same-address"}}, {{1, 1}, {100, 1.37}});
        }},
};
} // namespace

TEST_CASE("rules of atomic operations: each speaks where it must and is silent where it must") {
    kAtomicsCases.check();
}
