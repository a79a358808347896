// Rules of the clock under load: what makes each speak, and what does not.
#include <algorithm>
#include <utility>

#include <doctest/doctest.h>

#include "tests/diagnosis/made_up.h"

using namespace sonde;
using namespace sonde::made_up;

namespace {
/// Of two APIs the second one's series, whose kernels count a lower clock than there was before.
Series& one_of_two_slowed(MadeUp& card) {
    two_apis(card, kThree, kThree);
    Series& slowed = card.run.series.back();
    slowed.evidence.clock = {.before_mhz = 1000, .after_mhz = 1001};
    for (Point& point : slowed.points) point.clock_mhz = 800;
    return slowed;
}

const Cases kClockUnderLoadCases{
    {"power_cap",
        {{"median of a series", "a:0", 447}, {"wgmma.f16.f32.m64n256k16 for 2 s", "a:0", 447},
            {"wgmma.f16.f32.m64n256k16 for 2 s", "a:0", 60}, {"wgmma.f16.f32.m64n256k16 for 2 s", "a:0", 97}},
        [](MadeUp& card) {
            card.sustained("a:0", "wgmma.f16.f32.m64n256k16", 447, true, 700);
            CardDuring& during = card.run.series.back().evidence.telemetry.during;
            during.throttled_samples = {{"power cap", 60}}, during.samples = 97;
        },
        [](MadeUp& card) { card.sustained("a:0", "wgmma.f16.f32.m64n256k16", 447, false, 700); }},
    {"power_cap", // a limit below that of the card
        {{"in force", "a:0", 450}, {"by default", "a:0", 700}},
        [](MadeUp& card) {
            card.sustained("a:0", "wgmma.f16.f32.m64n256k16", 447, true, 450);
            card.run.series.back().evidence.telemetry.state.power_default_watts = 700;
        },
        [](MadeUp& card) { card.sustained("a:0", "fma.f64", 640, false, 700); }},
    {"clock_under_load", {{"before", "b:0", 1000}, {"under load", "b:0", 800}, {"shown by NVML", "b:0", 995}},
        [](MadeUp& card) {
            two_apis(card, kThree, kThree);
            card.run.series.back().evidence.clock = {.before_mhz = 1000, .after_mhz = 1001};
            shows_clock(card.run.series.back().evidence.telemetry, 990);
            for (Point& point : card.run.series.back().points) point.clock_mhz = 800;
        },
        [](MadeUp& card) { two_apis(card, kThree, kThree); }},
    {"clock_under_load", // the driver shows the clock that kernels count
        {{"before", "b:0", 1000}, {"under load", "b:0", 800}},
        [](MadeUp& card) {
            two_apis(card, kThree, kThree);
            card.run.series.back().evidence.clock = {.before_mhz = 1000, .after_mhz = 1001};
            shows_clock(card.run.series.back().evidence.telemetry, 810);
            for (Point& point : card.run.series.back().points) point.clock_mhz = 800;
        },
        [](MadeUp& card) { two_apis(card, kThree, kThree); }},
    {"clock_under_load",
        {{"before", "b:0", 1000}, {"under load", "b:0", 800}, {"shown by NVML", "b:0", 995},
            {"named by NVML", "b:0", "power cap"}},
        [](MadeUp& card) {
            two_apis(card, kThree, kThree);
            card.run.series.back().evidence.clock = {.before_mhz = 1000, .after_mhz = 900};
            shows_clock(card.run.series.back().evidence.telemetry, 990);
            card.run.series.back().evidence.telemetry.during.throttled_by = {"power cap"};
            for (Point& point : card.run.series.back().points) point.clock_mhz = 800;
        },
        [](MadeUp& card) { two_apis(card, kThree, kThree); }},
    {"clock_under_load", // of several workgroups that a core runs in turn one counts cycles of its own part
        {{"before", "b:0", 1000}, {"under load", "b:0", 800}}, [](MadeUp& card) { one_of_two_slowed(card); },
        [](MadeUp& card) { one_of_two_slowed(card).id.probe = "cores"; }},
    {"clock_under_load",
        {{"before", "a:0", 1000}, {"in the first 10 series", "a:0", 850}, {"in the next 12", "a:0", 800}},
        [](MadeUp& card) {
            card.device("a:0");
            for (int i = 0; i < 22; ++i) {
                Series& made = card.latency("a:0", "global", kThree, kEnd, {{"lanes", std::to_string(i)}});
                made.evidence.clock = {.before_mhz = 1000, .after_mhz = 1001};
                for (Point& point : made.points) point.clock_mhz = i < 10 ? 850 : 800;
            }
        },
        [](MadeUp& card) { two_apis(card, kThree, kThree); }},
    {"clock_under_load", {{"before", "b:0", 1000}, {"under load", "b:0", 800}},
        [](MadeUp& card) { one_of_two_slowed(card); },
        [](MadeUp& card) {
            two_apis(card, kThree, kThree);
            card.run.series.back().evidence.clock = {.before_mhz = 1000, .after_mhz = 800}; // it has not come up again
            for (Point& point : card.run.series.back().points) point.clock_mhz = 800;
        }},
    {"clock_under_load", // the other one's was higher

        {{"before", "a:0", 1000}, {"before", "b:0", 1100}, {"under load", "a:0", 800}, {"under load", "b:0", 800}},
        [](MadeUp& card) {
            two_apis(card, kThree, kThree);
            for (const auto& [at, mhz] : {std::pair{0, 1000.0}, {1, 1100.0}}) {
                card.run.series[at].evidence.clock = {.before_mhz = mhz, .after_mhz = mhz};
                for (Point& point : card.run.series[at].points) point.clock_mhz = 800;
            }
        },
        [](MadeUp& card) { two_apis(card, kThree, kThree); }},
};
} // namespace

