// mix: its series on modelled cards, and what it says of series.
#include <algorithm>
#include <string>
#include <tuple>

#include <doctest/doctest.h>

#include "tests/model/measured.h"
#include "tests/probes/probe_series.h"

using namespace sonde;

TEST_CASE("mix: a path that reads faster beside another than alone was measured badly alone") {
    const auto mix = [](double a, double both, double b) {
        const Finding found =
            only_finding(made("mix", "texel", {{"other_path", "scratchpad"}}, {{0, a}, {50, both}, {100, b}}));
        CHECK(*found.value == doctest::Approx(both * (0.5 / a + 0.5 / b)));
        return found.text;
    };
    CHECK(mix(20, 28, 20).ends_with("overlap in part"));
    CHECK(mix(20, 39, 20).ends_with("rates add up"));
    CHECK(says(mix(20, 44, 20), "doubtful"));
    CHECK(says(mix(10, 28, 30), "doubtful")); // 14 of the first
}

TEST_CASE("loads on two paths at once, on a modelled card: one pipe, or two; every byte counted") {
    for (const bool one_pipe : {true, false}) {
        CAPTURE(one_pipe);
        CardModel card = model_card("GTX 680");
        card.memory_bytes = 4 * kMiB;
        card.cores = 1;
        card.first_level_rates = {{"global", 32e9}, {"texel", 16e9}, {"scratchpad", 32e9}};
        card.one_pipe = one_pipe;
        card.noise = 0.002;
        for (const auto& [path, with, other] :
            {std::tuple{"global", "texel", 16.0}, {"global", "scratchpad", 32.0}, {"texel", "scratchpad", 32.0}}) {
            CAPTURE(std::string(path));
            CAPTURE(std::string(with));
            const auto device = model_device(card, 3);
            const double own = std::string(path) == "texel" ? 16 : 32;
            for (const char* profile : {"quick", "standard"}) {
                const Series series = measured(*device, "mix", path, profile, 5, {{"other_path", with}});
                CAPTURE(series.reason);
                REQUIRE(series.status == Status::ok);
                REQUIRE(series.points.size() >= 3);
                for (const Point& point : series.points) {
                    CAPTURE(point.x);
                    const double a = (100 - point.x) / own, b = point.x / other;
                    CHECK(*point.median == doctest::Approx(100 / (one_pipe ? a + b : std::max(a, b))).epsilon(0.02));
                    for (const Sample& sample : point.samples)
                        CHECK(model_counts(*device).moved.count(sample.steps) == 1);
                }
                const auto found = findings_of(series);
                REQUIRE(found.size() == 1);
                CHECK(found[0].text.ends_with(one_pipe ? "do not overlap" : "rates add up"));
            }
            CHECK(model_counts(*device).allocated == 0);
        }
        card.wrong_after = 1;
        const auto wrong = model_device(card, 3);
        const Series series = measured(*wrong, "mix", "global", "quick", 5, {{"other_path", "texel"}});
        CHECK(series.status == Status::failed);
        CHECK(series.reason.find("add up to") != std::string::npos);
        CHECK(model_counts(*wrong).allocated == 0);
    }
}
