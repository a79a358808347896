// Which of several launch shapes is taken: the one that leads when timed twice.
#include <doctest/doctest.h>

#include "core/measure/traffic.h"

using namespace sonde;

TEST_CASE("a shape that one trial made look fast does not win, one that another trial made look slow does, and what "
          "cannot win is not timed again") {
    const std::map<std::size_t, double> truth{{0, 1.0}, {2, 1.2}, {5, 3.0}};
    std::map<std::size_t, double> once = truth;
    std::map<std::size_t, int> again;
    const auto timed = [&](std::size_t i) { return ++again[i], truth.at(i); };
    once[2] = 0.5; // an interruption within the shorter walk
    const TwiceTimed looked_fast = timed_twice(once, timed);
    CHECK(looked_fast.fastest == 0);
    CHECK(looked_fast.ns == truth);
    CHECK(again == std::map<std::size_t, int>{{0, 1}, {2, 1}});
    once = truth, again.clear();
    once[2] = 1.05; // beside 1.0, though a longer trial of both says 1.2 and 2.0
    const TwiceTimed slower = timed_twice(once, [&](std::size_t i) { return ++again[i], i == 0 ? 2.0 : truth.at(i); });
    CHECK(slower.fastest == 2);
    CHECK(slower.ns.at(0) == 2.0);
    once = {{0, 1.0}, {1, 1.04}, {2, 1.08}};
    CHECK(timed_twice(once, [](std::size_t i) { return i == 1 ? 0.97 : 1.05; }).fastest ==
          1);                                    // each that may win has a longer trial
    once = {{0, 1.0}, {1, 1.05}}, again.clear(); // near the fastest, which the longer trial leaves as fast as it was
    const TwiceTimed near = timed_twice(once, [&](std::size_t i) { return ++again[i], i == 1 ? 0.9 : 1.0; });
    CHECK(near.fastest == 1);
    CHECK(again == std::map<std::size_t, int>{{0, 1}, {1, 1}});
    const TwiceTimed alone = timed_twice({{3, 7.0}}, [](std::size_t) { return 6.0; });
    CHECK(alone.fastest == 3);
    CHECK(alone.ns.at(3) == 6.0);
}
