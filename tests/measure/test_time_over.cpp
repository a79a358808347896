// The end of a run's time: at whichever call of the device it comes, nothing is begun after it, and what was measured
// is kept.
#include <doctest/doctest.h>

#include <set>

#include "core/analysis/findings.h"
#include "core/measure/control_measurement.h"
#include "core/run/option.h"
#include "tests/model/measured.h"
#include "tests/model/model_device.h"
#include "tests/thorough.h"

using namespace sonde;

namespace {
/// A device at whose call number `last_call` the run's time ends; those that keep the clocks up, as many as fit into a
/// while, do not count.
class EndingDevice final : public Device {
public:
    EndingDevice(std::unique_ptr<Device> inner, Request& request, int last_call)
        : inner_(std::move(inner)), request_(request), last_(last_call) {}
    const DeviceInfo& info() const override { return inner_->info(); }
    std::optional<std::string> why_not(const Path& path) const override { return inner_->why_not(path); }
    std::optional<std::string> why_lacking(Feature feature, bool in_scratchpad) const override {
        return inner_->why_lacking(feature, in_scratchpad);
    }
    std::unique_ptr<Buffer> allocate(Space space, std::size_t bytes) override {
        return counted(), inner_->allocate(space, bytes);
    }
    std::vector<Timing> copy(std::span<const Copy> copies) override {
        if (std::any_of(copies.begin(), copies.end(), [](const Copy& copy) { return !copy.to_host; })) counted();
        return inner_->copy(copies);
    }
    std::unique_ptr<Kernel> compile(const Source& source, const Build& build) override {
        counted();
        auto kernel = inner_->compile(source, build);
        if (source.name == "spin") spinner_ = kernel.get();
        return kernel;
    }
    std::vector<Timing> run(std::span<const Launch> launches, Timed timed) override {
        if (&launches[0].kernel != spinner_ || request_.end_seconds > 0) counted();
        else if (ends_in_spin) request_.end_seconds = 1e-9;
        return inner_->run(launches, timed);
    }
    double now() const override { return inner_->now(); }
    bool ends_in_spin = false; // at the next one
    int calls() const { return calls_; }

private:
    void counted() {
        if (++calls_ == last_) request_.end_seconds = 1e-9;
    }
    std::unique_ptr<Device> inner_;
    Request& request_;
    const Kernel* spinner_ = nullptr;
    int last_, calls_ = 0;
};
} // namespace

TEST_CASE(
    "nothing is begun on a device once the run's time is over, whatever is measured; a series keeps its whole points") {
    CardModel card = model_card("GTX 680"); // small, so that little is simulated
    card.memory_bytes = 8 << 20;
    int ended = 0, tried = 0;
    CasesOfTheDay day(2);
    card.caches[1].bytes = 128 << 10;
    for (const Probe* probe : all_probes()) {
        if (probe->name == "channels") continue; // its simulation takes long, and it sweeps as bandwidth does
        const std::string path(probe->paths[0]);
        for (const int last : {1, 5, 20}) {
            if (!day.take()) continue;
            ++tried;
            CAPTURE(std::string(probe->name));
            CAPTURE(last);
            Request request{
                .id = {std::string(probe->name), "model:0", path, option_sets(*probe, *find_path(path), {})[0]},
                .profile = "quick",
                .seconds = 1e6,
                .card_idle_seconds = 0};
            EndingDevice device(model_device(card, 3), request, last);
            Series series{.id = request.id};
            Collector collector(series);
            DeviceHistory history{.last_busy = device.now()}; // its clocks are up
            const Outcome outcome = measure_series(device, history, request, collector);
            history.kernels.clear(); // they are the device's
            CAPTURE(outcome.reason);
            CHECK(device.calls() <= last);
            if (device.calls() < last) continue; // it needed fewer
            CHECK((outcome.status != Status::failed ||
                   outcome.reason.find("modelled memory") != std::string::npos)); // which is small
            if (outcome.status != Status::ok) continue;
            ended += outcome.ending && outcome.ending->by == EndedBy::time; // else that call was its last
            series.evidence = outcome.evidence;
            for (Point& point : series.points) summarize(point, probe->measure(), Timer::host, true);
            findings_of(*probe, series, device.info());
        }
    }
    CHECK(4 * ended > tried);
}

