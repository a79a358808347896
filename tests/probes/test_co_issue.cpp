// co-issue: its series on modelled cards, and what it says of series.
#include <doctest/doctest.h>

#include "tests/model/measured.h"
#include "tests/probes/probe_series.h"

using namespace sonde;

TEST_CASE("co-issue: two units at once reach the sum of both rates, one unit what one after the other does") {
    const std::string apart =
        said_of("co-issue", {{"pair", "f32+i32"}}, {{0, 100}, {25, 133.333}, {50, 200}, {75, 133.333}, {100, 100}});
    CAPTURE(apart);
    CHECK(says(apart, "fma.f32 100 Gstep/s, mad.u32 100 Gstep/s"));
    CHECK(says(apart, ". Both together, over one after the other (in brackets: if each kind kept its highest rate): "
                      "2.00 times with 50 % mad.u32 (2.00)"));
    const std::string shared = said_of("co-issue", {{"pair", "f32+f64"}}, {{0, 100}, {50, 66.6667}, {100, 50}});
    CAPTURE(shared);
    CHECK(says(shared, "fma.f32 100 Gstep/s, fma.f64 50 Gstep/s"));
    CHECK(
        says(shared, "1.00 times with 50 % fma.f64 (1.50); no share gains more: consistent with a pipe that both use"));
    CHECK_FALSE(says(apart, "a pipe"));
    const std::string at_few =
        said_of("co-issue", {{"pair", "f32+load"}}, {{0, 100}, {12.5, 40}, {50, 50}, {100, 100}});
    CAPTURE(at_few);
    CHECK(at_few.ends_with("): slower than one after the other, cause unknown"));
    CHECK(says(at_few, "; 0.40 times with 12.5 % load-global.u32 ("));
    const std::string low_alone = said_of("co-issue", {{"pair", "f32+f64"}}, {{0, 100}, {50, 66.6667}, {100, 20}});
    CAPTURE(low_alone);
    CHECK(says(low_alone,
        "fma.f64 33.3 Gstep/s (as 50 % of the mix, the base below; 20 Gstep/s alone). Both together, over one after "
        "the other (in brackets: if each kind kept its highest rate): 1.33 times with 50 % fma.f64 (1.33)"));
}

TEST_CASE("co-issue: no ratio to a base that is not known") {
    Series series = made("co-issue", "global", {{"pair", "f32+i32"}}, {{0, 52.4}, {50, 34}, {100, 39.1}});
    series.points[0].low = 36.4, series.points[0].high = 43;
    CHECK(says(said(series), "fma.f32 52.4 Gstep/s, mad.u32 39.1 Gstep/s. Both together"));
    series.points[0].high = 68.6;
    CHECK(said(series).ends_with("inconclusive: quartiles of a base lie apart: fma.f32 36.4 Gstep/s to 68.6 Gstep/s"));
}

TEST_CASE("co-issue of dependent steps: in turn a chain takes the mean of both kinds") {
    CardModel card = model_cards().front();
    card.noise = 0;
    card.operation.cycles = 6;
    const auto device = model_device(card, 1);
    const Series series =
        measured(*device, "co-issue", "global", "quick", 1, {{"pair", "f32+i32"}, {"steps", "dependent"}});
    CAPTURE(series.reason);
    REQUIRE(series.status == Status::ok);
    REQUIRE(series.points.size() == 3);
    CHECK(findings_of(probe_named("co-issue"), series, device->info())
              .at(0)
              .text.find("fma.f32 6 cycles a step, mad.u32 6, both in turn 6, their mean within 3 %") !=
          std::string::npos);
}

TEST_CASE("co-issue: a modelled card with one unit for both kinds, and one with two") {
    const auto gain = [](bool adds_up, const char* pair) {
        CardModel card = model_cards().front();
        card.noise = 0;
        card.operation.cycles = 1;
        card.operation.per_cycle = 64;
        if (adds_up)
            for (const char* other : {"mad.u32", "load-scratchpad.u32"})
                card.operations[other] = {.cycles = 1, .per_cycle = 64, .unit = "other"};
        const auto device = model_device(card, 1);
        const Series series = measured(*device, "co-issue", "global", "quick", 1, {{"pair", pair}});
        REQUIRE(series.status == Status::ok);
        const auto found = findings_of(probe_named("co-issue"), series, device->info());
        REQUIRE(found.size() == 1);
        return found[0].text;
    };
    CHECK(gain(true, "f32+i32").find("2.00 times with 50 % mad.u32") != std::string::npos);
    CHECK(gain(false, "f32+i32").find("1.00 times with 50 % mad.u32") != std::string::npos);
    CHECK(gain(true, "f32+scratchpad").find("2.00 times") != std::string::npos);
}
