// Conclusions of structure probes from made-up curves: what they must say, and where they must stay silent.
#include <doctest/doctest.h>

#include <cmath>
#include <tuple>

#include "core/analysis/findings.h"
#include "core/probes/probes.h"

using namespace sonde;

TEST_CASE("fetched bytes: the first distance at which the second load misses too") {
    CHECK(fetched_bytes(std::vector<CurvePoint>{{16, 160}, {32, 290}, {48, 288}, {64, 291}, {128, 290}}).value == 32);
    CHECK(fetched_bytes(std::vector<CurvePoint>{{16, 350}, {32, 351}, {64, 600}, {128, 610}}).value == 64);
    CHECK(fetched_bytes(std::vector<CurvePoint>{{16, 100}, {32, 220}, {64, 400}, {128, 400}}).value ==
          32); // 2.2 times a hit, and a miss is 1.8 times that
    CHECK(!fetched_bytes(std::vector<CurvePoint>{{16, 350}, {32, 351}, {64, 352}, {128, 349}}).value);
    CHECK(!fetched_bytes(std::vector<CurvePoint>{{16, 350}, {32, 200}, {64, 352}, {128, 200}}).value);
    CHECK(!fetched_bytes(std::vector<CurvePoint>{{16, 350}}).value);
    CHECK(!fetched_bytes(std::vector<CurvePoint>{{16, 160}, {32, 161}, {48, 288}, {64, 291}, {128, 290}})
               .value); // 48 is nothing's size
}

TEST_CASE("line bytes: the last stride at which half as many lines do not fit") {
    const std::vector<CurvePoint> hashed{{32, 203}, {64, 214}, {128, 287}, {256, 45}, {512, 41}};
    CHECK(line_bytes(hashed, {}, 40, 290).value == 128);
    CHECK(!line_bytes(std::vector<CurvePoint>{{32, 290}, {64, 290}, {128, 290}, {256, 290}}, {}, 40, 290)
               .value); // index from address bits
    CHECK(!line_bytes(std::vector<CurvePoint>{{32, 90}, {64, 90}, {128, 41}}, {}, 40, 290).value); // too few miss
    CHECK(!line_bytes(hashed, {}, 40, 42).value);
    CHECK(line_bytes(std::vector<CurvePoint>{{32, 41}}, {}, 40, 290).reason ==
          "inconclusive: 1 stride measured"); // its time was over
    CHECK(line_bytes(std::vector<CurvePoint>{{32, 290}, {64, 290}}, {}, 40, 290).reason ==
          "inconclusive: 2 strides measured");
    const std::vector<CurvePoint> all_miss{{32, 409}, {64, 408}, {128, 409}, {256, 242}, {512, 242}};
    CHECK(!line_bytes(all_miss, {}, 242, 410).value); // lines of 64 in half of the sets look the same,
    const auto moved = [](std::vector<CurvePoint> curve, double hit, double miss) {
        return line_bytes(std::vector<CurvePoint>{}, curve, hit, miss);
    };
    CHECK(moved({{64, 408}, {128, 310}, {256, 248}, {512, 242}}, 242, 410).value ==
          64); // and fit where they may lie in all of them
    CHECK(moved({{64, 408}, {128, 407}, {256, 242}, {512, 242}}, 242, 410).value == 128);
    CHECK(moved({{64, 84.4}, {128, 85.5}, {256, 47.1}, {512, 47.6}, {1024, 47.5}}, 47.5, 169).value ==
          128); // textures of an H200
    CHECK(moved({{64, 268.6}, {128, 267}, {256, 176.1}, {512, 145.7}, {1024, 145.1}}, 145.5, 347.5).value ==
          128); // its second level
    CHECK(moved({{64, 52.7}, {128, 29.8}, {256, 17.2}, {512, 17.6}, {1024, 17.2}}, 17.2, 52.5).value ==
          64); // its constants
    CHECK(line_bytes(std::vector<CurvePoint>{{64, 411}, {128, 412}, {256, 244}, {512, 243}},
              std::vector<CurvePoint>{{64, 412}, {128, 410}, {256, 362}, {512, 240}, {1024, 219}}, 244, 411)
              .value == 128); // sets that moved loads fill unevenly
    CHECK(!moved({{64, 300}, {128, 250}, {256, 242}, {512, 242}}, 242, 410).value); // 64 or less
    CHECK(!moved({{64, 289}, {128, 290}, {256, 291}}, 40, 290).value);
    CHECK(!moved({{64, 41}, {128, 40}, {256, 40}}, 40, 290).value);
    const auto between =
        line_bytes(std::vector<CurvePoint>{{32, 259}, {64, 272}, {128, 333}, {256, 333}, {512, 333}, {1024, 94}}, {},
            94, 334); // textures of an H200
    CHECK(!between.value);
    CHECK(between.reason.find("128 B to 512 B") != std::string::npos);
}

