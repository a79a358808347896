// What a sampler tells of points: the median of the samples that were taken while each lasted.
#include <atomic>
#include <chrono>
#include <thread>

#include <doctest/doctest.h>

#include "core/measure/telemetry_sampler.h"

using namespace sonde;

namespace {
std::atomic<int> asked{0};
std::atomic<double> watts{0};

class Scripted final : public Telemetry {
public:
    std::string source() const override { return "scripted"; }
    Json now(Json*) override {
        ++asked;
        return {{"power_watts", watts.load()}};
    }
    Json state(Json&) override { return Json::object(); }
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
    const Json told = sampler.finish();
    REQUIRE(told.at("by_x").size() == 2);
    CHECK(told["by_x"][0] == Json({{"x", 1.0}, {"power_watts", 600.0}}));
    CHECK(told["by_x"][1] == Json({{"x", 2.0}, {"power_watts", 450.0}}));
    CHECK(told["during"]["power_watts"]["high"] == 600);
}