TEST_CASE("rules of the clock under load: each speaks where it must and is silent where it must") {
    kClockUnderLoadCases.check();
}

TEST_CASE("the effect of a load on the clock is that of the least clock before: others may have come from a boost") {
    MadeUp card;
    two_apis(card, kThree, kThree);
    for (const auto& [at, mhz] : {std::pair{0, 1000.0}, {1, 1100.0}}) {
        card.run.series[at].evidence.clock = {.before_mhz = mhz, .after_mhz = mhz};
        for (Point& point : card.run.series[at].points) point.clock_mhz = 800;
    }
    const Statements all = statements_of(card.run);
    const auto told = std::ranges::find(all, "clock_under_load", &Statement::rule);
    REQUIRE(told != all.end());
    CHECK(told->effect == doctest::Approx(1.25));
}

TEST_CASE("the power limit in force stands beside what the card drew") {
    MadeUp card;
    card.sustained("a:0", "wgmma.f16.f32.m64n256k16", 447, true, 700);
    const Statements all = statements_of(card.run);
    const auto told = std::ranges::find(all, "power_cap", &Statement::rule);
    REQUIRE(told != all.end());
    const auto& sections = told->fact.grid.sections;
    const auto limits = std::ranges::find(sections, "limit that the driver reports", &GridSection::title);
    REQUIRE(limits != sections.end());
    REQUIRE(limits->rows.size() == 1);
    CHECK(limits->rows[0].place == "in force");
    CHECK(*limits->rows[0].cells[0].quantity() == Quantity{700, Unit::watts});
}

TEST_CASE("what instruments show of a series whose kernels ran for a small part of it is not what they draw") {
    const auto told_with = [](double seconds) {
        MadeUp card;
        card.library("a:0", "f16", 720);
        Series& series = card.run.series.back();
        series.evidence.seconds = seconds;
        series.points.back().samples = {{.steps = 1, .host_ns = 1e9}};
        TelemetryEvidence& told = series.evidence.telemetry;
        told.source = "NVML", told.during.throttled_by = {"power cap"};
        told.during.power_watts = {.low = 190, .median = 200, .high = 210};
        const Statements all = statements_of(card.run);
        return std::ranges::find(all, "power_cap", &Statement::rule) != all.end();
    };
    CHECK(told_with(1.5));
    CHECK_FALSE(told_with(60));
}