TEST_CASE("associativity: only where three strides agree") {
    CHECK(associativity(std::vector<double>{8, 4, 4}, 64, 65536).value == 4);
    CHECK(!associativity(std::vector<double>{8, 4, 5}, 64, 65536).value);
    CHECK(!associativity(std::vector<double>{5, 4, 4}, 64, 65536).value);
    CHECK(!associativity(std::vector<double>{0, 0, 0}, 64, 65536).value);
    CHECK(associativity(std::vector<double>{8, 2, 8}, 64, 4096, true).reason.ends_with("in no order"));
    const Conclusion apart = associativity(std::vector<double>{2, 1, 1}, 64, 65536);
    CHECK_FALSE(apart.value);
    CHECK(apart.no_value == NoValue::inconclusive);
    CHECK(apart.reason.find("64 KiB apart") != std::string::npos);
}

TEST_CASE("private caches: as many subgroups as stay on the level") {
    CHECK(private_caches(std::vector<CurvePoint>{{1, 100}, {2, 101}, {4, 103}, {8, 230}}, 100, 240).value == 4);
    CHECK(private_caches(std::vector<CurvePoint>{{1, 40}, {2, 250}, {4, 280}}, 40, 290).value == 1);
    CHECK(std::isinf(private_caches(std::vector<CurvePoint>{{1, 40}, {2, 41}, {4, 42}}, 40, 290).high)); // at least
    CHECK(!private_caches(std::vector<CurvePoint>{{1, 200}, {2, 290}}, 40, 290).value);
}

TEST_CASE("driven out: all, nothing, or a part") {
    CHECK(
        *driven_out(std::vector<CurvePoint>{{4096, 40}, {1e5, 60}, {4e5, 285}, {8e5, 290}}, 40, 290, 2e5).value > 0.9);
    CHECK(*driven_out(std::vector<CurvePoint>{{4096, 40}, {1e5, 41}, {4e5, 42}, {8e5, 44}}, 40, 290, 2e5).value < 0.1);
    const auto part = driven_out(std::vector<CurvePoint>{{16384, 47.7}, {65536, 48.5}, {131072, 77.7}, {262144, 64.3},
                                     {524288, 67.2}, {1048576, 74.3}},
        47.4, 160, 183700); // textures of an H200
    CHECK(*part.value == doctest::Approx(0.27).epsilon(0.1));
    CHECK(!driven_out(std::vector<CurvePoint>{{4096, 40}, {1e5, 285}}, 40, 290, 2e5).value);  // not enough touched
    CHECK(!driven_out(std::vector<CurvePoint>{{4096, 200}, {4e5, 285}}, 40, 290, 2e5).value); // never stayed
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
    CHECK(translation_levels(curve({{64 << 20, 3}})).empty()); // below 1.5 %
    CHECK(translation_levels(curve({{64 << 20, 100}})).size() == 1);
}

