// co-issue: its series on modelled cards, and what it says of series.
#include <doctest/doctest.h>

#include "core/analysis/findings.h"
#include "tests/model/measured.h"
#include "tests/probes/probe_series.h"

using namespace sonde;

namespace {
/// With a share of the second kind: what both reach of one after the other, or what is possible.
double gain_at(const Finding& finding, const char* share_of_second, const char* which) {
    return number_at(finding, fmt::format("with {}, times {}", share_of_second, which));
}
} // namespace

TEST_CASE("co-issue: two units at once reach the sum of both rates, one unit what one after the other does") {
    const auto found = [](const char* pair, const std::vector<std::pair<double, double>>& points) {
        return only_finding(made("co-issue", "global", {{"pair", pair}}, points));
    };
    const Finding apart = found("f32+i32", {{0, 100}, {25, 133.333}, {50, 200}, {75, 133.333}, {100, 100}});
    CHECK(number_at(apart, "fma.f32 alone") == 100);
    CHECK(number_at(apart, "mad.u32 alone") == 100);
    for (const char* which : {"in turn", "possible"})
        CHECK(gain_at(apart, "50 % mad.u32", which) == doctest::Approx(2));
    const Finding shared = found("f32+f64", {{0, 100}, {50, 66.6667}, {100, 50}});
    CHECK(number_at(shared, "fma.f64 alone") == 50);
    CHECK(gain_at(shared, "50 % fma.f64", "in turn") == doctest::Approx(1));
    CHECK(gain_at(shared, "50 % fma.f64", "possible") == doctest::Approx(1.5));
    CHECK(says(shared.text, "a pipe"));
    CHECK_FALSE(says(apart.text, "a pipe"));
    const Finding at_few = found("f32+load", {{0, 100}, {12.5, 40}, {50, 50}, {100, 100}});
    CHECK(at_few.text.ends_with("cause unknown"));
    CHECK(says(at_few.text, "12.5 % load-global.u32 ("));
    CHECK(gain_at(at_few, "12.5 % load-global.u32", "in turn") == doctest::Approx(0.4));
    const Finding low_alone = found("f32+f64", {{0, 100}, {50, 66.6667}, {100, 20}});
    CHECK(says(low_alone.text, "20 Gstep/s alone"));
    CHECK(number_at(low_alone, "fma.f64 alone") == doctest::Approx(100 / 3.0)); // as half of the mix
    for (const char* which : {"in turn", "possible"})
        CHECK(gain_at(low_alone, "50 % fma.f64", which) == doctest::Approx(4 / 3.0));
}

TEST_CASE("co-issue: what is possible is no more than a core's schedulers issue, where the vendor documents that") {
    Series series = made("co-issue", "global", {{"pair", "f32+special"}},
        {{0, 128}, {12.5, 80}, {50, 32}, {100, 16}}); // of one core at 1 GHz
    series.evidence.clock = {.name = "clock64", .counts = "core cycles", .before_mhz = 1000, .after_mhz = 1000};
    series.evidence.kernel.emplace().step_instructions = {{"FFMA", 0.5}, {"FADD", 0.5}, {"MUFU.RCP", 0.5}};
    DeviceInfo device;
    device.cores = 1;
    const auto possible = [&] {
        return gain_at(find_probe("co-issue")->findings(series, device).at(0), "12.5 % rcp.f32", "possible");
    };
    CHECK(possible() == doctest::Approx(128 * (0.875 / 128 + 0.125 / 16)));
    device.facts = {{"compute capability", "9.0", "asked"}}; // a step of the second kind is two instructions
    CHECK(possible() == doctest::Approx(128 / 1.125 * (0.875 / 128 + 0.125 / 16)));
    series.evidence.kernel->step_instructions.clear(); // no listing
    CHECK(possible() == doctest::Approx(128 * (0.875 / 128 + 0.125 / 16)));
}

TEST_CASE("co-issue: no ratio to a base that is not known") {
    Series series = made("co-issue", "global", {{"pair", "f32+i32"}}, {{0, 52.4}, {50, 34}, {100, 39.1}});
    series.points[0].low = 36.4, series.points[0].high = 43;
    CHECK(number_at(only_finding(series), "fma.f32 alone") == 52.4);
    CHECK(number_at(only_finding(series), "mad.u32 alone") == 39.1);
    series.points[0].high = 68.6;
    CHECK(only_finding(series).no_value == NoValue::inconclusive);
    CHECK(said(series).ends_with("fma.f32 36.4 Gstep/s to 68.6 Gstep/s"));
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
    const Finding found = only_finding(series, device->info());
    for (const char* place : {"fma.f32", "mad.u32", "both in turn"})
        CHECK(number_at(found, place) == doctest::Approx(6).epsilon(0.01));
    CHECK(row_at(found, "fma.f32").unit == "cycles");
    CHECK(found.unit == kTimesMeanOfBoth);
    CHECK(is_mean_of_both(*found.value));
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
        return found[0];
    };
    CHECK(gain_at(gain(true, "f32+i32"), "50 % mad.u32", "in turn") == doctest::Approx(2).epsilon(0.003));
    CHECK(gain_at(gain(false, "f32+i32"), "50 % mad.u32", "in turn") == doctest::Approx(1).epsilon(0.003));
    CHECK(gain_at(gain(true, "f32+scratchpad"), "50 % load-scratchpad.u32", "in turn") ==
          doctest::Approx(2).epsilon(0.003));
}
