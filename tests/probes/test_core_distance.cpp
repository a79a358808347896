// core-distance: cores and lines on modelled cards with one cache, and with two parts.
#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "core/probes/probes.h"
#include "tests/model/measured.h"
#include "tests/probes/probe_series.h"

using namespace sonde;

TEST_CASE("cores on a modelled card: two halves where there are two, one group where there is one") {
    CardModel card = small_card("GTX 980 Ti");
    card.caches[1].bytes = 4 << 20; // a shared level ends above a mebibyte
    card.paths.push_back({"global.cg", {1}});
    for (const double far : {0.0, 60.0}) {
        CAPTURE(far);
        card.far_cycles = far;
        const auto device = model_device(card, 9);
        for (const char* lines : {"one", "many"}) {
            const Series series = measured(*device, "core-distance", "global.cg", "quick", 4, {{"lines", lines}});
            CAPTURE(series.reason);
            REQUIRE(series.status == Status::ok);
            CHECK(series.points.size() == card.cores);
            const auto findings = find_probe("core-distance")->findings(series, {});
            REQUIRE(findings.size() == 1);
            CHECK(has_row(findings[0], "far cores") == (far > 0));
            CHECK(row_at(findings[0], "cores asked").value == card.cores);
            if (far == 0) continue;
            CHECK(*findings[0].value == doctest::Approx(far / card.clock_mhz * 1e3).epsilon(0.1));
            CHECK(row_at(findings[0], "near cores").value == card.cores / 2);
            CHECK(number_at(findings[0], "far cores") == card.cores / 2);
            const std::vector<double> numbers = numbers_of(findings[0]); // the last ones: near, far
            CHECK(numbers.back() - numbers.at(numbers.size() - 3) == doctest::Approx(*findings[0].value).epsilon(0.1));
        }
    }
}

TEST_CASE("cores whose numbers have gaps, as GCN's have, are asked and found as others are") {
    CardModel card = small_card("GTX 980 Ti");
    card.caches[1].bytes = 4 << 20;
    card.paths.push_back({"global.cg", {1}});
    card.far_cycles = 60;
    card.cores_of_array = 11; // of 16
    const auto device = model_device(card, 9);
    for (const char* lines : {"one", "each"}) {
        CAPTURE(lines);
        const Series series = measured(*device, "core-distance", "global.cg", "quick", 4, {{"lines", lines}});
        CAPTURE(series.reason);
        REQUIRE(series.status == Status::ok);
        REQUIRE(series.points.size() == card.cores);
        CHECK(series.points.back().x == card.number_of(card.cores - 1));
        CHECK(card.number_of(card.cores - 1) >= card.cores);
    }
    const Series pairs = measured(*device, "core-to-core", "global", "quick", 4, {{"scope", "cores"}});
    CAPTURE(pairs.reason);
    REQUIRE(pairs.status == Status::ok);
    REQUIRE(pairs.evidence.cores.numbers.size() == card.cores);
    CHECK(pairs.evidence.cores.numbers.back() == card.number_of(card.cores - 1));
}

TEST_CASE("lines on a modelled card: each near to one half of the cores where the cache has two parts, and all alike "
          "where it has one") {
    CardModel card = small_card("GTX 980 Ti");
    card.paths.push_back({"global.cg", {1}});
    for (const double far : {0.0, 60.0}) {
        card.far_cycles = far;
        const auto device = model_device(card, 9);
        const Series series = measured(*device, "core-distance", "global.cg", "quick", 4, {{"lines", "each"}});
        CAPTURE(series.reason);
        REQUIRE(series.status == Status::ok);
        CHECK(series.points.size() == card.cores);
        REQUIRE(series.evidence.line_times.size() == card.cores);
        CHECK(series.evidence.line_times[0].counts[1] - series.evidence.line_times[0].counts[0] ==
              doctest::Approx(far + 2).epsilon(0.01));
        const auto findings = find_probe("core-distance")->findings(series, {});
        REQUIRE(findings.size() == 1);
        CHECK(*findings[0].value == (far > 0 ? 2 : 1));
        const double half = card.cores / 2;
        std::vector<double> parts = numbers_of(findings[0]);
        parts.resize(far > 0 ? 5 : 3); // then times
        CHECK(parts == (far > 0 ? std::vector<double>{2, half, half, 32, 32}
                                : std::vector<double>{1, static_cast<double>(card.cores), 64}));
    }
}
