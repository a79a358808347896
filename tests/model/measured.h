// A series as a run would have measured it, on a device of this process.
#pragma once
#include <algorithm>
#include <string>

#include "core/probes/probes.h"
#include "core/run/worker.h"

namespace sonde {

/// Collects samples as the supervisor does.
class Collector final : public Reporter {
public:
    explicit Collector(Series& series) : series_(series) {}
    void step(const std::string&) override {}
    void samples(double x, const std::vector<Sample>& samples) override { take_samples(series_, x, samples); }

private:
    Series& series_;
};

inline Series measured(Device& device, const std::string& probe, const std::string& path, const std::string& profile,
    std::uint32_t seed, const Options& options = {}, std::uint64_t cache_bytes = 0) {
    Series series{.id = {probe, device.info().id, path, options}, .api = "model", .card = device.info().name};
    Collector collector(series);
    DeviceHistory history;
    const Outcome outcome = measure_series(device, history,
        {.id = series.id, .profile = profile, .seconds = 1e6, .seed = seed, .cache_bytes = cache_bytes}, collector);
    series.status = outcome.status;
    series.reason = outcome.reason;
    series.ending = outcome.ending;
    series.x = find_probe(probe)->axis();
    series.evidence = outcome.evidence;
    for (Point& point : series.points) {
        const bool by_host = std::any_of(
            point.samples.begin(), point.samples.end(), [](const Sample& sample) { return !sample.device_ns; });
        summarize(point, find_probe(probe)->measure(), by_host ? Timer::host : Timer::device, true);
    }
    series.unit = find_probe(probe)->unit_of(options);
    return series;
}

} // namespace sonde
