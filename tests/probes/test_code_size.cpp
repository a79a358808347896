// code-size: its series on a modelled card, and what it says of series.
#include <doctest/doctest.h>

#include "core/measure/compile_time.h"
#include "tests/model/measured.h"
#include "tests/probes/probe_series.h"

using namespace sonde;

TEST_CASE("code-size: each level of instruction caches, with the loop that it holds") {
    std::vector<std::pair<double, double>> points;
    for (int half = 0; half <= 20; ++half) {
        const double bytes = 1024 * std::exp2(half / 2.0);
        points.emplace_back(bytes, bytes <= 33e3 ? 0.27 : bytes <= 132e3 ? 0.5 : 1.3);
    }
    const auto findings =
        find_probe("code-size")->findings(made("code-size", "global", {{"on", "one-subgroup"}}, points), {});
    REQUIRE(findings.size() == 3);
    const double times[] = {0.27, 0.5, 1.3};
    for (std::size_t i = 0; i < findings.size(); ++i) {
        CHECK(findings[i].name == fmt::format("level {}", i + 1));
        CHECK(*findings[i].value == doctest::Approx(times[i]));
        CHECK(findings[i].rows.size() == 2);
    }
    const auto held = [&](std::size_t level) { return findings[level].rows.at(1); };
    CHECK(held(0).range->first == 32 << 10);
    CHECK(held(0).range->second == doctest::Approx(32768 * std::sqrt(2)));
    CHECK(held(1).range->first == 128 << 10);
    CHECK(held(1).range->second == doctest::Approx(131072 * std::sqrt(2)));
    CHECK(held(2).value == 1 << 20);
    CHECK_FALSE(held(2).range);
    CHECK(findings[2].text.ends_with("the largest measured"));
    points.resize(15); // to 128 KiB, where an instruction begins to take longer
    points.back().second = 0.57;
    const Finding longer =
        find_probe("code-size")->findings(made("code-size", "global", {{"on", "one-subgroup"}}, points), {}).back();
    REQUIRE(longer.rows.size() == 3);
    CHECK(longer.rows[0].value == doctest::Approx(0.5));
    CHECK(longer.rows[1].value == doctest::Approx(65536 * std::sqrt(2)));
    CHECK(longer.rows[2].value == 0.57);
    CHECK(longer.rows[2].place.ends_with("128 KiB"));
}

TEST_CASE("code-size: times that only fall are no effect of the size") {
    const Options on{{"on", "all-cores"}};
    const auto falls = [&](const std::vector<std::pair<double, double>>& points) {
        const Finding found = only_finding(made("code-size", "global", on, points));
        std::vector<double> times;
        for (const auto& point : points) times.push_back(point.second);
        CHECK(numbers_of(found) == times);
        return says(found.text, "no rise");
    };
    CHECK(falls({{1024, 0.842}, {4096, 0.831}, {16384, 0.414}}));
    CHECK_FALSE(falls({{1024, 0.27}, {16384, 0.5}}));
    CHECK_FALSE(falls({{1024, 0.416}, {16384, 0.407}}));
}

TEST_CASE("code-size: the instruction caches of a modelled card") {
    CardModel card = model_cards().front();
    card.noise = 0;
    card.code_caches = {{32 << 10, 0}, {128 << 10, 2}, {1 << 20, 6}};
    const auto device = model_device(card, 1);
    const Series series = measured(*device, "code-size", "global", "standard", 1, {{"on", "one-subgroup"}});
    CAPTURE(series.reason);
    REQUIRE(series.status == Status::ok);
    const auto found = findings_of(probe_named("code-size"), series, device->info());
    REQUIRE(found.size() == 3);
    const double cycles[] = {1, 2, 6}; // the first is that of four chains of four cycles each
    for (std::size_t i = 0; i < found.size(); ++i) CHECK(*found[i].cycles == doctest::Approx(cycles[i]).epsilon(0.01));
    CHECK(found[0].capacity_bytes->first == doctest::Approx(32 << 10).epsilon(0.01));
    CHECK(found[1].capacity_bytes->first == doctest::Approx(128 << 10).epsilon(0.01));
}

TEST_CASE("code-size: the next size's time to compile follows the power that the last two show") {
    CHECK(predicted_seconds(0, 0, 1 << 10, 0.5, 2 << 10) == doctest::Approx(1)); // nothing before: in proportion
    CHECK(predicted_seconds(32 << 10, 0.5, 64 << 10, 2, 128 << 10) == doctest::Approx(8)); // by the square
    CHECK(predicted_seconds(32 << 10, 0.1, 128 << 10, 9.1, 256 << 10) ==
          doctest::Approx(72.8)); // steeper than the cube: as that
    CHECK(predicted_seconds(32 << 10, 0.5, 64 << 10, 0.4, 128 << 10) == doctest::Approx(0.8)); // scatter
}
