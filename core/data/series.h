// What a probe measured: samples as read, points, series; and their JSON form (results/schema.json).
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/json_fwd.h"
#include "core/data/doubt.h"
#include "core/data/ending.h"
#include "core/data/evidence.h"
#include "core/data/option.h"

namespace sonde {

/// One timed walk or pass as it was read. `steps`: units of work (loads of a chase, bytes of a bandwidth test).
/// Samples come in pairs, a short and a long one, back to back: the slope between the two is the measurement.
struct Sample {
    int block = 0;
    double steps = 0;
    double host_ns = 0;
    std::optional<double> device_ns{}, cycles{};
    bool operator==(const Sample&) const = default;
};
void to_json(Json&, const Sample&);
void from_json(const Json&, Sample&);

/// One place on the x axis. `median`, `low`, `high` (quartiles) are derived from the samples' slopes, in the series'
/// unit.
struct Point {
    double x = 0;
    std::optional<double> median{}, low{}, high{};
    std::optional<double> cycles{}, clock_mhz{}; // per unit of work; the clock that the core really ran at
    std::vector<Sample> samples{};
};

enum class Status { ok, unsupported, unstable, failed };
std::span<const char* const> enum_names(Status);
inline const char* to_text(Status status) { return enum_names(status)[static_cast<std::size_t>(status)]; }

/// "carveout=0 width=16"
std::string options_text(const Options& options);

/// Probe, device, path and options: what tells one series from another, everywhere.
struct SeriesId {
    std::string probe, device, path;
    Options options;
    auto operator<=>(const SeriesId&) const = default;
    /// "bandwidth vulkan:0 global width=4"
    std::string text() const;
};

/// What a series asks, whoever answers: two sides are compared where they answer the same question.
struct SeriesKey {
    std::string probe, path;
    Options options;
    auto operator<=>(const SeriesKey&) const = default;
    std::string text() const; // "bandwidth global width=4"
};

/// Every unit that a series can have, of its values and of its axis, as its schema says it: a reader takes none for
/// another.
inline constexpr const char *kValueUnits = R"({"enum": ["ns", "GB/s", "Gop/s", "GLUP/s"]})",
                            *kAxisUnits = R"({"enum": ["", "bytes", "%"]})";

/// What points lie along.
struct AxisText {
    std::string name{}, unit{}; // "footprint", "bytes"
};

struct Series {
    SeriesId id{};
    std::string api{}, card{};
    Status status = Status::ok;
    std::string reason{};           // why it is unsupported or failed; what is said of any series: reason_text
    std::optional<Ending> ending{}; // before all that its profile asks for
    std::vector<Doubt> doubts{};    // those of an unstable series
    AxisText x{};
    std::string unit{};          // "ns"
    std::vector<Point> points{}; // ascending x
    Evidence evidence{};
    std::size_t line = 0; // of the results file that it was read from; 0: none
};
void to_json(Json&, const Series&);
void from_json(const Json&, Series&);

/// MHz of its points, in their order, where known.
std::vector<double> clocks_of(const Series&);
/// MHz of a core at a point: where its dispatches did not time it, what one core ran at before and after the series, if
/// that is the same; nullopt: not known.
std::optional<double> clock_at(const Series&, const Point&);
/// The card's clock in MHz by its instruments while a point was measured, or else the series, where they were asked
/// often enough: a few samples may be of pauses between short kernels.
std::optional<double> shown_clock(const Series&, const Point&);
/// Whether pairs of dispatches lie so far apart that a launch's beginning, which scatters by up to a microsecond, does
/// not count. `slope`: ns of a step.
bool is_long_enough(const std::vector<Sample>&, double slope);
/// MHz in the series, and the lower of those of an idle card's core before and after it; where a reason is named, which
/// may outlast the load, that before it.
struct LoweredClock {
    double under_load, beside;
};
/// What the driver says held the clocks back while it was measured, less what it said before already and no more after:
/// the load of the series before is the reason for that.
std::vector<std::string> throttled_by(const Series&);
/// Whether a power cap is among that.
bool names_power_cap(const Series&);
/// Where the series' own load lowers the clock.
std::optional<LoweredClock> lowered_clock(const Series&);

/// Whether the time budget was over before the last repetition.
bool is_cut_short(const Series&);
/// Whether the time budget was over within the first sweep: edges and the maximum may lie beyond its points. What ends
/// later lacks repetitions alone.
bool ends_early(const Series&);

/// How many times as long the steps that a longer dispatch adds took as those of the shorter one, its launch included,
/// which cannot be more than 1 where nothing interrupts them: the medians at the point where that is most; 0: too few
/// samples.
double later_steps(const Series&);
inline constexpr double kStepsInterrupted =
    1.6; // such times: 1.5 was the most in 50,000 points of a quiet card, 3 to 6 are common on a shared processor

/// Of all points together; 0: no samples are kept.
std::size_t blocks_of(const Series&);

/// How many times the lower quartile of the slopes of a point's pairs is the upper one: what nine of ten points keep
/// below; 1: too few samples.
double scatter(const Series&);
inline constexpr double kScattered = 1.3; // such times: of a quiet processor 1.1 are common

/// Whether the listing shows an atomic instruction that returns a result, though it goes to no register: another than
/// one that returns none.
bool discards_result(const Series&);
/// The atomic instruction of the series' kernel, as far as the driver shows machine code or PTX, with what its listing
/// says of it in brackets; else empty.
std::string atomic_instruction(const Series&);
/// That without who compiled the listing, and the mnemonic alone.
std::string atomic_form(const Series&);
std::string atomic_mnemonic(const Series&);
/// Instructions of a step (KernelEvidence::step_instructions), the most frequent first: "1 POPC, 0.5 IADD3 and 3 kinds
/// more". `most`: kinds that are named.
std::string step_instructions_text(const std::map<std::string, double>& counts, std::size_t most = SIZE_MAX);
inline constexpr std::size_t kFewInstructions = 5; // kinds that a sentence names

/// Adds samples to the point at `x`, which is made where there is none.
void take_samples(Series&, double x, const std::vector<Sample>&);

/// How a unit of work becomes a value: latency is ns per load, bandwidth is GB/s (bytes per ns).
enum class Measure { time_per_step, steps_per_time };

/// ns per step by the given timer for every pair of samples; pairs without that timer or with a slope that is not
/// positive are left out.
std::vector<double> slopes_ns(const std::vector<Sample>&, Timer);
/// Cycles per step for every pair that has cycles.
std::vector<double> slopes_cycles(const std::vector<Sample>&);

/// Fills median, quartiles, cycles and clock from the samples. `core_cycles`: the kernel's counter counts core cycles.
void summarize(Point&, Measure, Timer, bool core_cycles);

} // namespace sonde
