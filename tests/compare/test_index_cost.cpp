// Differences that are the cost of a load's index.
#include <doctest/doctest.h>

#include "core/compare/index_cost.h"

using namespace sonde;

namespace {
Comparison judged(const char* probe, const char* path, const char* item, double a, double b, double reach = 0.02) {
    Comparison made{.question = {probe, path, {}}, .item = item, .unit = "cycles"};
    made.a.value = a, made.b.value = b;
    made.ratio = b / a, made.low = b / a * (1 - reach), made.high = b / a * (1 + reach);
    made.differs = *made.low > 1 || *made.high < 1;
    return made;
}
} // namespace

TEST_CASE("loads by index that differ by what the index costs have that cause, others have not") {
    std::vector<Comparison> rows{judged("latency", "global", "L1", 39, 59),
        judged("latency", "global.pointer", "L1", 34, 34), judged("associativity", "global", "lines 2", 39, 59),
        judged("line", "global", "distance of 48 B", 282, 302), judged("line", "global", "distance of 64 B", 119, 202),
        judged("banks", "scratchpad", "stride 1", 29, 49), judged("latency", "global.uniform", "L1", 39, 59),
        judged("operation", "global", "steps 512", 39, 59)};
    rows.back().question.options = {{"operation", "dot.u8x4"}};
    explain_by_index(rows);
    const bool expected[] = {true, false, true, true, false, false, true, false};
    for (std::size_t i = 0; i < rows.size(); ++i) {
        CAPTURE(rows[i].what());
        CHECK(rows[i].by_index.has_value() == expected[i]);
        if (expected[i]) CHECK(*rows[i].by_index == doctest::Approx(20));
    }
}

TEST_CASE("no index explains anything where loads by pointer differ, were not measured, or it costs the same") {
    const Comparison by_index = judged("latency", "global", "L1", 39, 59);
    CHECK(index_cost({by_index, judged("latency", "global.pointer", "L1", 34, 34)}));
    CHECK_FALSE(index_cost({by_index}));
    CHECK_FALSE(index_cost({by_index, judged("latency", "global.pointer", "L1", 34, 54)}));
    CHECK_FALSE(
        index_cost({judged("latency", "global", "L1", 39, 39.5), judged("latency", "global.pointer", "L1", 34, 34)}));
}
