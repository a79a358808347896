// Rules of instruction caches: what makes each speak, and what does not.
#include <doctest/doctest.h>

#include "tests/diagnosis/made_up.h"

using namespace sonde;
using namespace sonde::made_up;

namespace {
const Cases kInstructionCachesCases{
    {"instruction_caches", {{"first cache", "a:0", 1}, {"first cache", "b:0", 1}, {"second cache", "a:0", 2}},
        [](MadeUp& card) { card.code("a:0", 1 << 20), card.code("b:0", 64 << 10); },
        [](MadeUp& card) { card.code("a:0", 12 << 10); }},
    {"reruns_apart",
        {{"last launch", "a:0", 1.2}, {"last launch", "b:0", 5.4}, {"first launch", "a:0", 2.2},
            {"first launch", "b:0", 5.4}},
        [](MadeUp& card) { card.runs("a:0", 2.2, 1.2), card.runs("b:0", 5.4, 5.4); },
        [](MadeUp& card) { card.runs("a:0", 2.2, 1.2), card.runs("b:0", 5.4, 1.3); }},
};
} // namespace

TEST_CASE("rules of instruction caches: each speaks where it must and is silent where it must") {
    kInstructionCachesCases.check();
}
