// Rules of limits: what makes each speak, and what does not.
#include <doctest/doctest.h>

#include "tests/diagnosis/made_up.h"

using namespace sonde;
using namespace sonde::made_up;

namespace {
const Cases kLimitsCases{
    {"core_scratchpad", "Scratchpad that workgroups of one core hold together, the most of the sizes tried: 224 KiB (",
        [](MadeUp& card) { card.occupancy("a:0", 228 * kKiB), card.occupancy("b:0", 48 * kKiB); },
        [](MadeUp& card) { card.occupancy("a:0", 228 * kKiB), card.occupancy("b:0", 200 * kKiB); }},
    {"limit_unlike_reported",
        "A kernel takes constant memory of at least 256 KiB through a:0, where the driver reports 64 KiB",
        [](MadeUp& card) { card.room("a:0", "constant", 64 * kKiB, 256 * kKiB, std::nullopt); },
        [](MadeUp& card) { card.room("a:0", "constant", 64 * kKiB, 64 * kKiB, 65 * kKiB); }},
    {"limit_unlike_reported",
        "Largest scratchpad of a workgroup: 47.5 KiB through a:0 as an argument. Through a:0 49152 bytes as an "
        "argument fail, where the driver reports 49152; ",
        [](MadeUp& card) { card.room("a:0", "scratchpad", 48 * kKiB, 47.5 * kKiB, 48 * kKiB); },
        [](MadeUp& card) { card.room("a:0", "scratchpad", 48 * kKiB, 48 * kKiB, 49 * kKiB); }},
};
} // namespace

TEST_CASE("rules of limits: each speaks where it must and is silent where it must") { kLimitsCases.check(); }
