// Rules of machine code: what makes each speak, and what does not.
#include <doctest/doctest.h>

#include "tests/diagnosis/made_up.h"

using namespace sonde;
using namespace sonde::made_up;

namespace {
const Cases kMachineCodeCases{
    {"atomic_cache_control",
        "directly behind atomic instructions on global: CCTL.IVALL behind ATOM.E.ADD through a:0 and none behind "
        "ATOMG.E.ADD through b:0.",
        [](MadeUp& card) {
            card.compiled("atomics", "a:0", "global", "ATOM.E.ADD", "CCTL.IVALL", "sass"),
                card.compiled("atomics", "b:0", "global", "ATOMG.E.ADD", "", "sass");
        },
        [](MadeUp& card) {
            card.compiled("atomics", "a:0", "global", "atom.global.add.u32", "fence", "ptx"),
                card.compiled("atomics", "b:0", "scratchpad", "ATOMS.ADD", "MEMBAR", "sass");
        }},
    {"load_moved",
        "by their machine code: global.uniform through a:0 by s_load_dword, on the scalar path; global.uniform through "
        "b:0 by LDG.E, as other loads.",
        [](MadeUp& card) {
            card.compiled("latency", "a:0", "global.uniform", "s_load_dword"),
                card.compiled("latency", "b:0", "global.uniform", "LDG.E", std::nullopt, "sass");
        },
        [](MadeUp& card) {
            card.compiled("latency", "a:0", "global", "buffer_load_dword"),
                card.compiled("latency", "b:0", "constant", "LDC", std::nullopt, "sass"),
                card.compiled("latency", "c:0", "global.uniform", "OpLoad", std::nullopt, "spirv");
        }},
    {"load_moved", "stay off the constant and scalar path: global.uniform through a:0 by LDG.E, as other loads.",
        [](MadeUp& card) { card.compiled("latency", "a:0", "global.uniform", "LDG.E", std::nullopt, "sass"); },
        [](MadeUp& card) {
            card.compiled("latency", "a:0", "global.readonly", "LDG.E.CONSTANT", std::nullopt, "sass");
        }},
    {"load_moved", "global.readonly through a:0 by LDC.64, on the constant path.",
        [](MadeUp& card) { card.compiled("latency", "a:0", "global.readonly", "LDC.64", std::nullopt, "sass"); },
        [](MadeUp& card) {
            card.compiled("latency", "a:0", "global.readonly", "LDG.E.CONSTANT", std::nullopt, "sass");
        }},
};
} // namespace

TEST_CASE("rules of machine code: each speaks where it must and is silent where it must") { kMachineCodeCases.check(); }
