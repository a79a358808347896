// What a sampler tells of points: the median of the samples that were taken while each lasted.
#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>
#include <utility>

#include <doctest/doctest.h>

#include "core/base/json.h"
#include "core/measure/telemetry_sampler.h"
#include "tests/says.h"

using namespace sonde;

namespace {
std::atomic<int> asked{0};
std::atomic<double> watts{0}, errors{0};
std::mutex energy_mutex;
double joules = 0;
auto last = std::chrono::steady_clock::now();

class Scripted final : public Telemetry {
public:
    std::string source() const override { return "scripted"; }
    CardSample now(AbsentFields*) override {
        ++asked;
        const std::scoped_lock guard(energy_mutex);
        const auto now = std::chrono::steady_clock::now();
        joules += watts * std::chrono::duration<double>(now - std::exchange(last, now)).count();
        CardSample sample;
        sample.power_watts = watts, sample.energy_joules = joules;
        return sample;
    }
    CardState state(AbsentFields&) override {
        CardState state;
        state.ecc_corrected = errors;
        return state;
    }
};
OpenedTelemetry scripted(const DeviceInfo&) { return {std::make_unique<Scripted>(), ""}; }

void wait_for_samples(int more) {
    for (const int wanted = asked + more; asked < wanted;) std::this_thread::sleep_for(std::chrono::milliseconds(5));
}
} // namespace

TEST_CASE("telemetry by point: a long point has its own, a short one none") {
    watts = 600;
    const OpenTelemetry sources[] = {scripted};
    TelemetrySampler sampler(sources, {});
    wait_for_samples(8);
    sampler.point_measured(1);
    watts = 450;
    wait_for_samples(8);
    sampler.point_measured(2);
    sampler.point_measured(3); // at once
    const TelemetryEvidence told = sampler.finish();
    REQUIRE(told.by_x.size() == 2);
    CHECK(told.by_x[0].x == 1);
    CHECK(told.by_x[0].power_watts == 600.0);
    CHECK(told.by_x[1].power_watts == 450.0);
    CHECK(told.by_x[0].energy_watts.value_or(0) ==
          doctest::Approx(600).epsilon(0.02)); // by the counter, and when each sample was taken
    REQUIRE(told.during.power_watts.has_value());
    CHECK(told.during.power_watts->high == 600);
    CHECK(told.before.power_watts == 600.0);
    CHECK(Json(told).get<TelemetryEvidence>().by_x[1].power_watts == 450.0);
    CHECK(Json(told)["absent"] == Json::object());
}

TEST_CASE("telemetry: the state behind a series is kept where it is another than before") {
    const OpenTelemetry sources[] = {scripted};
    TelemetrySampler quiet(sources, {}), struck(sources, {});
    const TelemetryEvidence same = quiet.finish();
    CHECK(same.state_after.empty());
    CHECK(same.last_state().ecc_corrected == 0.0);
    CHECK_FALSE(Json(same).contains("state_after"));
    errors = 2;
    const TelemetryEvidence other = struck.finish();
    CHECK(other.state.ecc_corrected == 0.0);
    CHECK(Json(other).get<TelemetryEvidence>().last_state().ecc_corrected == 2.0);
}

TEST_CASE("telemetry of a card without instruments: the reason in place of what could not be read") {
    const Json told = TelemetrySampler({}, {}).finish();
    CHECK(says(told["absent"].get<std::string>(), "no source of"));
    CHECK(told.get<TelemetryEvidence>().absent.all == told["absent"].get<std::string>());
}
