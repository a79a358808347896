// The control measurement around series, and what it says of the card.
#include <doctest/doctest.h>

#include <thread>

#include "core/measure/control_measurement.h"
#include "core/run/judge.h"
#include "tests/model/measured.h"
#include "tests/model/model_device.h"

using namespace sonde;

TEST_CASE(
    "the control measurement is the latency of the first cache and of memory, and a card that slows is unstable") {
    const CardModel& card = model_card("H100");
    CardModel slowed = card; // another process takes a third of the time
    slowed.clock_mhz = card.clock_mhz * 2 / 3;
    DeviceHistory history;
    Series series{.id = {"latency", "model:0", "global", {}}};
    Collector collector(series);
    const Request request{.id = series.id, .cache_bytes = 50 << 20};
    const auto on = [&](const CardModel& model, std::chrono::milliseconds lasting) {
        const auto device = model_device(model, 3);
        const ControlEvidence control =
            controlled(*device, history, request, collector, [&] { std::this_thread::sleep_for(lasting); });
        history.kernels.clear(); // they are the device's
        return control;
    };
    const ControlEvidence quiet = on(card, {});
    REQUIRE(quiet.before);
    CHECK_FALSE(quiet.after); // just now
    CHECK(quiet.before->small_ns == doctest::Approx(card.caches[0].cycles / card.clock_mhz * 1e3).epsilon(0.25));
    CHECK(quiet.before->large_ns > 5 * quiet.before->small_ns);
    CHECK(quiet.before->large_bytes == 100 << 20);

    series.evidence.control = quiet;
    BestSeen best;
    for (int quiet_series = 0; quiet_series < 4; ++quiet_series) {
        history.control_taken -= 3;
        series.evidence.control = on(card, {});
        note_controls(best.controls, series);
        judge(series, {}, best, false);
        CHECK(series.status == Status::ok);
    }
    ControlPoint lucky = *quiet.before; // part of the chain was in a cache
    lucky.large_ns *= 0.7;
    best.controls.push_back(lucky);
    judge(series, {}, best, false);
    CHECK(series.status == Status::ok);

    history.control_taken -= 3;
    series.evidence.control = on(slowed, {});
    REQUIRE(series.evidence.control->after);
    note_controls(best.controls, series);
    judge(series, {}, best, false);
    CHECK(series.status == Status::unstable);
    REQUIRE(series.doubts.size() == 1);
    CHECK(series.doubts[0].kind == DoubtKind::control);
    CHECK(*series.doubts[0].measured > 1.2 * *series.doubts[0].usual);
}
