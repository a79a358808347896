// Rules of instruction caches: what makes each speak, and what does not.
#include <doctest/doctest.h>

#include "tests/diagnosis/made_up.h"

using namespace sonde;
using namespace sonde::made_up;

namespace {
const Cases kInstructionCachesCases{
    {"instruction_caches",
        "Instruction caches, cycles of an instruction (fma.f32) by the size of its loop: 1 cycles to 32-45.3 KiB, 2 "
        "cycles to 128-181 KiB, 6 cycles beyond. Measured with on=one-subgroup (a:0). The same levels within 3 %, up "
        "to the sizes measured, through b:0.",
        [](MadeUp& card) { card.code("a:0", 1 << 20), card.code("b:0", 64 << 10); },
        [](MadeUp& card) { card.code("a:0", 12 << 10); }},
    {"reruns_apart",
        "An instruction of code without a loop, the last of 8 launches: 5.4 cycles through b:0, 1.2 cycles through a:0",
        [](MadeUp& card) { card.runs("a:0", 2.2, 1.2), card.runs("b:0", 5.4, 5.4); },
        [](MadeUp& card) { card.runs("a:0", 2.2, 1.2), card.runs("b:0", 5.4, 1.3); }},
};
} // namespace

TEST_CASE("rules of instruction caches: each speaks where it must and is silent where it must") {
    kInstructionCachesCases.check();
}