TEST_CASE("translation levels: Vulkan's and CUDA's spans on an H200, whose reaches differ by the page") {
    const auto curve = [](std::vector<std::pair<double, double>> mebibytes) {
        std::vector<CurvePoint> points;
        for (const auto& [span, ns] : mebibytes) points.push_back({span * (1 << 20), ns});
        return points;
    };
    const auto vulkan = translation_levels(curve(
        {{1.5, 142.3}, {2, 142.3}, {3, 142.3}, {4, 142.5}, {6, 142.5}, {8, 142.5}, {12, 144.1}, {16, 145}, {24, 145.7},
            {32, 146.1}, {48, 146.6}, {64, 146.8}, {96, 146.9}, {128, 146.9}, {192, 147}, {256, 147.2}, {384, 147.3},
            {512, 147.2}, {768, 147.4}, {1024, 147.4}, {1536, 147.5}, {2048, 147.4}, {3072, 171.9}, {4094, 183}}));
    REQUIRE(vulkan.size() == 2);
    CHECK(vulkan[0].reach == doctest::Approx(10 << 20).epsilon(0.4));
    CHECK(vulkan[1].low <= 2048.0 * (1 << 20));
    CHECK(vulkan[1].high <= 3072.0 * (1 << 20));
    // To most of the memory a walk through the tables costs three times what the load does, and the first reach is
    // there still.
    const auto all = translation_levels(curve({{3, 142.5}, {4, 142.6}, {6, 142.6}, {8, 142.8}, {12, 144.3}, {16, 145.0},
        {24, 145.9}, {32, 146.2}, {48, 146.4}, {64, 146.8}, {96, 147.1}, {128, 147.2}, {192, 147.3}, {256, 147.0},
        {384, 147.2}, {512, 147.4}, {768, 147.5}, {1024, 147.5}, {1536, 147.3}, {2048, 148.3}, {3072, 167.6},
        {4096, 175.2}, {6144, 184.2}, {8192, 189.7}, {12288, 401.6}, {16384, 467.3}, {24576, 500.0}, {32768, 539.4},
        {49152, 517.6}, {65536, 559.5}, {98304, 577.9}, {106496, 607.4}}));
    REQUIRE(all.size() == 3);
    CHECK(all[0].reach == doctest::Approx(10 << 20).epsilon(0.4));
    CHECK(all[0].cost == doctest::Approx(5).epsilon(0.2));
    CHECK(all[1].reach == doctest::Approx(2500.0 * (1 << 20)).epsilon(0.25));
    CHECK(all[2].reach == doctest::Approx(9.0 * (1 << 30)).epsilon(0.3));
}

TEST_CASE("neighbours: what the one core's own clock says counts, not how long the other walks") {
    Series series{.id = {"core-sharing", "a:0", "constant", {}}, .api = "a", .card = "card"};
    series.unit = "ns";
    series.evidence.levels = {{.ns = 17.2, .on_bytes = 2048}, {.ns = 52.5, .on_bytes = 65536}};
    series.evidence.by = "core", series.evidence.core = 0;
    for (const auto& [core, ns, cycles] :
        {std::tuple{0.0, 17.2, 34.0}, std::tuple{1.0, 42.1, 34.0}, std::tuple{2.0, 42.1, 90.0}}) {
        Point point{.x = core};
        point.median = ns;
        point.cycles = cycles;
        series.points.push_back(point);
    }
    const auto found = find_probe("core-sharing")->findings(series, {});
    REQUIRE(found.size() == 1);
    CHECK(found[0].value == 2);
    CHECK(found[0].text.find("core 0 shares its") != std::string::npos);
    CHECK(found[0].text.find("with core 2,") != std::string::npos);
}

TEST_CASE("cores: two groups where there are two, one where they only scatter") {
    std::vector<CurvePoint> halves, scatter;
    for (int core = 0; core < 40; ++core) {
        const double noise = core % 7;
        halves.push_back({double(core), (core % 3 == 0 ? 260 : 210) + noise});
        scatter.push_back({double(core), 210 + 3 * noise + core % 5});
    }
    const auto two = two_groups(halves);
    REQUIRE(two);
    CHECK(two->far_cores == 14);
    CHECK(two->far - two->near == doctest::Approx(50).epsilon(0.1));
    CHECK(two_groups(scatter)->far_cores == 0);
    CHECK(!two_groups(std::vector<CurvePoint>{{0, 1}, {1, 2}}));
    halves[5].y = 900; // one stray core is no group
    CHECK(two_groups(halves)->far_cores == 0);
}

TEST_CASE("neighbours: cores in whose company a walk misses; chains of all cores that fit at once") {
    const std::vector<CurvePoint> pair{{0, 40}, {1, 280}, {2, 41}, {3, 40}};
    CHECK(cores_sharing(pair, 0, 40, 290).value == 2);
    CHECK(cores_sharing(std::vector<CurvePoint>{{0, 40}, {1, 41}, {2, 42}}, 0, 40, 290).value == 1);
    CHECK(!cores_sharing(pair, 1, 40, 290).value); // alone it misses, too
    CHECK(!cores_sharing(pair, 0, 40, 42).value);
    CHECK(!cores_sharing(std::vector<CurvePoint>{{0, 40}}, 0, 40, 290).value);
    CHECK(sharers_of_level(std::vector<CurvePoint>{{1, 280}, {2, 250}, {3, 41}, {4, 40}}, 40, 290).value == 3);
    const auto between = sharers_of_level(std::vector<CurvePoint>{{1, 280}, {4, 250}, {6, 41}, {8, 40}}, 40, 290);
    CHECK(between.low == 5);
    CHECK(!sharers_of_level(std::vector<CurvePoint>{{1, 280}, {2, 250}, {3, 260}}, 40, 290).value);
    CHECK(!sharers_of_level(std::vector<CurvePoint>{{1, 40}, {2, 250}, {3, 40}}, 40, 290).value);
}

