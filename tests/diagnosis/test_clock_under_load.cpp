// Rules of the clock under load: what makes each speak, and what does not.
#include <doctest/doctest.h>

#include "tests/diagnosis/made_up.h"

using namespace sonde;
using namespace sonde::made_up;

namespace {
const Cases kClockUnderLoadCases{
    {"clock_under_load",
        "from at least 1000 MHz before (medians of series). By NVML the clock is 995 MHz meanwhile, more than kernels "
        "count: cause unknown.",
        [](MadeUp& card) {
            two_apis(card, kThree, kThree);
            card.run.series.back().evidence.clock = {.before_mhz = 1000, .after_mhz = 1001};
            shows_clock(card.run.series.back().evidence.telemetry, 990);
            for (Point& point : card.run.series.back().points) point.clock_mhz = 800;
        },
        [](MadeUp& card) { two_apis(card, kThree, kThree); }},
    {"clock_under_load",
        "from at least 1000 MHz before (medians of series). Cause unknown. Compare", // the driver shows the clock that
                                                                                     // kernels count
        [](MadeUp& card) {
            two_apis(card, kThree, kThree);
            card.run.series.back().evidence.clock = {.before_mhz = 1000, .after_mhz = 1001};
            shows_clock(card.run.series.back().evidence.telemetry, 810);
            for (Point& point : card.run.series.back().points) point.clock_mhz = 800;
        },
        [](MadeUp& card) { two_apis(card, kThree, kThree); }},
    {"clock_under_load",
        "from at least 1000 MHz before (medians of series). NVML reports \"power cap\", and shows 995 MHz; kernels "
        "count less: cause unknown. Compare",
        [](MadeUp& card) {
            two_apis(card, kThree, kThree);
            card.run.series.back().evidence.clock = {.before_mhz = 1000, .after_mhz = 900};
            shows_clock(card.run.series.back().evidence.telemetry, 990);
            card.run.series.back().evidence.telemetry.during.throttled_by = {"power cap"};
            for (Point& point : card.run.series.back().points) point.clock_mhz = 800;
        },
        [](MadeUp& card) { two_apis(card, kThree, kThree); }},
    {"clock_under_load",
        "The core clock falls under latency, from at least 1000 MHz before (medians of series). It is 850 MHz in the "
        "first 10 series and 800 MHz in the 12 behind them, whatever they compute. Cause unknown. Compare",
        [](MadeUp& card) {
            card.device("a:0");
            for (int i = 0; i < 22; ++i) {
                Series& made = card.latency("a:0", "global", kThree, kEnd, {{"lanes", std::to_string(i)}});
                made.evidence.clock = {.before_mhz = 1000, .after_mhz = 1001};
                for (Point& point : made.points) point.clock_mhz = i < 10 ? 850 : 800;
            }
        },
        [](MadeUp& card) { two_apis(card, kThree, kThree); }},
    {"clock_under_load",
        "The core clock falls under latency (800 MHz), from at least 1000 MHz before (medians of series). Cause "
        "unknown. Compare these figures per clock.",
        [](MadeUp& card) {
            two_apis(card, kThree, kThree);
            card.run.series.back().evidence.clock = {.before_mhz = 1000, .after_mhz = 1001};
            for (Point& point : card.run.series.back().points) point.clock_mhz = 800;
        },
        [](MadeUp& card) {
            two_apis(card, kThree, kThree);
            card.run.series.back().evidence.clock = {.before_mhz = 1000, .after_mhz = 800}; // it has not come up again
            for (Point& point : card.run.series.back().points) point.clock_mhz = 800;
        }},
    {"clock_under_load", "latency (2 series, 800 MHz), from at least 1000 MHz before", // the other one's was higher
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
