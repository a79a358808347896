// Control measurements.
#include "core/measure/control_measurement.h"

#include <algorithm>

#include "core/measure/chase.h"

namespace sonde {

namespace {
constexpr std::uint64_t kMostBytes = 256 << 20, kCaches = 2; // that many times the largest cache
constexpr std::size_t kPairs = 5;
constexpr double kBetween = 2; // seconds

/// Nullopt on a processor, whose other programs come and go, and where it cannot be taken.
std::optional<ControlPoint> control_point(
    Device& device, DeviceHistory& history, const Request& of, Reporter& reporter) {
    const DeviceInfo& info = device.info();
    const Path& path = *find_path("global");
    if (info.cpu || info.software || device.why_not(path)) return std::nullopt;
    const Request request{.id = {of.id.probe, of.id.device, std::string(path.name), {}},
        .seed = of.seed,
        .end_seconds = of.end_seconds,
        .dispatch_limit_ms = of.dispatch_limit_ms,
        .cache_bytes = of.cache_bytes};
    try {
        Bench bench(device, history, path, request, *find_profile("quick"), reporter);
        if (!bench.still_awake()) bench.wake_clocks(); // the first of a run, or after work of the host's
        Chase chase(bench);
        const auto latency = [&](std::uint64_t footprint) {
            chase.build(footprint);
            return bench.rough_slope(
                64, chase.most_steps(), [&](std::uint32_t steps) { return chase.timed(steps); }, kPairs);
        };
        const std::uint64_t large = std::min({kMostBytes, kCaches * bench.last_level(), chase.largest()});
        chase.new_memory(large);
        return ControlPoint{.small_ns = latency(kSmallestFootprint), .large_ns = latency(large), .large_bytes = large};
    } catch (const DoesNotFit&) { // the memory is taken
        return std::nullopt;
    } catch (const Unsupported&) { // too little of it
        return std::nullopt;
    } catch (const TimeOver&) { // of the run
        return std::nullopt;
    }
}
} // namespace

ControlEvidence controlled(Device& device, DeviceHistory& history, const Request& request, Reporter& reporter,
    const std::function<void()>& series) {
    const auto take = [&] {
        history.control = control_point(device, history, request, reporter);
        history.control_taken = device.now();
        return history.control;
    };
    ControlEvidence evidence{.before = history.control ? history.control : take()};
    series();
    if (evidence.before && device.now() - history.control_taken > kBetween) evidence.after = take();
    return evidence;
}

} // namespace sonde
