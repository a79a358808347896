// Conclusions of structure probes from made-up curves: what they must say, and where they must stay silent.
#include <doctest/doctest.h>

#include <cmath>

#include "core/structure.h"

using namespace sonde;

TEST_CASE("fetched bytes: the first distance at which the second load misses too") {
    CHECK(fetched_bytes(std::vector<CurvePoint>{{16, 160}, {32, 290}, {48, 288}, {64, 291}, {128, 290}}).value == 32);
    CHECK(fetched_bytes(std::vector<CurvePoint>{{16, 350}, {32, 351}, {64, 600}, {128, 610}}).value == 64);
    CHECK(!fetched_bytes(std::vector<CurvePoint>{{16, 350}, {32, 351}, {64, 352}, {128, 349}}).value);
    CHECK(!fetched_bytes(std::vector<CurvePoint>{{16, 350}, {32, 200}, {64, 352}, {128, 200}}).value);
    CHECK(!fetched_bytes(std::vector<CurvePoint>{{16, 350}}).value);
    CHECK(!fetched_bytes(std::vector<CurvePoint>{{16, 160}, {32, 161}, {48, 288}, {64, 291}, {128, 290}}).value); // 48 is nothing's size
}

TEST_CASE("line bytes: the last stride at which half as many lines do not fit") {
    const std::vector<CurvePoint> hashed{{32, 250}, {64, 260}, {128, 240}, {256, 45}, {512, 41}};
    CHECK(line_bytes(hashed, 40, 290).value == 128);
    CHECK(!line_bytes(std::vector<CurvePoint>{{32, 290}, {64, 290}, {128, 290}, {256, 290}}, 40, 290).value); // index from address bits
    CHECK(!line_bytes(std::vector<CurvePoint>{{32, 90}, {64, 90}, {128, 41}}, 40, 290).value);                 // in between
    CHECK(!line_bytes(hashed, 40, 42).value);
}

TEST_CASE("associativity: only where three strides agree") {
    CHECK(associativity(std::vector<double>{8, 4, 4}, 64).value == 4);
    CHECK(!associativity(std::vector<double>{8, 4, 5}, 64).value);
    CHECK(!associativity(std::vector<double>{5, 4, 4}, 64).value);
    CHECK(!associativity(std::vector<double>{0, 0, 0}, 64).value);
}

TEST_CASE("private caches: as many waves as stay on the level") {
    CHECK(private_caches(std::vector<CurvePoint>{{1, 100}, {2, 101}, {4, 103}, {8, 230}}, 100, 240).value == 4);
    CHECK(private_caches(std::vector<CurvePoint>{{1, 40}, {2, 250}, {4, 280}}, 40, 290).value == 1);
    CHECK(std::isinf(private_caches(std::vector<CurvePoint>{{1, 40}, {2, 41}, {4, 42}}, 40, 290).high)); // at least
    CHECK(!private_caches(std::vector<CurvePoint>{{1, 200}, {2, 290}}, 40, 290).value);
}

TEST_CASE("driven out: all or nothing") {
    CHECK(driven_out(std::vector<CurvePoint>{{4096, 40}, {1e5, 60}, {1e6, 285}}, 40, 290, 2e5).value == 1);
    CHECK(driven_out(std::vector<CurvePoint>{{4096, 40}, {1e5, 41}, {1e6, 42}}, 40, 290, 2e5).value == 0);
    CHECK(!driven_out(std::vector<CurvePoint>{{4096, 40}, {1e5, 41}, {1e6, 150}}, 40, 290, 2e5).value);
    CHECK(!driven_out(std::vector<CurvePoint>{{4096, 40}, {1e5, 285}}, 40, 290, 2e5).value); // not enough touched
}

TEST_CASE("translation levels: reach and cost of each, from spans up to the largest") {
    const auto curve = [](std::vector<std::pair<double, double>> levels) {
        std::vector<CurvePoint> points;
        for (double span = 1 << 20; span <= 4e9; span *= std::sqrt(2)) {
            double latency = 290;
            for (const auto& [reach, cost] : levels) latency += cost * std::max(0.0, 1 - reach / span);
            points.push_back({span, latency * (1 + 0.002 * std::sin(span))});
        }
        return points;
    };
    const auto two = translation_levels(curve({{32 << 20, 40}, {1 << 30, 250}}));
    REQUIRE(two.size() == 2);
    CHECK(two[0].reach == doctest::Approx(32 << 20).epsilon(0.25));
    CHECK(two[0].cost == doctest::Approx(40).epsilon(0.1));
    CHECK(two[1].reach == doctest::Approx(1 << 30).epsilon(0.2));
    CHECK(two[1].cost == doctest::Approx(250).epsilon(0.1));
    CHECK(two[1].low < two[1].reach);
    CHECK(two[1].high > two[1].reach);
    CHECK(translation_levels(curve({})).empty());
    CHECK(translation_levels(curve({{64 << 20, 5}})).empty()); // below 3 %
    CHECK(translation_levels(curve({{64 << 20, 100}})).size() == 1);
}
