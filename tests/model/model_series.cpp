// What a worker and its supervisor do between them.
#include "tests/model/model_series.h"

#include "core/probes/probes.h"
#include "core/worker.h"

namespace sonde {

namespace {

/// Collects samples as the supervisor does.
class Collector final : public Reporter {
public:
    explicit Collector(Series& series) : series_(series) {}
    void step(const std::string&) override {}
    void samples(double x, const std::vector<Sample>& samples) override { take_samples(series_, x, samples); }

private:
    Series& series_;
};

} // namespace

Series measured(Device& device, const std::string& probe, const std::string& path, const std::string& profile, std::uint32_t seed, const Options& options) {
    Series series{.id = {probe, device.info().id, path, options}, .api = "model", .card = device.info().name};
    Collector collector(series);
    const Outcome outcome = measure_series(device, {.id = series.id, .profile = profile, .seconds = 1e6, .seed = seed}, collector);
    series.status = outcome.status;
    series.reason = outcome.reason;
    series.evidence = outcome.evidence;
    for (Point& point : series.points) summarize(point, find_probe(probe)->measure, Timer::device, true);
    series.unit = find_probe(probe)->unit;
    return series;
}

} // namespace sonde