TEST_CASE("a series whose run ends while its last clock is measured has no such clock, and is no failure") {
    Request request{.id = {"latency", "model:0", "global", {}}, .profile = "quick"};
    EndingDevice device(model_device(model_card("H100"), 3), request, 0);
    Series series{.id = request.id};
    Collector collector(series);
    DeviceHistory history;
    Bench bench(device, history, *find_path("global"), request, *find_profile("quick"), collector);
    bench.wake_clocks();
    bench.note_clock(&ClockEvidence::after_mhz);
    REQUIRE(bench.evidence.clock->after_mhz);
    bench.evidence.clock->after_mhz.reset();
    device.ends_in_spin = true;
    CHECK_NOTHROW(bench.note_clock(&ClockEvidence::after_mhz));
    CHECK(run_over(request));
    CHECK_FALSE(bench.evidence.clock->after_mhz);
    history.kernels.clear();
}

TEST_CASE("no control measurement is begun once the run's time is over") {
    Request request{.id = {"latency", "model:0", "global", {}}, .profile = "quick"};
    EndingDevice device(model_device(model_card("GTX 680"), 3), request, 0);
    request.end_seconds = 1e-9;
    Series series{.id = request.id};
    Collector collector(series);
    DeviceHistory history;
    const ControlEvidence control = controlled(device, history, request, collector, [] {});
    CHECK_FALSE(control.before);
    CHECK_FALSE(control.after);
    CHECK(device.calls() == 0);
}

TEST_CASE("pairs that are enough are a point, also where the run's time ends between the two dispatches of another") {
    const auto device = model_device(model_card("H100"), 3);
    const Profile& profile = *find_profile("quick");
    std::set<std::size_t> pairs; // by when it ends
    for (int last = 1; last <= 40; ++last) {
        CAPTURE(last);
        Request request{.id = {"latency", "model:0", "global", {}}, .profile = "quick", .seconds = 1e6};
        Series series{.id = request.id};
        Collector collector(series);
        DeviceHistory history;
        Bench bench(*device, history, *find_path("global"), request, profile, collector);
        int dispatches = 0;
        const auto dispatch = [&](std::uint32_t work) {
            if (run_over(request)) throw TimeOver();
            if (++dispatches == last) request.end_seconds = 1e-9;
            return Sample{.steps = static_cast<double>(work),
                .host_ns = work * (1.0 + 0.05 * (dispatches % 5))}; // too noisy to be done before the most pairs
        };
        try {
            bench.take_pairs(4096, 0, {.granule = 64, .most = 1u << 20}, dispatch);
        } catch (const TimeOver&) {
            CHECK(series.points.empty());
        }
        CHECK(dispatches <= last);
        pairs.insert(series.points.empty() ? 0 : series.points[0].samples.size() / 2);
    }
    CHECK(pairs.count(0) == 1);
    for (std::size_t enough = profile.rule.at_least; enough <= profile.rule.at_most; ++enough)
        CHECK(pairs.count(enough) == 1);
    CHECK(pairs.count(profile.rule.at_least - 1) == 0);
}

TEST_CASE("a sweep goes on to no further size once its run is over") {
    const auto device = model_device(model_card("GTX 680"), 3);
    Request request{.id = {"latency", "model:0", "global", {}}, .profile = "quick", .seconds = 1e6};
    Series series{.id = request.id};
    Collector collector(series);
    DeviceHistory history;
    Bench bench(*device, history, *find_path("global"), request, *find_profile("quick"), collector);
    std::vector<std::uint64_t> sizes;
    bench.sweep(0, {4096, 8192, 16384}, [&](std::uint64_t size, const std::string&) {
        sizes.push_back(size);
        request.end_seconds = 1e-9;
    });
    CHECK(sizes == std::vector<std::uint64_t>{4096});
    REQUIRE(bench.ending);
    CHECK(bench.ending->by == EndedBy::time);
}
