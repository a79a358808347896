// Probes on modelled cards: what was put into a card must come out of its series.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/finding.h"
#include "core/probes/probes.h"
#include "core/worker.h"
#include "tests/model/model_device.h"

using namespace sonde;

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

Series measured(Device& device, const std::string& probe, const std::string& path, const std::string& profile, std::uint32_t seed) {
    Series series{.id = {probe, device.info().id, path, {}}, .api = "model", .card = device.info().name};
    Collector collector(series);
    const Outcome outcome = measure_series(device, {.id = series.id, .profile = profile, .seconds = 1e6, .seed = seed}, collector);
    series.status = outcome.status;
    series.reason = outcome.reason;
    series.evidence = outcome.evidence;
    for (Point& point : series.points) summarize(point, find_probe(probe)->measure, Timer::device, true);
    series.unit = find_probe(probe)->unit;
    return series;
}

struct Truth {
    double cycles, bytes; // bytes 0: memory
};

std::vector<Truth> truth_of(const CardModel& card, const PathModel& path) {
    std::vector<Truth> truth;
    for (const std::size_t index : path.caches) truth.push_back({card.caches[index].cycles + path.arithmetic, static_cast<double>(card.caches[index].bytes)});
    truth.push_back({card.memory_cycles + path.arithmetic, 0});
    return truth;
}

/// The knee of a cache that is not fully associative, or hashed, lies below its size: the curve must leave the plateau between 0.55 of it
/// and all of it.
std::string wrong_with(const std::vector<Finding>& found, const std::vector<Truth>& truth) {
    if (found.size() != truth.size()) return fmt::format("{} levels instead of {}", found.size(), truth.size());
    for (std::size_t i = 0; i < truth.size(); ++i) {
        // Where a footprint is not much larger than the cache before, some loads still hit that one: a level looks a little faster.
        const double ratio = *found[i].cycles / truth[i].cycles;
        if (ratio > 1.02 || ratio < (truth[i].bytes == 0 ? 0.94 : 0.97)) return fmt::format("level {}: {:.1f} cycles instead of {:.1f}", i + 1, *found[i].cycles, truth[i].cycles);
        if (truth[i].bytes == 0) continue;
        const auto& [on, off] = *found[i].capacity_bytes;
        if (!off || *off < 0.55 * truth[i].bytes || on > 1.05 * truth[i].bytes) return fmt::format("level {}: {:.0f}-{:.0f} bytes instead of {:.0f}", i + 1, on, off.value_or(0), truth[i].bytes);
    }
    return "";
}

} // namespace

TEST_CASE("latency on modelled cards: every level of every path, from fewer than 60 points") {
    for (const CardModel& card : model_cards())
        for (const PathModel& path : card.paths) {
            CAPTURE(card.name);
            CAPTURE(path.name);
            CardModel noisy = card;
            noisy.noise = 0.005;
            noisy.drift = 0.002;
            const auto device = model_device(noisy, 7);
            const Series series = measured(*device, "latency", path.name, "quick", 11);
            CAPTURE(series.reason);
            REQUIRE(series.status == Status::ok);
            CHECK(series.points.size() < 60);
            const auto found = level_findings(series, Json{{"cache_bytes", device->info().cache_bytes}});
            std::string levels;
            for (const Finding& finding : found) levels += finding.text + "\n";
            CAPTURE(levels);
            CHECK(wrong_with(found, truth_of(card, path)) == "");
        }
}
