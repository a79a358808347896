// Names of levels, as types and as a file's texts.
#include <doctest/doctest.h>

#include "core/data/level_name.h"

using namespace sonde;

namespace {
using Part = LevelName::Part;
using LevelKind = LevelName::Kind;

LevelName l2(Part part) {
    LevelName name = LevelName::cache(2);
    name.part = part;
    return name;
}
} // namespace

TEST_CASE("a level's name is the same after its text was read, and what is no level keeps its word") {
    LevelName again = LevelName::cache(3), doubtful = LevelName::cache(2);
    again.unsure = true, again.repetition = 2;
    doubtful.unsure = true;
    for (const LevelName& name : {LevelName::cache(1), LevelName::cache(12), l2(Part::near), l2(Part::far), doubtful,
             again, LevelName::dram(), LevelName{.kind = LevelKind::dram, .repetition = 2},
             LevelName{.kind = LevelKind::constant, .number = 2}, LevelName{.kind = LevelKind::push},
             LevelName{.kind = LevelKind::push, .number = 2}, LevelName{.kind = LevelKind::scratchpad},
             LevelName{.kind = LevelKind::host_cache}, LevelName{.kind = LevelKind::host_memory},
             LevelName{.kind = LevelKind::behind}, LevelName::untold(), LevelName()}) {
        CAPTURE(name.text());
        CHECK((level_name_of(name.text()) == name));
    }
    for (const char* word : {"L1.5", "largest", "at 64", "L", "L01", "DRAM1", "first of all", "?", " near", " (2)"}) {
        CAPTURE(word);
        CHECK((level_name_of(word).kind == LevelKind::other));
        CHECK(level_name_of(word).text() == word);
    }
    CHECK((level_name_of("L3? (2)") == again));
    CHECK((level_name_of("L2 near") == l2(Part::near)));
}

TEST_CASE("what a curve shows as one cache is the near part of it where another curve shows two") {
    const LevelName whole = LevelName::cache(2), near = l2(Part::near), far = l2(Part::far);
    CHECK(near.is_seen_as(whole));
    CHECK(whole.is_seen_as(near));
    CHECK_FALSE(far.is_seen_as(whole));
    CHECK_FALSE(whole.is_seen_as(far));
    CHECK_FALSE(near.is_seen_as(far));
    CHECK(far.is_seen_as(far));
    CHECK_FALSE(near.is_seen_as(LevelName::cache(3)));
    CHECK((far.whole() == whole));
}
