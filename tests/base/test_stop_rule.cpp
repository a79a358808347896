// When there are enough samples.
#include <vector>

#include <doctest/doctest.h>

#include "core/base/stop_rule.h"

using namespace sonde;

TEST_CASE("the stop rule wants enough values, then precision, then gives up") {
    const StopRule rule{3, 6, 0.01};
    CHECK_FALSE(rule.finished(std::vector<double>{1, 1}));
    CHECK(rule.finished(std::vector<double>{1, 1, 1}));
    CHECK_FALSE(rule.finished(std::vector<double>{1, 2, 3}));
    CHECK(rule.finished(std::vector<double>{1, 2, 3, 4, 5, 6}));
    CHECK(rule.missed(std::vector<double>{1, 2, 3, 4, 5, 6}));
    CHECK_FALSE(rule.missed(std::vector<double>{1, 1, 1, 1, 1, 1}));
    CHECK_FALSE(rule.finished(std::vector<double>{0, 0, 0}));
}
