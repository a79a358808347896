// load-times: its series on a modelled card, and what it says of series.
#include <string>

#include <doctest/doctest.h>

#include "core/analysis/load_times.h"
#include "core/probes/probes.h"
#include "tests/model/measured.h"
#include "tests/probes/probe_series.h"

using namespace sonde;

TEST_CASE("load-times: neighbouring footprints whose loads take as long are told together") {
    Series series =
        made("load-times", "global", {}, {{24 << 10, 42}, {96 << 10, 42}, {8 << 20, 290}, {256 << 20, 677}});
    const auto times = [](std::uint64_t bytes, double from) {
        return LoadTimes{.footprint_bytes = bytes, .nothing = 23, .bin = 1, .from = {from}, .loads = {1000}};
    };
    series.evidence.load_times = {times(24 << 10, 64), times(96 << 10, 65), times(8 << 20, 312), times(256 << 20, 700)};
    CHECK(said(series).find("At 24-96 KiB: ") != std::string::npos);
    CHECK(said(series).find("At 8 MiB: ") != std::string::npos);
    series.evidence.load_times[1] = times(96 << 10, 80);
    CHECK(said(series).find("At 24 KiB: ") != std::string::npos);
}

TEST_CASE("single loads on a modelled card: between two caches' ends half of them are as slow as memory where only "
          "every second line is kept there") {
    CardModel card = small_card("GTX 980 Ti");
    card.caches = {
        {1 << 20, 200, 128, 128, Replacement::hashed_lru, 16}, {4 << 20, 400, 128, 128, Replacement::hashed_lru, 16}};
    card.memory_cycles = 800;
    card.tlbs = {};
    card.paths = {{"global.cg", {0, 1}}};
    for (const bool half : {true, false}) {
        card.caches[1].half = half;
        card.caches[1].bytes = half ? 4 << 20 : 8 << 20; // to 8 MiB in any case
        for (const char* profile : {"quick", "standard"}) {
            CAPTURE(half);
            const Series series = measured(*model_device(card, 9), "load-times", "global.cg", profile, 4);
            CAPTURE(series.reason);
            REQUIRE(series.status == Status::ok);
            const auto& all = series.evidence.load_times;
            REQUIRE(all.size() == series.points.size());
            REQUIRE(all.size() >= 3);
            const bool quick = std::string(profile) == "quick";
            const LoadTimes &within = all[quick ? 1 : all.size() - 3], &last = all.back();
            CHECK(last.footprint_bytes >= 16 << 20);
            CHECK(time_of(all.front(), 0.5) == doctest::Approx(200).epsilon(0.03));
            CHECK(time_of(last, 0.5) == doctest::Approx(800).epsilon(0.03));
            CHECK(all.front().nothing == 7);
            for (const LoadTimes& each : all) CHECK(each.from.front() >= 200); // L1's
            const double memory = 0.75 * time_of(last, 0.5);
            CHECK(share_from(all.front(), memory) < 0.01);
            CHECK(share_from(within, memory) == doctest::Approx(half ? 0.5 : 0).epsilon(0.05));
            if (half) CHECK(time_of(within, 0.25) == doctest::Approx(400).epsilon(0.03));
            for (const Point& point : series.points) CHECK(point.cycles.value_or(0) > 0);
            const auto findings = find_probe("load-times")->findings(series, {});
            REQUIRE(findings.size() == 1);
            CHECK(findings[0].text.find("(200 to 2") != std::string::npos);
            CHECK(says(findings[0].text, half ? " % at " : "None of"));
        }
    }
}