TEST_CASE("a finding's confidence comes from the samples on both sides of the decision; what was not seen is a finding "
          "without a value") {
    Series series{.id = {"l1-per-core", "a:0", "global", {}}, .api = "a", .card = "card"};
    series.unit = "ns";
    const auto take = [&](double x, double ns, double scatter) {
        for (int pair = 0; pair < 5; ++pair) {
            const double slope = ns * (1 + scatter * (pair - 2));
            take_samples(series, x, {{0, 1000, 500 + 1000 * slope, {}, {}}, {0, 9000, 500 + 9000 * slope, {}, {}}});
        }
    };
    take(1, 100, 0.01);
    take(2, 101, 0.01);
    take(4, 200, 0.01);
    const auto confidence = [&](std::optional<double> shape, std::optional<std::pair<double, double>> sides) {
        return finding_of(series, Conclusion{.value = 2, .confidence = shape, .sides = sides}, "L1", "caches",
            [](double) { return "text"; })
            .confidence;
    };
    CHECK(confidence({}, std::pair{2.0, 4.0}).value_or(0) > 0.99);
    CHECK(confidence({}, std::pair{1.0, 2.0}).value_or(1) < 0.9);
    CHECK(confidence(0.5, std::pair{2.0, 4.0}).value_or(0) == doctest::Approx(0.5).epsilon(0.01));
    CHECK_FALSE(confidence({}, {}));
    CHECK_FALSE(confidence({}, std::pair{4.0, 8.0})); // where nothing was measured
    const Finding none = finding_of(series, Conclusion::none_seen("why"), "L1", "caches", nullptr);
    CHECK(none.text == "why");
    CHECK(none.no_value == NoValue::not_seen);
    CHECK(Json(none)["value"].is_null());
    CHECK_FALSE(Json(none).contains("confidence"));
}

TEST_CASE("what a TLB miss costs is not counted again with the next reach's, also where a last one costs more than any "
          "share tells") {
    constexpr double kMega = 1 << 20;
    std::vector<CurvePoint> curve;
    for (double span = 3 * kMega; span < 33e9; span *= 4.0 / 3) { // as on an H200 through Vulkan
        const auto misses = [span](double reach, double cost) { return cost * std::max(0.0, 1 - reach / span); };
        curve.push_back({span, 142.9 + misses(9 * kMega, 5) + misses(2048 * kMega, 58) +
                                   (span > 10000 * kMega ? 270 + 25 * std::log2(span / (10000 * kMega)) : 0)});
    }
    const auto levels = translation_levels(curve);
    REQUIRE(levels.size() == 3);
    CHECK(levels[0].cost == doctest::Approx(5).epsilon(0.05));
    CHECK(levels[1].cost == doctest::Approx(58).epsilon(0.05)); // 63, where it is
}

TEST_CASE("cores: the last number of workgroups that takes no longer than one, where the next one is known to") {
    const auto counted = [](std::uint64_t cores, std::uint64_t most = 4096) {
        std::vector<CurvePoint> curve;
        while (const auto next = next_group_count(curve, most))
            curve.push_back({static_cast<double>(*next), 10.0 * static_cast<double>((*next + cores - 1) / cores)});
        CHECK(curve.size() <= 26); // doubled, then bisected
        std::ranges::sort(curve, {}, &CurvePoint::x);
        return cores_side_by_side(curve);
    };
    for (const std::uint64_t cores : {1, 2, 3, 8, 13, 44, 132, 4095}) CHECK(counted(cores).value == cores);
    CHECK(counted(8, 8).no_value == NoValue::not_seen);
    CHECK(cores_side_by_side(std::vector<CurvePoint>{{1, 10}, {8, 10}, {16, 20}}).no_value == NoValue::inconclusive);
    CHECK(cores_side_by_side(std::vector<CurvePoint>{{2, 10}, {3, 20}}).no_value == NoValue::inconclusive);
    CHECK(cores_side_by_side(std::vector<CurvePoint>{{1, 10}, {2, 14}, {3, 16}, {4, 16}}).value == 2);
    CHECK(cores_side_by_side(std::vector<CurvePoint>{{1, 10}, {2, 10}, {3, 16}, {4, 10}}).confidence < 0.9);
}
