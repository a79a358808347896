// What a probe measured: samples as read, points, series; and their JSON form (results/schema.json).
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/json.h"

namespace sonde {

/// One timed walk or pass as it was read. `steps`: units of work (hops of a chase, bytes of a bandwidth test).
/// Samples come in pairs, a short and a long one, back to back: the slope between the two is the measurement.
struct Sample {
    int block = 0;
    double steps = 0;
    double host_ns = 0;
    std::optional<double> device_ns{}, cycles{};
};

/// One place on the x axis. `median`, `low`, `high` (quartiles) are derived from the samples' slopes, in the series' unit.
struct Point {
    double x = 0;
    std::optional<double> median{}, low{}, high{};
    std::optional<double> cycles{}, clock_mhz{}; // per unit of work; the clock that the core really ran at
    std::vector<Sample> samples{};
};

enum class Status { ok, unsupported, unstable, failed };
const char* to_text(Status);
std::optional<Status> status_of(std::string_view text);

/// "carveout=0 width=16"
std::string options_text(const std::map<std::string, std::string>& options);

/// Probe, device, path and options: what tells one series from another, everywhere.
struct SeriesId {
    std::string probe, device, path;
    std::map<std::string, std::string> options;
    auto operator<=>(const SeriesId&) const = default;
    /// "bandwidth vulkan:0 global width=4"
    std::string text() const;
};

/// What a series asks, whoever answers: two sides are compared where they answer the same question.
struct SeriesKey {
    std::string probe, path;
    std::map<std::string, std::string> options;
    auto operator<=>(const SeriesKey&) const = default;
    std::string text() const; // "bandwidth global width=4"
};

struct Series {
    SeriesId id{};
    std::string api{}, card{};
    Status status = Status::ok;
    std::string reason{};                   // required unless ok; with ok: why the series ends where it does
    std::string x_name{}, x_unit{}, unit{};     // "footprint", "bytes", "ns"
    std::vector<Point> points{};            // ascending x
    Json evidence = Json::object();
    std::size_t line = 0; // of the results file that it was read from; 0: none
};

/// Adds samples to the point at `x`, which is made where there is none.
void take_samples(Series&, double x, const std::vector<Sample>&);

Json to_json(const Sample&);
Json to_json(const Point&);
Json to_json(const Series&);
Sample sample_from(const Json&);
/// Throws Error with what is missing or of the wrong kind.
Series series_from(const Json&);

/// How a unit of work becomes a value: latency is ns per hop, bandwidth is GB/s (bytes per ns).
enum class Measure { time_per_step, steps_per_time };

/// Which clock a point's value is taken from.
enum class Timer { host, device };

/// ns per step by the given timer for every pair of samples; pairs without that timer or with a slope that is not positive are left out.
std::vector<double> slopes_ns(const std::vector<Sample>&, Timer);
/// Cycles per step for every pair that has cycles.
std::vector<double> slopes_cycles(const std::vector<Sample>&);

/// Fills median, quartiles, cycles and clock from the samples. `core_cycles`: the kernel's counter counts core cycles.
void summarize(Point&, Measure, Timer, bool core_cycles);

} // namespace sonde
